// Somebody with the database alone keeps a market from being settled: a month that the market waits
// for is written among the newest values, so the file that brings it brings no first print.
// Invariant: what decides whether a print is a first one is promised by the journal, or not used.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type NodeId, nodeId } from "#base/ids.ts";
import { monthEndMillis, monthOf } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Terms } from "#contract/terms.ts";
import { marketIdOf } from "#core/market/listing.ts";
import { isRejected } from "#core/outcome.ts";
import type { Market } from "#core/records.ts";
import { RawFolder } from "#ingest/raw-folder.ts";
import { ReleaseIntake } from "#ingest/releases/intake.ts";
import { damagedPrints } from "#ingest/releases/verify.ts";
import { mergeRows, packRow } from "#prints/packed-row.ts";
import { RunWriter, runsOf } from "#prints/print-run.ts";
import { flatRisk } from "#test/core/publish-marks.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { IntakeWorld, metroFile } from "../ingest/intake-world.ts";

const town = nodeId("metro:1001");
const awaited = monthOf(2023, 1);
const KNOWN = 60;
const DAY_MILLIS = 86_400_000;

/** Thirty towns from January 2018 on, each at its own pace. */
const file = (months: number): string =>
  metroFile(
    months,
    Array.from({ length: 30 }, (_, at) => [
      String(1_000 + at),
      Array.from({ length: months }, (__, month) =>
        String((1_500_003 + 10_001 * at + (3_001 + at) * month) / 7),
      ),
    ]),
  );

/** A market that waits for January 2023; all before it is known. */
async function waiting(t: TestContext) {
  const world = await IntakeWorld.open(t);
  world.nowMillis = monthEndMillis(awaited) - 5 * DAY_MILLIS;
  await world.accepted(file(KNOWN), 0);
  const market = await list(world, town);
  world.nowMillis = monthEndMillis(awaited) + 30 * DAY_MILLIS;
  return { world, market: () => world.view.markets.get(market) ?? assert.fail(market) };
}

type Waiting = Awaited<ReturnType<typeof waiting>>;

async function list(world: IntakeWorld, node: NodeId): Promise<Market["id"]> {
  const terms: Terms = {
    index: "zhvi",
    nodeId: node,
    measurementMonth: awaited,
    payoff: {
      kind: "level",
      comparator: "gte",
      thresholdE15: parsePrintValue("100000") ?? assert.fail(),
    },
    baseline: null,
    rounding: "payout-millionths-down",
    fallback: "fallbacks-1",
    successor: null,
    methodologyVersion: "1",
    expectedAtMillis: monthEndMillis(awaited) + 90 * DAY_MILLIS,
  };
  const marketId = marketIdOf(terms);
  const tick = parseTick("0.5") ?? assert.fail();
  const marks = { markTick: tick, stressedTick: tick, riskTicks: flatRisk(tick) };
  const listing = { marketId, terms, ...marks, within: [] };
  const result = await world.submit({ type: "ListMarket", listing, frontendId: null });
  assert.ok("outcome" in result && !isRejected(result.outcome));
  return marketId;
}

/** The awaited month becomes known of every place, as if an earlier file had brought it. */
async function makeKnown({ pool }: IntakeWorld): Promise<void> {
  const { rows } = await pool.query<{ bytes: Buffer }>("SELECT bytes FROM print_latest");
  const [row] = rows;
  assert.ok(row !== undefined && rows.length === 1);
  const forged = new RunWriter(1_024);
  for (const run of runsOf(row.bytes)) {
    const value = run.row();
    const month = { firstMonth: awaited, values: [parsePrintValue("244700.1") ?? null] };
    const merged = mergeRows(value, packRow(month));
    if (merged !== undefined) forged.addRow(run.place, merged);
  }
  await pool.query("UPDATE print_latest SET bytes = $1", [forged.take()]);
}

/** The exchange as it would be had the awaited print not come: its journal has none of it. */
async function asIfUnprinted(t: TestContext, { world, market }: Waiting): Promise<ReleaseIntake> {
  const [before, { view }] = [market(), world];
  const chainPoints = new Map(view.chainPoints);
  await world.accepted(file(KNOWN + 1), 31);
  const { releases, quarantine, heldPlaces, renames, geo } = view;
  const markets = new Map([[before.id, before]]);
  const known = { releases, quarantine, heldPlaces, renames, geo, markets, chainPoints };
  const durable = { ...known, isSecond: view.isSecond.bind(view) };
  const folder = await temporaryFolder(t, "firstprint-attack-");
  const archive = await RawFolder.start(folder);
  const own = () => Promise.resolve({ refused: "NOT_LEADER" } as const);
  return new ReleaseIntake(archive, world.store, durable, world.series.apart(), own);
}

const outcomeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "taken",
    (fault: Error) => fault.message,
  );

test("a forged row among the newest values is found before it decides anything", async (t) => {
  const { world, market } = await waiting(t);
  const { rows } = await world.pool.query<{ bytes: Buffer }>("SELECT bytes FROM print_latest");
  await makeKnown(world);

  const told = await outcomeOf(world.take(file(KNOWN + 1), 30));
  assert.match(told, /newest values stored for rel-\S+ are not those that the journal accepted/);
  assert.equal(market().status, "ACTIVE", "nothing of the file counts");
  const damages = await damagedPrints(world.store, world.view.releases.values());
  assert.equal(damages.length, 1);
  assert.match(damages[0]?.message ?? "", /newest values/);

  await world.pool.query("UPDATE print_latest SET bytes = $1", [rows[0]?.bytes]);
  await world.reopen();
  await world.accepted(file(KNOWN + 1), 30);
  assert.equal(market().status, "RESOLVED", "with the backup's rows the file settles it");
  t.diagnostic(`after: the file is not read (${told.split(";")[0]})`);
});

test("rows under a release that has a successor are never read", async (t) => {
  const { world, market } = await waiting(t);
  await world.accepted(file(KNOWN).replace("Town 1005", "Town 1005 North"), 5);
  const [first] = world.view.releases.keys();
  await world.pool.query(
    "INSERT INTO print_latest SELECT $1, block, bytes, epoch FROM print_latest",
    [first],
  );
  await world.pool.query("UPDATE print_latest SET bytes = '\\x00' WHERE release_id = $1", [first]);
  assert.deepEqual(await damagedPrints(world.store, world.view.releases.values()), []);
  await world.accepted(file(KNOWN + 1), 30);
  assert.equal(market().status, "RESOLVED");
});

test("a file that would print an awaited month for the second time is held", async (t) => {
  const here = await waiting(t);
  const { world } = here;
  const intake = await asIfUnprinted(t, here);
  world.nowMillis = monthEndMillis(awaited) + 40 * DAY_MILLIS;
  const publishedAtMillis = world.nowMillis;
  const meta = { provider: "zillow", index: "zhvi", level: "metro", publishedAtMillis } as const;
  const upload = ReadableStream.from([Buffer.from(file(KNOWN + 2))]);
  const taken = await intake.ingest(upload, meta, world.submit);
  assert.ok("failed" in taken || "release" in taken, JSON.stringify(taken));
  const [held] = world.view.quarantine.values();
  const reason = held?.reasons.find(({ code }) => code === "PRINT_NOT_FIRST");
  assert.match(reason?.message ?? "", /waits for 2023-01 of metro:1001/);
  t.diagnostic(`after: ${held?.status}: ${reason?.message}`);
});
