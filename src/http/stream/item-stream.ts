// A long answer as a stream: `{"data":[…]}` written as its items come, or a text as its pieces
// come; never held whole.
// Invariant: the first item is there before the first byte goes out, so an early fault has its
// status; a later one cuts the connection, and the cut JSON cannot be taken for a whole.
import { Readable } from "node:stream";
import { streamFrame } from "../route/envelope.ts";
import type { Items, Surface } from "../route/route.ts";

/** JSON, an item a line: a cut one ends within a line, or short of what was to come. */
export const linesType = "application/x-ndjson";

interface StreamListener {
  fault(error: unknown): void;
  /** Characters that go out next. */
  sent(characters: number): void;
}

const CHUNK_CHARACTERS = 65_536;

export async function itemStream(
  surface: Surface,
  { items, asLines }: Items,
  on: StreamListener,
): Promise<Readable> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  const frame: StreamFrame = asLines ? ["", "\n", "\n"] : between(streamFrame(surface));
  return streamOf(chunked(pieces(frame, first, iterator)), on);
}

/** The text before the first item, between two, and after the last. */
type StreamFrame = readonly [open: string, separator: string, close: string];

const between = ([open, close]: readonly [string, string]): StreamFrame => [open, ",", close];

async function* pieces(
  [open, comma, close]: StreamFrame,
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator<string> {
  try {
    yield open;
    let separator = "";
    for (let next = first; next.done !== true; next = await iterator.next()) {
      yield separator + JSON.stringify(next.value);
      separator = comma;
    }
    // Lines without a first have no end of a line.
    if (first.done !== true || comma !== close) yield close;
  } finally {
    // A caller who leaves early must not keep the source open.
    await iterator.return?.();
  }
}

/** A text of which no more was made than its first chunk. */
type Begun =
  | { readonly whole: string }
  | { readonly first: string; readonly rest: AsyncGenerator<string> };

/** Makes the first chunk: an early fault has its status, and a short text is sent as it is. */
export async function beginText(text: AsyncIterable<string>): Promise<Begun> {
  const chunks = chunked(text);
  const { value: first = "", done } = await chunks.next();
  const isWhole = done === true || first.length < CHUNK_CHARACTERS;
  return isWhole ? { whole: first } : { first, rest: chunks };
}

export const textStream = (
  { first, rest }: Extract<Begun, { first: string }>,
  on: StreamListener,
): Readable => streamOf(resumed(first, rest), on);

async function* resumed(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* chunked(text: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const piece of text) {
    chunk += piece;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

const streamOf = (chunks: AsyncIterable<string>, on: StreamListener): Readable =>
  Readable.from(told(chunks, on), { objectMode: false });

async function* told(chunks: AsyncIterable<string>, on: StreamListener): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) {
      on.sent(chunk.length);
      yield chunk;
    }
  } catch (error) {
    on.fault(error);
    throw error;
  }
}
