// A request and its reply as the frame needs them: Fastify's own, or those of a hot route, which
// go straight to Node's response.
// Invariant: a reply writes its head as Fastify would, header for header and in that order.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { invariant } from "#base/invariant.ts";
import type { Caller, Route } from "../route/route.ts";
import type { RatePolicy } from "./rate-limit.ts";

/** Of a request that passed admission. */
export interface Requester {
  readonly caller: Caller;
  readonly bucket: string;
  readonly policies: readonly RatePolicy[];
}

export interface HttpRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly body: unknown;
  readonly routeOptions: { readonly url?: string | undefined };
  /** Once it was admitted. */
  requester?: Requester | undefined;
}

export interface HttpReply {
  readonly raw: ServerResponse;
  readonly statusCode: number;
  /** In milliseconds, until now or until it was answered. */
  readonly elapsedTime: number;
  code(status: number): HttpReply;
  header(name: string, value: string): HttpReply;
  headers(values: Readonly<Record<string, string>>): HttpReply;
  /** Nothing, or the whole payload. */
  send(...payload: [] | [string | Uint8Array | Readable]): HttpReply;
}

export class DirectRequest implements HttpRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly params: unknown;
  readonly routeOptions: Route;
  /** As Fastify's parsers give it: bytes, once they have come. */
  body: Uint8Array | undefined;
  requester: Requester | undefined;

  constructor(raw: IncomingMessage, id: string, route: Route, params: unknown) {
    this.raw = raw;
    this.id = id;
    this.routeOptions = route;
    this.params = params;
  }

  get method(): string {
    return this.routeOptions.method;
  }

  get url(): string {
    return this.raw.url ?? "";
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }
}

export class DirectReply implements HttpReply {
  readonly raw: ServerResponse;
  readonly #headers: Record<string, string> = {};
  readonly #beganMillis = performance.now();
  readonly #onSend: () => void;
  #tookMillis: number | undefined;

  /** `onSend` is called before anything is written. */
  constructor(raw: ServerResponse, onSend: () => void) {
    this.raw = raw;
    this.#onSend = onSend;
  }

  get statusCode(): number {
    return this.raw.statusCode;
  }

  get elapsedTime(): number {
    return this.#tookMillis ?? performance.now() - this.#beganMillis;
  }

  /** It has gone out. */
  end(): void {
    this.#tookMillis ??= performance.now() - this.#beganMillis;
  }

  code(status: number): this {
    this.raw.statusCode = status;
    return this;
  }

  header(name: string, value: string): this {
    this.#headers[name] = value;
    return this;
  }

  headers(values: Readonly<Record<string, string>>): this {
    Object.assign(this.#headers, values);
    return this;
  }

  send(payload?: string | Uint8Array | Readable): this {
    invariant(!(payload instanceof Readable), "a hot route answers in one piece");
    this.#onSend();
    const { raw } = this;
    if (payload === undefined) {
      raw.writeHead(raw.statusCode, this.#headers).end();
      return this;
    }
    const length = typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
    this.#headers["content-length"] = String(length);
    raw.writeHead(raw.statusCode, this.#headers);
    // One string goes out with its head in one piece; as Latin-1 nothing is to be encoded.
    if (typeof payload === "string" && length === payload.length) raw.end(payload, "latin1");
    else raw.end(payload);
    return this;
  }
}
