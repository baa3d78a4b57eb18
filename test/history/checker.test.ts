// The checker can fail: a sound history has no fault, and each one put in is found by its clause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsIn } from "./checker.ts";
import type { Answered, Claims, History, Operation, Row } from "./history.ts";

const claims = (entries: Readonly<Record<string, string>>): Claims =>
  new Map(Object.entries(entries));

const ok = (said: Readonly<Record<string, string>>, more: Partial<Answered> = {}): Answered => ({
  type: "ok",
  claims: claims(said),
  text: JSON.stringify(said),
  isReplay: false,
  sequence: null,
  timeMillis: null,
  ...more,
});

const refused = { type: "refused", isDecided: true, text: "no" } as const;
const unknown = { type: "unknown" } as const;

const did = (
  client: string,
  key: string | null,
  [invokedAt, returnedAt]: readonly [number, number],
  outcome: Operation["outcome"],
  bringsMicros = 0n,
): Operation => ({ client, key, invokedAt, returnedAt, outcome, bringsMicros });

const row = (
  sequence: number,
  key: string | null,
  changes: Readonly<Record<string, string>>,
  isAccepted = true,
): Row => ({ sequence, key, isAccepted, timeMillis: 1_000 * sequence, changes: claims(changes) });

const open = { "status:o1": "OPEN", "filled:o1": "0" };
const filled = { "status:o1": "PARTIALLY_FILLED", "filled:o1": "2" };
const gone = { "status:o1": "CANCELLED" };
const trade = { ...filled, "ledger:cash:a": "90", "ledger:cash:b": "9", "ledger:fees": "1" };

/** Two deposits, an order, a trade with it, and its cancel; one refusal, one outcome unknown. */
const operations = {
  deposit: did("a", "k1", [1, 2], ok({ "ledger:cash:a": "100" }), 100n),
  place: did("a", "k2", [3, 4], ok(open)),
  status: did("b", null, [5, 6], ok({}, { sequence: 3, timeMillis: 3_000 })),
  trade: did("b", "k3", [7, 8], unknown),
  again: did("b", "k3", [9, 10], ok({ "ledger:cash:b": "9" }, { isReplay: true })),
  show: did("a", null, [11, 12], ok(filled)),
  totals: did("b", null, [11, 13], ok({ "ledger:cash:a": "90", "ledger:cash:b": "9" })),
  cancel: did("a", "k4", [14, 15], ok(gone)),
  late: did("a", "k5", [16, 17], refused),
  lost: did("b", "k6", [16, 26], unknown, 5n),
  end: did("b", null, [27, 28], ok({}, { sequence: 7, timeMillis: 7_000 })),
  shown: did("a", null, [29, 30], ok({ ...filled, ...gone })),
} as const;

const rows: readonly Row[] = [
  row(1, null, { founded: "yes" }),
  row(2, "k1", { "ledger:external": "-100", "ledger:cash:a": "100" }),
  row(3, "k2", open),
  row(4, "k3", trade),
  row(5, "k4", gone),
  row(6, "k5", {}, false),
  row(7, "k6", { "ledger:external": "-105", "ledger:cash:b": "14" }),
];

const final = claims({ "status:o1": "CANCELLED", "filled:o1": "2", "ledger:cash:b": "14" });
const sound: History = { operations: Object.values(operations), rows, final };

/** The sound history with some of its operations as given, and these added at the end. */
const withOperations = (
  changed: Partial<Record<keyof typeof operations, Operation>>,
  ...added: readonly Operation[]
): History => ({
  ...sound,
  operations: [...Object.values({ ...operations, ...changed }), ...added],
});

/** With entries replaced by their sequence. */
const withRows = (...changed: readonly Row[]): History => ({
  ...sound,
  rows: rows.map((one) => changed.find(({ sequence }) => sequence === one.sequence) ?? one),
});

const faults: Readonly<Record<string, readonly [History, RegExp]>> = {
  "an answer that is nowhere": [
    withRows(row(5, null, {})),
    /^ok: k4 was answered ok, and is not in the journal$/,
  ],
  "an answer that was refused in the journal": [
    withRows(row(5, "k4", {}, false)),
    /^ok: k4 was answered ok, and is not/,
  ],
  "another content than was answered": [
    withOperations({ place: did("a", "k2", [3, 4], ok({ ...open, "filled:o1": "1" })) }),
    /^ok: k2 was answered filled:o1 1, entry 3 has 0$/,
  ],
  "one request twice": [
    withRows(row(6, "k4", {})),
    /^once: k4 is in the journal twice, as entries 5 and 6$/,
  ],
  "an unknown one twice": [withRows(row(1, "k6", {})), /^once: k6 is in the journal twice/],
  "something nobody asked for": [withRows(row(1, "k9", {})), /^once: k9 is entry 1, and nobody/],
  "a refusal that happened": [withRows(row(6, "k5", {})), /^refused: k5 was refused/],
  "a request that was not taken, and happened": [
    {
      ...withOperations({ late: did("a", "k5", [16, 17], { ...refused, isDecided: false }) }),
      rows: withRows(row(6, "k5", {})).rows,
    },
    /^refused: k5 was refused each time, and is entry 6$/,
  ],
  "two answers to one key": [
    withOperations({}, did("b", "k1", [40, 41], ok({}, { isReplay: true, text: "other" }))),
    /^replay: k1 has 2 different answers$/,
  ],
  "money from nowhere": [
    withRows(row(4, "k3", { ...trade, "ledger:fees": "2" })),
    /^money: after entry 4 the ledger lacks -1$/,
  ],
  "money gone": [
    withRows(row(4, "k3", { ...trade, "ledger:cash:a": "89" })),
    /^money: after entry 4 the ledger lacks 1$/,
  ],
  "more brought in than was asked for": [
    withRows(row(2, "k1", { "ledger:external": "-101", "ledger:cash:a": "101" })),
    /^money: k1 brought 101 from outside, and asked for 100$/,
  ],
  "totals of two moments": [
    withOperations({
      totals: did("b", null, [11, 13], ok({ "ledger:cash:a": "100", "ledger:cash:b": "9" })),
    }),
    /^moment: b at 11\.0 saw no one moment from 4 to 4/,
  ],
  "a stale read": [
    withOperations({ show: did("a", null, [11, 12], ok(open)) }),
    /^moment: a at 11\.0 saw no one moment from 4 to 4: status:o1 OPEN/,
  ],
  "a read of what comes later": [
    withOperations({ show: did("a", null, [11, 12], ok(gone)) }),
    /^moment: a at 11\.0 saw no one moment/,
  ],
  "another thing than at its sequence": [
    withOperations({
      status: did("b", null, [5, 6], ok({ "status:o1": "FILLED" }, { sequence: 3 })),
    }),
    /^moment: b at 5\.0 saw status:o1 FILLED, at entry 3 it is OPEN$/,
  ],
  "a sequence taken back": [
    withOperations({}, did("b", null, [40, 41], ok({}, { sequence: 6 }))),
    /^back: b saw entry 6 after 7$/,
  ],
  "a sequence behind what others know": [
    withOperations({}, did("c", null, [40, 41], ok({}, { sequence: 6 }))),
    /^order: c at 40\.0 saw entry 6 after 7$/,
  ],
  "a sequence ahead of what was asked for": [
    withOperations({ status: did("b", null, [5, 6], ok({}, { sequence: 4 })) }),
    /^order: b at 5\.0 saw entry 4, which was asked for later/,
  ],
  "a stream that goes back": [
    withOperations(
      {},
      did("s", null, [0, 40], ok({}, { sequence: 5 })),
      did("s", null, [0, 41], ok({}, { sequence: 4 })),
    ),
    /^back: s saw entry 4 after 5$/,
  ],
  "time taken back": [
    withOperations({}, did("b", null, [40, 41], ok({}, { timeMillis: 6_999 }))),
    /^back: b saw 6999 after 7000$/,
  ],
  "time taken back in the journal": [
    withRows({ ...row(5, "k4", gone), timeMillis: 1 }),
    /^back: entry 5 has an earlier time$/,
  ],
  "a fill taken back": [
    withOperations({}, did("a", null, [0, 41], ok({ "filled:o1": "1" }))),
    /^back: a saw filled:o1 1 after 2$/,
  ],
  "an order that is open again": [
    withOperations({}, did("a", null, [0, 41], ok({ "status:o1": "OPEN" }))),
    /^back: a saw status:o1 OPEN after CANCELLED$/,
  ],
  "an earlier place for what was asked later": [
    { ...sound, rows: [...rows.slice(0, 3), row(4, "k4", gone), row(5, "k3", trade)] },
    /^order: k4 is entry 4, asked for when 5 was known$/,
  ],
  "a gap in the journal": [
    { ...sound, rows: rows.filter(({ sequence }) => sequence !== 1) },
    /^order: entry 2 is number 1$/,
  ],
  "another end than the journal's": [
    { ...sound, final: claims({ "status:o1": "OPEN" }) },
    /^end: status:o1 is OPEN, the journal leaves CANCELLED$/,
  ],
  "an order that is gone in the end": [
    { ...sound, final: claims({ "ledger:cash:b": "14" }) },
    /^end: status:o1 was answered to k2, and is gone$/,
  ],
};

test("a sound history has no fault, with an unknown outcome that was applied or not", () => {
  assert.deepEqual(faultsIn(sound), []);
  const without = rows.slice(0, -1);
  const { end: _end, ...others } = operations;
  assert.deepEqual(
    faultsIn({
      operations: Object.values(others),
      rows: without,
      final: claims({ "status:o1": "CANCELLED", "ledger:cash:b": "9" }),
    }),
    [],
  );
});

test("a stream may lag behind what others know", () => {
  const lagging = did("s", null, [0, 40], ok({ "status:o1": "OPEN" }, { sequence: 3 }));
  assert.deepEqual(faultsIn(withOperations({}, lagging)), []);
});

for (const [name, [history, sentence]] of Object.entries(faults)) {
  test(`found: ${name}`, () => {
    const faults = faultsIn(history);
    assert.ok(
      faults.some((fault) => sentence.test(fault)),
      `${sentence} among ${JSON.stringify(faults)}`,
    );
  });
}
