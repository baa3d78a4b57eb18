// The metros of the vacancy survey through the intake, on a real database: history in one file, the
// year in another, names that change, and layouts that nobody has published. All files are made up.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { monthEndMillis, parseMonth } from "#base/month.ts";
import { isRejected } from "#core/outcome.ts";
import type { AcceptedRelease, GeoRecord, QuarantinedRelease } from "#core/records.ts";
import type { ReleaseMeta } from "#ingest/releases/sent-as.ts";
import { hvsGrid } from "./hvs-file.ts";
import { IntakeWorld } from "./intake-world.ts";
import { type Grid, workbookOf } from "./workbook-file.ts";

const DAY_MILLIS = 86_400_000;
const denver = nodeId("city:denver-co");
const alderton = nodeId("city:alderton-tx");
const OLD_DENVER = "Denver-Aurora-Lakewood, CO";
const NEW_DENVER = "Denver-Aurora-Centennial, CO";
const OLD_ALDERTON = "Alderton-Birch Falls, TX";
const NEW_ALDERTON = "Alderton-Cedar, TX";

interface Table {
  readonly first: number;
  readonly last: number;
  readonly quarters: number;
  /** In place of the second name of the made-up table, and of the first. */
  readonly names: readonly [string, string];
  readonly notes?: readonly string[];
  readonly change?: (text: string) => string;
  /** The first rate of the table's first metro. */
  readonly jump?: number;
}

/** From 6.0 to 6.5, so that validation has nothing to say of a value. */
function table({ first, last, quarters, names, notes = [], change, jump }: Table): Buffer {
  const grid: Grid = hvsGrid("metro", 1, quarters, { first, last }).map((row) =>
    row.map((cell, at) => {
      if (typeof cell === "number" && row[at + 1] === 1.3) return Math.round(60 + cell / 4) / 10;
      if (typeof cell !== "string") return cell;
      const named = cell
        .replace(/^Alderton-Birch Falls, TX .*/, names[1])
        .replace(/^Cedar Hollow, OH-KY3.*/, names[0])
        .replace(/^Table 4\. /, first === last ? "Table 4. " : "Table 4b. ")
        .replace(`: ${last} to ${last}`, `: ${last}`);
      return change?.(named) ?? named;
    }),
  );
  if (jump !== undefined) grid[8]?.splice(2, 1, jump);
  grid.push(...notes.map((note) => [note]));
  return workbookOf(grid);
}

const metaOn = (month: string): ReleaseMeta => ({
  provider: "census",
  index: "vacancy",
  level: "metro",
  publishedAtMillis: monthEndMillis(parseMonth(month) ?? assert.fail(month)) + 20 * DAY_MILLIS,
});

const city = (id: string, stateCode: string, providerId: string): GeoRecord => ({
  ...{ id: nodeId(id), level: "city", name: id, stateCode, fips: null, aliases: [] },
  ...{ parentIds: [], housingUnits: 0, active: true, providerIds: [providerId] },
});

/** `denverId`: what the operator's places table calls Denver. */
async function opened(t: TestContext, denverId: string): Promise<IntakeWorld> {
  const world = await IntakeWorld.open(t);
  world.nowMillis = metaOn("2026-12").publishedAtMillis;
  const nodes = [
    city(denver, "CO", denverId),
    city(alderton, "TX", "census:alderton-birch-falls-tx"),
  ];
  await world.submit({ type: "LoadGeo", nodes, sha256: "" });
  return world;
}

async function taken(world: IntakeWorld, file: Buffer, month: string): Promise<AcceptedRelease> {
  const answer = await world.send(file, metaOn(month));
  assert.ok("release" in answer && "resolvedMarkets" in answer.release, JSON.stringify(answer));
  return answer.release;
}

async function heldBack(
  world: IntakeWorld,
  file: Buffer,
  month: string,
): Promise<QuarantinedRelease> {
  const answer = await world.send(file, metaOn(month));
  assert.ok("release" in answer && "reasons" in answer.release, JSON.stringify(answer));
  return answer.release;
}

const monthsOf = (world: IntakeWorld, node: string): readonly string[] =>
  [...world.prints("vacancy").keys()].filter((name) => name.startsWith(`${node} `));

const history = { first: 2024, last: 2025, quarters: 4 };
const year = { first: 2026, last: 2026 };

for (const id of ["19740", "denver-aurora-lakewood-co", "denver-aurora-centennial-co"]) {
  test(`a metro that was renamed keeps its chain by the table of names, mapped as ${id}`, async (t) => {
    const world = await opened(t, `census:${id}`);
    const names = [OLD_DENVER, OLD_ALDERTON] as const;
    const first = await taken(world, table({ ...history, names }), "2025-12");
    assert.deepEqual([first.unmatched, monthsOf(world, denver).length], [4, 8]);
    const renamed = [NEW_DENVER, OLD_ALDERTON] as const;
    const next = await taken(world, table({ ...year, quarters: 2, names: renamed }), "2026-06");
    assert.deepEqual([next.unmatched, next.firstPrints, next.held], [4, 4, undefined]);
    assert.equal(monthsOf(world, denver).length, 10);
    assert.equal((await world.intake.vintage(next.id, denver))?.values.length, 4);
    const shown = world.prints("vacancy");
    await world.reopen();
    assert.deepEqual(world.prints("vacancy"), shown);
  });
}

const noted = (quarters: number): Buffer =>
  table({
    ...{ ...year, quarters, names: [NEW_DENVER, `${NEW_ALDERTON}1`] },
    notes: [`1 Formerly titled ${OLD_ALDERTON}.`],
  });

test("a rename that no table of names has stands on the file's note and on two people", async (t) => {
  const world = await opened(t, "census:19740");
  await taken(world, table({ ...history, names: [OLD_DENVER, OLD_ALDERTON] }), "2025-12");
  const first = await taken(world, noted(1), "2026-03");
  assert.deepEqual([first.unmatched, first.held, first.firstPrints], [5, undefined, 1]);
  const [waiting] = world.view.heldPlaces.values();
  assert.equal(waiting?.renamed?.from, "alderton-birch-falls-tx");
  assert.equal(waiting.regionId, "alderton-cedar-tx");
  assert.deepEqual(
    waiting.reasons.map(({ code }) => code),
    ["RENAMED"],
  );
  assert.equal(monthsOf(world, alderton).length, 8, "nothing prints before two people agree");

  await taken(world, noted(2), "2026-06");
  assert.equal(world.view.heldPlaces.size, 1, "the map waits once");
  await world.approvePlace(first.id, alderton);
  assert.equal(monthsOf(world, alderton).length, 10, "files that came meanwhile are read, too");
  assert.deepEqual(
    [...world.view.releases.values()].map(({ unmatched }) => unmatched),
    [4, 4, 4],
  );
  await taken(world, noted(3), "2026-09");
  assert.equal(monthsOf(world, alderton).length, 11);
  assert.equal(world.view.heldPlaces.size, 0);
});

test("the history may come after the year, once, and its months are backfill", async (t) => {
  const world = await opened(t, "census:19740");
  const names = [NEW_DENVER, OLD_ALDERTON] as const;
  await taken(world, table({ ...year, quarters: 2, names }), "2026-06");
  const before = [OLD_DENVER, OLD_ALDERTON] as const;
  const late = await taken(world, table({ ...history, names: before }), "2025-12");
  assert.deepEqual([late.firstPrints, monthsOf(world, denver).length], [16, 10]);
  const prints = [...world.prints("vacancy")].filter(([name]) => name.startsWith(denver));
  const backfilled = prints.filter(([, print]) => print.endsWith(" true")).length;
  assert.equal(backfilled, 10, "the first file's months, and all that lies before them");
  await taken(world, table({ ...year, quarters: 3, names }), "2026-09");
  assert.equal(monthsOf(world, denver).length, 11);
  const change = (text: string): string => text.replace("Source: made up.", "Source: again.");
  const again = await heldBack(world, table({ ...history, names: before, change }), "2025-12");
  assert.deepEqual(
    again.reasons.map(({ code }) => code),
    ["STALE_FILE"],
  );
});

test("an operator may say it, too, on the note alone", async (t) => {
  const world = await opened(t, "census:19740");
  await taken(world, table({ ...history, names: [OLD_DENVER, OLD_ALDERTON] }), "2025-12");
  const { id } = await taken(world, noted(1), "2026-03");
  await world.rejectPlace(id, alderton);
  assert.equal(world.view.heldPlaces.size, 0);
  const asked = (to: string) => world.intake.renamePlace("vacancy", alderton, to, world.submit);
  const answer = await asked("alderton-cedar-tx");
  assert.ok("decided" in answer && "outcome" in answer.decided);
  assert.ok(!isRejected(answer.decided.outcome), "the note is ground enough");
  await world.agreePlace(id, alderton);
  assert.equal(monthsOf(world, alderton).length, 9);
});

test("a note beside a line of the former name, or of a name nobody knew, maps nothing", async (t) => {
  const world = await opened(t, "census:19740");
  await taken(world, table({ ...history, names: [OLD_DENVER, OLD_ALDERTON] }), "2025-12");
  const notes = [`1 Formerly titled ${OLD_ALDERTON}.`];
  const files = [
    { quarters: 1, names: [`${NEW_ALDERTON}1`, OLD_ALDERTON] as const, notes },
    {
      quarters: 2,
      names: [NEW_DENVER, `${NEW_ALDERTON}1`] as const,
      notes: ["1 Formerly Elm, TX."],
    },
  ];
  for (const [at, file] of files.entries()) {
    await taken(world, table({ ...year, ...file }), `2026-0${3 + 3 * at}`);
    assert.equal(world.view.heldPlaces.size, 0);
  }
});

test("two that are both said to have been one before map nothing", async (t) => {
  const world = await opened(t, "census:gum-springs-ca");
  await taken(world, table({ ...history, names: [OLD_DENVER, OLD_ALDERTON] }), "2025-12");
  const names = ["Elm-Fir, TX1", `${NEW_ALDERTON}1`] as const;
  const notes = [`1 Formerly titled ${OLD_ALDERTON}.`];
  const release = await taken(world, table({ ...year, quarters: 1, names, notes }), "2026-03");
  assert.equal(release.unmatched, 5);
  assert.equal(world.view.heldPlaces.size, 0);
});

test("a note beside a line of the former name that is held maps nothing", async (t) => {
  const world = await opened(t, "census:gum-springs-ca");
  const hazel = city("city:st-hazel-mo", "MO", "census:st-hazel-ivy-mo-il");
  await world.submit({ type: "LoadGeo", nodes: [hazel], sha256: "" });
  await taken(world, table({ ...history, names: [OLD_DENVER, OLD_ALDERTON] }), "2025-12");
  const names = [`${NEW_ALDERTON}1`, OLD_ALDERTON] as const;
  const notes = [`1 Formerly titled ${OLD_ALDERTON}.`];
  await taken(world, table({ ...year, quarters: 1, names, notes, jump: 60 }), "2026-03");
  const held = [...world.view.heldPlaces.values()];
  assert.deepEqual(
    held.map(({ renamed, reasons }) => [renamed, reasons[0]?.code]),
    [[undefined, "UNIT_SLIP"]],
  );
});

test("a layout nobody has published is held for two people, and once they agree no more", async (t) => {
  const world = await opened(t, "census:19740");
  const names = [OLD_DENVER, OLD_ALDERTON] as const;
  await taken(world, table({ ...history, names }), "2025-12");
  const change = (text: string): string =>
    text.replace("Rental Vacancy Rates for", "Vacancy Rates of Rentals in");
  const held = await heldBack(world, table({ ...year, quarters: 1, names, change }), "2026-03");
  assert.deepEqual(
    held.reasons.map(({ code }) => code),
    ["LAYOUT_CHANGED"],
  );
  assert.match(held.reasons[0]?.message ?? "", /The title is "Table 4\. Vacancy Rates of Rentals/);
  assert.equal(monthsOf(world, denver).length, 8);
  await world.approveRelease(held.id);
  assert.equal(monthsOf(world, denver).length, 9);
  await taken(world, table({ ...year, quarters: 2, names, change }), "2026-06");
  const more = (text: string): string => change(text).replace("Footnotes:", "Notes");
  const again = await heldBack(
    world,
    table({ ...year, quarters: 3, names, change: more }),
    "2026-09",
  );
  assert.equal(again.reasons[0]?.message, 'The notes\' heading is "Notes".');
});
