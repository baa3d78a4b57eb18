// `npm run verify`: judges a journal from outside the exchange, whether or not it is being served.
// Invariant: writes nothing; exits 0 when all holds, 1 where something broke, 2 if it cannot look.
import { setTimeout as sleep } from "node:timers/promises";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { keyFile, readKeyFile } from "#journal/checkpoint-key.ts";
import { runningConnection, startEmbedded } from "#journal/embedded.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { type Verification, verifyJournal } from "#journal/verify.ts";

interface Store {
  readonly journal: PostgresJournal;
  close(): Promise<void>;
}

const PATIENCE_MILLIS = 10_000;
const RETRY_MILLIS = 200;
const dataDir = process.env.FIRSTPRINT_DATA_DIR || "./.firstprint";

async function openStore(): Promise<Store> {
  const { DATABASE_URL: connectionString } = process.env;
  if (connectionString) return storeOf(new PostgresJournal({ connectionString }));
  // A node that serves this folder keeps its server running: we read beside it.
  const running = await runningConnection(dataDir).catch(() => undefined);
  if (running !== undefined) {
    return storeOf(new PostgresJournal({ ...running, application_name: "firstprint-verify" }));
  }
  const embedded = await startEmbedded({ dataDir });
  const journal = new PostgresJournal({ ...embedded.connection });
  return {
    journal,
    close: async () => {
      await journal.close();
      await embedded.stop();
    },
  };
}

const storeOf = (journal: PostgresJournal): Store => ({ journal, close: () => journal.close() });

/** An exchange that was just stopped is still ending its server: it is waited for. */
async function openReachable(): Promise<Store> {
  const patienceEnds = performance.now() + PATIENCE_MILLIS;
  for (;;) {
    try {
      const store = await openStore();
      try {
        await store.journal.exists();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    } catch (error) {
      if (process.env.DATABASE_URL || performance.now() > patienceEnds) throw error;
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
  const store = await openReachable();
  try {
    if (!(await store.journal.exists())) {
      console.error("The database has no journal: no exchange has ever been started on it.");
      return 2;
    }
    const startedMillis = performance.now();
    const file = checkpointNotes(dataDir);
    const verification = await verifyJournal(store.journal, { key, file });
    print(verification, performance.now() - startedMillis);
    return verification.valid ? 0 : 1;
  } finally {
    await store.close();
  }
}

function print(verification: Verification, tookMillis: number): void {
  const { valid, size, head, stateHash, checkpoints, snapshots } = verification;
  const rows: readonly (readonly [string, string])[] = [
    ["journal", valid ? "holds" : "BROKEN"],
    ...(verification.brokenAt === undefined
      ? []
      : [["broken at", String(verification.brokenAt)] as const]),
    ...(verification.reason === undefined ? [] : [["reason", verification.reason] as const]),
    ["sound entries", String(size)],
    ["head", head],
    ["state hash", stateHash],
    ["checkpoints", `${checkpoints} agree`],
    ["snapshots", `${snapshots} agree`],
    ["took", `${(tookMillis / 1000).toFixed(2)} s`],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(14)} ${value}`);
}

try {
  process.exitCode = await verify();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
