// A long answer as a stream: `{"data":[…]}` written as its items come, or a text as its pieces
// come; never held whole.
// Invariant: the first chunk is there before the first byte goes out, so an early fault has its
// status; a later one cuts the connection, and the cut JSON cannot be taken for a whole.
import { Readable } from "node:stream";
import { jsonType, streamFrame } from "../route/envelope.ts";
import type { Items, Surface, Text } from "../route/route.ts";

/** JSON, an item a line: a cut one ends within a line, or short of what was to come. */
export const linesType = "application/x-ndjson";

interface StreamListener {
  fault(error: unknown): void;
  /** Characters that go out next. */
  sent(characters: number): void;
}

const CHUNK_CHARACTERS = 65_536;

/** The items of an answer as the text it is sent as. */
export function textOf(surface: Surface, { items, asLines }: Items): Text {
  const frame: StreamFrame = asLines ? ["", "\n", "\n"] : between(streamFrame(surface));
  const contentType = asLines ? linesType : jsonType;
  return { contentType, pieces: pieces(frame, items), headers: {} };
}

/** The text before the first item, between two, and after the last. */
type StreamFrame = readonly [open: string, separator: string, close: string];

const between = ([open, close]: readonly [string, string]): StreamFrame => [open, ",", close];

async function* pieces(
  [open, comma, close]: StreamFrame,
  items: AsyncIterable<unknown>,
): AsyncGenerator<string> {
  yield open;
  let separator = "";
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = comma;
  }
  // Lines of which there is none have no end of a line.
  if (separator === comma || comma !== close) yield close;
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

/** A fault is the source's own: a reader that leaves ends the stream with an error, too. */
async function* told(chunks: AsyncIterable<string>, on: StreamListener): AsyncGenerator<string> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await source.next().catch((error: unknown) => {
        on.fault(error);
        throw error;
      });
      if (done === true) return;
      on.sent(value.length);
      yield value;
    }
  } finally {
    await source.return?.();
  }
}
