// The key that signs checkpoints: one secret of the data folder, made at the first start, and those
// that were in its place.
// Invariant: what signs is an Ed25519 key that is on disk; a damaged file is refused, not replaced;
// what a former key has signed can be checked for ever.

import { dirname, join } from "node:path";
import { messageOf } from "#base/message-of.ts";
import { noteMaintenance } from "#storage/maintenance.ts";
import { keepSecret, readSecretFile, replaceSecret } from "#storage/secret-file.ts";
import { JournalRefusal } from "./journal.ts";
import {
  type FormerKey,
  generateSigningKey,
  readFormerKey,
  readSigningKey,
  type SigningKey,
  writeFormerKey,
  writeSigningKey,
} from "./note.ts";

export const SIGNING_KEY = "checkpoint.key";
export const FORMER_KEYS = "checkpoint-keys-before";

/** Reads `<dataDir>/checkpoint.key`, making both where they do not exist. */
export async function loadSigningKey(dataDir: string): Promise<SigningKey> {
  const make = (): string => writeSigningKey(generateSigningKey());
  const { secret } = await keepSecret(dataDir, SIGNING_KEY, make);
  const key = toKey(keyFile(dataDir), secret);
  const kept = await readFormerKeys(dataDir, key);
  const former = kept.map(withoutSpent);
  // A private key that signs no more is only something to steal.
  if (former.some((one, at) => one !== kept[at])) await keepFormerKeys(dataDir, former);
  return { ...key, former };
}

/** The key of a data folder that is only looked at: undefined where none was made. */
export async function readKeyFile(path: string): Promise<SigningKey | undefined> {
  const pem = await readSecretFile(path);
  if (pem === undefined) return undefined;
  const key = toKey(path, pem);
  return { ...key, former: await readFormerKeys(dirname(path), key) };
}

export const keyFile = (dataDir: string): string => join(dataDir, SIGNING_KEY);

/** The public half, as the end of a verifier key has it. */
export const publicPart = ({ publicBytes }: Pick<FormerKey, "publicBytes">): string =>
  Buffer.concat([Uint8Array.of(1), publicBytes]).toString("base64");

/**
 * A new key in the folder; the old one signs beside it for `overlapMillis` more.
 * @returns the end of that time
 */
export async function rotateCheckpointKey(
  dataDir: string,
  overlapMillis: number,
  reason: string,
): Promise<string> {
  const old = await readKeyFile(keyFile(dataDir));
  if (old === undefined) {
    throw new JournalRefusal(
      `There is no ${keyFile(dataDir)}. Set FIRSTPRINT_DATA_DIR to the data folder of a node.`,
    );
  }
  const untilMillis = Date.now() + overlapMillis;
  const fresh = generateSigningKey();
  // If we stop between the two, the old key stands in both files, and nothing has changed.
  await keepFormerKeys(dataDir, [...(old.former ?? []), { ...old, untilMillis }]);
  await replaceSecret(dataDir, SIGNING_KEY, writeSigningKey(fresh));
  await noteMaintenance(dataDir, {
    ...{ work: "secret_changed", subject: SIGNING_KEY, reason },
    ...{ before: publicPart(old), after: publicPart(fresh) },
  });
  return new Date(untilMillis).toISOString();
}

const keepFormerKeys = (dataDir: string, keys: readonly FormerKey[]): Promise<void> =>
  replaceSecret(dataDir, FORMER_KEYS, keys.map((key) => `${writeFormerKey(key)}\n`).join(""));

async function readFormerKeys(dataDir: string, key: SigningKey): Promise<readonly FormerKey[]> {
  const path = join(dataDir, FORMER_KEYS);
  const lines = ((await readSecretFile(path)) ?? "").split("\n").filter((line) => line !== "");
  try {
    const known = lines.map(readFormerKey);
    return known.filter((former) => publicPart(former) !== publicPart(key));
  } catch (error) {
    throw new JournalRefusal(
      `${path} does not hold former keys (${messageOf(error)}). Copy it again from the node it ` +
        "was made on, or restore it from a backup.",
    );
  }
}

function withoutSpent(former: FormerKey): FormerKey {
  if (former.privateKey === undefined || Date.now() < former.untilMillis) return former;
  const { privateKey: _spent, ...left } = former;
  return left;
}

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
