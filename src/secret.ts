// `firstprint secret rotate`: a new pepper, signing key or admin secret in a node's data folder.
// Invariant: exits 0 when it is changed, 2 where nothing was.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "#base/message-of.ts";
import { rotateCheckpointKey } from "#journal/checkpoint-key.ts";
import { rotateAdminSecret, rotatePepper } from "#storage/rotation.ts";

const options = {
  overlap: { type: "string", default: "30d" },
  reason: { type: "string", default: "" },
} as const;

const unitMillis: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MOST_OVERLAP_MILLIS = 366 * 86_400_000;

async function rotate(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const dataDir = resolve(process.env.FIRSTPRINT_DATA_DIR || ".firstprint");
  const { overlap, reason } = values;
  if (!/^[^\p{Cc}]{10,500}$/u.test(reason)) {
    throw new Error("--reason is 10 to 500 characters on one line: who decides it, and why.");
  }
  const [name] = positionals;
  if (name === "pepper") {
    const until = await rotatePepper(dataDir, millisIn(overlap), reason);
    console.log(`The pepper is new. Keys made under the old one are taken until ${until}.`);
    console.log(`Copy pepper and pepper-before from ${dataDir} to the other nodes, then start the`);
    console.log("nodes again, those that stand by first: docs/operating/security.md says how.");
  } else if (name === "admin-secret") {
    await rotateAdminSecret(dataDir, reason);
    console.log(
      `${dataDir}/admin-secret is new; the old one is void once the exchange starts again.`,
    );
  } else if (name === "checkpoint-key") {
    const until = await rotateCheckpointKey(dataDir, millisIn(overlap), reason);
    console.log(`The key of checkpoints is new; the old one signs beside it until ${until}.`);
    console.log(
      `Copy checkpoint.key and checkpoint-keys-before from ${dataDir} to the other nodes,`,
    );
    console.log(
      "then start the nodes again: docs/operating/security.md says how, and whom to tell.",
    );
  } else throw new Error(`"${name ?? ""}" is none of pepper, checkpoint-key, admin-secret.`);
}

function millisIn(overlap: string): number {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,6})([smhd])$/.exec(overlap) ?? [];
  const millis = Number(count) * (unitMillis[unit] ?? 0);
  if (millis > 0 && millis <= MOST_OVERLAP_MILLIS) return millis;
  throw new Error(`--overlap "${overlap}" is no time such as 30d, 12h, 45m or 90s, up to 366d.`);
}

try {
  await rotate();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
