// The values people type and read: times, percentages, tables, refusals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, type ExchangeResponse, parsed } from "#cli/answer.ts";
import { UsageFault } from "#cli/faults.ts";
import { durationSeconds, instantOf, secondsOf } from "#cli/instant.ts";
import { bpsOf, layerOf } from "#cli/percent.ts";
import { refusalText } from "#cli/refusal.ts";
import { field, plain, record, table, time } from "#cli/table.ts";

test("instants: dates are midnight in UTC, zones are honoured, anything else is refused", () => {
  assert.equal(instantOf("2024-11-20", "t"), "2024-11-20T00:00:00.000Z");
  assert.equal(instantOf("2024-11-20T15:30Z", "t"), "2024-11-20T15:30:00.000Z");
  assert.equal(instantOf("2024-11-20T01:00:00+02:00", "t"), "2024-11-19T23:00:00.000Z");
  assert.equal(secondsOf("1732060800", "t"), 1_732_060_800);
  assert.equal(secondsOf("2024-11-20", "t"), 1_732_060_800);
  const wrong = ["2024-02-30", "2024-11-20T15:00:00", "20.11.2024", "2024-13-01", "now", "", "-5"];
  for (const text of wrong) assert.throws(() => secondsOf(text, "t"), UsageFault, text);
});

test("durations", () => {
  const cases = { 90: 90, "90s": 90, "15m": 900, "12h": 43_200, "3d": 259_200, "2w": 1_209_600 };
  for (const [text, seconds] of Object.entries(cases)) {
    assert.equal(durationSeconds(text), seconds);
  }
  for (const text of ["", "d", "1.5d", "-1d", "3 d", "1y", "1e3"]) {
    assert.throws(() => durationSeconds(text), UsageFault, text);
  }
});

test("percentages become basis points exactly or not at all", () => {
  assert.equal(bpsOf("2", "p"), 200);
  assert.equal(bpsOf("2.5%", "p"), 250);
  assert.equal(bpsOf("0.07", "p"), 7);
  assert.deepEqual(layerOf("2-10"), { attachBps: 200, exhaustBps: 1000 });
  assert.deepEqual(layerOf("7.25%-20%"), { attachBps: 725, exhaustBps: 2000 });
  for (const text of ["2.555", "101", "-1", "2e1", "", "two"]) {
    assert.throws(() => bpsOf(text, "p"), UsageFault, text);
  }
  for (const text of ["2", "2-", "-10", "2-10-20", "2..10", "a-b"]) {
    assert.throws(() => layerOf(text), UsageFault, text);
  }
});

test("a table is as wide as its cells, numbers to the right, nothing trailing", () => {
  const rows = [
    { id: "mkt-001", price: 0.5, note: null },
    { id: "a", price: 0.0412, note: "x" },
  ];
  const drawn = table([field("id"), field("price"), field("note", "why")], rows, (text) => text);
  assert.equal(drawn, "id        price  why\nmkt-001     0.5  -\na        0.0412  x");
});

test("a record has a member a line; what is absent is a dash", () => {
  const account = { kyc: { status: "approved" }, halted: false, tags: ["a", "b"], none: [] };
  const drawn = record(
    [field("kyc.status", "kyc"), field("halted"), field("tags"), field("none"), field("x.y.z")],
    account,
  );
  assert.equal(drawn, "kyc     approved\nhalted  no\ntags    a, b\nnone    -\nx.y.z   -");
});

test("control characters of an answer never reach the terminal", () => {
  const drawn = record([field("name")], { name: "\u001b[2J\u0007Evil\nLtd\u009b31m" });
  assert.equal(drawn, "name  \uFFFD[2J\uFFFDEvil\uFFFDLtd\uFFFD31m");
});

test("times are shown in UTC, whichever way they came", () => {
  assert.equal(time(1_732_060_800), "2024-11-20 00:00:00");
  assert.equal(time("2024-11-20T01:00:00+02:00"), "2024-11-19 23:00:00");
  assert.equal(time(null), "-");
  assert.equal(time(undefined), "-");
  assert.equal(plain({ a: 1 }), '{"a":1}');
});

test("a path that leads nowhere is undefined, also into a prototype", () => {
  assert.equal(at({ data: [{ id: 1 }] }, "data.0.id"), 1);
  for (const path of ["data.1.id", "constructor", "data.length.x", "__proto__.x"]) {
    assert.equal(at({ data: [{ id: 1 }] }, path), undefined, path);
  }
  assert.equal(parsed("<html>"), undefined);
});

const answerOf = (status: number, error: unknown, retryAfter?: string): ExchangeResponse => ({
  status,
  body: "",
  json: { success: false, error },
  replayed: false,
  retryAfter,
});

test("a refusal shows message, code, field, details, request and what next", () => {
  const { message, lines } = refusalText(
    answerOf(422, {
      code: "INSUFFICIENT_BALANCE",
      message: "Insufficient balance",
      details: { required: "100.5", available: "7" },
      retryable: false,
      outcome: "not_applied",
      requestId: "req-7",
    }),
  );
  assert.equal(message, "Insufficient balance");
  assert.deepEqual(lines, [
    "  code       INSUFFICIENT_BALANCE (422)",
    "  required   100.5",
    "  available  7",
    "  request    req-7",
    "  next       nothing was done; ask for less, cancel orders, or have the account funded",
  ]);
});

test("a refusal of several fields names each", () => {
  const errors = [
    { field: "name", message: "must be text of 1 to 100 characters" },
    { field: "role", message: "must be one of trader, auditor, operator" },
  ];
  const parts = { code: "INVALID_REQUEST", message: "name must be …", field: "name", errors };
  const { lines } = refusalText(answerOf(400, parts));
  assert.deepEqual(lines.slice(1, 3), [
    "  field      name must be text of 1 to 100 characters",
    "  field      role must be one of trader, auditor, operator",
  ]);
});

test("what may be tried again says when; what is unknown says to look", () => {
  const busy = { code: "RATE_LIMITED", message: "Rate limit exceeded", retryable: true };
  assert.match(refusalText(answerOf(429, busy, "7")).lines.at(-1) ?? "", /may succeed in 7 s/);
  const unknown = { code: "INTERNAL", message: "A mistake", retryable: false, outcome: "unknown" };
  assert.match(refusalText(answerOf(500, unknown)).lines.at(-1) ?? "", /not known .* check before/);
});

test("an answer of something else than an exchange is called that", () => {
  const answer = {
    ...answerOf(502, undefined),
    body: "<html>\u001b[31mBad gateway",
    json: undefined,
  };
  const { message, lines } = refusalText(answer);
  assert.match(message, /^the response had status 502 and did not come from an exchange$/);
  assert.ok(lines.every((line) => !line.includes("\u001b")));
});
