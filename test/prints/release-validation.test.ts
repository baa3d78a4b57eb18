// Validation's limits, each from both sides, on made-up places; real vintages have their own test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeId } from "#base/ids.ts";
import { addMonths, monthEndMillis } from "#base/month.ts";
import { decideNode, type KnownNode, type MonthRow } from "#prints/first-prints.ts";
import type { ValidatedKind } from "#prints/limits.ts";
import { methodologyOf } from "#prints/methodology.ts";
import { ReleaseValidation } from "#prints/release-validation.ts";
import type { ValidationReason } from "#prints/validation-reason.ts";
import { january, knownFrom, row } from "./rows.ts";

type Cell = string | null;

interface Line {
  readonly known?: KnownNode | undefined;
  readonly row: MonthRow;
}

/** Two years from January 2020 at these values a month, in whole dollars. */
const flat = (value: number, months = 24): readonly Cell[] =>
  Array.from({ length: months }, () => String(value));

const knownFlat = (value = 300_000, months = 24): KnownNode | undefined =>
  knownFrom(row(0, ...flat(value, months)));

/** A place that is known to be flat, with one more month. */
const next = (value: number | string, over = 300_000): Line => ({
  known: knownFlat(over),
  row: row(0, ...flat(over), String(value)),
});

/** With the reasons that validation gave of each place that it would hold. */
function judged(
  lines: readonly Line[],
  kind: ValidatedKind = "zhvi",
  { level = "zip", isDeclared = false }: { level?: string; isDeclared?: boolean } = {},
) {
  const validation = new ReleaseValidation(kind, level, isDeclared);
  const held = new Map<number, readonly ValidationReason[]>();
  for (const [at, line] of lines.entries()) {
    const { newPrints } = decideNode(line.known, line.row, true);
    const place = { node: nodeId(`zip:${10_000 + at}`), regionId: String(at) };
    const reasons = validation.add(place, line.known, line.row, newPrints);
    if (reasons.length > 0) held.set(at, reasons);
  }
  return { validation, held };
}

const validationOn = (
  lines: readonly Line[],
  kind: ValidatedKind = "zhvi",
  isDeclared = false,
): ReleaseValidation => judged(lines, kind, { isDeclared }).validation;

/** The reasons that hold the last of the places alone, while the file passes. */
function heldAlone(
  lines: readonly Line[],
  kind: ValidatedKind = "zhvi",
  level = "zip",
): readonly string[] {
  const { validation, held } = judged(lines, kind, { level });
  assert.deepEqual(codesOf(validation), [], "the file passes");
  const [last = [], ...others] = [held.get(lines.length - 1), ...held.keys()];
  assert.ok(
    others.every((at) => at === lines.length - 1),
    "no other place is held",
  );
  return last.map(({ code }) => code);
}

const lastMonth = addMonths(january, 24);
const day = 86_400_000;
const release = { lastMonth, publishedAtMillis: monthEndMillis(lastMonth) + 15 * day };
const before = {
  id: "rel-before",
  lastMonth: addMonths(lastMonth, -1),
  publishedAtMillis: release.publishedAtMillis - 30 * day,
};

const codesOf = (
  validation: ReleaseValidation,
  regions: readonly string[] = [],
): readonly string[] => validation.reasons(release, before, regions).map(({ code }) => code);

const codes = (lines: readonly Line[], kind: ValidatedKind = "zhvi") =>
  codesOf(validationOn(lines, kind));

/** The reasons against a file whose first new month comes so many months after January 2020. */
const codesFrom = (
  month: number,
  lines: readonly Line[],
  kind: ValidatedKind = "zhvi",
  level = "zip",
): readonly string[] => {
  const newest = addMonths(january, Math.max(month, 24));
  const published = { lastMonth: newest, publishedAtMillis: monthEndMillis(newest) + 15 * day };
  const known = { ...before, lastMonth: addMonths(january, month - 1) };
  const { validation } = judged(lines, kind, { level });
  return validation.reasons(published, known, []).map(({ code }) => code);
};

const times = (count: number, line: Line): readonly Line[] => new Array<Line>(count).fill(line);

/** A place that has had no year to show how it moves, with one more month. */
const young = (value: number, over = 300_000): Line => ({
  known: knownFrom(row(12, ...flat(over, 12))),
  row: row(12, ...flat(over, 12), String(value)),
});

test("a home value may move by 10 % in a month, up or down; by more, the place is held", () => {
  for (const [value, expected] of [
    [330_000, []],
    [330_000.01, ["MOVE_TOO_LARGE"]],
    [270_000, []],
    [269_999.99, ["MOVE_TOO_LARGE"]],
  ] as const) {
    assert.deepEqual(heldAlone([next(300_000), young(value)]), expected, String(value));
  }
});

/** Up and down in turn for so many months, so that its pace changes by this much each month. */
const wavy = (pace: number, months = 40, from = 300_000): readonly number[] => {
  const values = [from];
  for (let at = 1; at < months; at += 1) {
    values.push((values.at(-1) ?? 0) * (1 + (at % 2 === 0 ? pace / 2 : -pace / 2)));
  }
  return values;
};

/** Known as it was, rescaled by the file, and a month later: `move` is that month's. */
function after(known: readonly number[], move: number, file: readonly number[] = known): Line {
  const cells = file.map((value) => value * 1.01);
  const newest = (cells.at(-1) ?? 0) * (1 + move);
  return {
    known: knownFrom(row(0, ...known.map(String))),
    row: row(0, ...[...cells, newest].map(String)),
  };
}

const isHeld = (line: Line, kind: ValidatedKind, level: string): boolean =>
  judged([line], kind, { level }).held.size > 0;

test("a place is held where it leaves its own past, and its level's least", () => {
  for (const [kind, level, floor, factor] of [
    ["zhvi", "state", 0.008, 2],
    ["zhvi", "metro", 0.02, 2],
    ["zhvi", "county", 0.03, 2],
    ["zhvi", "zip", 0.03, 2],
    ["zori", "metro", 0.02, 2.5],
    ["zori", "county", 0.02, 2.5],
    ["zori", "city", 0.03, 2.5],
    ["zori", "zip", 0.04, 2.5],
  ] as const) {
    const moved = (own: number, size: number): readonly boolean[] => {
      const past = wavy(own);
      // Its newest move; a pace is told from it.
      const last = (past.at(-1) ?? 0) / (past.at(-2) ?? 1) - 1;
      const from = kind === "zhvi" ? last : 0;
      return [from + size, from - size].map((move) => isHeld(after(past, move), kind, level));
    };
    const name = `${kind} ${level}`;
    assert.deepEqual(moved(0.001, floor * 0.99), [false, false], `${name}, calm`);
    assert.deepEqual(moved(0.001, floor * 1.01), [true, true], `${name}, calm, and jumps`);
    // A lively place: its largest pace, or, of rents, its largest move, is three fifths of the least.
    const own = kind === "zhvi" ? 0.6 * floor : 1.2 * floor;
    const limit = 0.6 * floor * factor;
    assert.deepEqual(moved(own, limit * 0.98), [false, false], `${name}, lively`);
    assert.deepEqual(moved(own, limit * 1.02), [true, true], `${name}, lively, and jumps`);
  }
});

test("its past is what was known, so a damaged line widens no limit of its own", () => {
  const rents = wavy(0.004, 40, 1_500);
  const jumped = rents.with(-1, (rents.at(-1) ?? 0) * 1.08);
  assert.equal(isHeld(after(rents, -0.074, jumped), "zori", "county"), true);
  assert.equal(isHeld(after(jumped, -0.074), "zori", "county"), false, "it really jumped before");
  const values = wavy(0.001);
  const risen = values.with(-1, (values.at(-1) ?? 0) * 1.04);
  assert.equal(isHeld(after(values, 0.04), "zhvi", "state"), true);
  assert.equal(isHeld(after(risen, 0.001), "zhvi", "state"), false, "nor is its end another jump");
});

test("a state's past is a year, a rent's three; a jump before it says nothing", () => {
  const jumpedBefore = (months: number, size: number) => {
    const past = wavy(0.001, 48);
    return past.map((value, at) => (at >= past.length - months ? value * (1 + size) : value));
  };
  const state = (months: number) =>
    isHeld(after(jumpedBefore(months, 0.01), 0.012), "zhvi", "state");
  assert.equal(state(11), false);
  assert.equal(state(14), true);
  const rent = (months: number) =>
    isHeld(after(jumpedBefore(months, 0.03), 0.06), "zori", "county");
  assert.equal(rent(36), false);
  assert.equal(rent(37), true);
});

test("where more than a tenth of home values leave their past the file is held, of rents 2 %", () => {
  const found = (count: number, of: number, kind: ValidatedKind) => {
    const past = wavy(0.001, 40, kind === "zhvi" ? 300_000 : 1_500);
    const leaving = times(count, after(past, 0.05));
    return codesFrom(40, [...leaving, ...times(of - count, after(past, 0.002))], kind);
  };
  assert.deepEqual(found(3, 30, "zhvi"), []);
  assert.deepEqual(found(4, 30, "zhvi"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(found(2, 100, "zori"), []);
  assert.deepEqual(found(3, 100, "zori"), ["MOVE_TOO_LARGE"]);
});

test("one place of twenty holds itself, two of ninety-nine hold the file", () => {
  const calm = next(300_000);
  const jump = next(345_000);
  assert.deepEqual(heldAlone([...times(19, calm), jump]), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(codes([...times(98, calm), ...times(2, jump)]), [], "2 % are not too many");
  assert.deepEqual(codes([...times(97, calm), ...times(2, jump)]), ["MOVE_TOO_LARGE"]);
});

test("over a gap the limit is per month of it; a gap itself is no error", () => {
  const over = (value: number): Line => ({
    known: knownFlat(),
    row: row(0, ...flat(300_000), null, String(value)),
  });
  assert.deepEqual(heldAlone([next(300_000), over(359_000)]), []);
  assert.deepEqual(heldAlone([next(300_000), over(361_000)]), ["MOVE_TOO_LARGE"]);
});

test("a gap that is filled in months before the newest is no move", () => {
  const cells = [...flat(300_000, 20), null, null, "300000", "300000"];
  const known = knownFrom(row(0, ...cells));
  const filled = cells.map((cell) => cell ?? "450000");
  const line: Line = { known, row: row(0, ...filled, "300000") };
  assert.deepEqual(heldAlone([next(300_000), line]), []);
  const jumps: Line = { known, row: row(0, ...filled, "345000") };
  assert.deepEqual(heldAlone([next(300_000), jumps]), ["MOVE_TOO_LARGE"], "the newest month is");
  assert.deepEqual(codes([line, line]), [], "nor is it counted for the file");
});

test("the move is the one inside the file: a rescale of the whole history is none", () => {
  const rescaled: Line = { known: knownFlat(), row: row(0, ...flat(360_000), "362000") };
  assert.deepEqual(codes([rescaled, ...times(9, next(300_500))]), []);
});

test("history of a place that is new is not judged by its moves", () => {
  const fresh: Line = { row: row(0, "300000", "600000", "300000") };
  assert.deepEqual(heldAlone([...times(9, next(300_500)), fresh]), []);
});

test("of rents a few may jump: 2 % of the places; one that little is known of by 15 %", () => {
  const calm = next(1_510, 1_500);
  const jump = young(1_800, 1_500);
  assert.deepEqual(codes([...times(98, calm), ...times(2, jump)], "zori"), []);
  assert.deepEqual(codes([...times(97, calm), ...times(3, jump)], "zori"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(heldAlone([...times(99, calm), young(1_724, 1_500)], "zori"), []);
  assert.deepEqual(heldAlone([...times(99, calm), young(1_726, 1_500)], "zori"), [
    "MOVE_TOO_LARGE",
  ]);
  const lively = wavy(0.24, 40, 1_500);
  assert.equal(isHeld(after(lively, 0.249), "zori", "zip"), false, "in any case by a quarter");
  assert.equal(isHeld(after(lively, 0.251), "zori", "zip"), true);
});

/** A rent that was known to this month and comes back with all it missed, and one month more. */
function cameBack(missed: number, move: number): Line {
  const rents = Array.from({ length: 24 }, (_, at) => String(1_500 * (1 + move) ** at));
  const known = knownFrom(row(0, ...rents.slice(0, 24 - missed)));
  return { known, row: row(0, ...rents, String(1_500 * (1 + move) ** 24)) };
}

test("places that came back speak for no file: not with months that the series has printed", () => {
  const printed = times(300, next(1_503, 1_500));
  const back = times(24, cameBack(4, 0.06));
  const all = [...printed, ...back];
  assert.deepEqual(codesFrom(24, all, "zori"), [], "21 and 24 of 3,500 held whole genuine files");
  const many = times(40, cameBack(4, 0.06));
  assert.deepEqual(codesFrom(24, [...printed, ...many], "zori"), [], "printed months, any number");
  assert.deepEqual(codesFrom(20, all, "zori"), [], "less than a tenth of the places");
  assert.deepEqual(codesFrom(20, [...printed, ...many], "zori"), ["MIDDLE_MOVED"]);
});

test("a share is asked of a tenth of the file's places, and of twenty", () => {
  const blank: Line = { row: row(0, null, null) };
  const jumps = (count: number, of: number) => [
    ...times(count, next(345_000)),
    ...times(of - count, next(300_500)),
  ];
  assert.deepEqual(codes(jumps(6, 20)), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(codes(jumps(6, 19)), [], "each is held alone");
  assert.deepEqual(codes([...jumps(6, 20), ...times(180, blank)]), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(codes([...jumps(6, 20), ...times(181, blank)]), []);
  const slips = (count: number, of: number) => [
    ...times(count, restated(10)),
    ...times(of - count, restated(1)),
  ];
  assert.deepEqual(codes([...slips(6, 20), ...times(180, blank)]), ["UNIT_SLIP"]);
  assert.deepEqual(codes([...slips(6, 20), ...times(181, blank)]), []);
  assert.deepEqual(codes([...slips(15, 20), ...times(181, blank)]), [], "nor is their middle");
  const old = (count: number) => [
    ...times(count, uneven(5_000)),
    ...times(20 - count, restated(1)),
  ];
  assert.deepEqual(codes([...old(6), ...times(180, blank)]), ["RESTATED"]);
  assert.deepEqual(codes([...old(6), ...times(181, blank)]), []);
  const few = Array.from({ length: 19 }, (_, at) => `gone ${at}`);
  assert.deepEqual(codesOf(validationOn(jumps(0, 20)), few), [], "nineteen that are missing");
  assert.deepEqual(codesOf(validationOn(jumps(0, 20)), [...few, "one"]), ["REGIONS_MISSING"]);
});

test("a reason names the month and the move; that of a file the place, too", () => {
  const lines = [...times(18, next(300_000)), next(345_000), next(360_000)];
  const { validation, held } = judged(lines);
  assert.deepEqual(
    held.get(18)?.map(({ message }) => message),
    ["2022-01 moves by 15 % in a month; one place may by 10 %."],
  );
  assert.deepEqual(
    validation.reasons(release, before, []).map(({ message }) => message),
    [
      "New prints of 2 of 20 places move by more than 10 % in a month: " +
        "zip:10019 by 20 % in 2022-01.",
    ],
  );
});

/** A place whose whole history comes back multiplied. */
const restated = (factor: number): Line => ({
  known: knownFlat(),
  row: row(0, ...flat(300_000 * factor, 25)),
});

test("the middle place may be restated by 0.8 to 1.25", () => {
  for (const [factor, expected] of [
    [0.8, []],
    [0.79, ["UNIT_SLIP"]],
    [1.25, []],
    [1.26, ["UNIT_SLIP"]],
    [0.001, ["UNIT_SLIP"]],
    [10, ["UNIT_SLIP"]],
  ] as const) {
    const lines = [...times(10, restated(1)), ...times(11, restated(factor))];
    assert.deepEqual(codes(lines), expected, `times ${factor}`);
  }
});

test("a single place may be restated by a quarter to four; beyond, it is held", () => {
  for (const [factor, expected] of [
    [4, []],
    [4.01, ["UNIT_SLIP"]],
    [0.25, []],
    [0.24, ["UNIT_SLIP"]],
  ] as const) {
    const lines = [...times(9, restated(1)), restated(factor)];
    assert.deepEqual(heldAlone(lines), expected, `${factor}`);
  }
});

test("where more than 2 % of the places slip, the file is held", () => {
  const slipping = (others: number) => [...times(others, restated(1)), ...times(2, restated(10))];
  assert.deepEqual(codes(slipping(98)), []);
  assert.deepEqual(codes(slipping(97)), ["UNIT_SLIP"]);
});

test("a line that shares no month with what is known is held against its newest", () => {
  const alone = (value: number): Line => ({ known: knownFlat(), row: row(24, String(value)) });
  assert.deepEqual(heldAlone([...times(9, restated(1)), alone(2_400_000)]), []);
  assert.deepEqual(heldAlone([...times(9, restated(1)), alone(3_000_000)]), ["UNIT_SLIP"]);
});

test("a region without a place is held by nobody, whatever it does", () => {
  const { known, row: line } = next(600_000);
  const { newPrints } = decideNode(known, line, true);
  const region = { node: null, regionId: "9" };
  assert.deepEqual(new ReleaseValidation("zhvi", "zip").add(region, known, line, newPrints), []);
});

test("a place that is held already is there, and judged by nothing", () => {
  const validation = validationOn(times(19, next(300_000)));
  validation.pass("19");
  const regions = Array.from({ length: 20 }, (_, at) => String(at));
  assert.deepEqual(codesOf(validation, regions), []);
});

test("a first file has only its own level to be judged by", () => {
  const first = (value: number): readonly Line[] => times(3, { row: row(0, ...flat(value)) });
  for (const [index, value, expected] of [
    ["zhvi", 300_000, []],
    ["zhvi", 49_999, ["UNIT_SLIP"]],
    ["zhvi", 1_500, ["UNIT_SLIP"]],
    ["zhvi", 3_000_001, ["UNIT_SLIP"]],
    ["zori", 1_500, []],
    ["zori", 300_000, ["UNIT_SLIP"]],
    ["zori", 150, ["UNIT_SLIP"]],
    ["vacancy", 7, []],
    ["vacancy", 0.7, ["UNIT_SLIP"]],
    ["vacancy", 70, ["UNIT_SLIP"]],
    ["temperature", 52, []],
    ["temperature", 11, ["UNIT_SLIP"]],
    ["temperature", -12, ["UNIT_SLIP"]],
    ["precipitation", 11.4, []],
    ["precipitation", 29, ["UNIT_SLIP"]],
    ["precipitation", 290, ["UNIT_SLIP"]],
    ["heatingDegreeDays", 2_790, []],
    ["heatingDegreeDays", 1_550, ["UNIT_SLIP"]],
    ["coolingDegreeDays", 252, []],
    ["coolingDegreeDays", 140, ["UNIT_SLIP"]],
  ] as const) {
    const found = validationOn(first(value), index).reasons(release, undefined, []);
    assert.deepEqual(
      found.map(({ code }) => code),
      expected,
      `${index} ${value}`,
    );
  }
});

test("one region in twenty may be missing, of rents one in four; blank lines are there", () => {
  const regions = Array.from({ length: 100 }, (_, at) => String(at));
  const lines = (count: number): readonly Line[] => times(count, next(300_000));
  assert.deepEqual(codesOf(validationOn(lines(95)), regions), []);
  assert.deepEqual(codesOf(validationOn(lines(94)), regions), ["REGIONS_MISSING"]);
  const blank: Line = { row: row(0, null, null) };
  assert.deepEqual(codesOf(validationOn([...lines(94), blank]), regions), []);
  const rents = (count: number) => validationOn(times(count, next(1_500, 1_500)), "zori");
  assert.deepEqual(codesOf(rents(75), regions), []);
  assert.deepEqual(codesOf(rents(74), regions), ["REGIONS_MISSING"]);
});

test("a month is printed when it is over; a file is not older than the release before it", () => {
  const validation = validationOn([next(300_000)]);
  const reasons = (changed: Partial<typeof release>, earlier: Partial<typeof before> = {}) =>
    validation
      .reasons({ ...release, ...changed }, { ...before, ...earlier }, [])
      .map(({ code }) => code);
  assert.deepEqual(reasons({ publishedAtMillis: monthEndMillis(lastMonth) }), []);
  assert.deepEqual(reasons({ publishedAtMillis: monthEndMillis(lastMonth) - 1 }), ["WRONG_MONTH"]);
  assert.deepEqual(reasons({}, { lastMonth }), []);
  assert.deepEqual(reasons({}, { lastMonth: addMonths(lastMonth, 1) }), ["STALE_FILE"]);
  const later = release.publishedAtMillis + 1;
  assert.deepEqual(reasons({}, { publishedAtMillis: later }), ["STALE_FILE"]);
});

/** Flat for two years as it was known; now one old month is so many millionths higher. */
const uneven = (spreadE6: number): Line => ({
  known: knownFlat(),
  row: row(0, ...flat(300_000, 23), String(300_000 * (1 + spreadE6 / 1e6)), "300000"),
});

test("under one method every home value of a place is rescaled by one constant", () => {
  const isChanged = (lines: readonly Line[]) => validationOn(lines).isMethodChanged;
  const same = restated(1.01);
  for (const [others, spreadE6, changed, expected] of [
    [18, 101, false, ["RESTATED"]],
    [18, -101, false, ["RESTATED"]],
    [18, 99, false, []],
    [17, 101, true, ["RESTATED"]],
  ] as const) {
    const lines = [...times(others, same), ...times(20 - others, uneven(spreadE6))];
    assert.equal(isChanged(lines), changed, `${others} ${spreadE6}`);
    assert.deepEqual(codes(lines), expected, `${others} ${spreadE6}`);
  }
  for (const [spreadE6, expected] of [
    [101, ["RESTATED"]],
    [-101, ["RESTATED"]],
    [99, []],
  ] as const) {
    assert.deepEqual(heldAlone([...times(10, same), uneven(spreadE6)]), expected, `${spreadE6}`);
  }
  assert.deepEqual(codes([...times(98, same), ...times(2, uneven(101))]), [], "2 % of places");
  assert.equal(isChanged(times(20, restated(1.1))), false, "a constant changes no growth");
  for (const share of [1, 20]) {
    const lines = [...times(20 - share, same), ...times(share, uneven(5_000))];
    assert.deepEqual(codesOf(validationOn(lines, "zhvi", true)), [], "announced, it is no reason");
  }
});

/** Rents that grow and have a season; `change`: what the file says of each month, of the place. */
function rentsRestated(change: (place: number, at: number) => number): readonly Line[] {
  const rents = (place: number, at: number): number => 1_500 + 10 * place + 4 * at + 3 * (at % 5);
  const months = Array.from({ length: 49 }, (_, at) => at);
  return Array.from({ length: 60 }, (_, place) => ({
    known: knownFrom(row(0, ...months.slice(0, 48).map((at) => String(rents(place, at))))),
    row: row(0, ...months.map((at) => String(rents(place, at) * change(place, at)))),
  }));
}

test("rents are revised place by place; a year's growth by 0.35 points a month at most", () => {
  const byYear = (share: number) => (_: number, at: number) => (1 + share) ** (at / 12);
  const rents = (change: (place: number, at: number) => number) =>
    validationOn(rentsRestated(change), "zori");
  assert.equal(rents(() => 1.02).isMethodChanged, false);
  assert.equal(rents(byYear(0.003)).isMethodChanged, false);
  assert.equal(rents(byYear(0.004)).isMethodChanged, true);
  const few = validationOn(rentsRestated(byYear(0.004)).slice(11), "zori");
  assert.equal(few.isMethodChanged, false, "of fewer than fifty places the middle is noise");
  assert.deepEqual(codesOf(rents(byYear(-0.006))), ["RESTATED"]);
  const season = (share: number) => (_: number, at: number) => 1 + (at % 12 === 3 ? share : 0);
  assert.equal(rents(season(0.0015)).isMethodChanged, false);
  assert.equal(rents(season(0.0025)).isMethodChanged, true, "adjusted for seasons in another way");
});

test("history to the digit, with new months that are on another scale", () => {
  const later = (value: number): Line => ({
    known: knownFlat(),
    row: row(0, ...flat(300_000), String(value)),
  });
  assert.deepEqual(codes(times(30, later(300_800))), []);
  assert.deepEqual(codes(times(30, later(301_000))), ["HISTORY_NOT_RESCALED"]);
  const rescaled: Line = { known: knownFlat(), row: row(0, ...flat(303_000), "305000") };
  assert.deepEqual(codes([...times(14, later(301_000)), ...times(16, rescaled)]), []);
});

/** Two months that rise by 0.2 % a month, and a third at this much of the second. */
const third = (factor: number): Line => ({
  known: knownFrom(row(0, "300000", "300600")),
  row: row(0, "303000", "303606", String(303_606 * factor)),
});

test("the middle place moves by 3 % at most, and changes its pace by its level's most", () => {
  const fast: Line = {
    known: knownFrom(row(0, "300000", "307500")),
    row: row(0, "303000", "310575", String(310_575 * 1.0301)),
  };
  for (const [level, most] of [
    ["state", 0.008],
    ["metro", 0.008],
    ["county", 0.012],
    ["zip", 0.01],
  ] as const) {
    for (const [line, expected] of [
      [third(1.0019 + most), []],
      [third(1.0021 + most), ["MIDDLE_MOVED"]],
      [third(1.0019 - most), ["MIDDLE_MOVED"]],
      [fast, ["MIDDLE_MOVED"]],
    ] as const) {
      const found = (count: number) => codesFrom(2, times(count, line), "zhvi", level);
      assert.deepEqual(found(20), expected, level);
      assert.deepEqual(found(19), [], "the middle of fewer places is noise");
    }
  }
  const half = [...times(10, third(1.002)), ...times(9, third(1.05))];
  assert.deepEqual(codesFrom(2, [...half, third(1.002), third(1.002)]), []);
});

test("a month that repeats the one before to the last of many digits is held, each place alone", () => {
  const repeated = (value: string): Line => ({
    known: knownFrom(row(0, "300000.123456", "300600")),
    row: row(0, "303000.123456", value, value),
  });
  const calm = times(29, third(1.002));
  assert.deepEqual(heldAlone([...calm, repeated("303606.123456")]), ["MONTH_REPEATED"]);
  assert.deepEqual(heldAlone([...calm, repeated("303606.12345")]), ["MONTH_REPEATED"]);
  assert.deepEqual(heldAlone([...calm, repeated("303606.1234")]), [], "as a spreadsheet rounds");
  assert.deepEqual(heldAlone([...calm, repeated("303606")]), [], "whole dollars come twice");
});

test("a month of round values that repeats the one before in more than a fifth of the places", () => {
  const repeated = (count: number) => [
    ...times(count, third(1)),
    ...times(30 - count, third(1.002)),
  ];
  assert.deepEqual(codesFrom(2, repeated(6)), []);
  assert.deepEqual(codesFrom(2, repeated(7)), ["MONTH_REPEATED"]);
  assert.deepEqual(codes(times(30, next(300_000))), [], "a place that never moves repeats nothing");
});

test("of a state of which little is known 5 % and 3 points are the most", () => {
  const found = (line: Line, level: string): readonly string[] => heldAlone([line], "zhvi", level);
  const pacing = (factor: number): Line => ({
    known: knownFrom(row(0, "300000", "308000")),
    row: row(0, "303000", "311080", String(311_080 * factor)),
  });
  assert.deepEqual(found(pacing(1.049), "state"), []);
  assert.deepEqual(found(pacing(1.051), "state"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(found(third(1.031), "state"), []);
  assert.deepEqual(found(third(1.033), "state"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(found(third(0.965), "state"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(found(third(0.965), "county"), []);
});

test("a first file of home values is smooth; sale prices are not", () => {
  const wavy = (share: number): Line => ({
    row: row(0, ...Array.from({ length: 36 }, (_, at) => String(300_000 * (1 + (at % 2) * share)))),
  });
  const first = (lines: readonly Line[], kind: ValidatedKind) =>
    validationOn(lines, kind)
      .reasons(release, undefined, [])
      .map(({ code }) => code);
  assert.deepEqual(first(times(20, wavy(0.002)), "zhvi"), []);
  assert.deepEqual(first(times(20, wavy(0.003)), "zhvi"), ["NOT_SMOOTH"]);
  assert.deepEqual(first(times(19, wavy(0.003)), "zhvi"), []);
  assert.deepEqual(codes(times(20, wavy(0.003))), [], "asked of the first file only");
});

test("a method is what it was, the next one when another is detected, or what is declared", () => {
  for (const [before, declared, isChanged, version, change] of [
    [undefined, undefined, false, "zhvi/1", null],
    [undefined, undefined, true, "zhvi/1", null],
    [undefined, "zhvi/1", false, "zhvi/1", null],
    [undefined, "hedonic", false, "hedonic", "declared"],
    ["zhvi/1", undefined, false, "zhvi/1", null],
    ["zhvi/9", undefined, true, "zhvi/10", "detected"],
    ["hedonic", undefined, true, "hedonic/2", "detected"],
    ["zhvi/1", "zhvi/2023-01", false, "zhvi/2023-01", "declared"],
    ["zhvi/1", "zhvi/2", true, "zhvi/2", "declared"],
    ["zhvi/1", "zhvi/1", true, "zhvi/2", "detected"],
    ["zhvi/2023-01", undefined, true, "zhvi/2023-01/2", "detected"],
  ] as const) {
    assert.deepEqual(methodologyOf("zhvi", before, declared, isChanged), { version, change });
  }
});

test("a vacancy rate may move by 10 points in one place of ten; by more than 30 it is held", () => {
  const rate = (from: number, to: number): Line => ({
    known: knownFrom(row(0, String(from))),
    row: row(0, String(from), null, null, String(to)),
  });
  const calm = (count: number) => times(count, rate(7, 8.5));
  const far = [rate(2, 12.1), rate(15, 4.9), rate(15, 4.9)];
  assert.deepEqual(codesFrom(3, [...calm(27), ...far], "vacancy"), []);
  assert.deepEqual(codesFrom(3, [...calm(26), ...far], "vacancy"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(heldAlone([...calm(99), rate(0, 30)], "vacancy"), []);
  assert.deepEqual(heldAlone([...calm(99), rate(0, 30.1)], "vacancy"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(heldAlone([rate(6.6, 16.6)], "vacancy", "nation"), []);
  assert.deepEqual(heldAlone([rate(6.6, 17)], "vacancy", "nation"), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(heldAlone([...calm(99), rate(7, 0)], "vacancy"), [], "0.0 happens");
});

test("a year of weather may break records, by a quarter of the range in one place of four", () => {
  // Thirty years from -4 to 104, about 52: the range is 108.
  const years = Array.from({ length: 30 }, (_, at) => String(at === 0 ? -4 : at === 1 ? 104 : 52));
  const cells = (values: readonly string[]) =>
    values.flatMap((value, at) => [...new Array<null>(at === 0 ? 0 : 11).fill(null), value]);
  const year = (value: number | string): Line => ({
    known: knownFrom(row(0, ...cells(years))),
    row: row(0, ...cells([...years, String(value)])),
  });
  const found = (lines: readonly Line[]) => codes(lines, "temperature");
  assert.deepEqual(found(times(24, year(130))), [], "within a quarter everywhere");
  assert.deepEqual(
    found([...times(18, year(52)), ...times(6, year(132))]),
    [],
    "beyond it in six of twenty-four",
  );
  assert.deepEqual(found([...times(17, year(52)), ...times(6, year(132))]), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(found([...times(17, year(52)), ...times(6, year(-32))]), ["MOVE_TOO_LARGE"]);
  const alone = (value: number) => heldAlone([...times(99, year(52)), year(value)], "temperature");
  assert.deepEqual(alone(320), [], "one place, two ranges");
  assert.deepEqual(alone(321), ["MOVE_TOO_LARGE"]);
  assert.deepEqual(alone(-221), ["MOVE_TOO_LARGE"]);
});

test("known values below zero, or at it, are no ratio and no breach", () => {
  const line: Line = { known: knownFrom(row(0, "-4", "0")), row: row(0, "-8", "0", "52") };
  assert.deepEqual(codes([line, ...times(4, { row: row(0, "52") })], "temperature"), []);
});
