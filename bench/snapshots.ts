// How long the leader's loop stands still while snapshots are made beside it, how long they take,
// and the start from one, at a hundred thousand and a million resting orders.
// Invariant: the store is a real one; the pause it stands beside is of the same state, in one run.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "#engine/open.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { World } from "#test/core/world.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { growStore } from "./grown-store.ts";
import { type Paused, pausesOf } from "./paused-engine.ts";

const SIZES = [100_000, 1_000_000];

export async function snapshots(scope: Scope): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const orders of SIZES) {
    const dataDir = await foundedStore(scope);
    await growStore(scope, { dataDir, orders, markets: 100 });
    figures.push(...figuresOf(digits(orders), await pausesOf(scope, { dataDir })));
  }
  return figures;
}

/** With a first print of Texas, which the markets of a grown exchange ask for. */
async function foundedStore(scope: Scope): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "firstprint-snapshots-"));
  scope.after(() => rm(dataDir, { recursive: true, force: true }));
  const database = await startEmbedded({ dataDir });
  const journal = new PostgresJournal(database.connection);
  const engine = await openEngine({ journal, dataDir, clock: "real" });
  const world = new World("real");
  world.print("2024-10", "300000");
  for (const { envelope } of world.journal.slice(1)) {
    const result = await engine.submit(envelope);
    if (!("outcome" in result)) throw new Error(JSON.stringify(result));
  }
  await engine.stop();
  await journal.close();
  await database.stop();
  return dataDir;
}

function figuresOf(orders: string, paused: Paused): readonly Figure[] {
  const { loop, idle, onePieceMillis, made, startMillis, pages } = paused;
  return [
    {
      what: `the loop's longest wait while two snapshots are made, ${orders} resting orders`,
      value: `p99.9 ${digits(loop.p999)}, longest ${digits(loop.longest)} ms`,
      against: `the snapshot in one piece, between two commands: ${digits(onePieceMillis)} ms`,
      ratio: `${times(loop.p999 / onePieceMillis)} / ${times(loop.longest / onePieceMillis)}`,
    },
    {
      what: `the same, beside the same orders without a snapshot, ${orders}`,
      value: `p99.9 ${digits(loop.p999)}, longest ${digits(loop.longest)} ms`,
      against: `p99.9 ${digits(idle.p999)}, longest ${digits(idle.longest)} ms`,
      ratio: `${times(loop.p999 / idle.p999)} / ${times(loop.longest / idle.longest)}`,
    },
    {
      what: `a thread's second snapshot, ${orders}`,
      value: `${digits(made[1] ?? Number.NaN)} ms, ${pages.written} pages written`,
      against: `its first, start and all: ${digits(made[0] ?? Number.NaN)} ms, ${pages.all} pages`,
      ratio: `${times((made[1] ?? 0) / (made[0] ?? 1))} / ${times(pages.written / pages.all)}`,
    },
    {
      what: `start of the engine and what readers see, ${orders}`,
      value: `${digits(startMillis)} ms`,
      against: `the snapshot in one piece: ${digits(onePieceMillis)} ms`,
      ratio: times(startMillis / onePieceMillis),
    },
  ];
}
