// Takes a backup of an exchange that goes on serving.
// Invariant: every entry that was durable before it began is in it; its two folders have their
// names only once they are whole.
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { ClientConfig } from "pg";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { FORMER_KEYS, SIGNING_KEY } from "#journal/checkpoint-key.ts";
import { readSigningKey } from "#journal/note.ts";
import { noteBackup } from "#storage/last-backup.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { FORMER_PEPPER } from "#storage/rotation.ts";
import { readSecretFile, syncFolder } from "#storage/secret-file.ts";
import { writeLines } from "./lines-file.ts";
import {
  type BackedUpFile,
  type BackupFolders,
  type BackupManifest,
  MANIFEST,
  SECRETS,
  type SecretsFile,
  signManifest,
} from "./manifest.ts";
import { atOneMoment } from "./tables.ts";

interface BackupInputs {
  readonly dataDir: string;
  readonly config: ClientConfig;
  /** The name of the exchange's chain. */
  readonly origin: string;
  readonly folders: BackupFolders;
  /** Seals what is in the folder of keys. */
  readonly secret: string;
}

/** The signed heads of the node, kept as they are. */
export const HEADS = { chain: "checkpoints", log: "log-checkpoints" } as const;

const secretNames = [
  SIGNING_KEY,
  FORMER_KEYS,
  "pepper",
  FORMER_PEPPER,
  "webhook-key",
  "subjects-key",
  "admin-secret",
];

/** The keys of persons' data: apart from the data, and sealed once more. */
const KEYS_OF_SUBJECTS = "kyc_key";

export async function takeBackup(inputs: BackupInputs): Promise<BackupManifest> {
  const { folders, origin, dataDir } = inputs;
  await refuseFolders(folders);
  const unfinished = { data: `${folders.data}.unfinished`, keys: `${folders.keys}.unfinished` };
  const secrets = { id: randomUUID(), origin, secrets: await secretsIn(dataDir) };
  try {
    for (const folder of Object.values(unfinished)) {
      // Of a backup that was cut off.
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { mode: 0o700 });
    }
    const manifest = await writeFiles(inputs, unfinished, secrets);
    const key = readSigningKey(secrets.secrets[SIGNING_KEY] ?? "");
    await writeWhole(join(unfinished.data, MANIFEST), signManifest(key, manifest));
    for (const folder of ["keys", "data"] as const) {
      await syncFolder(unfinished[folder]);
      await rename(unfinished[folder], folders[folder]);
      await syncFolder(dirname(folders[folder]));
    }
    await noteBackup(dataDir, manifest.takenAt);
    return manifest;
  } catch (error) {
    for (const folder of Object.values(unfinished)) {
      await rm(folder, { recursive: true, force: true });
    }
    throw error;
  }
}

async function writeFiles(
  { config, dataDir, secret }: BackupInputs,
  to: BackupFolders,
  secrets: SecretsFile,
): Promise<BackupManifest> {
  const takenAt = new Date().toISOString();
  const files: BackedUpFile[] = [];
  const add = async (
    file: Pick<BackedUpFile, "folder" | "name" | "table">,
    lines: AsyncIterable<string>,
  ): Promise<void> => {
    const sealing = file.folder === "keys" ? secret : undefined;
    files.push({
      ...file,
      ...(await writeLines(join(to[file.folder], file.name), lines, sealing)),
    });
  };
  await add({ folder: "keys", name: SECRETS }, once(JSON.stringify(secrets)));
  // Before the database: a signed head is durable, so none is of an entry that the rows lack.
  for (const kind of ["chain", "log"] as const) {
    await add({ folder: "data", name: `${HEADS[kind]}.zst` }, checkpointNotes(dataDir, kind));
  }
  return atOneMoment(config, async ({ last, step, tables, rowsOf }) => {
    if (last === undefined) throw new StorageRefusal("The database has no journal yet.");
    for (const table of tables) {
      const folder = table === KEYS_OF_SUBJECTS ? "keys" : "data";
      await add({ folder, name: `${table}.zst`, table }, rowsOf(table));
    }
    const { sequence: entry, hash: entryHash, timeMillis } = last;
    const entryTime = new Date(timeMillis).toISOString();
    const { id, origin } = secrets;
    return { format: 1, id, origin, takenAt, entry, entryHash, entryTime, step, files };
  });
}

async function refuseFolders({ data, keys }: BackupFolders): Promise<void> {
  const [one, other] = [resolve(data) + sep, resolve(keys) + sep];
  if (one.startsWith(other) || other.startsWith(one)) {
    throw new StorageRefusal(
      `The keys in ${keys} would lie with the backup in ${data}. Name two folders, neither in ` +
        "the other, and keep them apart.",
    );
  }
  for (const folder of [data, keys]) {
    if ((await stat(folder).catch(() => undefined)) === undefined) continue;
    throw new StorageRefusal(`${folder} is there already. Name a folder that is not.`);
  }
}

async function secretsIn(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const name of secretNames) {
    const text = await readSecretFile(join(dataDir, name));
    if (text !== undefined) found[name] = text;
  }
  if (found[SIGNING_KEY] !== undefined) return found;
  throw new StorageRefusal(
    `There is no ${join(dataDir, SIGNING_KEY)}. Set FIRSTPRINT_DATA_DIR to the data folder of a ` +
      "node of this exchange.",
  );
}

async function* once(line: string): AsyncGenerator<string> {
  yield line;
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
