// The key that signs checkpoints: one file in the data folder, made at the first start.
// Invariant: a key is on disk, whole and readable by its owner only, before it signs anything.
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { JournalRefusal } from "./journal.ts";
import { generateSigningKey, readSigningKey, type SigningKey, writeSigningKey } from "./note.ts";

const FILE = "checkpoint.key";

/** Reads `<dataDir>/checkpoint.key`, making both (modes 700 and 600) where they do not exist. */
export async function loadSigningKey(dataDir: string): Promise<SigningKey> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE);
  const known = await readKeyFile(path);
  if (known !== undefined) return known;

  // Written apart and linked: if we stop here, there is no key, never half of one; and of two
  // processes that start at once, both end up with the key that was linked first.
  const fresh = join(dataDir, `${FILE}.${randomBytes(6).toString("hex")}`);
  const file = await open(fresh, "wx", 0o600);
  try {
    await file.writeFile(writeSigningKey(generateSigningKey()));
    await file.sync();
  } finally {
    await file.close();
  }
  await link(fresh, path).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
  await rm(fresh);
  await syncFolder(dataDir);
  return (await readKeyFile(path)) ?? loadSigningKey(dataDir);
}

/** The key of a data folder that only looks: undefined where none was made. */
export async function readKeyFile(path: string): Promise<SigningKey | undefined> {
  let pem: string;
  try {
    pem = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return readSigningKey(pem);
  } catch (error) {
    throw new JournalRefusal(
      `${path} holds no Ed25519 key in PKCS#8 PEM (${error instanceof Error ? error.message : ""}). ` +
        "Restore it from a backup.",
    );
  }
}

export const keyFile = (dataDir: string): string => join(dataDir, FILE);

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
