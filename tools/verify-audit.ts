// Judges an audit export without the exchange, its code or a network:
// `node tools/verify-audit.ts export.json [--checkpoint file --key <verifier key>] [--partial]
// [--json]`. docs/reference/audit.md says what it checks and what it cannot know. Exit 0: all that
// could be checked holds; 1: something does not, named by its sequence; 2: there was nothing to
// judge.
// Invariant: nothing of the exchange's own code is used; the rules are those of `judge-export.ts`.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Unusable } from "./export-cutter.ts";
import { inWords, judgeExport } from "./judge-export.ts";

const CHUNK_BYTES = 262_144;

const options = {
  checkpoint: { type: "string" },
  key: { type: "string" },
  partial: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

interface Ended {
  readonly code: 0 | 1 | 2;
  /** For stdout, or for stderr where nothing could be judged. */
  readonly text: string;
}

/** `words`: the command line, without the program. */
export async function verifyAudit(words: readonly string[]): Promise<Ended> {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
    });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new Unusable("name one export file");
    const { checkpoint, key, partial: isPartial } = values;
    if ((checkpoint === undefined) !== (key === undefined)) {
      throw new Unusable(
        "--checkpoint and --key go together: a note proves nothing without its key",
      );
    }
    const notes = checkpoint === undefined ? undefined : await readFile(checkpoint, "utf8");
    const verdict = await judgeExport(chunksOf(file), { notes, key, isPartial });
    const text = values.json ? JSON.stringify(verdict) : inWords(verdict);
    return { code: verdict.holds ? 0 : 1, text };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { code: 2, text: `Nothing could be judged: ${reason}` };
  }
}

/** Opened when its first bytes are asked for, so that a bad key leaves no file open. */
async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { highWaterMark: CHUNK_BYTES });
}

if (import.meta.main) {
  const { code, text } = await verifyAudit(process.argv.slice(2));
  (code === 2 ? process.stderr : process.stdout).write(`${text}\n`);
  process.exitCode = code;
}
