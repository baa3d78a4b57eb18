// The rescale trap: raw first prints fall where nothing fell; the chain is not fooled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decideNode, knownAfter, type MonthRow } from "#prints/first-prints.ts";
import { countFalls, type FallCounts, type GrowthPair, growthBetween } from "#prints/growth.ts";
import { isGenuine, providerFile } from "../ingest/shared-data.ts";
import { readAll } from "../ingest/wide-file.ts";
import { levelText, row, valueText } from "./rows.ts";

const defined = <T>(value: T | undefined): value is T => value !== undefined;

test("a node's growth is taken from its chain, its raw prints from two scales", () => {
  const pair = growthBetween(row(0, "100", "200"), row(0, "90", "180", "189"));
  assert.ok(pair);
  assert.deepEqual([valueText(pair.fromValueE15), valueText(pair.toValueE15)], ["200", "189"]);
  assert.deepEqual([levelText(pair.fromLevelE12), levelText(pair.toLevelE12)], ["2", "2.1"]);
  assert.deepEqual(countFalls([pair], 200), { compared: 1, rawFalls: 1, chainedFalls: 0 });
});

test("a fall of exactly the bound counts, a hair less does not", () => {
  const pairs: GrowthPair[] = ["98", "98.000000000000001"]
    .map((to) => growthBetween(row(0, "100"), row(0, "100", to)))
    .filter(defined);
  assert.deepEqual(countFalls(pairs, 200), { compared: 2, rawFalls: 1, chainedFalls: 2 });
  assert.deepEqual(countFalls(pairs, 201), { compared: 2, rawFalls: 0, chainedFalls: 0 });
});

test("a node missing at either end, or without a chain, is not compared", () => {
  const cases: readonly (readonly [MonthRow, MonthRow])[] = [
    [row(0, "100", null), row(0, "100", "100", "101")],
    [row(0, "100", "100"), row(0, "100", "100", null)],
    [row(0, "100", "100"), row(2, "101")],
    [row(0, null), row(0, null)],
  ];
  for (const [earlier, later] of cases) assert.equal(growthBetween(earlier, later), undefined);
});

async function fallsOver(from: string, to: string): Promise<FallCounts> {
  const earlier = new Map(
    (await readAll(providerFile(`zhvi/state/${from}`))).map((it) => [it.regionId, it.history]),
  );
  const pairs = (await readAll(providerFile(`zhvi/state/${to}`))).map((later) => {
    const history = earlier.get(later.regionId);
    return history && growthBetween(history, later.history);
  });
  return countFalls(pairs.filter(defined), 200);
}

test("ZHVI state 2025-04 → 2025-09: 10 of 51 states fell raw, 2 chained", async () => {
  // The made-up file scales every fourth state down; homes fell in Texas alone.
  const [rawFalls, chainedFalls] = isGenuine ? [10, 2] : [11, 1];
  const falls = await fallsOver("2025-04", "2025-09");
  assert.deepEqual(falls, { compared: 51, rawFalls, chainedFalls });
});

test("ZHVI state vintages are rescales of whole histories; a method change is none", async () => {
  const vintages = ["2021-09", "2023-12", "2024-10", "2025-04", "2025-09"];
  const rescaled: number[] = [];
  const firstPrints: number[] = [];
  let nodes = new Map<string, ReturnType<typeof knownAfter>>();
  for (const vintage of vintages) {
    const next = new Map(nodes);
    let scales = 0;
    let prints = 0;
    for (const { regionId, history } of await readAll(providerFile(`zhvi/state/${vintage}`))) {
      const decision = decideNode(nodes.get(regionId), history, true);
      if (decision.scaleE12 !== null) scales += 1;
      prints += decision.newPrints.length;
      next.set(regionId, knownAfter(nodes.get(regionId), decision));
    }
    nodes = next;
    rescaled.push(scales);
    firstPrints.push(prints);
  }
  assert.deepEqual(rescaled, [0, 0, 51, 51, 51]);
  // By 27, 10, 6 and 5 months of 51 states.
  const first = isGenuine ? 13_088 : 4_896;
  assert.deepEqual(firstPrints, [first, 1_377, 510, 306, 255]);
  for (const known of nodes.values()) {
    assert.ok(known?.levels.at(-1) && known.levels.at(-1) !== null, "the chain reaches the end");
  }
});
