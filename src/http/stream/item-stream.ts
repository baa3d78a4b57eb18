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
  return Readable.from(written(frame, first, iterator, on), { objectMode: false });
}

/** The text before the first item, between two, and after the last. */
type StreamFrame = readonly [open: string, separator: string, close: string];

const between = ([open, close]: readonly [string, string]): StreamFrame => [open, ",", close];

async function* written(
  frame: StreamFrame,
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
  on: StreamListener,
): AsyncGenerator<string> {
  const [open, comma, close] = frame;
  let chunk = open;
  let separator = "";
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      chunk += separator + JSON.stringify(next.value);
      separator = comma;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      on.sent(chunk.length);
      yield chunk;
      chunk = "";
    }
    const last = first.done === true && comma === close ? chunk : chunk + close;
    on.sent(last.length);
    yield last;
  } catch (error) {
    on.fault(error);
    throw error;
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
export async function beginText(pieces: AsyncIterable<string>): Promise<Begun> {
  const chunks = chunked(pieces);
  const { value: first = "", done } = await chunks.next();
  const isWhole = done === true || first.length < CHUNK_CHARACTERS;
  return isWhole ? { whole: first } : { first, rest: chunks };
}

export const textStream = (
  begun: Extract<Begun, { first: string }>,
  on: StreamListener,
): Readable => Readable.from(told(begun, on), { objectMode: false });

async function* chunked(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

async function* told(
  { first, rest }: Extract<Begun, { first: string }>,
  on: StreamListener,
): AsyncGenerator<string> {
  try {
    on.sent(first.length);
    yield first;
    for await (const chunk of rest) {
      on.sent(chunk.length);
      yield chunk;
    }
  } catch (error) {
    on.fault(error);
    throw error;
  } finally {
    await rest.return(undefined);
  }
}
