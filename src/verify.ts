// `npm run verify`: judges journal, first prints, raw files and days of markets from outside the
// exchange, whether or not it is being served.
// Invariant: writes nothing; exits 0 when all holds, 1 where something broke, 2 if it cannot look.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { messageOf } from "#base/message-of.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { damagedFiles, damagedPrints, NewPrints } from "#ingest/releases/verify.ts";
import { PrintStore } from "#ingest/store.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { keyFile, readKeyFile } from "#journal/checkpoint-key.ts";
import { DrawnMarketDays } from "#journal/drawn-market-days.ts";
import { PostgresMarketDays } from "#journal/market-days-postgres.ts";
import type { SigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type JournalVerification, KeptVerification, verifyJournal } from "#journal/verify.ts";
import { type WholeJournal, wholeJournal } from "#journal/whole-journal.ts";
import { archivePlace } from "#node/archive-settings.ts";
import { rawSettings } from "#node/raw-settings.ts";
import { openBeside } from "#storage/beside.ts";
import { objectStoreAt } from "#storage/object-place.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { S3Store } from "#storage/s3-store.ts";

interface OpenStores {
  readonly journal: WholeJournal;
  readonly prints: PrintStore;
  readonly raw: RawStore;
  readonly days: PostgresMarketDays;
  close(): Promise<void>;
}

const PATIENCE_MILLIS = 10_000;
const RETRY_MILLIS = 200;
const said = readArguments();
const dataDir = process.env.FIRSTPRINT_DATA_DIR || "./.firstprint";

const text = (name: string): string | undefined => process.env[name] || undefined;

/** The archive and the store of raw files, as the settings name them. */
function outsideStores() {
  const archive = archivePlace(said.archive || text("FIRSTPRINT_ARCHIVE"), text);
  const raw = rawSettings(text);
  return {
    archive: archive === undefined ? undefined : objectStoreAt(archive),
    // It only reads: no file waits in a folder.
    raw: raw && { objects: new S3Store(raw), takesNew: false, folder: "" },
  };
}

type OutsideStores = ReturnType<typeof outsideStores>;

async function openStore(outside: OutsideStores): Promise<OpenStores> {
  const beside = await openBeside(dataDir, process.env.DATABASE_URL, "firstprint-verify");
  const journal = wholeJournal(new PostgresJournal(beside.config), outside.archive);
  const prints = PrintStore.connect(beside.config);
  const raw = RawStore.connect(beside.config, outside.raw);
  const days = new PostgresMarketDays(beside.config);
  const close = async () => {
    for (const part of [days, raw, prints, journal, beside]) await part.close();
  };
  return { journal, prints, raw, days, close };
}

/** An exchange that was just stopped is still ending its server: it is waited for. */
async function openReachable(outside: OutsideStores): Promise<OpenStores> {
  const patienceEnds = performance.now() + PATIENCE_MILLIS;
  for (;;) {
    try {
      const store = await openStore(outside);
      try {
        await store.journal.exists();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    } catch (error) {
      const isFinal = process.env.DATABASE_URL || error instanceof StorageRefusal;
      if (isFinal || performance.now() > patienceEnds) throw error;
      await sleep(RETRY_MILLIS);
    }
  }
}

async function verify(): Promise<number> {
  const key = await readKeyFile(keyFile(dataDir));
  if (key === undefined) {
    console.error(
      `There is no ${keyFile(dataDir)}, so no checkpoint can be judged. ` +
        "Set FIRSTPRINT_DATA_DIR to the exchange's data folder.",
    );
    return 2;
  }
  const store = await openReachable(outsideStores());
  try {
    if (!(await store.journal.exists())) {
      console.error("The database has no journal: no exchange has ever been started on it.");
      return 2;
    }
    if (said.serve === true) return await serveExchange(store, key);
    const startedMillis = performance.now();
    const file = checkpointNotes(dataDir);
    const logFile = checkpointNotes(dataDir, "log");
    const kept = { file, logFile, archived: store.journal };
    // Before the journal is read, so that it has every entry that is counted in them.
    const stored = await store.days.digests();
    const drawn = new DrawnMarketDays(stored.reached);
    const onEntry = drawn.take.bind(drawn);
    const verification = await verifyJournal(store.journal, { key, ...kept, onEntry });
    const { releases, heldReleases } = verification;
    const prints = await damagedPrints(store.prints, releases);
    const files = await damagedFiles(store.raw, [...releases, ...heldReleases]);
    const archived = await store.journal.archivedUpTo();
    const days = { reached: stored.reached, differing: drawn.differing(stored) };
    const tookMillis = performance.now() - startedMillis;
    print({ ...verification, archived }, { prints, files, days }, tookMillis);
    const isDamaged = prints.length > 0 || files.length > 0 || days.differing?.length !== 0;
    return verification.valid && !isDamaged ? 0 : 1;
  } finally {
    await store.close();
  }
}

/**
 * For the exchange that serves `GET /api/audit/verify`: each line names the last entry there is,
 * and is answered by one line of JSON. The first answer is of the whole journal, a later one of
 * what came since.
 */
async function serveExchange(store: OpenStores, key: SigningKey): Promise<number> {
  const kept = new KeptVerification(store.journal, {
    key,
    file: checkpointNotes(dataDir),
    logFile: checkpointNotes(dataDir, "log"),
    archived: store.journal,
  });
  const newPrints = new NewPrints(store.prints);
  try {
    for await (const line of createInterface({ input: process.stdin })) {
      const verification = await kept.upTo(Number(line));
      const prints = await newPrints.damaged(verification.releases);
      const { valid, totalEntries, brokenAt, reason, head, size, stateHash } = verification;
      const damagedReleases = [...new Set(prints.map(({ releaseId }) => releaseId))];
      const answer = {
        valid,
        totalEntries,
        brokenAt,
        reason,
        head,
        size,
        stateHash,
        damagedReleases,
      };
      console.log(JSON.stringify(answer));
    }
  } finally {
    // Open, it would hold up the end of a process that cannot look.
    process.stdin.destroy();
  }
  return 0;
}

function readArguments(): { readonly serve?: boolean; readonly archive?: string } {
  try {
    const options = { serve: { type: "boolean" }, archive: { type: "string" } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}

type Damages = Awaited<ReturnType<typeof damagedPrints>>;

interface Found {
  readonly prints: Damages;
  readonly files: Damages;
  readonly days: ComparedDays;
}

interface ComparedDays {
  readonly reached: number;
  readonly differing: readonly string[] | undefined;
}

function print(
  verification: JournalVerification & { readonly archived: number },
  { prints, files, days }: Found,
  tookMillis: number,
): void {
  const { valid, size, head, stateHash, checkpoints, logHeads, snapshots, folded } = verification;
  const rows: readonly (readonly [string, string])[] = [
    ["journal", valid ? "holds" : "BROKEN"],
    ...(verification.brokenAt === undefined
      ? []
      : [["broken at", String(verification.brokenAt)] as const]),
    ...(verification.reason === undefined ? [] : [["reason", verification.reason] as const]),
    ["sound entries", String(size)],
    ...(verification.archived === 0
      ? []
      : [["archived", `entries 2 to ${verification.archived}`] as const]),
    ...(folded === 0
      ? []
      : [
          [
            "older rules",
            `decided entries 1 to ${folded}: taken as stored, not decided again, ` +
              "and snapshots among them compared without their state",
          ] as const,
        ]),
    ["head", head],
    ["state hash", stateHash],
    ["checkpoints", `${checkpoints} agree`],
    ["log heads", `${logHeads} agree`],
    ["snapshots", `${snapshots} agree`],
    ...releaseRows("first prints", prints, verification.releases.length),
    ...releaseRows("raw files", files, verification.releases.length),
    ...dayRows(days),
    ["took", `${(tookMillis / 1000).toFixed(2)} s`],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(14)} ${value}`);
}

const MARKETS_NAMED = 20;

function dayRows({ reached, differing }: ComparedDays): readonly (readonly [string, string])[] {
  const name = "market days";
  if (differing === undefined) {
    return [
      [name, `NOT COMPARED: the journal holds no entry ${reached}, to which they are counted`],
    ];
  }
  if (differing.length === 0) return [[name, `hold, counted to entry ${reached}`]];
  const named = differing
    .slice(0, MARKETS_NAMED)
    .map((market): readonly [string, string] => [
      name,
      `DAMAGED: ${market} has other days than its entries make; empty market_day and set ` +
        "market_day_reached to 0, and the next leader draws them anew",
    ]);
  const more = differing.length - named.length;
  return more === 0 ? named : [...named, [name, `DAMAGED: and ${more} more`]];
}

/** Of the releases that the part of the journal that holds speaks of. */
function releaseRows(
  what: string,
  damages: Damages,
  releases: number,
): readonly (readonly [string, string])[] {
  if (damages.length === 0) return [[what, `of ${releases} releases hold`]];
  return damages.map(({ message }) => [what, `DAMAGED: ${message}`]);
}

try {
  process.exitCode = await verify();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
