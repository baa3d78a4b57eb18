// An operator's word that entries are lost which this node's signed checkpoints know of.
// Invariant: the heads of what is lost stay as evidence, and the journal tells of the loss once the
// node leads it; a journal that went on otherwise is not taken for one that lost its end.
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { logOriginOf, openCheckpoint } from "#journal/checkpoint.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import type { Head, JournalReader } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { toldLosses } from "#journal/told-losses.ts";
import { noteMaintenance } from "#storage/maintenance.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { syncFolder } from "#storage/secret-file.ts";
import { atOneMoment } from "./tables.ts";
import { HEADS } from "./take.ts";

interface LossInputs {
  readonly dataDir: string;
  readonly config: ClientConfig;
  /** The name of the exchange's chain. */
  readonly origin: string;
  readonly key: SigningKey;
  readonly reason: string;
  readonly journal: Pick<JournalReader, "read" | "newest">;
}

interface AcceptedLoss {
  /** The last entry that is left. */
  readonly left: number;
  /** The last entry that a signed checkpoint knows of. */
  readonly known: number;
  /** The files of heads as they were. */
  readonly evidence: readonly string[];
}

export async function acceptLoss(inputs: LossInputs): Promise<AcceptedLoss> {
  const { dataDir, config, origin, reason } = inputs;
  const last = await atOneMoment(config, async (moment) => moment.last);
  const chain = await headsIn(inputs, "chain", origin);
  const log = await headsIn(inputs, "log", logOriginOf(origin));
  const known = Math.max(...[...chain, ...log].map(({ head }) => head.size), 0);
  const left = await endOf(inputs, chain, last?.sequence ?? 0);
  const hash = await hashAt(inputs.journal, left);
  if (hash === undefined || known <= left) {
    throw new StorageRefusal(
      `Nothing is missing: the journal ends at entry ${left}, and the newest checkpoint in ` +
        `${dataDir} was signed at entry ${known}. Nothing was changed.`,
    );
  }
  const lost = chain.findLast(({ head }) => head.size === known)?.head;
  await noteMaintenance(dataDir, {
    work: "loss_accepted",
    subject: `entries ${left + 1} to ${known}`,
    before: `${known} ${lost?.hash ?? ""}`.trimEnd(),
    after: `${left} ${hash}`,
    reason,
  });
  const evidence: string[] = [];
  for (const [kind, heads] of [["log", log] as const, ["chain", chain] as const]) {
    evidence.push(await cutHeads(join(dataDir, HEADS[kind]), heads, left, known));
  }
  await syncFolder(dataDir);
  return { left, known, evidence };
}

/**
 * The last entry that is left of those that were signed here. Where the journal has gone on since,
 * it is the one that the journal itself says was left: a node that stood by learns of the loss by
 * what the leader's operator accepted.
 */
async function endOf(
  { dataDir, journal }: LossInputs,
  chain: readonly KeptHead[],
  size: number,
): Promise<number> {
  const isOther = async ({ head }: KeptHead): Promise<boolean> =>
    (await hashAt(journal, head.size)) !== head.hash;
  const newest = chain.findLast(({ head }) => head.size <= size);
  if (newest === undefined || !(await isOther(newest))) return size;
  for (const left of await toldLosses(journal)) {
    const [before, after] = [
      chain.findLast(({ head }) => head.size <= left),
      chain.find(({ head }) => head.size > left),
    ];
    const isBefore = before === undefined || !(await isOther(before));
    if (isBefore && after !== undefined && (await isOther(after))) return left;
  }
  throw new StorageRefusal(
    `The journal has another entry ${newest.head.size} than the checkpoint in ${dataDir} was ` +
      "signed over: it was rewritten, or went on otherwise, and has not only lost its end. " +
      "Nothing was changed. Restore a database that agrees with the checkpoints.",
  );
}

const hashAt = async (
  journal: LossInputs["journal"],
  sequence: number,
): Promise<string | undefined> => (await journal.read(sequence, 1))[0]?.hash;

interface KeptHead {
  readonly head: Head;
  readonly note: string;
}

async function headsIn(
  { dataDir, key }: LossInputs,
  kind: keyof typeof HEADS,
  origin: string,
): Promise<readonly KeptHead[]> {
  const heads: KeptHead[] = [];
  for await (const note of checkpointNotes(dataDir, kind)) {
    const head = openCheckpoint(key, origin, note);
    if (head === undefined) {
      throw new StorageRefusal(
        `${join(dataDir, HEADS[kind])} has a checkpoint that this node's checkpoint.key did not ` +
          "sign for this exchange. Nothing was changed.",
      );
    }
    heads.push({ head, note });
  }
  return heads;
}

/** Leaves those of the entries that are left, and keeps the file as it was beside it. */
async function cutHeads(
  path: string,
  heads: readonly KeptHead[],
  left: number,
  known: number,
): Promise<string> {
  const evidence = `${path}.of-${known}`;
  const staying = heads.filter(({ head }) => head.size <= left).map(({ note }) => note);
  const beside = `${path}.left`;
  await rm(beside, { force: true });
  await writeFile(beside, staying.join(""), { flush: true });
  await writeFile(evidence, heads.map(({ note }) => note).join(""), { flush: true });
  await rename(beside, path);
  return evidence;
}
