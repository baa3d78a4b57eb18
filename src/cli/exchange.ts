// The exchange as a command sees it: the SDK's client, as patient as a person at a terminal.
// Invariant: paths and the names of members are the document's; values go out as they were typed.
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { connect } from "#sdk/client.ts";
import { NoAnswer, retryAfterOf } from "#sdk/errors.ts";
import type { paths } from "#sdk/openapi.ts";
import { type Attempt, isDoubt, type RetryRule, sendRepeatedly } from "#sdk/retry.ts";
import { at, type ExchangeResponse, parsed } from "./answer.ts";
import { CutOff, OutcomeUnknown, RefusedRequest, Unreachable, UsageFault } from "./faults.ts";
import { requestOver, type Sending, send } from "./wire.ts";

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
  /** Whether the exchange may take its time. */
  readonly long: boolean;
  /** Says what is being done meanwhile. */
  warn(text: string): void;
}

type Verb = "get" | "post" | "patch" | "delete";

type PathOf<M extends Verb> = {
  [P in keyof paths]: paths[P] extends { [K in M]: unknown } ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Verb> = paths[P] extends { [K in M]: infer O }
  ? O
  : never;
type PathMembers<O> = O extends { parameters: { path: infer N } } ? N : unknown;
type NameOf<T> = T extends unknown ? keyof T : never;
type QueryName<O> = O extends { parameters: { query?: infer Q } } ? NameOf<NonNullable<Q>> : never;
type BodyName<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { "application/json": infer C } }
    ? NameOf<C>
    : never
  : never;
/** The members that fill the path's braces, and the members of the query or the body. */
type MembersOf<O> = PathMembers<O> & { readonly [K in QueryName<O> | BodyName<O>]?: unknown };
type GivenTo<P extends keyof paths, M extends Verb> =
  Record<never, never> extends MembersOf<Operation<P, M>>
    ? [given?: MembersOf<Operation<P, M>>]
    : [given: MembersOf<Operation<P, M>>];

/** The document with the types of its values left to the exchange. */
type LoosePaths = Record<
  string,
  Record<
    Verb,
    {
      parameters: { path: Members; query: Members };
      requestBody?: { content: { "application/json": Members } };
      responses: { default: { content: { "application/json": unknown } } };
    }
  >
>;

type LooseClient = ReturnType<typeof connect<LoosePaths>>;

const PATIENCE_SECONDS = 60;
/** A file of the largest size allowed, read and compared by a slow machine; a long journal. */
const LONG_PATIENCE_SECONDS = 1800;

/** In all, for one request: a person waits no longer without asking why. */
const MOST_WAIT_SECONDS = 120;

const SECOND_ATTEMPT_MILLIS = 1000;
const STILL_BUSY_MILLIS = 1000;
const STILL_BUSY_ATTEMPTS = 5;

export class ExchangeClient {
  readonly #parts: ExchangeParts;
  readonly #rule: RetryRule;
  /** The client reads an answer for its caller; here it is wanted as it came. */
  readonly #copies = new WeakMap<Response, Response>();
  #sdk: Promise<LooseClient> | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#rule = personsRule(parts.mayWait);
  }

  /** Loaded at the first request: help, and `up` in a fresh checkout, go without its packages. */
  async #connected(): Promise<LooseClient> {
    const { connect } = await import("#sdk/client.ts");
    const { url, headers, idempotencyKey } = this.#parts;
    const sdk = connect<LoosePaths>({
      url: url.href,
      fetch: async (request) => this.#send(await requestOver(request)),
      rule: this.#rule,
      onWait: (attempt, millis) => this.#tell(attempt, millis),
    });
    sdk.use({
      onRequest: ({ request }) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
        if (idempotencyKey !== undefined) request.headers.set("idempotency-key", idempotencyKey);
      },
      onResponse: ({ response, options }) => {
        if (response.ok && options.parseAs === "stream") return;
        this.#copies.set(response, response.clone());
      },
    });
    return sdk;
  }

  /** Where it is, for another program that asks it. */
  get address(): string {
    return this.#parts.url.href;
  }

  /** Whether its requests speak for an account. */
  get isSignedIn(): boolean {
    return this.#parts.headers.authorization !== undefined;
  }

  read<P extends PathOf<"get">>(path: P, ...given: GivenTo<P, "get">): Promise<ExchangeResponse>;
  read(path: string, given?: Members): Promise<ExchangeResponse> {
    return this.#answered("get", path, given);
  }

  post<P extends PathOf<"post">>(path: P, ...given: GivenTo<P, "post">): Promise<ExchangeResponse>;
  post(path: string, given?: Members): Promise<ExchangeResponse> {
    return this.#answered("post", path, given);
  }

  patch<P extends PathOf<"patch">>(
    path: P,
    ...given: GivenTo<P, "patch">
  ): Promise<ExchangeResponse>;
  patch(path: string, given?: Members): Promise<ExchangeResponse> {
    return this.#answered("patch", path, given);
  }

  delete<P extends PathOf<"delete">>(
    path: P,
    ...given: GivenTo<P, "delete">
  ): Promise<ExchangeResponse>;
  delete(path: string, given?: Members): Promise<ExchangeResponse> {
    return this.#answered("delete", path, given);
  }

  /** A file, which the SDK's client would hold whole to send it twice. */
  async upload(path: PathOf<"post">, { type, bytes, open }: Upload, query: Members = {}) {
    const url = new URL(this.#parts.url);
    url.pathname = url.pathname.replace(/\/$/, "") + path;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const idempotencyKey = this.#parts.idempotencyKey ?? randomUUID();
    const headers = {
      accept: "application/json",
      ...this.#parts.headers,
      "idempotency-key": idempotencyKey,
      "content-type": type,
      "content-length": String(bytes),
    };
    const response = await sendRepeatedly({
      send: () => this.#send({ method: "POST", url, headers, body: open }),
      idempotencyKey,
      rule: this.#rule,
      onWait: (attempt, millis) => this.#tell(attempt, millis),
    }).catch(rethrown);
    return good(await answerOf(response));
  }

  /** An answer too long to be held, chunk by chunk. */
  stream<P extends PathOf<"get">>(
    path: P,
    ...given: GivenTo<P, "get">
  ): Promise<ReadableStream<Uint8Array>>;
  async stream(path: string, given?: Members): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#ask("get", path, given);
    if (!response.ok) throw new RefusedRequest(await answerOf(response));
    return response.body ?? new ReadableStream();
  }

  async #answered(method: Verb, path: string, given?: Members): Promise<ExchangeResponse> {
    return good(await answerOf(await this.#ask(method, path, given, "text")));
  }

  /** The members go where the path names them in braces, else into the body or the query. */
  async #ask(
    method: Verb,
    template: string,
    given: Members = {},
    parseAs: "text" | "stream" = "stream",
  ): Promise<Response> {
    const path: Record<string, unknown> = {};
    const others: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given)) {
      (template.includes(`{${name}}`) ? path : others)[name] = value;
    }
    const init =
      method === "post" || method === "patch"
        ? { params: { path, query: {} }, body: others, parseAs }
        : { params: { path, query: others }, parseAs };
    this.#sdk ??= this.#connected();
    const sdk = await this.#sdk;
    const { response } = await sdk.request(method, template, init).catch(rethrown);
    return this.#copies.get(response) ?? response;
  }

  async #send(sending: Omit<Sending, "socketPath" | "patienceSeconds">): Promise<Response> {
    const { url, socketPath, long } = this.#parts;
    const patienceSeconds = long ? LONG_PATIENCE_SECONDS : PATIENCE_SECONDS;
    try {
      return await send({ ...sending, socketPath, patienceSeconds });
    } catch (fault) {
      if (!(fault instanceof Unreachable)) throw fault;
      const place = socketPath === undefined ? url.origin : `unix:${socketPath}`;
      throw new Unreachable(
        `no exchange answers at ${place} (${fault.message}). Start one with \`firstprint up\`, ` +
          "or name another with --url or FIRSTPRINT_URL",
      );
    }
  }

  #tell(attempt: Attempt, millis: number): void {
    const { warn } = this.#parts;
    if (!isDoubt(attempt) && "response" in attempt) {
      if (attempt.response.status !== 429) return;
      warn(`too many requests; asking again in ${millis / 1000} s (Ctrl-C stops)`);
      return;
    }
    const why =
      "fault" in attempt && attempt.fault instanceof Error
        ? `The connection was cut (${attempt.fault.message})`
        : "The exchange does not know the outcome";
    warn(`${why}; asking once more under the same Idempotency-Key`);
  }
}

/** Waits for the rate as it is told, and asks once more for what is in doubt; a no is final. */
const personsRule =
  (mayWait: boolean): RetryRule =>
  (attempt, { count, waitedMillis, doubts }) => {
    if (isDoubt(attempt)) {
      const mayPass = !("fault" in attempt) || attempt.fault instanceof CutOff;
      return mayPass && doubts === 1 ? SECOND_ATTEMPT_MILLIS : undefined;
    }
    if ("fault" in attempt) return undefined;
    const { response, body } = attempt;
    if (response.status === 429 && mayWait) {
      const millis = (retryAfterOf(response) ?? 0) * 1000;
      return millis > 0 && waitedMillis + millis <= MOST_WAIT_SECONDS * 1000 ? millis : undefined;
    }
    const isBusy = doubts > 0 && at(body, "error.code") === "IDEMPOTENCY_IN_FLIGHT";
    return isBusy && count <= STILL_BUSY_ATTEMPTS + 1 ? STILL_BUSY_MILLIS : undefined;
  };

/** The fault behind it, where nothing was sent or a read can simply be asked again. */
function rethrown(fault: unknown): never {
  if (!(fault instanceof NoAnswer)) throw fault;
  const { idempotencyKey: key, cause, message } = fault;
  if (key === undefined || cause instanceof UsageFault) throw cause;
  throw new OutcomeUnknown(
    `${message}; it is not known whether the request took effect. Check first, or repeat it ` +
      `with --idempotency-key ${key}: within 24 hours it then takes effect once at most`,
  );
}

async function answerOf(response: Response): Promise<ExchangeResponse> {
  const body = await response.text();
  return {
    status: response.status,
    body,
    json: parsed(body),
    replayed: response.headers.get("idempotency-replayed") === "true",
    retryAfter: response.headers.get("retry-after") ?? undefined,
  };
}

function good(answer: ExchangeResponse): ExchangeResponse {
  if (answer.status < 200 || answer.status >= 300) throw new RefusedRequest(answer);
  return answer;
}
