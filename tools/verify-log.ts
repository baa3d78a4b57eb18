// Holds an exchange's transparency log against a checkpoint somebody kept:
// `node tools/verify-log.ts kept.txt --url <address> --key <key> [--witness <key>] [--json]`.
// Exit 0: what was kept is the beginning of what is served now; 1: it is not, the past has been
// rewritten or cut off; 2: there was nothing to compare.
// Invariant: nothing of the exchange's own code is used, and no word of it is believed that is not
// signed by the key in hand.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Unusable } from "./export-cutter.ts";
import { holdsBefore } from "./log-proofs.ts";
import {
  openNote,
  readVerifierKey,
  renamed,
  type SignedHead,
  type VerifierKey,
} from "./signed-note.ts";

const options = {
  url: { type: "string" },
  key: { type: "string" },
  witness: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

interface Verdict {
  readonly holds: boolean;
  readonly reason: string;
  readonly kept: number;
  readonly now: number;
}

async function judge(words: readonly string[]): Promise<Verdict & { readonly json: boolean }> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options,
    allowPositionals: true,
  });
  const [file] = positionals;
  const { url, key, witness, json } = values;
  if (file === undefined || url === undefined || key === undefined) {
    throw new Unusable("name the file with the kept checkpoint, --url and --key");
  }
  const log = logKey(key);
  const note = await readFile(file, "utf8");
  const kept = await opened(note, log);
  if ("fault" in kept) throw new Unusable(`${file}: ${kept.fault}`);
  if (witness !== undefined) {
    const cosigned = await opened(note, readVerifierKey(witness, 4));
    if ("fault" in cosigned) throw new Unusable(`${file}: ${cosigned.fault}`);
  }
  return { ...(await compared(url.replace(/\/$/, ""), kept, log)), json };
}

/** Takes the chain's key as well: the log's is the same under another name. */
function logKey(text: string): VerifierKey {
  const key = readVerifierKey(text);
  return key.name.endsWith("/log") ? key : renamed(key, `${key.name}/log`);
}

/** A file may hold several notes, as the data folder's does: the last one counts. */
function opened(notes: string, key: VerifierKey): ReturnType<typeof openNote> {
  const all = notes.split(/(?<=\n\n(?:— [^\n]*\n)+)(?!— )/).filter((note) => note.trim() !== "");
  return openNote(all.at(-1) ?? "", key);
}

async function compared(url: string, kept: SignedHead, key: VerifierKey): Promise<Verdict> {
  const now = await openNote(await fetched(`${url}/api/log/checkpoint`), key);
  const told = { kept: kept.size, now: "fault" in now ? 0 : now.size };
  if ("fault" in now) return { holds: false, reason: `what is served now: ${now.fault}`, ...told };
  if (now.size < kept.size) {
    const reason = `the log has ${now.size} entries now and had ${kept.size}: its end was cut off`;
    return { holds: false, reason, ...told };
  }
  const proof = proofIn(
    await fetched(`${url}/api/log/consistency?from=${kept.size}&to=${now.size}`),
  );
  if (proof !== undefined && holdsBefore(kept, now, proof)) {
    const reason = `the first ${kept.size} of ${now.size} entries are those of the kept checkpoint`;
    return { holds: true, reason, ...told };
  }
  const reason =
    `the log of ${now.size} entries does not begin with the ${kept.size} of the kept checkpoint: ` +
    "its past has been rewritten; both notes are signed by the same key, keep them";
  return { holds: false, reason, ...told };
}

async function fetched(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(30_000) }).catch(() => {
    throw new Unusable(`${address} does not answer`);
  });
  if (!answer.ok) throw new Unusable(`${address} answers ${answer.status}`);
  return answer.text();
}

function proofIn(text: string): readonly Uint8Array[] | undefined {
  const body: unknown = JSON.parse(text);
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : undefined;
  if (typeof data !== "object" || data === null || !("proof" in data)) return undefined;
  const { proof } = data;
  if (!Array.isArray(proof)) return undefined;
  return proof.map((hash) => Buffer.from(String(hash), "base64"));
}

if (import.meta.main) {
  try {
    const { json, ...verdict } = await judge(process.argv.slice(2));
    const words = verdict.holds ? "The log holds" : "THE LOG DOES NOT HOLD";
    process.stdout.write(`${json ? JSON.stringify(verdict) : `${words}: ${verdict.reason}.`}\n`);
    process.exitCode = verdict.holds ? 0 : 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`Nothing could be compared: ${reason}\n`);
    process.exitCode = 2;
  }
}
