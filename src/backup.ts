// `firstprint backup` and `firstprint restore`: a backup taken beside an exchange that serves, and
// put up elsewhere and judged.
// Invariant: exits 0 when all is well, 1 where a restored exchange does not hold, 2 where nothing
// was done.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { acceptLoss } from "#backup/accept-loss.ts";
import type { BackupFolders, BackupManifest } from "#backup/manifest.ts";
import { putBack } from "#backup/put-back.ts";
import { takeBackup } from "#backup/take.ts";
import { messageOf } from "#base/message-of.ts";
import { readOrigin } from "#engine/recover.ts";
import { keyFile, readKeyFile } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { rawVariables } from "#node/raw-settings.ts";
import { acceptClock } from "#storage/accepted-clock.ts";
import { openBeside } from "#storage/beside.ts";
import { connectionOf } from "#storage/hosts.ts";
import { readSecretFile } from "#storage/secret-file.ts";

const options = {
  to: { type: "string" },
  from: { type: "string" },
  keys: { type: "string" },
  secret: { type: "string" },
  check: { type: "boolean", default: false },
  reason: { type: "string" },
} as const;

const MIN_SECRET_LENGTH = 32;
const usage =
  "backup --to <folder> --keys <folder> --secret <file>, or restore --from <folder> " +
  "--keys <folder> --secret <file> with --check or --to <folder>, or accept-loss --reason <text>, or accept-clock --reason <text>";

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { to, from, keys, secret: secretFile, check, reason } = values;
  const [task] = positionals;
  if (task === "accept-loss" && reason !== undefined) return accept(reason);
  if (task === "accept-clock" && reason !== undefined) return acceptClockOf(checked(reason));
  if (keys === undefined || secretFile === undefined) throw new Error(`Run ${usage}`);
  const secret = await secretIn(secretFile);
  if (task === "backup" && to !== undefined && from === undefined && !check) {
    return backup({ data: resolve(to), keys: resolve(keys) }, secret);
  }
  if (task === "restore" && from !== undefined && check === (to === undefined)) {
    return restore({ data: resolve(from), keys: resolve(keys) }, secret, to);
  }
  throw new Error(`Run ${usage}`);
}

async function secretIn(path: string): Promise<string> {
  const secret = (await readSecretFile(path))?.trim() ?? "";
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new Error(
    `${path} must hold a secret of at least ${MIN_SECRET_LENGTH} characters. Make one with ` +
      `(umask 077; openssl rand -base64 32 > ${path}), and keep it where neither folder of a ` +
      "backup is.",
  );
}

interface Store {
  readonly dataDir: string;
  readonly config: ConstructorParameters<typeof PostgresJournal>[0];
  readonly journal: PostgresJournal;
  readonly origin: string;
}

/** The store that the environment names. */
async function withStore(work: (store: Store) => Promise<void>): Promise<number> {
  const { DATABASE_URL: databaseUrl, FIRSTPRINT_DATA_DIR: folder } = process.env;
  const dataDir = resolve(folder || ".firstprint");
  const { config, close } = await openBeside(dataDir, databaseUrl, "firstprint-backup");
  const journal = new PostgresJournal(config);
  try {
    const origin = (await journal.exists()) ? await readOrigin(journal) : undefined;
    if (origin === undefined) throw new Error("The database has no journal.");
    await work({ dataDir, config, journal, origin });
    return 0;
  } finally {
    await journal.close();
    await close();
  }
}

const backup = (folders: BackupFolders, secret: string): Promise<number> =>
  withStore(async ({ dataDir, config, origin }) => {
    const startedMillis = performance.now();
    const manifest = await takeBackup({ dataDir, config, origin, folders, secret });
    tell("backup", `${folders.data}, ${mib(manifest, "data")}`);
    tell("keys", `${folders.keys}, ${mib(manifest, "keys")}: keep it apart`);
    tell("reaches", reached(manifest));
    tell("took", seconds(startedMillis));
  });

const accept = (reason: string): Promise<number> =>
  withStore(async ({ dataDir, config, journal, origin }) => {
    const key = await readKeyFile(keyFile(dataDir));
    if (key === undefined) throw new Error(`There is no ${keyFile(dataDir)}.`);
    const loss = await acceptLoss({
      ...{ dataDir, config, journal, origin, key },
      reason: checked(reason),
    });
    tell("accepted", `the loss of entries ${loss.left + 1} to ${loss.known}, and of any after`);
    tell("evidence", loss.evidence.join(", "));
    tell("next", "start the exchange: its first entry tells of the loss and the reason");
  });

/** The node that serves from the folder takes it within a second, or its next start does. */
async function acceptClockOf(reason: string): Promise<number> {
  const dataDir = resolve(process.env.FIRSTPRINT_DATA_DIR || ".firstprint");
  await acceptClock(dataDir, reason);
  tell("accepted", `the clock of this machine, ${new Date().toISOString()}`);
  tell("next", "the node of this folder follows it, and its audit trail tells of the reason");
  return 0;
}

function checked(reason: string): string {
  if (/^[^\p{Cc}]{10,500}$/u.test(reason)) return reason;
  throw new Error("--reason is 10 to 500 characters on one line: who decides it, and why.");
}

/** Into `to`; without it into a folder that is removed again. */
async function restore(
  folders: BackupFolders,
  secret: string,
  to: string | undefined,
): Promise<number> {
  const startedMillis = performance.now();
  const { DATABASE_URL: databaseUrl } = process.env;
  const isKept = to !== undefined;
  const passing = isKept ? undefined : await mkdtemp(join(tmpdir(), "firstprint-restore-"));
  try {
    const dataDir = passing === undefined ? resolve(to ?? "") : join(passing, "data");
    // A check goes to a server of its own, never to the one that the environment names.
    const outside = isKept && databaseUrl ? databaseUrl : undefined;
    const database = outside === undefined ? undefined : connectionOf(outside);
    const manifest = await putBack({ folders, secret, dataDir, database });
    const code = await judge(dataDir, outside);
    tell("backup of", manifest.origin);
    tell("taken", manifest.takenAt);
    tell("reaches", reached(manifest));
    tell("restored to", isKept ? dataDir : "a folder that is removed again: it was a check");
    tell("all in all", seconds(startedMillis));
    return code === 0 ? 0 : 1;
  } finally {
    if (passing !== undefined) await rm(passing, { recursive: true, force: true });
  }
}

/** As `npm run verify` judges any store. */
async function judge(dataDir: string, databaseUrl: string | undefined): Promise<unknown> {
  const program = fileURLToPath(new URL("./verify.ts", import.meta.url));
  const named = ["PATH", "HOME", "FIRSTPRINT_ARCHIVE", ...rawVariables];
  const env = {
    ...Object.fromEntries(named.map((name) => [name, process.env[name]])),
    FIRSTPRINT_DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const child = spawn(process.execPath, [program], { env, stdio: "inherit" });
  const [code] = await once(child, "close");
  return code;
}

const reached = ({ entry, entryTime, entryHash }: BackupManifest): string =>
  `entry ${entry} of ${entryTime}, hash ${entryHash}`;

function mib({ files }: BackupManifest, folder: keyof BackupFolders): string {
  const own = files.filter((file) => file.folder === folder);
  const bytes = own.reduce((sum, file) => sum + file.bytes, 0);
  return `${own.length} files, ${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(2)} s`;

const tell = (name: string, value: string): void => console.log(`${name.padEnd(14)} ${value}`);

try {
  process.exitCode = await run();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
