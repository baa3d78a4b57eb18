// The HTTP server: Fastify with our own admission, bodies, shapes, envelopes and errors.
// Invariant: every answer has a requestId and its rate; no input leads to a 5xx or a stack trace.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import type { Engine } from "#engine/engine.ts";
import type { Route } from "../route/route.ts";
import { type AdmissionParts, enterSecretAttempts } from "./admission.ts";
import type { AnsweredRequest } from "./answered.ts";
import type { KeyDirectory } from "./auth.ts";
import { answerClientError } from "./client-error.ts";
import { type ConnectionLimits, Connections } from "./connections.ts";
import { Frame, frameworkProblem } from "./frame.ts";
import type { HostList } from "./hosts.ts";
import { HotRoutes } from "./hot-routes.ts";
import type { KeyUse } from "./key-use.ts";
import { OriginFinder, type Subnet } from "./origin.ts";
import { OverloadGuard } from "./overload.ts";
import { RateLimiter } from "./rate-limit.ts";
import { watchReaders } from "./reader-watch.ts";
import type { RefusalCounts } from "./refusal-counts.ts";
import { SecretAttempts } from "./secret-attempts.ts";
import { unsaidTypes } from "./sent-body.ts";
import { closeInStages } from "./staged-close.ts";

interface ServerOptions {
  readonly routes: readonly Route[];
  readonly engine: Pick<
    Engine,
    | "submit"
    | "status"
    | "isCurrent"
    | "becomesCurrent"
    | "shows"
    | "reaches"
    | "answersKeptSeconds"
    | "chargeOf"
  >;
  /** FIRSTPRINT_LEADER_URL: where a follower says that commands are taken. */
  readonly leaderUrl?: string | undefined;
  /** The view that keys and accounts are read from; looked at anew for every request. */
  readonly directory: KeyDirectory;
  readonly keyUse: KeyUse;
  readonly refusalCounts: RefusalCounts;
  /** Under which key secrets are hashed. */
  readonly pepper: string;
  formerPepper(): string | undefined;
  readonly adminSecret: string;
  /** FIRSTPRINT_PUBLIC_RATE: requests a minute for an address without a key. */
  readonly publicRatePerMinute: number;
  /** FIRSTPRINT_MAX_KEY_RATE; what the admin secret may do, too. */
  readonly maxKeyRatePerMinute: number;
  /** FIRSTPRINT_TRUSTED_PROXIES: whose forwarded headers count. */
  readonly trustedProxies: readonly Subnet[];
  /** Under which names it answers; undefined = under any. */
  readonly hosts: HostList | undefined;
  readonly connections: ConnectionLimits;
  /** Monotonic, real time whatever the exchange's clock says. */
  nowMillis(): number;
  /** Told of every error that no code names; decides whether the node goes on. */
  onFault(error: unknown, requestId: string): void;
  /** Told of every answer once it has gone out, or its reader has gone. */
  onAnswered(answered: AnsweredRequest): void;
}

const MOST_ORDERS_UNDER_WAY = 1_000;
/** Twice a hundred orders with everything. A megabyte of numbers took a second to read. */
const JSON_LIMIT_BYTES = 131_072;
const REQUEST_TIMEOUT_MILLIS = 10_000;
const HEADERS_TIMEOUT_MILLIS = 8_000;
const CONNECTIONS_CHECK_MILLIS = 1_000;
const KEEP_ALIVE_MILLIS = 65_000;
const ATTEMPTS_CHECK_MILLIS = 60_000;

const nodeOptions = {
  headersTimeout: HEADERS_TIMEOUT_MILLIS,
  connectionsCheckingInterval: CONNECTIONS_CHECK_MILLIS,
  // The frame refuses a request without a host, in the envelope.
  requireHostHeader: false,
  // A request without a body is no stream that begins, flows and ends: an index value takes .92 of
  // the processor time it took (2026-11-25, in turns).
  optimizeEmptyRequests: true,
};

export function buildServer(options: ServerOptions): FastifyInstance {
  const parts = admissionParts(options);
  const connections = new Connections(options.connections, (address) =>
    parts.origins.connection(address),
  );
  const frame = new Frame(options.routes, parts, {
    onFault: (error, id) => options.onFault(error, id),
    onKnown: (socket) => connections.know(socket),
  });
  const overload = new OverloadGuard({
    routes: options.routes,
    mostUnderWay: MOST_ORDERS_UNDER_WAY,
    refuse: (route, request, response) => frame.refuseUnread(route, request, response),
  });
  const hot = hotRoutes(options, frame, overload);
  const app = fastify({
    // A request is whole within the first of these, but for an upload, which has its own watch;
    // without the last of them, the first two are looked at every 30 s only.
    requestTimeout: REQUEST_TIMEOUT_MILLIS,
    http: nodeOptions,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    bodyLimit: JSON_LIMIT_BYTES,
    // Routes answer for themselves while stopping, in the usual envelope.
    return503OnClosing: false,
    logger: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => {
      const hasTime = () => frame.isUploading(socket) || overload.wasUnread(socket);
      const isAnswered = () => connections.isAnswered(socket);
      const hasCome = connections.arrival(socket);
      const circumstances = { hasTime, isAnswered, hasCome, patience: REQUEST_TIMEOUT_MILLIS };
      answerClientError(error, socket, circumstances, parts);
    },
    frameworkErrors: (error, request, reply: FastifyReply) => {
      void frame.refuseEarly(request, reply, frameworkProblem(error));
    },
  });
  takeBodies(app, options.routes);
  app.decorateRequest("requester", undefined);
  app.addHook("onRequest", (request, reply) => frame.enter(request, reply));
  app.addHook("onSend", (request, _reply, payload, done) => {
    overload.answered(request.raw);
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    options.onAnswered(frame.answered(request, reply));
    done();
  });
  app.setErrorHandler((error, request, reply) => frame.fail(error, request, reply));
  app.setNotFoundHandler((request, reply) => frame.nowhere(request, reply));
  for (const route of options.routes) {
    app.route({
      method: route.method,
      url: route.url,
      handler: (request, reply) => frame.serve(route, request, reply),
    });
  }
  // Node itself would refuse it without our envelope; an expectation may as well be left unmet.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  connections.watch(app.server);
  watchReaders(app.server);
  app.addHook("preClose", async () => hot.close());
  takeRequests(app, overload, connections, hot);
  watchAttempts(app, parts);
  return app;
}

const hotRoutes = (options: ServerOptions, frame: Frame, overload: OverloadGuard): HotRoutes =>
  new HotRoutes({
    routes: options.routes,
    frame,
    mostBodyBytes: JSON_LIMIT_BYTES,
    onSend: (request) => overload.answered(request),
    onAnswered: (request, reply) => options.onAnswered(frame.answered(request, reply)),
  });

const admissionParts = (options: ServerOptions): AdmissionParts => ({
  authority: {
    directory: options.directory,
    pepper: options.pepper,
    formerPepper: options.formerPepper,
    adminSecret: options.adminSecret,
    nowSeconds: () => Math.floor(options.engine.status().engineTimeMillis / 1000),
  },
  engine: options.engine,
  leaderUrl: options.leaderUrl,
  origins: new OriginFinder(options.trustedProxies),
  hosts: options.hosts,
  limiter: new RateLimiter(() => options.nowMillis()),
  attempts: new SecretAttempts(),
  keyUse: options.keyUse,
  refusalCounts: options.refusalCounts,
  publicRatePerMinute: options.publicRatePerMinute,
  rootRatePerMinute: options.maxKeyRatePerMinute,
  nowMillis: () => options.nowMillis(),
});

/**
 * Handles requests the framework does not see: orders that there is no room for, and those of hot
 * routes.
 */
function takeRequests(
  app: FastifyInstance,
  overload: OverloadGuard,
  connections: Connections,
  hot: HotRoutes,
): void {
  app.server.removeAllListeners("request");
  app.server.on("request", (request, response) => {
    connections.asked(request, response);
    closeInStages(request, response, REQUEST_TIMEOUT_MILLIS);
    if (!overload.take(request, response) || hot.take(request, response)) return;
    app.routing(request, response);
  });
}

/** JSON arrives as bytes, for the digest and for the digits of its numbers; uploads as streams. */
function takeBodies(app: FastifyInstance, routes: readonly Route[]): void {
  app.removeAllContentTypeParsers();
  // Of a request without a body Node tells no end, and a parser would wait for it.
  app.addHook("preParsing", (_request, _reply, payload, done) => {
    done(null, payload.readableEnded ? Readable.from([]) : payload);
  });
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  const files = routes.flatMap(({ body }) => (body === "json" ? [] : body.types));
  const types = new Set(files.length === 0 ? [] : [...files, ...unsaidTypes]);
  for (const type of types) {
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  }
}

/** Enters what was folded and never followed: each minute, and before the server closes. */
function watchAttempts(
  app: FastifyInstance,
  { attempts, engine, nowMillis }: AdmissionParts,
): void {
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
