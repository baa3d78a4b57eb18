// The exchange as a command sees it: ask, and get an answer or one of the faults.
// Invariant: what changes something carries an Idempotency-Key, and is only ever sent again under it.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, at, parsed } from "./answer.ts";
import type { Access, Credentials } from "./credentials.ts";
import { CutOff, OutcomeUnknown, Refused, Unreachable } from "./faults.ts";
import { chunksOf, readText, type Sending, send } from "./wire.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface Upload {
  readonly type: string;
  readonly bytes: number;
  /** Opened anew when the file has to be sent again. */
  open(): Readable;
}

export interface ExchangeParts {
  readonly url: URL;
  readonly credentials: Credentials;
  /** Given to repeat an earlier request. */
  readonly idempotencyKey: string | undefined;
  /** Says what is being done meanwhile. */
  warn(text: string): void;
}

const PATIENCE_SECONDS = 60;
/** A file of the largest size allowed, read and compared by a slow machine; a long journal. */
const LONG_PATIENCE_SECONDS = 1800;

const SECOND_ATTEMPT_MILLIS = 1000;
const STILL_BUSY_MILLIS = 1000;
const STILL_BUSY_ATTEMPTS = 5;

interface Asking {
  readonly access: Access;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Members;
  readonly body?: Members;
  readonly upload?: Upload;
  readonly long?: boolean;
}

export class Exchange {
  readonly #parts: ExchangeParts;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** `long`: the exchange may take its time. */
  read(access: Access, path: string, query: Members = {}, long = false): Promise<Answer> {
    return this.#once(this.#sending({ access, method: "GET", path, query, long }));
  }

  post(access: Access, path: string, body: Members): Promise<Answer> {
    return this.#change({ access, method: "POST", path, body });
  }

  delete(access: Access, path: string): Promise<Answer> {
    return this.#change({ access, method: "DELETE", path });
  }

  upload(access: Access, path: string, upload: Upload, query: Members = {}): Promise<Answer> {
    return this.#change({ access, method: "POST", path, query, upload, long: true });
  }

  /** An answer too long to be held, chunk by chunk. */
  async *stream(access: Access, path: string, query: Members): AsyncGenerator<Uint8Array> {
    const sending = this.#sending({ access, method: "GET", path, query, long: true });
    const message = await this.#reach(sending);
    if (!isGood(message.statusCode)) throw new Refused(await whole(message));
    yield* chunksOf(message);
  }

  async #change(asking: Asking): Promise<Answer> {
    const key = this.#parts.idempotencyKey ?? randomUUID();
    const sending = this.#sending(asking, key);
    const doubt = await this.#doubtful(sending);
    if ("answer" in doubt) return doubt.answer;

    this.#parts.warn(`${doubt.reason}; asking once more under the same Idempotency-Key`);
    await sleep(SECOND_ATTEMPT_MILLIS);
    let again = await this.#doubtful(sending, key);
    for (let attempt = 0; attempt < STILL_BUSY_ATTEMPTS && isBusy(again); attempt += 1) {
      await sleep(STILL_BUSY_MILLIS);
      again = await this.#doubtful(sending, key);
    }
    if ("refused" in again) throw again.refused;
    if ("answer" in again) return again.answer;
    throw unknownOutcome(again.reason, key);
  }

  /**
   * The answer, or why it is not known what became of the request. `repeating`: it was in doubt
   * before, so that even an exchange that cannot be reached says nothing of the outcome.
   */
  async #doubtful(sending: Sending, repeating?: string): Promise<Doubtful> {
    try {
      return { answer: await this.#once(sending) };
    } catch (fault) {
      if (fault instanceof CutOff) return { reason: `The connection was cut (${fault.message})` };
      if (fault instanceof Refused) {
        const unknown = at(fault.answer.json, "error.outcome") === "unknown";
        if (unknown && fault.answer.status === 503) return { reason: "The outcome is unknown" };
        if (repeating !== undefined) return { refused: fault };
      }
      if (fault instanceof Unreachable && repeating !== undefined) {
        return { reason: fault.message };
      }
      throw fault;
    }
  }

  async #once(sending: Sending): Promise<Answer> {
    const answer = await whole(await this.#reach(sending));
    if (!isGood(answer.status)) throw new Refused(answer);
    return answer;
  }

  async #reach(sending: Sending): Promise<IncomingMessage> {
    try {
      return await send(sending);
    } catch (fault) {
      if (!(fault instanceof Unreachable)) throw fault;
      const { origin } = this.#parts.url;
      throw new Unreachable(
        `no exchange answers at ${origin} (${fault.message}). Start one with \`firstprint up\`, ` +
          "or name another with --url or FIRSTPRINT_URL",
      );
    }
  }

  #sending(asking: Asking, idempotencyKey?: string): Sending {
    const { access, method, path, query = {}, body, upload, long } = asking;
    const url = placed(this.#parts.url, path, query);
    const json = body === undefined ? undefined : JSON.stringify(body);
    return {
      method,
      url,
      headers: {
        accept: "application/json",
        ...this.#parts.credentials.headers(access, url),
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

type Doubtful =
  | { readonly answer: Answer }
  | { readonly refused: Refused }
  | { readonly reason: string };

/** The first request is still being answered: nothing is known yet. */
const isBusy = (doubtful: Doubtful): boolean =>
  "refused" in doubtful &&
  at(doubtful.refused.answer.json, "error.code") === "IDEMPOTENCY_IN_FLIGHT";

const unknownOutcome = (reason: string, key: string): OutcomeUnknown =>
  new OutcomeUnknown(
    `${reason}; it is not known whether this was done. Look before you repeat it, or repeat it ` +
      `with --idempotency-key ${key}: within 24 hours it is then done once at most`,
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

async function whole(message: IncomingMessage): Promise<Answer> {
  const body = await readText(message);
  return {
    status: message.statusCode ?? 0,
    body,
    json: parsed(body),
    replayed: message.headers["idempotency-replayed"] === "true",
    retryAfter: message.headers["retry-after"],
  };
}

const isGood = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

const byteLength = (text: string): string => String(Buffer.byteLength(text));
