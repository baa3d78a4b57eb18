// A long answer as a stream: `{"data":[…]}` written as its items come, never held whole.
// Invariant: the first item is there before the first byte goes out, so an early fault has its
// status; a later one cuts the connection, and the cut JSON cannot be taken for a whole.
import { Readable } from "node:stream";
import { streamFrame } from "./envelope.ts";
import type { Items, Surface } from "./route.ts";

const CHUNK_CHARACTERS = 65_536;

export async function itemStream(
  surface: Surface,
  { items }: Items,
  onFault: (error: unknown) => void,
): Promise<Readable> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  return Readable.from(written(surface, first, iterator, onFault), { objectMode: false });
}

async function* written(
  surface: Surface,
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
  onFault: (error: unknown) => void,
): AsyncGenerator<string> {
  const [open, close] = streamFrame(surface);
  let chunk = open;
  let separator = "";
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) {
      chunk += separator + JSON.stringify(next.value);
      separator = ",";
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = "";
    }
    yield chunk + close;
  } catch (error) {
    onFault(error);
    throw error;
  } finally {
    // A caller who leaves early must not keep the source open.
    await iterator.return?.();
  }
}
