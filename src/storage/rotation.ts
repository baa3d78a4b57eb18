// A new secret in the place of an old one: made in the data folder, taken from the next start.
// Invariant: an old pepper is on disk beside before the new one takes its place, so that no key is
// void by accident; the trail is told of each change.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { noteMaintenance } from "./maintenance.ts";
import { StorageRefusal } from "./refusal.ts";
import { readSecretFile, replaceSecret } from "./secret-file.ts";
import { fingerprintOf } from "./shared-secrets.ts";

export const FORMER_PEPPER = "pepper-before";

interface FormerPepper {
  readonly secret: string;
  readonly untilMillis: number;
}

/** The pepper before this one, and the end of its time; undefined where there was none. */
export async function readFormer(dataDir: string): Promise<FormerPepper | undefined> {
  const path = join(dataDir, FORMER_PEPPER);
  const text = await readSecretFile(path);
  if (text === undefined) return undefined;
  const [until = "", secret = ""] = text.trim().split("\n");
  const untilMillis = Date.parse(until);
  if (Number.isNaN(untilMillis) || secret === "") {
    throw new StorageRefusal(
      `${path} is no former pepper: a time and a secret, a line each. Copy it again from the ` +
        "node it was made on, or remove it: keys made under it are void then.",
    );
  }
  return { secret, untilMillis };
}

/**
 * A new pepper; keys made under the old one are taken for `overlapMillis` more.
 * @throws StorageRefusal while another old one is still taken: two are valid at most
 */
export async function rotatePepper(
  dataDir: string,
  overlapMillis: number,
  reason: string,
): Promise<string> {
  const old = await existing(dataDir, "pepper");
  const former = await readFormer(dataDir);
  if (former !== undefined && Date.now() < former.untilMillis && former.secret !== old) {
    throw new StorageRefusal(
      `The pepper before this one is taken until ${isoOf(former.untilMillis)}, and two at most ` +
        `are at once. Wait until then, or remove ${join(dataDir, FORMER_PEPPER)}, which makes ` +
        "its keys void.",
    );
  }
  const until = isoOf(Date.now() + overlapMillis);
  await replaceSecret(dataDir, FORMER_PEPPER, `${until}\n${old}\n`);
  const fresh = random();
  await replaceSecret(dataDir, "pepper", fresh);
  await noteMaintenance(dataDir, {
    ...{ work: "secret_changed", subject: "pepper", reason },
    ...{ before: fingerprintOf(old), after: fingerprintOf(fresh) },
  });
  return until;
}

/** A new admin secret; the old one is void from the next start on. */
export async function rotateAdminSecret(dataDir: string, reason: string): Promise<void> {
  await existing(dataDir, "admin-secret");
  await replaceSecret(dataDir, "admin-secret", random());
  // An operator may have chosen a secret that could be found from its fingerprint.
  await noteMaintenance(dataDir, {
    ...{ work: "secret_changed", subject: "admin-secret", reason, before: "", after: "" },
  });
}

async function existing(dataDir: string, name: string): Promise<string> {
  const secret = await readSecretFile(join(dataDir, name));
  if (secret !== undefined) return secret;
  throw new StorageRefusal(
    `There is no ${join(dataDir, name)}. Set FIRSTPRINT_DATA_DIR to the data folder of a node; ` +
      "an admin secret that is set by FIRSTPRINT_ADMIN_SECRET is changed there.",
  );
}

const random = (): string => randomBytes(32).toString("base64url");

const isoOf = (millis: number): string => new Date(millis).toISOString();
