// Puts a backup back: into a data folder that is new, and a database that is empty.
// Invariant: nothing is written before every file of the backup was found as it was made.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { invariant } from "#base/invariant.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { readLines } from "./lines-file.ts";
import {
  type BackupFolders,
  type BackupManifest,
  checkedManifest,
  MANIFEST,
  present,
  readSecrets,
} from "./manifest.ts";
import { loadTables } from "./tables.ts";
import { HEADS } from "./take.ts";

interface RestoreInputs {
  readonly folders: BackupFolders;
  readonly secret: string;
  /** Made here. */
  readonly dataDir: string;
  /** As its owner; undefined = a server of the folder's own. */
  readonly database: ClientConfig | undefined;
}

export async function putBack(inputs: RestoreInputs): Promise<BackupManifest> {
  const { folders, secret, dataDir, database } = inputs;
  if ((await stat(dataDir).catch(() => undefined)) !== undefined) {
    throw new StorageRefusal(`${dataDir} is there already. Name a folder that is not.`);
  }
  const path = join(folders.data, MANIFEST);
  await present(path);
  const secrets = await readSecrets(folders.keys, secret);
  const manifest = await checkedManifest(folders, await readFile(path, "utf8"), secrets);
  await mkdir(dataDir, { mode: 0o700 });
  for (const [name, text] of Object.entries(secrets.secrets)) {
    await writeFile(join(dataDir, name), text, { mode: 0o600 });
  }
  for (const name of Object.values(HEADS)) {
    let notes = "";
    for await (const note of readLines(join(folders.data, `${name}.zst`))) notes += note;
    await writeFile(join(dataDir, name), notes);
  }
  if (database !== undefined) {
    await load(database, inputs, manifest);
    return manifest;
  }
  const embedded = await startEmbedded({ dataDir });
  try {
    await load(embedded.connection, inputs, manifest);
  } finally {
    await embedded.stop();
  }
  return manifest;
}

async function load(
  owner: ClientConfig,
  { folders, secret }: RestoreInputs,
  { step, files }: BackupManifest,
): Promise<void> {
  const dumped = files.flatMap(({ table, folder, name, lines }) =>
    table === undefined
      ? []
      : [
          {
            table,
            lines,
            rows: readLines(join(folders[folder], name), folder === "keys" ? secret : undefined),
          },
        ],
  );
  const counts = await loadTables(owner, step, dumped);
  for (const { table, lines } of dumped) {
    invariant(counts.get(table) === lines, `${table} has the ${lines} rows that were backed up`);
  }
}
