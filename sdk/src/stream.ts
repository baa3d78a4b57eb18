// The exchange's event stream, taken up where it broke off: every entry once, in order.
// Invariant: `position` has been read in full, and what is resumed after it was never handed out.
import { createParser } from "eventsource-parser";
import type { Exchange } from "./client.ts";
import { errorOf, NoAnswer, Refused } from "./errors.ts";
import type { Schemas } from "./openapi.ts";
import { pauseMillis, sleep } from "./retry.ts";

export type StreamMessage<E = Schemas["StreamEntry"]> =
  | {
      readonly kind: "entry";
      readonly sequence: number;
      readonly entry: E;
      /** Its JSON as it came. */
      readonly text: string;
    }
  /** All up to `sequence` has been sent, wanted or not; `head` is the newest durable entry. */
  | { readonly kind: "heartbeat"; readonly sequence: number; readonly head: number };

/** The stream cannot be taken up where it ended: read everything anew. */
export class StreamGap extends Error {
  override readonly name = "StreamGap";
  readonly kind = "gap";
  /** The last entry that is known. */
  readonly after: number;

  constructor(after: number, why: string) {
    super(`the stream does not go on after entry ${after}: ${why}; read everything anew`);
    this.after = after;
  }
}

export interface ResumeOptions {
  /** Begin after this entry; 0 = from the first. Left out: from now on. */
  readonly after?: number | undefined;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a fault in coming back is worth another try; as a read's refusals when left out. */
  mayPass?(fault: unknown): boolean;
  onInterrupted?(reason: string, after: number): void;
}

/** For a stream whose subscriptions change. */
interface Resumption extends ResumeOptions {
  /** It was opened, under an id of its own, after this entry. */
  opened?(stream: string, sequence: number): Promise<void>;
  /** Read up to `position`: the entry after which it has to be opened anew, if any. */
  until?(position: number): number | undefined;
}

export interface OwnStreamOptions extends ResumeOptions {
  readonly types?: readonly OwnEventType[];
}

export type OwnEventType = Schemas["OwnStreamEvent"]["type"];

/** The stream of the key's own account. It ends as `follow` does, and once the key is over. */
export function followOwn(exchange: Exchange, options: OwnStreamOptions = {}) {
  const { types, signal } = options;
  return resumed<Schemas["OwnStreamEntry"]>(async (lastEventId) => {
    const { data, error, response } = await exchange.GET("/api/trading/stream", {
      params: {
        query: {
          ...(types === undefined ? {} : { types: types.join(",") }),
          ...(lastEventId === undefined ? {} : { lastEventId }),
        },
      },
      headers: { accept: "text/event-stream" },
      parseAs: "stream",
      ...(signal === undefined ? {} : { signal }),
    });
    if (data === undefined || data === null) throw errorOf(response, error);
    return chunksOf(data);
  }, options);
}

/** As `exchange.GET` gives a stream, from any source; `open` is asked again after each cut. */
export async function* resumed<E extends { sequence: number } = Schemas["StreamEntry"]>(
  open: (after: number | undefined) => Promise<AsyncIterable<Uint8Array>>,
  options: Resumption = {},
): AsyncGenerator<StreamMessage<E>, void> {
  const { signal, mayPass = passes, onInterrupted } = options;
  let position = options.after;
  let hasAnswered = false;
  let failures = 0;
  let retryMillis = 1000;
  while (!signal?.aborted) {
    let reason: string | undefined = "the stream ended";
    try {
      const bytes = await open(position);
      hasAnswered = true;
      for await (const sent of serverSent<E>(bytes)) {
        failures = 0;
        if (sent.kind === "retry") retryMillis = sent.millis;
        else if (sent.kind === "opened") await options.opened?.(sent.stream, sent.sequence);
        else if (sent.kind === "cut") {
          reason = sent.message;
          break;
        } else {
          const end = position === undefined ? undefined : options.until?.(position);
          const isBeyond = end !== undefined && sent.sequence > end;
          if (!isBeyond && isNews(sent, position)) {
            position = sent.sequence;
            yield sent;
          }
          if (end === undefined || sent.sequence < end) continue;
          position = end;
          reason = undefined;
          break;
        }
      }
    } catch (fault) {
      if (signal?.aborted) return;
      if (isAhead(fault)) throw new StreamGap(position ?? 0, "the exchange has not come that far");
      if (!hasAnswered || !mayPass(fault)) throw fault;
      reason = fault instanceof Error ? fault.message : String(fault);
    }
    if (signal?.aborted) return;
    if (reason === undefined) continue;
    if (position !== undefined) onInterrupted?.(reason, position);
    failures += 1;
    await sleep(pauseMillis(failures, retryMillis), signal).catch(() => undefined);
  }
}

/** A refusal of coming back that may pass, or a connection that is gone. */
const passes = (fault: unknown): boolean =>
  fault instanceof Refused ? fault.retryable : fault instanceof NoAnswer || fault instanceof Cut;

const isAhead = (fault: unknown): boolean =>
  fault instanceof Refused && fault.code === "SEQUENCE_AHEAD";

/** False for what has been read before. @throws StreamGap where the exchange has gone back */
function isNews(sent: StreamMessage<unknown>, position: number | undefined): boolean {
  if (position === undefined || sent.sequence > position) return true;
  if (sent.kind === "entry") return false;
  const reached = Math.min(sent.sequence, sent.head);
  if (reached < position) throw new StreamGap(position, `the exchange is at entry ${reached}`);
  return true;
}

type ServerSent<E> =
  | StreamMessage<E>
  | { readonly kind: "retry"; readonly millis: number }
  | { readonly kind: "opened"; readonly stream: string; readonly sequence: number }
  | { readonly kind: "cut"; readonly message: string };

/** A message is handed on when the blank line after it is here, never half of it. */
async function* serverSent<E extends { sequence: number }>(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSent<E>, void> {
  const decoder = new TextDecoder();
  let ready: ServerSent<E>[] = [];
  const parser = createParser({
    onRetry: (millis) => ready.push({ kind: "retry", millis }),
    onEvent: ({ event, data }) => ready.push(...messageOf<E>(event, data)),
  });
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const sent = ready;
    ready = [];
    yield* sent;
  }
}

/** An event of a name that is newer than this SDK is none. */
function messageOf<E extends { sequence: number }>(
  event: string | undefined,
  text: string,
): readonly ServerSent<E>[] {
  if (event === "entry") {
    const entry: E = JSON.parse(text);
    return [{ kind: "entry", sequence: entry.sequence, entry, text }];
  }
  if (event === "heartbeat") {
    const { sequence, head, stream }: Schemas["StreamHeartbeat"] = JSON.parse(text);
    const beat = { kind: "heartbeat", sequence, head } as const;
    return stream === undefined ? [beat] : [{ kind: "opened", stream, sequence }, beat];
  }
  if (event === "error") {
    const { message }: Schemas["StreamCut"] = JSON.parse(text);
    return [{ kind: "cut", message }];
  }
  return [];
}

/** The connection broke off, or hangs. */
export class Cut extends Error {
  override readonly name = "Cut";
}

/** Heartbeats come every 15 s: a silence of three of them is a connection that hangs. */
const MOST_SILENCE_MILLIS = 45_000;

/** The body as it comes; Safari's streams cannot be iterated by themselves. @throws Cut */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function inTime<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const silence = `nothing came for ${MOST_SILENCE_MILLIS / 1000} s`;
    const timer = setTimeout(() => reject(new Cut(silence)), MOST_SILENCE_MILLIS);
    reading
      .then(resolve, (fault: unknown) =>
        reject(new Cut(fault instanceof Error ? fault.message : String(fault), { cause: fault })),
      )
      .finally(() => clearTimeout(timer));
  });
}
