// Durable orders over HTTP: how many share one commit, and what one waits beside a bare fsync.
// Invariant: every answer counted was given after its entry was on disk.
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "pg";
import { lookInto, meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, quantile, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const CLIENTS = [1, 16, 64];
const RUN_MILLIS = 3_000;
const SYNCS = 300;
/** About what an order's entry and its page of the write-ahead log take. */
const SYNCED_BYTES = 8_192;

export async function orders(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const requests = await meetingOrders(market);
  const store = await lookInto(scope, exchange);
  const client = new LoadClient(scope);
  const port = portOf(exchange);
  await client.run({ port, connections: 16, millis: 1_000, requests });

  const figures: Figure[] = [];
  for (const connections of CLIENTS) {
    const before = await bareSyncs(exchange.dataDir);
    const from = await journalSize(store);
    const loaded = await client.run({ port, connections, millis: RUN_MILLIS, requests });
    const { entries, commits } = await commitsAfter(store, from);
    // Half of them before and half after, for a disk has moods, too.
    const synced = [...before, ...(await bareSyncs(exchange.dataDir))];
    const bare = { p50: quantile(synced, 0.5), p99: quantile(synced, 0.99) };
    const clients = connections === 1 ? "1 client" : `${connections} clients`;
    figures.push(
      {
        what: `durable orders, ${clients}`,
        value: `${digits(loaded.perSecond)} a second`,
        against: `commits, each one fsync: ${digits(commits / (RUN_MILLIS / 1000))} a second`,
        ratio: `${digits(entries / commits)} orders a commit`,
      },
      {
        what: `an order's answer, ${clients}`,
        value: `p50 ${digits(loaded.p50Millis)}, p99 ${digits(loaded.p99Millis)} ms`,
        against: `bare fdatasync: p50 ${digits(bare.p50)}, p99 ${digits(bare.p99)} ms`,
        ratio: `${times(loaded.p50Millis / bare.p50)} / ${times(loaded.p99Millis / bare.p99)}`,
      },
    );
  }
  return figures;
}

async function journalSize(store: Client): Promise<number> {
  const { rows } = await store.query<{ size: string }>(
    "SELECT coalesce(max(sequence), 0) AS size FROM journal",
  );
  return Number(rows[0]?.size);
}

/** The transaction that wrote a row stands in its xmin: an append is one, and commits once. */
async function commitsAfter(
  store: Client,
  sequence: number,
): Promise<{ readonly entries: number; readonly commits: number }> {
  const { rows } = await store.query<{ entries: string; commits: string }>(
    `SELECT count(*) AS entries, count(DISTINCT xmin::text) AS commits
     FROM journal WHERE sequence > $1`,
    [sequence],
  );
  return { entries: Number(rows[0]?.entries), commits: Number(rows[0]?.commits) };
}

/** On the disk of the store; milliseconds. */
async function bareSyncs(folder: string): Promise<readonly number[]> {
  const file = await open(join(folder, "bare-sync"), "w");
  const bytes = Buffer.alloc(SYNCED_BYTES, 1);
  const took: number[] = [];
  for (let sync = 0; sync < SYNCS; sync += 1) {
    const started = performance.now();
    await file.write(bytes);
    await file.datasync();
    took.push(performance.now() - started);
  }
  await file.close();
  return took;
}
