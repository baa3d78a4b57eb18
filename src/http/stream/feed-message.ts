// One journal entry as server-sent events carry it, cut to what a reader asked for and may see.
// Invariant: an entry is one message under its own sequence, or none where nothing in it is wanted.
import type { AccountId } from "#base/ids.ts";
import type { Entry } from "#core/outcome.ts";
import { type AttributionOfRelease, publicEvents } from "#views/public-events.ts";

/**
 * The messages a reader wants; undefined = all. Events of no one market pass every choice of
 * markets.
 */
export interface FeedFilter {
  /** The account whose pieces it is sent, and no others; absent: what is public. */
  readonly account?: AccountId;
  readonly markets: ReadonlySet<string> | undefined;
  /** Whether a market has what was asked for; absent = all have. */
  isWanted?(marketId: string): boolean;
  readonly types: ReadonlySet<string> | undefined;
  /** Why it is sent nothing more: its credential has ended, or the node has lost touch. */
  over?(): CutReason | undefined;
}

interface Piece {
  readonly type: string;
  readonly marketId: string | undefined;
  /** Absent of what is public. */
  readonly account?: AccountId;
  readonly json: Buffer;
}

/** All that is told of one entry, written once for all readers. */
export interface FeedMessage {
  readonly sequence: number;
  readonly opening: Buffer;
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

/** Undefined where nothing in the entry is public. */
export function tellingOf(
  entry: Entry,
  attribution: AttributionOfRelease,
): FeedMessage | undefined {
  const pieces = publicEvents(entry, attribution).map((event) => ({
    type: event.type,
    marketId: event.marketId,
    json: Buffer.from(JSON.stringify(event)),
  }));
  return messageOf(entry, pieces);
}

/** Undefined where there is nothing to tell. */
export function messageOf(
  { sequence, envelope }: Entry,
  pieces: readonly Piece[],
): FeedMessage | undefined {
  if (pieces.length === 0) return undefined;
  const time = new Date(envelope.timeMillis).toISOString();
  const opening = Buffer.from(
    `id: ${sequence}\nevent: entry\ndata: {"sequence":${sequence},"time":"${time}","events":[`,
  );
  const bytes = pieces.reduce((sum, { json }) => sum + json.length, opening.length);
  return { sequence, opening, pieces, bytes };
}

const comma = Buffer.from(",");
const closing = Buffer.from("]}\n\n");

/** Adds the message to `buffers`, if the reader wants any of it; what is long is not copied. */
export function addMessage(buffers: Buffer[], told: FeedMessage, filter: FeedFilter): void {
  let separator = told.opening;
  const { types } = filter;
  for (const { type, marketId, account, json } of told.pieces) {
    if (account !== filter.account) continue;
    if (types !== undefined && !types.has(type)) continue;
    if (marketId !== undefined && !isOfMarket(filter, marketId)) continue;
    buffers.push(separator, json);
    separator = comma;
  }
  if (separator === comma) buffers.push(closing);
}

const isOfMarket = ({ markets, isWanted }: FeedFilter, marketId: string): boolean =>
  (markets === undefined || markets.has(marketId)) && isWanted?.(marketId) !== false;

const DATA = "\ndata: ";

/** The JSON of a message as `addMessage` adds it; undefined where nothing is wanted. */
export function dataOf(told: FeedMessage, filter: FeedFilter): Uint8Array | undefined {
  const buffers: Buffer[] = [];
  addMessage(buffers, told, filter);
  if (buffers.length === 0) return undefined;
  const text = Buffer.concat(buffers);
  return text.subarray(text.indexOf(DATA) + DATA.length, text.length - closing.length + 2);
}

/**
 * Under its `id` a reader resumes: everything up to `sequence` has been sent to it. `stream`: the
 * id under which its filter can be set, told once.
 */
export const heartbeat = (sequence: number, head: number, stream?: string): Buffer => {
  const data = JSON.stringify({ sequence, head, ...(stream === undefined ? {} : { stream }) });
  return Buffer.from(`id: ${sequence}\nevent: heartbeat\ndata: ${data}\n\n`);
};

/** How long a client waits before it comes back. */
export const retryAdvice = (millis: number): Buffer => Buffer.from(`retry: ${millis}\n\n`);

/** Why the exchange ends a stream. */
export const cutReasons = {
  SLOW_READER: "Too much waits to be read: come back with the last id, and read faster",
  STOPPING: "The exchange is stopping: come back with the last id",
  KEY_ENDED: "The key was revoked or has expired",
  INTERRUPTED: "The journal cannot be read just now: come back with the last id",
} as const;
export type CutReason = keyof typeof cutReasons;

export function cutMessage(code: CutReason): Buffer {
  const said = { code, message: cutReasons[code], retryable: code !== "KEY_ENDED" };
  return Buffer.from(`event: error\ndata: ${JSON.stringify(said)}\n\n`);
}
