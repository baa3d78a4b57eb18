// The secrets of a node: given by a setting, or made at the first start and kept in its folder.
// Invariant: a secret that was made is on disk before it is used.
import { randomBytes } from "node:crypto";
import { readFormer } from "#storage/rotation.ts";
import { keepSecret } from "#storage/secret-file.ts";
import type { Settings } from "./settings.ts";

export interface Secrets {
  readonly admin: string;
  /** Shown once: the first start made it. */
  readonly isNewAdmin: boolean;
  readonly pepper: string;
  /** The one before it, until its time is over. */
  formerPepper(): string | undefined;
  /** The secrets of webhooks are drawn with it. */
  readonly webhookKey: string;
  /** Opens the key of each subject's personal data. */
  readonly subjectsKey: string;
}

export async function openSecrets({ dataDir, adminSecret, role }: Settings): Promise<Secrets> {
  const random = () => randomBytes(32).toString("base64url");
  const { secret: pepper } = await keepSecret(dataDir, "pepper", random);
  const { secret: webhookKey } = await keepSecret(dataDir, "webhook-key", random);
  const formerPepper = await openFormer(dataDir);
  // A follower reads no personal data and compares no admin secret: it has neither secret.
  if (role === "follower") {
    return {
      admin: random(),
      isNewAdmin: false,
      pepper,
      formerPepper,
      webhookKey,
      subjectsKey: random(),
    };
  }
  const { secret: subjectsKey } = await keepSecret(dataDir, "subjects-key", random);
  const kept = { pepper, formerPepper, webhookKey, subjectsKey };
  if (adminSecret !== undefined) return { admin: adminSecret, isNewAdmin: false, ...kept };
  const { secret, isNew } = await keepSecret(dataDir, "admin-secret", random);
  return { admin: secret, isNewAdmin: isNew, ...kept };
}

async function openFormer(dataDir: string): Promise<() => string | undefined> {
  const former = await readFormer(dataDir);
  return () =>
    former !== undefined && Date.now() < former.untilMillis ? former.secret : undefined;
}

/** Those that all nodes of one exchange have, by the names of their files. */
export const sharedIn = (
  { pepper, webhookKey, subjectsKey }: Secrets,
  { role }: Pick<Settings, "role">,
) => ({
  pepper,
  "webhook-key": webhookKey,
  ...(role === "follower" ? {} : { "subjects-key": subjectsKey }),
});
