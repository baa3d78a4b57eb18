// Judges an export in a worker, by the same files as the offline program (`tools/judge-export.ts`).
// Invariant: it asks nobody anything; what it judges and judges by is in the one message it gets.
import { Unusable } from "../../../tools/export-cutter.ts";
import { inWords, judgeExport } from "../../../tools/judge-export.ts";
import { made } from "./node-crypto.ts";
import type { Asked, Told } from "./told.ts";

const PROGRESS_MILLIS = 100;

const tell = (told: Told): void => postMessage(told);

addEventListener("message", async ({ data }: MessageEvent<Asked>) => {
  try {
    const startedMillis = performance.now();
    const verdict = await judgeExport(chunksOf(data.file), data);
    const tookMillis = performance.now() - startedMillis;
    const words = inWords(verdict);
    tell({ state: "judged", verdict, words, hashes: made.hashes, tookMillis });
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    tell({ state: "unusable", reason: error.message });
  }
});

/** A browser hands a file out slowly in its own small pieces. */
const PIECE_BYTES = 4_194_304;

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const pieceFrom = (from: number): Promise<ArrayBuffer> =>
    file.slice(from, from + PIECE_BYTES).arrayBuffer();
  let toldMillis = performance.now();
  let next = pieceFrom(0);
  for (let from = 0; from < file.size; from += PIECE_BYTES) {
    const piece = new Uint8Array(await next);
    // The next one is read while this one is judged.
    next = pieceFrom(from + PIECE_BYTES);
    yield piece;
    if (performance.now() < toldMillis + PROGRESS_MILLIS) continue;
    toldMillis = performance.now();
    tell({ state: "judging", share: Math.min(1, (from + piece.length) / file.size) });
  }
}
