// The exchange as a program asks it: every operation of the OpenAPI document, typed.
// Invariant: a write goes out under one Idempotency-Key, however often it is sent.
import createClient, { type Client } from "openapi-fetch";
import { errorOf, ForeignAnswer } from "./errors.ts";
import { type paths, writesWithoutKey } from "./openapi.ts";
import { type Attempt, patientRule, type RetryRule, sendRepeatedly } from "./retry.ts";

export interface ExchangeOptions {
  /** Where it is, such as `http://127.0.0.1:4600`. */
  readonly url: string;
  /** A trading key, for `Authorization: Bearer`. */
  readonly key?: string;
  /** A public key, for `x-api-key`: raises the rate of the public surface. */
  readonly publicKey?: string;
  /** The operator's, for `x-admin-secret`. */
  readonly adminSecret?: string;
  /** How long a request may wait in all before it is sent again; 60 when left out, 0 = never. */
  readonly mostWaitSeconds?: number;
  /** When a request is sent again, in place of `mostWaitSeconds` and the table of the README. */
  readonly rule?: RetryRule;
  /** In place of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Says that a request will be sent again. */
  onWait?(attempt: Attempt, millis: number): void;
}

/** `exchange.GET("/api/quotes", { params: { query } })`: the manner of openapi-fetch. */
export type Exchange = Client<paths, "application/json">;

const MOST_WAIT_SECONDS = 60;
const KEY_HEADER = "idempotency-key";

export function connect<P extends object = paths>(
  options: ExchangeOptions,
): Client<P, "application/json"> {
  const { url, key, publicKey, adminSecret, mostWaitSeconds = MOST_WAIT_SECONDS } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const rule = options.rule ?? patientRule(mostWaitSeconds);
  const streamed = new WeakSet<Request>();
  const exchange = createClient<P, "application/json">({
    baseUrl: url.replace(/\/$/, ""),
    headers: {
      accept: "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(publicKey === undefined ? {} : { "x-api-key": publicKey }),
      ...(adminSecret === undefined ? {} : { "x-admin-secret": adminSecret }),
    },
    fetch(request) {
      const idempotencyKey = request.headers.get(KEY_HEADER) ?? undefined;
      if (idempotencyKey === undefined && isWrite(request)) return sendOnce(request, send);
      const { signal } = request;
      return sendRepeatedly({
        send: () => send(request.clone()),
        idempotencyKey,
        rule,
        signal,
        streamed: streamed.has(request),
        ...(options.onWait === undefined ? {} : { onWait: options.onWait }),
      });
    },
  });
  exchange.use({
    onRequest({ request, schemaPath, options: { parseAs } }) {
      if (parseAs === "stream") streamed.add(request);
      const takesKey = isWrite(request) && !writesWithoutKey.includes(nameOf(request, schemaPath));
      if (takesKey && !request.headers.has(KEY_HEADER))
        request.headers.set(KEY_HEADER, newIdempotencyKey());
    },
  });
  return exchange;
}

/** A write without a key: what became of it is unknown where it is not answered. */
const sendOnce = (request: Request, send: (request: Request) => Promise<Response>) =>
  sendRepeatedly({
    send: () => send(request),
    idempotencyKey: undefined,
    rule: () => undefined,
    signal: request.signal,
  });

const isWrite = ({ method }: Request): boolean => method !== "GET" && method !== "HEAD";

const nameOf = ({ method }: Request, schemaPath: string): string => `${method} ${schemaPath}`;

/** 128 random bits. A page that was not loaded over TLS has no `crypto.randomUUID`. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

interface Asked<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer: `const { data } = await answered(exchange.GET(…))`. @throws ExchangeError */
export async function answered<T>(asked: Promise<Asked<T>>): Promise<T> {
  const { data, error, response } = await asked.catch((fault: unknown) => {
    if (fault instanceof SyntaxError) throw new ForeignAnswer(200, fault);
    throw fault;
  });
  if (!response.ok || data === undefined) throw errorOf(response, error);
  return data;
}
