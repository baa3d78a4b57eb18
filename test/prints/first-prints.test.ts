// First prints, links, backfill, revisions and rescales, against rationals worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths } from "#base/month.ts";
import { decideNode, gapsOf, knownAfter, type NodeDecision } from "#prints/first-prints.ts";
import { january, knownFrom, levelsOf, levelText, row, valueText } from "./rows.ts";

const brief = ({ newPrints }: NodeDecision) =>
  newPrints.map(({ month, valueE15, levelE12, link, backfill }) => [
    month - january,
    valueText(valueE15),
    levelText(levelE12),
    link === null
      ? null
      : [link.month - january, valueText(link.valueE15), levelText(link.levelE12)],
    backfill,
  ]);

test("a node's first release is backfill, chained from 1 through the row", () => {
  const decision = decideNode(undefined, row(0, null, "100.5", "150.75", null, "67"), true);
  assert.deepEqual(brief(decision), [
    [1, "100.5", "1", null, true],
    [2, "150.75", "1.5", [1, "100.5", "1"], true],
    [4, "67", "0.666666666667", [2, "150.75", "1.5"], true],
  ]);
  assert.deepEqual([decision.revisions, decision.unchanged, decision.scaleE12], [[], 0, null]);
  const months = decision.newPrints.map(({ month }) => month);
  assert.deepEqual(
    gapsOf(months, 1).map((month) => month - january),
    [3],
  );
});

test("a later release links each new month inside itself, on its own scale", () => {
  const known = knownFrom(row(0, "100", "150", "125"));
  // Everything doubled, then 250 → 100: half of 1.25, though raw 125 → 100 fell by a fifth only.
  const decision = decideNode(known, row(0, "200", "300", "250", "100", "300"), true);
  assert.deepEqual(brief(decision), [
    [3, "100", "0.5", [2, "250", "1.25"], false],
    [4, "300", "1.5", [3, "100", "0.5"], false],
  ]);
  assert.deepEqual(
    decision.revisions.map((it) => [
      it.month - january,
      valueText(it.fromE15),
      valueText(it.toE15),
    ]),
    [
      [0, "100", "200"],
      [1, "150", "300"],
      [2, "125", "250"],
    ],
  );
  assert.equal(decision.scaleE12, 2_000_000_000_000n);
});

test("a level is rounded half to even at the 12th decimal", () => {
  assert.deepEqual(levelsOf(knownFrom(row(0, "3", "1", "2"))), {
    0: "1",
    1: "0.333333333333",
    2: "0.666666666666",
  });
  // 1.5, 2.5 and 3.5 units of the 12th decimal.
  for (const [value, level] of [
    ["0.000000000000003", "0.000000000002"],
    ["0.000000000000005", "0.000000000002"],
    ["0.000000000000007", "0.000000000004"],
  ] as const) {
    assert.equal(levelsOf(knownFrom(row(0, "0.002", value)))[1], level);
  }
});

test("the link is the newest chained month before it that the release still carries", () => {
  const known = knownFrom(row(0, "100", "110", "121"));
  // Month 2 is left out of the release: month 1 is the link, on this release's scale.
  assert.deepEqual(brief(decideNode(known, row(0, "50", "55", null, "66"), true)), [
    [3, "66", "1.32", [1, "55", "1.1"], false],
  ]);
});

test("an interior gap filled later is linked backwards and moves nothing after it", () => {
  const before = knownFrom(row(0, "100", null, "121"));
  const decision = decideNode(before, row(0, "200", "230", "242", "484"), true);
  assert.deepEqual(brief(decision), [
    [1, "230", "1.15", [0, "200", "1"], false],
    [3, "484", "2.42", [2, "242", "1.21"], false],
  ]);
  assert.deepEqual(levelsOf(knownAfter(before, decision)), {
    0: "1",
    1: "1.15",
    2: "1.21",
    3: "2.42",
  });
});

test("without a chained month in the release there is no link and no level", () => {
  const known = knownFrom(row(0, "100", "110"));
  const decision = decideNode(known, row(3, "120", "130"), true);
  assert.deepEqual(brief(decision), [
    [3, "120", null, null, false],
    [4, "130", null, null, false],
  ]);
  // A release that reaches back again takes up the chain where it was whole.
  const after = knownAfter(known, decision);
  assert.deepEqual(brief(decideNode(after, row(1, "220", null, "240", "260", "330"), true)), [
    [5, "330", "1.65", [1, "220", "1.1"], false],
  ]);
});

test("months older than the chain's start are backfill without a level", () => {
  const known = knownFrom(row(4, "100", "110"));
  const first = decideNode(known, row(1, "80", null, null, "100", "110", "121"), true);
  assert.deepEqual(brief(first), [
    [1, "80", null, null, true],
    [6, "121", "1.21", [5, "110", "1.1"], false],
  ]);
  const after = knownAfter(known, first);
  assert.deepEqual(brief(decideNode(after, row(2, "85", "90", "100"), true)), [
    [2, "85", null, null, true],
    [3, "90", null, null, true],
  ]);
  assert.deepEqual(levelsOf(after), { 1: null, 4: "1", 5: "1.1", 6: "1.21" });
});

test("a value that is not positive has no level and links nothing", () => {
  const known = knownFrom(row(0, "-5", "0", "10", "20"));
  assert.deepEqual(levelsOf(known), { 0: null, 1: null, 2: "1", 3: "2" });
  assert.deepEqual(brief(decideNode(known, row(2, "10", "-20", "40"), true)), [
    [4, "40", null, null, false],
  ]);
  for (const [link, value] of [
    ["-20", "-40"],
    ["0", "40"],
  ] as const) {
    assert.deepEqual(brief(decideNode(known, row(2, "10", link, value), true)), [
      [4, value, null, null, false],
    ]);
  }
  assert.deepEqual(brief(decideNode(known, row(2, "10", "20", "-1", "40"), true)), [
    [4, "-1", null, null, false],
    [5, "40", "4", [3, "20", "2"], false],
  ]);
  // So small that the level would be 0, from which no decline could be measured.
  assert.equal(levelsOf(knownFrom(row(0, "1000000", "0.0000001")))[1], null);
});

test("an index that is not chained has prints and revisions and no levels", () => {
  const first = decideNode(undefined, row(0, "-9.9", "5"), false);
  assert.deepEqual(brief(first), [
    [0, "-9.9", null, null, true],
    [1, "5", null, null, true],
  ]);
  const known = knownAfter(undefined, first);
  const next = decideNode(known, row(0, "-9.8", "5", "6"), false);
  assert.deepEqual(brief(next), [[2, "6", null, null, false]]);
  assert.deepEqual([next.revisions.length, next.unchanged], [1, 1]);
});

test("a revision is told against the newest value known, and never becomes the first print", () => {
  const known = knownFrom(row(0, "100", "110"), row(0, "101", "110"));
  const same = decideNode(known, row(0, "101", "110"), true);
  assert.deepEqual([same.revisions, same.unchanged], [[], 2]);
  const back = decideNode(known, row(0, "100", null), true);
  assert.deepEqual(
    back.revisions.map((it) => [valueText(it.fromE15), valueText(it.toE15)]),
    [["101", "100"]],
  );
  assert.equal(back.unchanged, 0);
  assert.deepEqual(known?.values.map(valueText), ["100", "110"]);
  assert.deepEqual(known?.latest.map(valueText), ["101", "110"]);
});

test("a release without a value for a node leaves it unknown", () => {
  const decision = decideNode(undefined, row(0, null, null), true);
  assert.deepEqual(decision, { newPrints: [], revisions: [], unchanged: 0, scaleE12: null });
  assert.equal(knownAfter(undefined, decision), undefined);
});

test("one constant for all months is a rescale; uneven moves, one month or a rest are not", () => {
  const known = knownFrom(row(0, "100000.123456789", "110000.987654321", "120000.5"));
  const scaleOf = (...cells: readonly (string | null)[]): bigint | null =>
    decideNode(known, row(0, ...cells), true).scaleE12;
  // Each times 1.0125, cut at the digits a double has.
  assert.equal(
    scaleOf("101250.12499999886", "111376.00000000001", "121500.50625"),
    1_012_500_000_000n,
  );
  assert.equal(scaleOf("101250.12499999886", "111376.00000000001", "121500.9"), null);
  assert.equal(scaleOf("101250.12499999886", null, null), null);
  assert.equal(scaleOf("100000.123456789", "111376.00000000001", "121500.50625"), null);
  assert.equal(scaleOf("100000.123456789", "110000.987654321", "120000.5"), null);
});

test("a rescale is told from two months on, of values above zero, within a millionth", () => {
  const scaleOf = (from: readonly string[], to: readonly string[]): bigint | null =>
    decideNode(
      knownAfter(undefined, decideNode(undefined, row(0, ...from), false)),
      row(0, ...to),
      false,
    ).scaleE12;
  assert.equal(scaleOf(["1", "2"], ["2", "4"]), 2_000_000_000_000n);
  assert.equal(scaleOf(["1", "1"], ["2", "2.000001"]), 2_000_000_500_000n);
  assert.equal(scaleOf(["1", "1"], ["2", "2.000001000001"]), null);
  assert.equal(scaleOf(["1", "1"], ["2.000001000001", "2"]), null, "whichever comes first");
  for (const [from, to] of [
    [
      ["-5", "-10"],
      ["-10", "-20"],
    ],
    [
      ["5", "10"],
      ["0", "0"],
    ],
    [
      ["0", "10"],
      ["5", "20"],
    ],
    [
      ["5", "10"],
      ["-10", "-20"],
    ],
  ] as const) {
    assert.equal(scaleOf(from, to), null, `${from} to ${to}`);
  }
});

test("a month never printed is blank in all that is known, before the chain's start too", () => {
  const known = knownFrom(row(0, "-5", null, "10", null, null, "20"));
  assert.deepEqual(known?.values.map(valueText), ["-5", null, "10", null, null, "20"]);
  assert.deepEqual(known?.latest.map(valueText), ["-5", null, "10", null, null, "20"]);
  assert.deepEqual(known?.levels.map(levelText), [null, null, "1", null, null, "2"]);
  // The chain starts at month 2: what fills month 1 is history, what fills month 3 is not.
  assert.deepEqual(brief(decideNode(known, row(0, "-5", "7", "10", "15"), true)), [
    [1, "7", null, null, true],
    [3, "15", "1.5", [2, "10", "1"], false],
  ]);
});

test("between the quarters and years of a series there is no gap; a skipped one is", () => {
  const gaps = (months: readonly number[], period: number) =>
    gapsOf(
      months.map((month) => addMonths(january, month)),
      period,
    ).map((month) => month - january);
  assert.deepEqual(gaps([2, 5, 8, 11], 3), []);
  assert.deepEqual(gaps([2, 11, 14], 3), [5, 8]);
  assert.deepEqual(gaps([7, 19, 55], 12), [31, 43]);
  assert.deepEqual(gaps([7], 12), []);
  assert.deepEqual(gaps([], 3), []);
});

test("a neighborhood links only where its known year comes back as it grew", () => {
  const plain = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113];
  const texts = plain.map(String);
  const known = knownFrom(row(0, ...texts));
  const strict = (before: typeof known, ...cells: string[]) =>
    decideNode(before, row(0, ...cells), "same-growth");
  // 113 over 101 is a growth of 11.881…: a fall of .2 points by 113.202 is not more, .21 is.
  const within = strict(known, ...texts.with(13, "112.799"), "114");
  assert.notEqual(within.newPrints[0]?.levelE12, null, "a moved growth within .2 points links");
  const beyond = strict(known, ...texts.with(13, "112.797"), "114");
  assert.deepEqual(brief(beyond), [[14, "114", null, null, false]]);
  const linked = decideNode(known, row(0, ...texts.with(13, "112.797"), "114"), true);
  assert.notEqual(linked.newPrints[0]?.levelE12, null, "other levels link inside the release");

  const after = knownAfter(known, beyond);
  const same = [...texts.with(13, "112.797"), "114", "115"];
  assert.deepEqual(brief(strict(after, ...same)), [[15, "115", null, null, false]], "for good");
  const doubled = texts.map((text) => String(2 * Number(text)));
  const [scaled] = strict(known, ...doubled, "228").newPrints;
  assert.notEqual(scaled?.levelE12, null, "a scale is none");
});

test("of a place that nobody knew there is no growth to compare", () => {
  const first = row(0, "100", "150");
  assert.deepEqual(decideNode(undefined, first, "same-growth"), decideNode(undefined, first, true));
});

test("a growth that has moved by .2 points up or down is the same, by more it is another", () => {
  const known = knownFrom(row(0, "1000", "1000"));
  for (const [value, links] of [
    ["1002", true],
    ["1002.001", false],
    ["998", true],
    ["997.999", false],
  ] as const) {
    const [next] = decideNode(known, row(0, "1000", value, "1100"), "same-growth").newPrints;
    assert.equal(next?.levelE12 !== null, links, value);
  }
});

test("a month that is blank or not positive on either side is not compared", () => {
  const flat = ["1000", "1000", "1000"];
  const links = (before: readonly (string | null)[], now: readonly (string | null)[]) => {
    const known = knownFrom(row(0, ...flat)) ?? assert.fail();
    const newest = { ...known, latest: row(0, ...before).values };
    const { newPrints } = decideNode(newest, row(0, ...now, "1100"), "same-growth");
    return newPrints.at(-1)?.levelE12 !== null;
  };
  for (const blank of [null, "0", "-1"]) {
    assert.ok(links([blank, "1000", "1000"], flat), `${blank} before`);
    assert.ok(links(flat, [blank, "1000", "1000"]), `${blank} now`);
  }
  assert.ok(links(["1000", "1000", null], flat), "the newest before");
  assert.ok(links(flat, ["1000", "1000", null]), "the newest now");
});

test("where no month can be compared the chain goes on", () => {
  const known = knownFrom(row(0, "100", "110"), row(0, "0", "0"));
  const decision = decideNode(known, row(0, "100", "110", "121"), "same-growth");
  assert.deepEqual(brief(decision), [[2, "121", "1.21", [1, "110", "1.1"], false]]);
});
