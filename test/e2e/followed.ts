// A leader on a PostgreSQL server, and followers, each on a streaming replica of its own.
// Invariant: what was started last ends first.
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { anyRate } from "#test/faults/deposit-load.ts";
import { urlOf } from "#test/support/database.ts";
import { Exchange, type Reply } from "#test/support/exchange.ts";
import { type DatabaseServer, startReplicated } from "#test/support/replicas.ts";

/** The secrets that all nodes of one exchange share. */
const shared = ["pepper", "webhook-key", "checkpoint.key"];

/** The role of a follower: it may read each table, and nothing else. */
const READER = "reader";

/** A test, or a whole file of them. */
interface Scope {
  after(end: () => Promise<void>): void;
}

export interface Followed {
  readonly primary: DatabaseServer;
  readonly replicas: readonly DatabaseServer[];
  readonly leader: Exchange;
  readonly followers: readonly Exchange[];
}

/** `direct`: followers of the primary itself, after those of replicas. */
export async function startFollowed(
  t: Scope,
  replicas = 2,
  direct = 0,
  more: Readonly<Record<string, string>> = {},
): Promise<Followed> {
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const scope = { after: (end: () => Promise<void>) => void ends.push(end) };
  const databases = await startReplicated(scope, replicas);
  const { primary } = databases;
  const leader = await Exchange.start(scope, {
    DATABASE_URL: urlOf(primary.connection),
    ...anyRate,
    ...more,
  });
  await primary.run(
    `CREATE ROLE ${READER} LOGIN PASSWORD '${READER}'`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${READER}`,
  );
  const followed = [...databases.replicas, ...Array.from({ length: direct }, () => primary)];
  const followers: Exchange[] = [];
  for (const { connection } of followed) {
    const environment = {
      DATABASE_URL: urlOf({ ...connection, user: READER, password: READER }),
      FIRSTPRINT_ROLE: "follower",
      FIRSTPRINT_LEADER_URL: leader.url,
      ...anyRate,
      ...more,
    };
    const follower = await Exchange.start(scope, environment, async (dataDir) => {
      for (const name of shared) await copyFile(join(leader.dataDir, name), join(dataDir, name));
    });
    followers.push(follower);
  }
  return { ...databases, leader, followers };
}

/** The sequence an answer tells. */
export function sequenceOf({ headers, text }: Reply): number {
  const told = headers.get("firstprint-sequence");
  assert.ok(told !== null, `the answer tells its sequence: ${text}`);
  return Number(told);
}

export const atLeast = (sequence: number) => ({
  headers: { "firstprint-min-sequence": String(sequence) },
});
