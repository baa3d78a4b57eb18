// The gate on every real vintage that can be read: all pass, in the order they came out, and each
// way of spoiling one is seen. The evidence for the limits in docs/concepts/releases.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { monthEndMillis } from "#base/month.ts";
import { readZillowWide } from "#ingest/sources/zillow.ts";
import type { FileLevel } from "#ingest/sources/zillow-layout.ts";
import { decideNode, type KnownNode, knownAfter } from "#prints/first-prints.ts";
import { GateReading, type GateReason } from "#prints/gate.ts";
import { providerFile, sharedFile, skipWithoutData } from "./shared-data.ts";
import { pieces } from "./wide-file.ts";

type Index = "zhvi" | "zori";

interface Passed {
  readonly reasons: readonly GateReason[];
  readonly isMethodChanged: boolean;
}

/** Releases of one index and level, one after the other; a region is its own place. */
class Series {
  readonly #index: Index;
  readonly #level: FileLevel;
  readonly #known = new Map<string, KnownNode>();
  #before: Parameters<GateReading["reasons"]>[1];
  #regions: readonly string[] = [];

  constructor(index: Index, level: FileLevel) {
    this.#index = index;
    this.#level = level;
  }

  async take(bytes: Uint8Array): Promise<Passed> {
    const kind = { index: this.#index, level: this.#level };
    const { header, rows } = await readZillowWide(pieces(bytes, 65_536), kind);
    const gate = new GateReading(this.#index);
    const regions: string[] = [];
    for await (const { regionId, history } of rows) {
      const known = this.#known.get(regionId);
      const decision = decideNode(known, history, true);
      gate.add({ node: nodeId(regionId), regionId }, known, history, decision.newPrints);
      const after = knownAfter(known, decision);
      if (after !== undefined) this.#known.set(regionId, after);
      regions.push(regionId);
    }
    const { lastMonth } = header;
    const release = { lastMonth, publishedAtMillis: monthEndMillis(lastMonth) + 15 * 86_400_000 };
    const reasons = gate.reasons(release, this.#before, this.#regions);
    this.#before = { id: `to ${lastMonth}`, ...release };
    this.#regions = regions;
    return { reasons, isMethodChanged: gate.isMethodChanged };
  }
}

const chains: readonly (readonly [Index, FileLevel, readonly string[]])[] = [
  ["zhvi", "state", ["2021-09", "2023-12", "2024-10", "2025-04", "2025-09"]],
  ["zhvi", "metro", ["2024-10", "2024-11"]],
  ["zori", "metro", ["2024-10", "2024-11"]],
  ["zori", "county", ["2023-10", "2024-10", "2025-04"]],
  ["zori", "city", ["2024-10", "2025-02"]],
];

for (const [index, level, vintages] of chains) {
  test(`${index} ${level}: ${vintages.join(", ")} pass`, { skip: skipWithoutData }, async () => {
    const series = new Series(index, level);
    for (const vintage of vintages) {
      const passed = await series.take(providerFile(`${index}/${level}/${vintage}`));
      assert.deepEqual(passed.reasons, [], vintage);
      // The method of January 2023 lies between these two; rents are restated every month.
      const isChanged = level === "state" && vintage === "2023-12";
      assert.equal(passed.isMethodChanged, isChanged, vintage);
    }
  });
}

const single: readonly (readonly [FileLevel, string])[] = [
  ["county", "zhvi/county/2018-01/County_Zhvi_AllHomes.csv.gz"],
  ["neighborhood", "zhvi/neighborhood/2018-01-bayarea/Neighborhood_Zhvi_AllHomes.csv.gz"],
  ["zip", "zhvi/zip/2025-07-sample10/Zillow_Home_Value_Index_sample.csv.gz"],
];

for (const [level, path] of single) {
  test(`${path} passes as a first release`, { skip: skipWithoutData }, async () => {
    assert.deepEqual((await new Series("zhvi", level).take(sharedFile(path))).reasons, []);
  });
}

const codes = ({ reasons }: Passed): readonly string[] => reasons.map(({ code }) => code);

/** Every value cell of a state or metro file through `change`; blanks stay. */
function changed(file: Buffer, change: (value: number, row: number, column: number) => number) {
  const lines = file.toString().trimEnd().split("\n");
  const spoilt = lines.map((line, row) => {
    if (row === 0) return line;
    // A quoted name is the only cell with a comma; it stands before the values.
    const cells = line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
    return cells
      .map((cell, at) => (at < 5 || cell === "" ? cell : String(change(Number(cell), row, at))))
      .join(",");
  });
  return Buffer.from(`${spoilt.join("\n")}\n`);
}

test("units that slip are seen, against what is known and in a first file", async (t) => {
  if (skipWithoutData !== false) return t.skip(skipWithoutData);
  const [old, fresh] = [providerFile("zhvi/state/2024-10"), providerFile("zhvi/state/2025-04")];
  for (const factor of [0.001, 0.1, 0.7, 1.5, 10]) {
    const series = new Series("zhvi", "state");
    await series.take(old);
    const spoilt = await series.take(changed(fresh, (value) => value * factor));
    assert.deepEqual(codes(spoilt), ["UNIT_SLIP"], `times ${factor}`);
    assert.equal(spoilt.isMethodChanged, false, "a constant changes no growth");
  }
  for (const factor of [0.001, 0.1, 10]) {
    const first = await new Series("zhvi", "state").take(changed(old, (value) => value * factor));
    assert.deepEqual(codes(first), ["UNIT_SLIP"], `times ${factor}, first`);
  }
  const onePlace = new Series("zhvi", "state");
  await onePlace.take(old);
  const slipped = await onePlace.take(
    changed(fresh, (value, row) => (row === 7 ? value * 10 : value)),
  );
  assert.deepEqual(codes(slipped), ["UNIT_SLIP"], "one place of 51");
});

test("rents sent as home values are seen, and home values sent as rents", async (t) => {
  if (skipWithoutData !== false) return t.skip(skipWithoutData);
  for (const [index, other] of [
    ["zhvi", "zori"],
    ["zori", "zhvi"],
  ] as const) {
    const wrong = providerFile(`${other}/metro/2024-11`);
    const series = new Series(index, "metro");
    await series.take(providerFile(`${index}/metro/2024-10`));
    assert.ok(codes(await series.take(wrong)).includes("UNIT_SLIP"), `${other} as ${index}`);
    const first = await new Series(index, "metro").take(wrong);
    assert.deepEqual(codes(first), ["UNIT_SLIP"], `${other} as the first ${index}`);
  }
});

test("one home value that moves by 11 % in the new month is seen, one by 9 % is not", async (t) => {
  if (skipWithoutData !== false) return t.skip(skipWithoutData);
  const old = providerFile("zhvi/state/2025-04");
  const fresh = providerFile("zhvi/state/2025-09");
  const last = fresh.toString().split("\n")[0]?.split(",").length ?? 0;
  for (const [factor, expected] of [
    [1.09, []],
    [1.11, ["MOVE_TOO_LARGE"]],
    [0.88, ["MOVE_TOO_LARGE"]],
  ] as const) {
    const series = new Series("zhvi", "state");
    await series.take(old);
    const moved = changed(fresh, (value, row, at) =>
      row === 3 && at === last - 1 ? value * factor : value,
    );
    assert.deepEqual(codes(await series.take(moved)), expected, `times ${factor}`);
  }
});

test("a state file that misses three states is seen, one that misses two is not", async (t) => {
  if (skipWithoutData !== false) return t.skip(skipWithoutData);
  const old = providerFile("zhvi/state/2025-04");
  const lines = providerFile("zhvi/state/2025-09").toString().trimEnd().split("\n");
  for (const [missing, expected] of [
    [2, []],
    [3, ["REGIONS_MISSING"]],
  ] as const) {
    const series = new Series("zhvi", "state");
    await series.take(old);
    const cut = Buffer.from(`${lines.slice(0, -missing).join("\n")}\n`);
    assert.deepEqual(codes(await series.take(cut)), expected, `${missing} of 51`);
  }
});

test("an older vintage after a newer one is stale", { skip: skipWithoutData }, async () => {
  const series = new Series("zhvi", "state");
  await series.take(providerFile("zhvi/state/2025-09"));
  assert.deepEqual(codes(await series.take(providerFile("zhvi/state/2025-04"))), ["STALE_FILE"]);
});
