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

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  let readBytes = 0;
  let toldMillis = performance.now();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    yield piece.value;
    readBytes += piece.value.length;
    if (performance.now() < toldMillis + PROGRESS_MILLIS) continue;
    toldMillis = performance.now();
    tell({ state: "judging", share: readBytes / file.size });
  }
}
