// The key that signs checkpoints: one secret of the data folder, made at the first start.
// Invariant: what signs is an Ed25519 key that is on disk; a damaged file is refused, not replaced.

import { join } from "node:path";
import { messageOf } from "#base/message-of.ts";
import { keepSecret, readSecretFile } from "#storage/secret-file.ts";
import { JournalRefusal } from "./journal.ts";
import { generateSigningKey, readSigningKey, type SigningKey, writeSigningKey } from "./note.ts";

const FILE = "checkpoint.key";

/** Reads `<dataDir>/checkpoint.key`, making both where they do not exist. */
export async function loadSigningKey(dataDir: string): Promise<SigningKey> {
  const make = (): string => writeSigningKey(generateSigningKey());
  const { secret } = await keepSecret(dataDir, FILE, make);
  return toKey(keyFile(dataDir), secret);
}

/** The key of a data folder that is only looked at: undefined where none was made. */
export async function readKeyFile(path: string): Promise<SigningKey | undefined> {
  const pem = await readSecretFile(path);
  return pem === undefined ? undefined : toKey(path, pem);
}

export const keyFile = (dataDir: string): string => join(dataDir, FILE);

function toKey(path: string, pem: string): SigningKey {
  try {
    return readSigningKey(pem);
  } catch (error) {
    const reason = messageOf(error);
    throw new JournalRefusal(
      `${path} holds no Ed25519 key in PKCS#8 PEM (${reason}). Restore it from a backup.`,
    );
  }
}
