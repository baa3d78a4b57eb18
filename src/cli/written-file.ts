// A long answer as it comes, to stdout or to a file.
// Invariant: a file has its name only once it is whole.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageFault } from "./faults.ts";
import type { Screen } from "./screen.ts";

/** `file`: undefined for stdout. */
export async function writeOut(
  chunks: AsyncIterable<Uint8Array>,
  file: string | undefined,
  screen: Screen,
): Promise<void> {
  if (file === undefined) {
    const { stdout } = screen.terminal;
    await pipeline(Readable.from(chunks, { objectMode: false }), stdout, { end: false });
    return;
  }
  await writeWhole(file, chunks);
  screen.note(`Written to ${file}.`);
}

/** If we stop here, half a file must not pass for an export: it gets its name at the end. */
async function writeWhole(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(chunks, { objectMode: false }), createWriteStream(part));
    await rename(part, file);
  } catch (fault) {
    await rm(part, { force: true });
    if (!(fault instanceof Error && "syscall" in fault)) throw fault;
    throw new UsageFault(`${file} cannot be written (${fault.message})`);
  }
}
