// One request through the frame: admission, body, handler, answer.
// Invariant: whatever happens on the way is answered in the envelope, once.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { invariant } from "#base/invariant.ts";
import { isStorageFault } from "#base/storage-fault.ts";
import { HistoryBusy } from "#engine/engine.ts";
import { isForPage } from "../console.ts";
import { jsonType, writeData, writeProblem } from "../route/envelope.ts";
import type { Problem, Refused } from "../route/errors.ts";
import type { Caller, Request, Response, Route, Text } from "../route/route.ts";
import { PathMethods } from "../routes.ts";
import { sendEvents } from "../stream/event-stream.ts";
import { beginText, textOf, textStream } from "../stream/item-stream.ts";
import { type Admission, type AdmissionParts, admit, BYTES_A_UNIT } from "./admission.ts";
import { type AnswerContext, AnswerWriter, type WholeAnswer } from "./answer-writer.ts";
import { type AnsweredRequest, answeredOf } from "./answered.ts";
import { atOnce, guarded } from "./at-once.ts";
import { STRANGERS_KEEP_ALIVE_SECONDS } from "./connections.ts";
import { readExpiresAfter } from "./expires-after.ts";
import { headerValues } from "./header-values.ts";
import type {
  DirectReply,
  DirectRequest,
  HttpReply,
  HttpRequest,
  Requester,
} from "./http-reply.ts";
import { readIdempotency, submitOnce } from "./idempotency.ts";
import { KeyDigests } from "./key-digests.ts";
import { LongAnswers } from "./long-answers.ts";
import { MIN_SEQUENCE_HEADER, readMinSequence, SEQUENCE_HEADER } from "./min-sequence.ts";
import { limitReading } from "./reader-watch.ts";
import { bodyOf } from "./sent-body.ts";
import { UploadBrokenOff, UploadTooLarge, UploadTooSlow } from "./upload.ts";

/** Calls `next` once, with the whole body or with why there is none. */
type ReadBody = (next: (read: Uint8Array | Error) => unknown) => void;

interface FrameEvents {
  onFault(error: unknown, requestId: string): void;
  /** A right credential came on a connection. */
  onKnown(socket: Socket): void;
}

/** An answer opened as a page loads nothing, stands in no frame, and tells nobody where it was. */
const browserRules = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

export class Frame {
  readonly #events: FrameEvents;
  readonly #parts: AdmissionParts;
  readonly #paths: PathMethods;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #longAnswers = new LongAnswers();
  readonly #writer = new AnswerWriter();
  readonly #digests = new KeyDigests();
  readonly #uploading = new WeakSet<Socket>();

  constructor(routes: readonly Route[], parts: AdmissionParts, events: FrameEvents) {
    this.#events = events;
    this.#parts = parts;
    this.#paths = new PathMethods(routes);
    this.#routes = new Map(routes.map((route) => [`${route.method} ${route.url}`, route]));
  }

  /** For the record of requests; a request that was refused early has no caller. */
  answered(request: HttpRequest, reply: HttpReply): AnsweredRequest {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route = this.#routes.get(`${method} ${request.routeOptions.url ?? ""}`);
    return answeredOf(request, reply, route, request.requester?.caller);
  }

  /** Before the body is read: authentication, rate, permission. */
  async enter(request: HttpRequest, reply: HttpReply): Promise<unknown> {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const route =
      this.#routes.get(`${method} ${request.routeOptions.url ?? ""}`) ?? this.#pageOf(request);
    const admission = await this.#admit(request, reply, route);
    if ("problem" in admission) return this.refuse(request, reply, admission.problem);
    if (route === undefined) return this.refuse(request, reply, this.#nowhere(request));
    request.requester = admission;
    return undefined;
  }

  /** For a request that no route takes: a screen's address is the page's, the rest is nowhere. */
  async nowhere(request: HttpRequest, reply: HttpReply): Promise<unknown> {
    const route = this.#pageOf(request);
    if (route === undefined) return this.refuse(request, reply, { code: "NOT_FOUND" });
    return this.serve(route, request, reply);
  }

  /** The page at `/`, where a browser asks for the address of one of its screens. */
  #pageOf({ method, url, headers }: HttpRequest): Route | undefined {
    const [path = ""] = url.split("?");
    return isForPage(method, path, headers.accept ?? "") ? this.#routes.get("GET /") : undefined;
  }

  /** For a request that no route can be looked up for: it costs like any other. */
  async refuseEarly(request: HttpRequest, reply: HttpReply, problem: Problem): Promise<unknown> {
    const admission = await this.#admit(request, reply, undefined);
    return this.refuse(request, reply, "problem" in admission ? admission.problem : problem);
  }

  async #admit(
    request: HttpRequest,
    reply: HttpReply,
    route: Route | undefined,
  ): Promise<Admission> {
    const admission = await this.#pass(request.raw, request.id, route);
    reply.headers(admission.headers);
    return admission;
  }

  /** The whole way of a hot route's request; `read` gives its body, where it has one. */
  serveHot(
    route: Route,
    request: DirectRequest,
    reply: DirectReply,
    read: ReadBody | undefined,
  ): void {
    const failed = (error: unknown): void => void this.fail(error, request, reply);
    const serve = (): unknown => this.serve(route, request, reply);
    const received = (body: Uint8Array | Error): unknown => {
      if (body instanceof Error) return failed(body);
      request.body = body;
      return guarded(serve, failed);
    };
    guarded(() => {
      const admission = this.#passNow(request.raw, request.id, route, undefined);
      return atOnce(admission, (admitted) => {
        reply.headers(admitted.headers);
        if ("problem" in admitted) return this.refuse(request, reply, admitted.problem);
        request.requester = admitted;
        return read === undefined ? serve() : read(received);
      });
    }, failed);
  }

  /** Admission, for a request whose head was read; with every header its answer has. */
  async #pass(
    request: IncomingMessage,
    requestId: string,
    route: Route | undefined,
  ): Promise<Admission> {
    const named = headerValues(request, MIN_SEQUENCE_HEADER);
    const behind = named.length === 0 ? undefined : () => this.#behind(named);
    return this.#passNow(request, requestId, route, behind);
  }

  #passNow(
    request: IncomingMessage,
    requestId: string,
    route: Route | undefined,
    behind: (() => Promise<Problem | undefined>) | undefined,
  ): Admission | Promise<Admission> {
    const values = (name: string): readonly string[] => headerValues(request, name);
    const isOurs = this.#parts.hosts?.allows(values("host"), request.url ?? "") ?? true;
    const admissionRequest = {
      route: isOurs ? route : undefined,
      origin: this.#parts.origins.origin(request.socket.remoteAddress, values),
      requestId,
      behind,
      // A request under another name may be a page's: none of its credentials is compared.
      credentials: {
        authorization: isOurs ? values("authorization") : [],
        apiKey: isOurs ? values("x-api-key") : [],
        adminSecret: isOurs ? values("x-admin-secret") : [],
        digestOf: (secret: string, pepper: string) =>
          this.#digests.of(request.socket, secret, pepper),
      },
    };
    return atOnce(admit(admissionRequest, this.#parts), (admission) =>
      this.#admitted(request, requestId, isOurs, admission),
    );
  }

  /** With every header that whatever is answered has. */
  #admitted(
    request: IncomingMessage,
    requestId: string,
    isOurs: boolean,
    admission: Admission,
  ): Admission {
    const isKnown = "caller" in admission && isCredentialed(admission.caller);
    if (isKnown) this.#events.onKnown(request.socket);
    const headers = {
      ...(isKnown ? nothingMore : shortKeepAlive),
      "x-request-id": requestId,
      ...this.#sequence(),
      ...browserRules,
      ...admission.headers,
    };
    // Node would answer this one without our envelope.
    const hostless = request.httpVersion === "1.1" && headerValues(request, "host").length !== 1;
    if ("problem" in admission) return { ...admission, headers };
    if (!isOurs && !hostless) return { headers, problem: { code: "MISDIRECTED_REQUEST" } };
    if (!hostless) return { ...admission, headers };
    return { headers: { ...headers, connection: "close" }, problem: noHost };
  }

  /** Waits for the sequence that a request names; why it cannot be answered where that fails. */
  async #behind(values: readonly string[]): Promise<Problem | undefined> {
    const read = readMinSequence(values);
    if ("problem" in read) return read.problem;
    const { minSequence } = read;
    if (minSequence === 0 || (await this.#parts.engine.reaches(minSequence))) return undefined;
    const { durableSequence } = this.#parts.engine.status();
    const message = `This node is at entry ${durableSequence}, and did not come to ${minSequence}`;
    return { code: "NODE_BEHIND", message, details: { sequence: durableSequence, minSequence } };
  }

  /** Everything up to this entry is in what is shown now. */
  #sequence(): Readonly<Record<string, string>> {
    return { [SEQUENCE_HEADER]: String(this.#parts.engine.status().durableSequence) };
  }

  /** Answers a request that there is no room for, as cheaply as the envelope and the rate allow. */
  async refuseUnread(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const requestId = randomUUID();
    const admission = await this.#pass(request, requestId, route);
    const problem = "problem" in admission ? admission.problem : overloaded;
    this.#parts.refusalCounts.note(problem.code);
    const written = writeProblem(problem, requestId, wantsProblem(request));
    response.writeHead(written.status, {
      ...admission.headers,
      ...written.headers,
      "cache-control": "no-store",
      "content-type": written.contentType,
      "content-length": Buffer.byteLength(written.body),
    });
    response.end(written.body);
  }

  /** True while a connection sends a body that has a watch of its own. */
  isUploading(socket: Socket): boolean {
    return this.#uploading.has(socket);
  }

  serve(route: Route, request: HttpRequest, reply: HttpReply): unknown {
    const received = this.#receive(route, request);
    if ("refused" in received) return this.refuse(request, reply, received.refused);
    const work = (): unknown => {
      // A read is at least as new as where it begins; a command's own entry is durable at its end.
      reply.headers(this.#sequence());
      return atOnce(handled(route, received), (response) => {
        if (route.method !== "GET") reply.headers({ ...this.#sequence(), ...this.#kept(request) });
        if (response.replayed === true) reply.header("idempotency-replayed", "true");
        return this.#send(route, request, reply, response);
      });
    };
    return guarded(work, (error) => {
      if (!isStorageFault(error)) throw error;
      this.#events.onFault(error, request.id);
      return this.refuse(request, reply, { code: "STORAGE_UNAVAILABLE" });
    });
  }

  /** Where an account has more answers under keys than its share, they are kept for less. */
  #kept({ raw, requester }: HttpRequest): Readonly<Record<string, string>> {
    const caller = requester?.caller;
    if (caller === undefined || !("actor" in caller)) return nothingMore;
    if (headerValues(raw, "idempotency-key").length === 0) return nothingMore;
    const seconds = this.#parts.engine.answersKeptSeconds(caller.actor);
    return seconds === undefined ? nothingMore : { "idempotency-kept-seconds": String(seconds) };
  }

  refuse(request: HttpRequest, reply: HttpReply, problem: Problem, requestId = request.id) {
    this.#parts.refusalCounts.note(problem.code);
    reply.header("cache-control", "no-store");
    const written = writeProblem(problem, requestId, wantsProblem(request));
    return put(reply, written.status, written.contentType, written.headers, written.body);
  }

  fail(error: unknown, request: HttpRequest, reply: HttpReply) {
    const problem = frameworkProblem(error);
    if (problem.code === "INTERNAL") this.#events.onFault(error, request.id);
    return this.refuse(request, reply, problem);
  }

  #nowhere(request: HttpRequest): Problem {
    const [path = ""] = request.url.split("?");
    const allowed = this.#paths.allowed(path);
    return allowed.length === 0
      ? { code: "NOT_FOUND" }
      : { code: "METHOD_NOT_ALLOWED", allow: allowed.join(", ") };
  }

  #receive(route: Route, request: HttpRequest): Request | Refused {
    const { engine, authority } = this.#parts;
    const { requester } = request;
    invariant(requester !== undefined, "a request is served once it is admitted");
    const { caller, bucket } = requester;
    const sent = bodyOf(route, request);
    if ("refused" in sent) return sent;
    let charged = route.costOf?.(sent.body) ?? route.cost;
    this.#owe(requester, charged - route.cost);
    const keys = route.method === "GET" ? [] : headerValues(request.raw, "idempotency-key");
    const read = readIdempotency(keys, request.method, request.url, sent.bytes, authority);
    if ("refused" in read) return read;
    const lateness =
      route.surface === "trading" && route.method !== "GET"
        ? readExpiresAfter(headerValues(request.raw, "expires-after"))
        : {};
    if ("refused" in lateness) return lateness;
    // Bytes of an upload are not kept to be compared; what it does is idempotent by itself.
    const idempotency = sent.upload === undefined ? read.idempotency : null;
    const { id: requestId, params, raw } = request;
    if (sent.upload !== undefined && !raw.readableEnded) {
      this.#uploading.add(raw.socket);
      raw.once("close", () => this.#uploading.delete(raw.socket));
    }
    const cut = request.url.indexOf("?");
    return {
      caller,
      bucket,
      requestId,
      header: (name) => headerValues(request.raw, name),
      params,
      query: cut < 0 ? "" : request.url.slice(cut + 1),
      body: sent.body,
      accept: request.headers.accept ?? "",
      upload: sent.upload,
      submit: (command) => {
        invariant("actor" in caller, "a command has an actor");
        const timed = { ...command, ...lateness };
        const units = engine.chargeOf(caller.actor, timed);
        this.#owe(requester, units - charged);
        charged = Math.max(charged - units, 0);
        const given = { actor: caller.actor, command: timed, requestId };
        return submitOnce(engine, given, idempotency, read.former);
      },
    };
  }

  /** Charges what a request costs beyond what admission could know of it. */
  #owe({ policies }: Requester, units: number): void {
    for (const policy of policies) {
      if (policy.name !== "bytes") this.#parts.limiter.owe(policy, units);
    }
  }

  #oweBytes(route: Route, request: HttpRequest, bytes: number): void {
    if (route.costsBytes !== true) return;
    const { policies = [] } = request.requester ?? {};
    for (const policy of policies) {
      if (policy.name === "bytes") this.#parts.limiter.owe(policy, bytes / BYTES_A_UNIT);
    }
  }

  #send(route: Route, request: HttpRequest, reply: HttpReply, response: Response): unknown {
    if ("refused" in response) {
      return this.refuse(request, reply, response.refused, response.requestId ?? request.id);
    }
    if ("bytes" in response) {
      const { contentType, headers, bytes: body } = response;
      return this.#sendWhole(route, request, reply, { status: 200, contentType, headers, body });
    }
    if ("text" in response) {
      const { text: body, tag, headers } = response;
      const whole = { status: 200, contentType: jsonType, headers, body, tag };
      return this.#sendWhole(route, request, reply, whole);
    }
    if ("pieces" in response) return this.#sendText(route, request, reply, response);
    if ("events" in response) return sendEvents(request, reply, response.events);
    if ("items" in response) {
      return this.#sendText(route, request, reply, textOf(route.surface, response));
    }
    const { data, siblings, status = 200, headers = {} } = response;
    const body = writeData(route.surface, data, siblings);
    const whole = { status, contentType: jsonType, headers, body };
    return this.#sendWhole(route, request, reply, whole);
  }

  #sendWhole(route: Route, request: HttpRequest, reply: HttpReply, whole: WholeAnswer) {
    this.#oweBytes(route, request, whole.body.length);
    return this.#writer.send(this.#context(route, request, reply), whole);
  }

  async #sendText(
    route: Route,
    request: HttpRequest,
    reply: HttpReply,
    { contentType, pieces, headers, tag }: Text,
  ): Promise<unknown> {
    const context = this.#context(route, request, reply);
    const held = this.#writer.held(context, { headers, tag });
    if (held !== undefined) return held;
    const begun = await beginText(pieces);
    if ("whole" in begun) {
      // As bytes: Fastify would add a charset to the type of a text.
      const body = Buffer.from(begun.whole);
      const whole = { status: 200, contentType, headers, body, tag };
      return this.#sendWhole(route, request, reply, whole);
    }
    if (!this.#takePlace(request, reply)) {
      await begun.rest.return(undefined);
      return this.refuse(request, reply, tooManyLong);
    }
    const stream = textStream(begun, this.#told(route, request));
    return this.#writer.stream(context, { contentType, headers, pieces: stream, tag });
  }

  #context(route: Route, request: HttpRequest, reply: HttpReply): AnswerContext {
    const { requester } = request;
    invariant(requester !== undefined, "an answer is of a request that was admitted");
    const header = (name: string): readonly string[] => headerValues(request.raw, name);
    return { route, caller: requester.caller, reply, header };
  }

  #takePlace(request: HttpRequest, { raw }: HttpReply): boolean {
    const { bucket = "" } = request.requester ?? {};
    return this.#longAnswers.take(bucket, raw);
  }

  #told(route: Route, request: HttpRequest) {
    return {
      fault: (error: unknown): void => this.#events.onFault(error, request.id),
      sent: (characters: number): void => this.#oweBytes(route, request, characters),
    };
  }
}

/** Lets go of the part of an upload that its handler leaves unread. */
async function uploaded(route: Route, request: Request): Promise<Response> {
  try {
    return await route.handle(request);
  } catch (error) {
    if (error instanceof UploadTooLarge) return { refused: tooLarge };
    if (error instanceof UploadBrokenOff) return { refused: brokenOff };
    if (error instanceof UploadTooSlow) return { refused: { code: "REQUEST_TIMEOUT" } };
    throw error;
  } finally {
    request.upload?.destroy();
  }
}

const handled = (route: Route, request: Request): Response | Promise<Response> =>
  request.upload === undefined ? route.handle(request) : uploaded(route, request);

function put(
  reply: HttpReply,
  status: number,
  contentType: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): HttpReply {
  limitReading(reply.raw, body.length);
  return reply.code(status).headers(headers).header("content-type", contentType).send(body);
}

const wantsProblem = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  (headers.accept ?? "")
    .split(",")
    .some((range) => /^application\/problem\+json(?:;(?!q=0(?:\.0*)?$).*)?$/i.test(range.trim()));

/** A public key is had for the asking. */
const isCredentialed = ({ type }: Caller): boolean => type === "key" || type === "root";

const nothingMore = {};
const shortKeepAlive = { "keep-alive": `timeout=${STRANGERS_KEEP_ALIVE_SECONDS}` };

const tooManyLong: Problem = { code: "RATE_LIMITED", retryAfterSeconds: 5 };
const overloaded: Problem = { code: "OVERLOADED" };
const tooLarge: Problem = { code: "BODY_TOO_LARGE" };
const brokenOff: Problem = {
  code: "INVALID_REQUEST",
  message: "The body ended before it was complete",
};
const noHost: Problem = {
  code: "INVALID_REQUEST",
  message: "HTTP/1.1 needs exactly one Host header",
};

/** The problem for an error that Fastify named, or that nothing named. */
export function frameworkProblem(error: unknown): Problem {
  if (error instanceof HistoryBusy) return overloaded;
  if (!(error instanceof Error)) return { code: "INTERNAL" };
  const code = "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { code: "UNSUPPORTED_MEDIA_TYPE" };
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge;
    case "FST_ERR_MAX_PARAM_LENGTH":
      return { code: "NOT_FOUND" };
    case "FST_ERR_BAD_URL":
      return { code: "INVALID_REQUEST", message: "The path has a broken percent-encoding" };
    case "ECONNRESET":
      return brokenOff;
  }
  const status = "statusCode" in error ? Number(error.statusCode) : 500;
  return status >= 400 && status < 500 ? { code: "INVALID_REQUEST" } : { code: "INTERNAL" };
}
