// The exchange as a command sees it: ask, and get an answer or one of the faults.
// Invariant: what changes something carries an Idempotency-Key, and is sent again under it alone.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isDefinite } from "#sdk/definite.ts";
import { at, type ExchangeResponse, isText, parsed } from "./answer.ts";
import { CutOff, OutcomeUnknown, RefusedRequest, Unreachable } from "./faults.ts";
import { chunksOf, readText, type Sending, send } from "./wire.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface Upload {
  readonly type: string;
  readonly bytes: number;
  /** Opened anew when the file has to be sent again. */
  open(): Readable;
}

interface ExchangeParts {
  readonly url: URL;
  /** Of a unix socket; undefined = the url's host is connected to. */
  readonly socketPath: string | undefined;
  /** The credential's headers, or none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Given to repeat an earlier request. */
  readonly idempotencyKey: string | undefined;
  /** Whether a request that is one too many is sent again when its time has come. */
  readonly mayWait: boolean;
  /** Says what is being done meanwhile. */
  warn(text: string): void;
}

const PATIENCE_SECONDS = 60;
/** A file of the largest size allowed, read and compared by a slow machine; a long journal. */
const LONG_PATIENCE_SECONDS = 1800;

/** In all, for one request: a person waits no longer without asking why. */
const MOST_WAIT_SECONDS = 120;

const SECOND_ATTEMPT_MILLIS = 1000;
const STILL_BUSY_MILLIS = 1000;
const STILL_BUSY_ATTEMPTS = 5;

interface Asking {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Members;
  readonly body?: Members;
  readonly upload?: Upload;
  readonly long?: boolean;
}

export class ExchangeClient {
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** Where it is, for another program that asks it. */
  get address(): string {
    return this.#parts.url.href;
  }

  /** Whether its requests speak for an account. */
  get isSignedIn(): boolean {
    return this.#parts.headers.authorization !== undefined;
  }

  /** `long`: the exchange may take its time. */
  read(path: string, query: Members = {}, long = false): Promise<ExchangeResponse> {
    return this.#once(this.#sending({ method: "GET", path, query, long }));
  }

  post(path: string, body: Members): Promise<ExchangeResponse> {
    return this.#change({ method: "POST", path, body });
  }

  patch(path: string, body: Members): Promise<ExchangeResponse> {
    return this.#change({ method: "PATCH", path, body });
  }

  delete(path: string): Promise<ExchangeResponse> {
    return this.#change({ method: "DELETE", path });
  }

  upload(path: string, upload: Upload, query: Members = {}): Promise<ExchangeResponse> {
    return this.#change({ method: "POST", path, query, upload, long: true });
  }

  /** An answer too long to be held, chunk by chunk; `long`: there may be long pauses in it. */
  async stream(path: string, query: Members, long = true): Promise<AsyncGenerator<Uint8Array>> {
    const sending = this.#sending({ method: "GET", path, query, long });
    const message = await this.#reach(sending);
    if (!isGood(message.statusCode)) throw new RefusedRequest(await whole(message));
    return chunksOf(message);
  }

  async #change(asking: Asking): Promise<ExchangeResponse> {
    const key = this.#parts.idempotencyKey ?? randomUUID();
    const sending = this.#sending(asking, key);
    let attempt = await this.#attempt(sending);
    if ("doubt" in attempt) {
      this.#parts.warn(`${attempt.doubt}; asking once more under the same Idempotency-Key`);
      await sleep(SECOND_ATTEMPT_MILLIS);
      attempt = await this.#again(sending);
    }
    if ("answer" in attempt) return attempt.answer;
    if ("refused" in attempt) throw attempt.refused;
    throw unknownOutcome(attempt.doubt, key);
  }

  async #attempt(sending: Sending): Promise<Attempt> {
    try {
      return { answer: await this.#once(sending) };
    } catch (fault) {
      if (fault instanceof CutOff) return { doubt: `The connection was cut (${fault.message})` };
      if (!(fault instanceof RefusedRequest)) throw fault;
      const { answer } = fault;
      const unknown = answer.status === 503 && at(answer.json, "error.outcome") === "unknown";
      return unknown ? { doubt: "The exchange does not know the outcome" } : { refused: fault };
    }
  }

  /** The second attempt: an exchange that is away says nothing of what became of the first. */
  async #again(sending: Sending): Promise<Attempt> {
    try {
      let attempt = await this.#attempt(sending);
      for (let count = 0; count < STILL_BUSY_ATTEMPTS && isBusy(attempt); count += 1) {
        await sleep(STILL_BUSY_MILLIS);
        attempt = await this.#attempt(sending);
      }
      if (isBusy(attempt)) return { doubt: "The first request is still in progress" };
      return "refused" in attempt ? judged(attempt) : attempt;
    } catch (fault) {
      if (fault instanceof Unreachable) return { doubt: `Now ${fault.message}` };
      throw fault;
    }
  }

  async #once(sending: Sending): Promise<ExchangeResponse> {
    const answer = await whole(await this.#reach(sending));
    if (!isGood(answer.status)) throw new RefusedRequest(answer);
    return answer;
  }

  /** One request too many, and nothing was done: waits as the exchange asks, and says so. */
  async #reach(sending: Sending): Promise<IncomingMessage> {
    let waited = 0;
    for (;;) {
      const message = await this.#send(sending);
      const seconds = this.#parts.mayWait ? waitSeconds(message) : undefined;
      if (seconds === undefined || waited + seconds > MOST_WAIT_SECONDS) return message;
      message.resume();
      this.#parts.warn(`too many requests; asking again in ${seconds} s (Ctrl-C stops)`);
      await sleep(seconds * 1000);
      waited += seconds;
    }
  }

  async #send(sending: Sending): Promise<IncomingMessage> {
    try {
      return await send(sending);
    } catch (fault) {
      if (!(fault instanceof Unreachable)) throw fault;
      const { url, socketPath } = this.#parts;
      const place = socketPath === undefined ? url.origin : `unix:${socketPath}`;
      throw new Unreachable(
        `no exchange answers at ${place} (${fault.message}). Start one with \`firstprint up\`, ` +
          "or name another with --url or FIRSTPRINT_URL",
      );
    }
  }

  #sending(asking: Asking, idempotencyKey?: string): Sending {
    const { method, path, query = {}, body, upload, long } = asking;
    const url = placed(this.#parts.url, path, query);
    const json = body === undefined ? undefined : JSON.stringify(body);
    return {
      method,
      url,
      socketPath: this.#parts.socketPath,
      headers: {
        accept: "application/json",
        ...this.#parts.headers,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(json === undefined
          ? {}
          : { "content-type": "application/json", "content-length": byteLength(json) }),
        ...(upload === undefined
          ? {}
          : { "content-type": upload.type, "content-length": String(upload.bytes) }),
      },
      body: upload === undefined ? (json ?? "") : () => upload.open(),
      patienceSeconds: long === true ? LONG_PATIENCE_SECONDS : PATIENCE_SECONDS,
    };
  }
}

/** `doubt`: why it is not known what became of the request. */
type Attempt =
  | { readonly answer: ExchangeResponse }
  | { readonly refused: RefusedRequest }
  | { readonly doubt: string };

/** A second attempt that was refused: what that says of the first. */
function judged(attempt: { readonly refused: RefusedRequest }): Attempt {
  const { status, json } = attempt.refused.answer;
  const code = at(json, "error.code");
  const known = isText(code) ? code : undefined;
  if (isDefinite(status, known)) return attempt;
  return { doubt: `Asked again, the exchange refused it with ${known ?? `status ${status}`}` };
}

const isBusy = (attempt: Attempt): boolean =>
  "refused" in attempt && at(attempt.refused.answer.json, "error.code") === "IDEMPOTENCY_IN_FLIGHT";

const unknownOutcome = (reason: string, key: string): OutcomeUnknown =>
  new OutcomeUnknown(
    `${reason}; it is not known whether the request took effect. Check first, or repeat it ` +
      `with --idempotency-key ${key}: within 24 hours it then takes effect once at most`,
  );

/** Path parts that come from outside are encoded: `at\`/api/markets/${id}\``. */
export const path = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: parts }, ...values.map(encodeURIComponent));

function placed(base: URL, path: string, query: Members): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/$/, "") + path;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function whole(message: IncomingMessage): Promise<ExchangeResponse> {
  const body = await readText(message);
  return {
    status: message.statusCode ?? 0,
    body,
    json: parsed(body),
    replayed: message.headers["idempotency-replayed"] === "true",
    retryAfter: message.headers["retry-after"],
  };
}

/** Undefined where it was not refused for its rate, or not told how long to wait. */
function waitSeconds({ statusCode, headers }: IncomingMessage): number | undefined {
  const text = headers["retry-after"] ?? "";
  return statusCode === 429 && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

const isGood = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

const byteLength = (text: string): string => String(Buffer.byteLength(text));
