// The HTTP server: Fastify with our own gate, bodies, shapes, envelopes and errors.
// Invariant: every answer has a requestId and its rate; no input leads to a 5xx or a stack trace.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Engine } from "#engine/engine.ts";
import type { KeyDirectory } from "./auth.ts";
import { answerClientError } from "./client-error.ts";
import { jsonType, type Written, writeProblem, writeReply } from "./envelope.ts";
import type { Problem } from "./errors.ts";
import { admit, enterSecretAttempts, type GateParts } from "./gate.ts";
import { readIdempotency } from "./idempotency.ts";
import { itemStream } from "./item-stream.ts";
import { parseJson } from "./json-source.ts";
import type { KeyUse } from "./key-use.ts";
import { RateLimiter } from "./rate-limit.ts";
import { type Answered, type Caller, type Received, type Route, refusedAs } from "./route.ts";
import { PathMethods } from "./routes.ts";
import { SecretAttempts } from "./secret-attempts.ts";
import { limited, UploadTooLarge } from "./upload.ts";

export interface ServerOptions {
  readonly routes: readonly Route[];
  readonly engine: Pick<Engine, "submit" | "status">;
  /** The view that keys and accounts are read from; looked at anew for every request. */
  readonly directory: KeyDirectory;
  readonly keyUse: KeyUse;
  /** Under which key secrets are hashed. */
  readonly pepper: string;
  readonly adminSecret: string;
  /** FIRSTPRINT_PUBLIC_RATE: requests a minute for an address without a key. */
  readonly publicRatePerMinute: number;
  /** FIRSTPRINT_MAX_KEY_RATE; what the admin secret may do, too. */
  readonly maxKeyRatePerMinute: number;
  /** Monotonic, real time whatever the exchange's clock says. */
  nowMillis(): number;
  /** Told of every error that no code names; decides whether the node goes on. */
  onFault(error: unknown, requestId: string): void;
}

const JSON_LIMIT_BYTES = 1_048_576;
const REQUEST_TIMEOUT_MILLIS = 10_000;
const HEADERS_TIMEOUT_MILLIS = 8_000;
const CONNECTIONS_CHECK_MILLIS = 2_000;
const KEEP_ALIVE_MILLIS = 65_000;
const ATTEMPTS_CHECK_MILLIS = 60_000;
const noBody = new Uint8Array();

export function buildServer(options: ServerOptions): FastifyInstance {
  const parts = gateParts(options);
  const frame = new Frame(options, parts);
  const app = fastify({
    // Without the last of these three, the first two are looked at every 30 s only.
    requestTimeout: REQUEST_TIMEOUT_MILLIS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MILLIS,
    },
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    bodyLimit: JSON_LIMIT_BYTES,
    // Routes answer for themselves while stopping, in the usual envelope.
    return503OnClosing: false,
    logger: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512, querystringParser: () => ({}) },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      void frame.refuse(request, reply, frameworkProblem(error));
    },
  });
  takeBodies(app, options.routes);
  app.addHook("onRequest", (request, reply) => frame.enter(request, reply));
  app.setErrorHandler((error, request, reply) => frame.fail(error, request, reply));
  app.setNotFoundHandler((request, reply) => frame.refuse(request, reply, { code: "NOT_FOUND" }));
  for (const route of options.routes) {
    app.route({
      method: route.method,
      url: route.url,
      handler: (request, reply) => frame.serve(route, request, reply),
    });
  }
  watchAttempts(app, parts);
  return app;
}

const gateParts = (options: ServerOptions): GateParts => ({
  authority: {
    directory: options.directory,
    pepper: options.pepper,
    adminSecret: options.adminSecret,
    nowSeconds: () => Math.floor(options.engine.status().engineTimeMillis / 1000),
  },
  engine: options.engine,
  limiter: new RateLimiter(() => options.nowMillis()),
  attempts: new SecretAttempts(),
  keyUse: options.keyUse,
  publicRatePerMinute: options.publicRatePerMinute,
  rootRatePerMinute: options.maxKeyRatePerMinute,
  nowMillis: () => options.nowMillis(),
});

/** JSON arrives as bytes, for the digest and for the digits of its numbers; uploads as streams. */
function takeBodies(app: FastifyInstance, routes: readonly Route[]): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  const types = new Set(routes.flatMap(({ body }) => (body === "json" ? [] : body.types)));
  for (const type of types) {
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  }
}

/** Enters what was folded and never followed: each minute, and before the server closes. */
function watchAttempts(app: FastifyInstance, { attempts, engine, nowMillis }: GateParts): void {
  const enter = async (at: number): Promise<void> => {
    for (const { network, count } of attempts.overdue(at)) {
      await enterSecretAttempts(engine, network, count, randomUUID());
    }
  };
  let timer: NodeJS.Timeout | undefined;
  app.addHook("onReady", async () => {
    timer = setInterval(() => void enter(nowMillis()), ATTEMPTS_CHECK_MILLIS).unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await enter(Number.POSITIVE_INFINITY);
  });
}

class Frame {
  readonly #options: ServerOptions;
  readonly #parts: GateParts;
  readonly #paths: PathMethods;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #callers = new WeakMap<FastifyRequest, Caller>();

  constructor(options: ServerOptions, parts: GateParts) {
    this.#options = options;
    this.#parts = parts;
    this.#paths = new PathMethods(options.routes);
    this.#routes = new Map(options.routes.map((route) => [`${route.method} ${route.url}`, route]));
  }

  /** Before the body is read: authentication, rate, permission. */
  async enter(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = this.#routes.get(`${method} ${request.routeOptions.url ?? ""}`);
    const values = (name: string): readonly string[] => headerValues(request, name);
    const passage = await admit(
      {
        route,
        address: request.ip,
        requestId: request.id,
        credentials: {
          authorization: values("authorization"),
          apiKey: values("x-api-key"),
          adminSecret: values("x-admin-secret"),
        },
      },
      this.#parts,
    );
    reply.headers(passage.headers);
    if ("problem" in passage) return this.refuse(request, reply, passage.problem);
    if (route === undefined) return this.refuse(request, reply, this.#nowhere(request));
    this.#callers.set(request, passage.caller);
  }

  async serve(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const received = this.#receive(route, request);
    if ("refused" in received) return this.refuse(request, reply, received.refused);
    const answered = await route.handle(received);
    if (answered.replayed === true) reply.header("idempotency-replayed", "true");
    await this.#send(route, request, reply, answered);
  }

  refuse(request: FastifyRequest, reply: FastifyReply, problem: Problem, requestId = request.id) {
    return put(reply, writeProblem(problem, requestId, wantsProblem(request)), "no-store");
  }

  fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const problem = error instanceof UploadTooLarge ? tooLarge : frameworkProblem(error);
    if (problem.code === "INTERNAL") this.#options.onFault(error, request.id);
    return this.refuse(request, reply, problem);
  }

  #nowhere(request: FastifyRequest): Problem {
    const [path = ""] = request.url.split("?");
    const allowed = this.#paths.allowed(path);
    return allowed.length === 0
      ? { code: "NOT_FOUND" }
      : { code: "METHOD_NOT_ALLOWED", allow: allowed.join(", ") };
  }

  #receive(route: Route, request: FastifyRequest): Received | { readonly refused: Problem } {
    const { engine } = this.#options;
    const caller = this.#callers.get(request) ?? { type: "anonymous" };
    const sent = bodyOf(route, request);
    if ("refused" in sent) return sent;
    const keys = route.method === "GET" ? [] : headerValues(request, "idempotency-key");
    const read = readIdempotency(keys, request.method, request.url, sent.bytes);
    if ("refused" in read) return read;
    // Bytes of an upload are not kept to be compared; what it does is idempotent by itself.
    const idempotency = sent.upload === undefined ? read.idempotency : null;
    const { id: requestId, params } = request;
    const cut = request.url.indexOf("?");
    return {
      caller,
      requestId,
      params,
      queryText: cut < 0 ? "" : request.url.slice(cut + 1),
      body: sent.body,
      upload: sent.upload,
      submit: (command) =>
        caller.type === "anonymous"
          ? Promise.resolve({ refused: "NOT_LEADER" })
          : engine.submit({ actor: caller.actor, command, requestId, idempotency }),
    };
  }

  async #send(
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
    answered: Answered,
  ): Promise<void> {
    if ("refused" in answered) {
      await this.refuse(request, reply, answered.refused, answered.requestId);
      return;
    }
    const caching = route.surface === "public" ? undefined : "no-store";
    if (!("items" in answered.reply)) {
      await put(reply, writeReply(route.surface, answered.reply), caching);
      return;
    }
    const fault = (error: unknown): void => this.#options.onFault(error, request.id);
    const stream = await itemStream(route.surface, answered.reply, fault);
    if (caching !== undefined) reply.header("cache-control", caching);
    await reply.code(200).header("content-type", jsonType).send(stream);
  }
}
