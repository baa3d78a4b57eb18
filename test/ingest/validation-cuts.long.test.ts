// Files of another cut, and damages that leave the layout whole: all are held or refused, on the
// providers' files or made-up ones in their place, and on the sample's; the series' own files pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { METHOD_CHANGE } from "#sample/restatement.ts";
import {
  asCut,
  bytesOf,
  copyOf,
  cutAfter,
  damages,
  type Grid,
  gridOf,
  homeValueCuts,
  NEEDS_A_KNOWN_MONTH,
  type OtherCut,
  rentCuts,
} from "./damaged-files.ts";
import { EXCHANGED, monthBefore, printDamages, printedOf, wholeRows } from "./print-damages.ts";
import { sampleVintages } from "./sample-vintages.ts";
import { isGenuine, providerFile } from "./shared-data.ts";
import { codes, type SentAs, Series, zillow } from "./validation-series.ts";

/** Validation's reasons against the later file; `refused` where it is not even read to its end. */
async function judged(sentAs: SentAs, old: Grid, fresh: Grid): Promise<readonly string[]> {
  const series = new Series(sentAs);
  await series.take(bytesOf(old));
  try {
    const passed = await series.take(bytesOf(fresh));
    return [...codes(passed), ...passed.held];
  } catch (fault) {
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return [`refused: ${fault.code}`];
  }
}

async function allDamagesAreSeen(sentAs: SentAs, old: Grid, fresh: Grid): Promise<void> {
  assert.deepEqual(await judged(sentAs, old, fresh), [], "the file itself passes");
  const newest = fresh.header.length - 1;
  const link = old.header.length - 1;
  const accepted: string[] = [];
  for (const [name, spoil] of damages) {
    if (name === NEEDS_A_KNOWN_MONTH && newest > link + 1) continue;
    const grid = copyOf(fresh);
    spoil({ grid, old, newest, link });
    const found = await judged(sentAs, old, grid);
    if (found.length === 0) accepted.push(name);
  }
  assert.deepEqual(accepted, []);
}

async function allCutsAreSeen(
  sentAs: SentAs,
  old: Grid,
  fresh: Grid,
  cuts: readonly (readonly [name: string, cut: OtherCut])[],
): Promise<void> {
  const own = await judged(sentAs, old, fresh);
  // One metro's rents jump by 7.7 %, three times as far as ever: it is held, and the file is not.
  const jumping = sentAs.index === "zori" && isGenuine ? ["metro:394671 MOVE_TOO_LARGE"] : [];
  assert.deepEqual(own, jumping, "the file itself passes");
  for (const [name, cut] of cuts) {
    const found = await judged(sentAs, old, asCut(fresh, cut));
    assert.ok(found.includes("RESTATED"), `${name}: ${found.join(", ")}`);
  }
}

test("published state files: all damages with a whole layout are seen", async () => {
  const old = gridOf(providerFile("zhvi/state/2025-04"));
  const fresh = gridOf(providerFile("zhvi/state/2025-09"));
  await allDamagesAreSeen(zillow("zhvi", "state"), old, fresh);
  const monthLater = cutAfter(fresh, old.header.length + 1);
  await allDamagesAreSeen(zillow("zhvi", "state"), old, monthLater);
});

test("published files: all other cuts are seen without a name", async (t) => {
  const states = ["2025-04", "2025-09"].map((month) => gridOf(providerFile(`zhvi/state/${month}`)));
  const rents = ["2024-10", "2024-11"].map((month) => gridOf(providerFile(`zori/metro/${month}`)));
  const [old, fresh] = states;
  const [oldRents, freshRents] = rents;
  assert.ok(old && fresh && oldRents && freshRents);
  await allCutsAreSeen(zillow("zhvi", "state"), old, fresh, homeValueCuts);
  await allCutsAreSeen(zillow("zori", "metro"), oldRents, freshRents, rentCuts);
  const names = [...homeValueCuts, ...rentCuts].map(([name]) => name);
  assert.equal(names.length, 12);
  t.diagnostic(`after: ${names.length} of 12 other cuts held: ${names.join(", ")}`);
});

test("of 59 damages of a state file's new prints three at most print wrong by over a point", async (t) => {
  const grid = wholeRows(gridOf(providerFile("zhvi/state/2025-09")), 36);
  const before = monthBefore(grid);
  const wrong: string[] = [];
  for (const [name, spoil] of printDamages) {
    const { worstPoints } = await printedOf(zillow("zhvi", "state"), before, grid, spoil);
    if (worstPoints > 1) wrong.push(`${name}: ${worstPoints.toFixed(2)}`);
    assert.ok(worstPoints < 2, `${name}: ${worstPoints.toFixed(2)}`);
  }
  assert.equal(printDamages.length, 59);
  assert.ok(wrong.length <= 3, wrong.join("; "));
  t.diagnostic(`after: ${wrong.length} of 59 damages print wrong by over a point`);
});

test("the newest rents of the two largest counties exchanged: both are held, no other", async () => {
  const grid = wholeRows(gridOf(providerFile("zori/county/2025-04")), 36);
  const exchanged = printDamages.find(([name]) => name === EXCHANGED);
  assert.ok(exchanged);
  const sentAs = zillow("zori", "county");
  const found = await printedOf(sentAs, monthBefore(grid), grid, exchanged[1]);
  assert.equal(found.worstPoints, 0);
  // Of the few made-up counties two are more than 2 %.
  assert.equal(found.file, isGenuine ? 2 : "held");
});

test("an undeclared change of method is held, a declared one is not", async () => {
  const [before, after] = ["2021-09", "2023-12"].map((it) => providerFile(`zhvi/state/${it}`));
  assert.ok(before && after);
  for (const [isDeclared, expected] of [
    [false, ["RESTATED"]],
    [true, []],
  ] as const) {
    const series = new Series(zillow("zhvi", "state"));
    await series.take(before);
    assert.deepEqual(codes(await series.take(after, isDeclared)), expected);
  }
});

test("the sample's releases pass, but for the one of another method", async () => {
  for (const { sentAs, files } of sampleVintages()) {
    const series = new Series(sentAs);
    const name = `${sentAs.index} ${sentAs.level}`;
    for (const [number, file] of files.entries()) {
      const isChanged = sentAs.index === "zhvi" && number === METHOD_CHANGE;
      const passed = await series.take(file, isChanged);
      assert.deepEqual(codes(passed), [], `${name} ${number}`);
      assert.equal(passed.isMethodChanged, isChanged, `${name} ${number}`);
    }
  }
});

test("the sample's files: damages and other cuts are seen as in real ones", async () => {
  const states = sampleVintages().find(
    ({ sentAs: { index, level } }) => index === "zhvi" && level === "state",
  );
  const [old, fresh] = (states?.files ?? []).slice(2, 4).map(gridOf);
  assert.ok(states && old && fresh);
  await allDamagesAreSeen(states.sentAs, old, fresh);
  await allCutsAreSeen(states.sentAs, old, fresh, homeValueCuts);
});
