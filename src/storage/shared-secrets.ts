// The secrets that all nodes of one exchange share, compared by their fingerprints in its database.
// Invariant: a node that stands by has the secrets of the one that leads, or does not start.
import type { ClientConfig } from "pg";
import { sha256Hex } from "#base/digest.ts";
import { StorageRefusal } from "./refusal.ts";
import { withClient } from "./with-client.ts";

/** By the names of their files in the data folder. */
type SharedSecrets = Readonly<Record<string, string>>;

/** As the node that leads: these are the ones that count. */
export const noteSecrets = (config: ClientConfig, secrets: SharedSecrets): Promise<void> =>
  withClient(config, async (client) => {
    await client.query(
      `INSERT INTO shared_secret (name, fingerprint) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET fingerprint = excluded.fingerprint`,
      [Object.keys(secrets), Object.values(secrets).map(fingerprintOf)],
    );
  });

/**
 * As a node that stands by; `former`: secrets that were in their place, and still count.
 * @throws StorageRefusal naming the secret that is another one here
 */
export const compareSecrets = (
  config: ClientConfig,
  secrets: SharedSecrets,
  former: Readonly<Record<string, string | undefined>>,
): Promise<void> =>
  withClient(config, async (client) => {
    const { rows } = await client.query<{ name: string; fingerprint: string }>(
      "SELECT name, fingerprint FROM shared_secret",
    );
    for (const { name, fingerprint } of rows) {
      const secret = secrets[name];
      const known = [secret, former[name]].filter((one) => one !== undefined);
      if (secret === undefined || known.map(fingerprintOf).includes(fingerprint)) continue;
      throw new StorageRefusal(
        `The secret ${name} in this node's data folder is not that of the node that leads: with ` +
          "it every key would be wrong here. Copy the file from the leading node's data folder; " +
          "docs/operating/failover.md lists the secrets that all nodes share.",
      );
    }
  });

/** Secrets are 32 random bytes, or a public key: nobody finds one by trying. */
export const fingerprintOf = (secret: string): string =>
  sha256Hex(`firstprint shared secret\n${secret}`);
