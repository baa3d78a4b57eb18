// The importer on a real database: whole or nothing, the same after a start, and never a changed
// first print.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { addMonths, monthOf } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { RawStore } from "#ingest/raw-store.ts";
import { damagedFiles, damagedPrints } from "#ingest/releases/verify.ts";
import { IntakeWorld, metroFile } from "./intake-world.ts";
import { between, randomFrom } from "./wide-file.ts";

const start = monthOf(2018, 1);
const YEARS_MONTHS = 48;

/** Regions with a path of their own, one decimal, some blanks. */
function paths(seed: number, regions: number): Map<string, readonly string[]> {
  const random = randomFrom(seed);
  const all = new Map<string, readonly string[]>();
  for (let region = 0; region < regions; region += 1) {
    let value = 100_000 + 400_000 * random();
    const from = region % 4 === 3 ? between(random, 0, 30) : 0;
    const cells = Array.from({ length: YEARS_MONTHS }, (_, at) => {
      value *= 1 + 0.02 * (random() - 0.4);
      return at < from || random() < 0.02 ? "" : value.toFixed(1);
    });
    all.set(String(1_000 + region), cells);
  }
  return all;
}

/** The first `months` of the paths, times a factor, as one release has them. */
const release = (
  all: ReadonlyMap<string, readonly string[]>,
  months: number,
  factor = 1,
): [string, readonly string[]][] =>
  [...all].map(([region, cells]) => [
    region,
    cells.slice(0, months).map((cell) => (cell === "" ? "" : (Number(cell) * factor).toFixed(3))),
  ]);

test("some hundred permuted, repeated and restated imports change no first print", async (t) => {
  const world = await IntakeWorld.open(t);
  const random = randomFrom(7);
  const all = paths(1, 12);
  const files: (readonly [string, number])[] = [];
  let taken = 0;
  let settled = new Map<string, string>();
  for (let step = 0; step < 240; step += 1) {
    const months = 20 + between(random, 0, Math.min(24, 2 + step / 8));
    const old = files[between(random, 0, files.length)];
    const isRepeated = step % 3 === 0 && old !== undefined;
    const regions = release(all, months, 1 + between(random, 0, 5) / 100)
      .filter(() => random() < 0.9)
      .toSorted(() => random() - 0.5);
    const [file, day] = isRepeated ? old : [metroFile(months, regions), step];
    const ingested = await world.take(file, day);
    if ("release" in ingested && !ingested.repeated) taken += 1;
    if ("refusal" in ingested) assert.equal(ingested.refusal.code, "STALE_FILE");
    files.push([file, day]);
    const prints = world.prints();
    for (const [month, print] of settled) assert.equal(prints.get(month), print, month);
    settled = prints;
    if (step % 60 !== 59) continue;
    await world.reopen();
    assert.deepEqual(world.prints(), settled, "a start shows the same");
  }
  assert.ok(taken > 20, `${taken} files were taken`);
  assert.equal((await world.stored()).latest, 1, "only the newest release keeps newest values");
});

test("a release reads the same before and after a start, counts and digest included", async (t) => {
  const all = paths(2, 40);
  const [first, second] = [metroFile(30, release(all, 30)), metroFile(31, release(all, 31, 1.5))];
  const straight = await IntakeWorld.open(t);
  await straight.accepted(first, 0);
  const expected = await straight.accepted(second, 30);

  const reopened = await IntakeWorld.open(t);
  await reopened.accepted(first, 0);
  await reopened.reopen();
  const found = await reopened.accepted(second, 30);
  assert.deepEqual({ ...found, ingestedAtMillis: expected.ingestedAtMillis }, expected);
  assert.ok(expected.rescaled > 30, "constants were found");
  assert.deepEqual(reopened.prints(), straight.prints());
});

test("a region left out of a release keeps its newest values for the one after", async (t) => {
  const world = await IntakeWorld.open(t);
  const all = paths(3, 6);
  await world.accepted(metroFile(30, release(all, 30)), 0);
  const without = release(all, 31).filter(([region]) => region !== "1002");
  await world.accepted(metroFile(31, without), 30);
  await world.reopen();
  const back = await world.accepted(metroFile(32, release(all, 32)), 60);
  const [cells = []] = [all.get("1002")];
  const isPrinted = (at: number): number => (cells[at] === "" ? 0 : 1);
  const others = [...all.values()].filter((cell) => cell[31] !== "").length;
  assert.equal(back.revisions, 0);
  assert.equal(back.firstPrints, others + isPrinted(30));
});

test("a crash between staging and journal leaves strays, and the next start none", async (t) => {
  const world = await IntakeWorld.open(t);
  const all = paths(4, 20);
  await world.accepted(metroFile(30, release(all, 30)), 0);
  const before = world.prints();
  const stored = await world.stored();
  const file = metroFile(31, release(all, 31));
  const crash = () => Promise.reject(new Error("the process ends here"));
  await assert.rejects(world.take(file, 30, crash), /the process ends here/);
  assert.deepEqual(await world.stored(), { blocks: stored.blocks + 1, latest: stored.latest + 1 });

  await world.reopen();
  assert.deepEqual(await world.stored(), stored);
  assert.deepEqual(world.prints(), before);
  const taken = await world.accepted(file, 30);
  assert.ok(taken.firstPrints > 0);
  assert.deepEqual(await world.stored(), { blocks: stored.blocks + 1, latest: stored.latest });
});

test("the last line of a large file refuses it, and nothing of it stays", async (t) => {
  const world = await IntakeWorld.open(t);
  const all = paths(5, 3_000);
  const whole = metroFile(YEARS_MONTHS, release(all, YEARS_MONTHS));
  const broken = `${whole.slice(0, whole.lastIndexOf(","))},1.2.3\n`;
  const refused = await world.take(broken, 0);
  assert.ok("refusal" in refused);
  assert.equal(refused.refusal.code, "BAD_NUMBER");
  assert.equal(refused.refusal.line, 3_001);
  assert.deepEqual(await world.stored(), { blocks: 0, latest: 0 });
  assert.equal(world.view.releases.size, 0);
  assert.deepEqual([...world.series.nodes("zhvi")], []);

  await world.accepted(whole, 0);
  assert.ok((await world.stored()).blocks > 1, "it takes more than one block");
});

test("a file whose values outgrow the chain is refused by name", async (t) => {
  const world = await IntakeWorld.open(t);
  const refused = await world.take(metroFile(2, [["1", ["0.001", "99999999"]]]), 0);
  assert.ok("refusal" in refused);
  assert.deepEqual(
    [refused.refusal.code, refused.refusal.line, refused.refusal.column],
    ["BAD_NUMBER", 2, "2018-02"],
  );
  assert.deepEqual(await world.stored(), { blocks: 0, latest: 0 });
});

const damages = {
  "a bit of a value": "UPDATE print_block SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1)",
  "the node of a region":
    "UPDATE print_block SET places = replace(places, 'metro:1003', 'metro:9003')",
  "the number of a place": "UPDATE print_block SET first_place = first_place + 1 WHERE block = 0",
  "a block": "DELETE FROM print_block WHERE block = 0",
} as const;

for (const [what, sql] of Object.entries(damages)) {
  test(`a start and a verification find out that somebody changed ${what}`, async (t) => {
    const world = await IntakeWorld.open(t);
    const { id } = await world.accepted(metroFile(30, release(paths(6, 20), 30)), 0);
    await world.reopen();
    const { rowCount } = await world.pool.query(sql);
    assert.equal(rowCount, 1);
    const found = await damagedPrints(world.store, world.view.releases.values());
    assert.deepEqual([...new Set(found.map(({ releaseId }) => releaseId))], [id]);
    await assert.rejects(world.reopen(), /are not those that the journal accepted/);
  });
}

test("every vintage is read back to the digit; as of any date, what was shown then", async (t) => {
  const world = await IntakeWorld.open(t);
  const all = paths(8, 30);
  const node = nodeId("metro:1011");
  const shown: unknown[] = [];
  const ids = [];
  for (const [nth, factor] of [1, 1.25, 0.8].entries()) {
    const { id } = await world.accepted(metroFile(30 + nth, release(all, 30 + nth, factor)), nth);
    ids.push(id);
    shown.push(world.value(node));
  }
  await world.reopen();
  for (const [nth, factor] of [1, 1.25, 0.8].entries()) {
    const id = ids[nth];
    assert.ok(id !== undefined);
    const published = ids.slice(0, nth + 1);
    assert.deepEqual(
      world.value(node, (release) => published.includes(release)),
      shown[nth],
    );
    const [, cells = []] = release(all, 30 + nth, factor).find(([it]) => it === "1011") ?? [];
    const row = await world.intake.vintage(id, node);
    assert.equal(row?.firstMonth, addMonths(start, 0));
    const texts = row?.values.map((value) => (value === null ? "" : formatPrintValue(value)));
    assert.deepEqual(
      texts,
      cells.map((cell) => (cell === "" ? "" : String(Number(cell)))),
    );
  }
  const [first] = ids;
  assert.ok(first !== undefined);
  assert.equal(await world.intake.vintage(first, nodeId("metro:7")), undefined);
});

test("a byte of a raw file is found, or that it is gone, and the release is named", async (t) => {
  const world = await IntakeWorld.open(t);
  const { id } = await world.accepted(metroFile(30, release(paths(5, 6), 30)), 0);
  const files = () => damagedFiles(new RawStore(world.pool), world.view.releases.values());
  assert.deepEqual(await files(), []);
  const flip = "UPDATE raw_chunk SET bytes = set_bit(bytes, 999, 1 - get_bit(bytes, 999))";
  for (const [damage, said] of [
    [flip, /chunk 1 of 1 is not what its digest/],
    ["DELETE FROM raw_file", /is missing [(]/],
  ] as const) {
    assert.equal((await world.pool.query(damage)).rowCount, 1);
    const [fault, ...more] = await files();
    assert.equal(more.length, 0);
    assert.equal(fault?.releaseId, id);
    assert.match(fault?.message ?? "", said);
  }
});
