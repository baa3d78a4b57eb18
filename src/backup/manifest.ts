// The manifest of a backup: of which exchange and moment it is, and the digest of each of its
// files, signed by the exchange's checkpoint key.
// Invariant: what is restored is, to the byte, what one exchange backed up at one moment.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SIGNING_KEY } from "#journal/checkpoint-key.ts";
import { openNote, readSigningKey, type SigningKey, signNote } from "#journal/note.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { readLines, sha256Of, type Written } from "./lines-file.ts";

/** Both folders of a backup: what may be kept by anybody, and what opens it. */
export interface BackupFolders {
  readonly data: string;
  readonly keys: string;
}

export interface BackedUpFile extends Written {
  readonly folder: keyof BackupFolders;
  readonly name: string;
  /** The table whose rows are in it; undefined where it is a file of the node. */
  readonly table?: string;
}

export interface BackupManifest {
  readonly format: 1;
  readonly id: string;
  /** The name of the exchange's chain. */
  readonly origin: string;
  readonly takenAt: string;
  readonly entry: number;
  readonly entryHash: string;
  readonly entryTime: string;
  /** Of the database's schema. */
  readonly step: number;
  readonly files: readonly BackedUpFile[];
}

/** The content of the file of secrets. */
export interface SecretsFile extends Pick<BackupManifest, "id" | "origin"> {
  /** By the names of their files in the data folder. */
  readonly secrets: Readonly<Record<string, string>>;
}

export const MANIFEST = "manifest";
export const SECRETS = "secrets";

const nameOf = (origin: string): string => `${origin}/backup`;

export const signManifest = (key: SigningKey, manifest: BackupManifest): string =>
  signNote(key, nameOf(manifest.origin), `${JSON.stringify(manifest, undefined, 1)}\n`);

export async function readSecrets(keys: string, secret: string): Promise<SecretsFile> {
  const path = join(keys, SECRETS);
  await present(path);
  let text = "";
  for await (const line of readLines(path, secret)) text += line;
  const value: unknown = JSON.parse(text);
  if (isSecrets(value)) return value;
  throw new StorageRefusal(`${path} holds no secrets of a backup. ${ANOTHER}`);
}

/** @throws StorageRefusal unless every file is there as the exchange of these secrets wrote it */
export async function checkedManifest(
  folders: BackupFolders,
  note: string,
  { id, origin, secrets }: SecretsFile,
): Promise<BackupManifest> {
  const key = readSigningKey(secrets[SIGNING_KEY] ?? "");
  const text = openNote(key, nameOf(origin), note);
  if (text === undefined) throw new StorageRefusal(mismatch(folders, note, { id, origin }));
  const manifest: unknown = JSON.parse(text);
  if (!isManifest(manifest) || manifest.format !== 1) {
    throw new StorageRefusal(
      `${join(folders.data, MANIFEST)} has a form that this version does not know: restore with ` +
        "the version that made it, or a newer one.",
    );
  }
  if (manifest.id !== id) throw new StorageRefusal(mismatch(folders, note, { id, origin }));
  for (const { folder, name, sha256 } of manifest.files) {
    const path = join(folders[folder], name);
    await present(path);
    const found = await sha256Of(path);
    if (found === sha256) continue;
    throw new StorageRefusal(
      `${path} was changed or damaged since the backup was made: its SHA-256 is ${found}, the ` +
        `manifest has ${sha256}. ${ANOTHER}`,
    );
  }
  return manifest;
}

/** Why no manifest signed by these keys was found, by what the one that is there says of itself. */
function mismatch(
  { data, keys }: BackupFolders,
  note: string,
  of: Pick<SecretsFile, "id" | "origin">,
): string {
  const said = claimed(note);
  if (said !== undefined && said.origin !== of.origin) {
    return (
      `The backup in ${data} is of another exchange (${said.origin}) than the keys in ${keys} ` +
      `(${of.origin}). Nothing was restored. Name the two folders of one backup.`
    );
  }
  if (said !== undefined && said.id !== of.id) {
    return (
      `The keys in ${keys} are of another backup of this exchange than the one in ${data}. ` +
      "Nothing was restored. Name the two folders that were made together."
    );
  }
  return `${join(data, MANIFEST)} was changed since the backup was made. ${ANOTHER}`;
}

function claimed(note: string): BackupManifest | undefined {
  try {
    const value: unknown = JSON.parse(note.slice(0, note.lastIndexOf("\n\n")));
    return isManifest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const ANOTHER =
  "Nothing was restored. Copy the backup again from where it was made, or restore another one.";

export async function present(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return;
  throw new StorageRefusal(`${path} is missing from the backup. ${ANOTHER}`);
}

const isSecrets = (value: unknown): value is SecretsFile =>
  typeof value === "object" && value !== null && "origin" in value && "secrets" in value;

const isManifest = (value: unknown): value is BackupManifest =>
  typeof value === "object" && value !== null && "format" in value && "files" in value;
