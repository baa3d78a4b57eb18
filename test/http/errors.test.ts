// The closed list of codes: what the core, the engine and the edge may say = table = documentation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { micros } from "#base/money.ts";
import { reject, rejectionCodes } from "#core/rejection.ts";
import { edgeCodes, engineRefusals, errorTable, problemOf } from "#http/route/errors.ts";

interface Row {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly retryable: boolean;
}

function documented(): readonly Row[] {
  const text = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
  return [...text.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (yes|no) \| (.+?) \|$/gm)].map(
    ([, code = "", status, retryable, message = ""]) => ({
      code,
      status: Number(status),
      message,
      retryable: retryable === "yes",
    }),
  );
}

test("every code that can be said is in the table, and no other", () => {
  const sayable = [...rejectionCodes, ...engineRefusals, ...edgeCodes];
  assert.equal(new Set(sayable).size, sayable.length, "no code has two meanings");
  assert.deepEqual(Object.keys(errorTable).toSorted(), sayable.toSorted());
});

test("the documentation has a row for each code, with its status, message and retry", () => {
  const rows = new Map(documented().map((row) => [row.code, row]));
  for (const [code, rule] of Object.entries(errorTable)) {
    assert.deepEqual(
      rows.get(code),
      { code, status: rule.status, message: rule.message, retryable: rule.retryable ?? false },
      `docs/reference/errors.md on ${code}`,
    );
  }
  assert.equal(rows.size, documented().length, "no code is documented twice");
  assert.equal(rows.size, Object.keys(errorTable).length, "no code is documented that is not said");
});

test("the interface's five messages, word for word", () => {
  assert.deepEqual(
    (
      [
        "INSUFFICIENT_BALANCE",
        "MARKET_CLOSED",
        "POSITION_LIMIT",
        "INVALID_PRICE",
        "RATE_LIMITED",
      ] as const
    ).map((code) => [errorTable[code].status, errorTable[code].message]),
    [
      [422, "Insufficient balance"],
      [409, "Market is closed"],
      [422, "Position exceeds limit"],
      [400, "Invalid price range"],
      [429, "Rate limit exceeded"],
    ],
  );
});

test("a 503 says when to come back; only a 5xx may leave the outcome open", () => {
  for (const [code, rule] of Object.entries(errorTable)) {
    assert.ok(rule.status >= 400 && rule.status < 600, code);
    if (rule.status === 503) assert.ok((rule.retryAfterSeconds ?? 0) > 0, `${code} has a wait`);
    if (rule.outcome === "unknown") assert.ok(rule.status >= 500, `${code} is a 5xx`);
  }
});

test("the core has no way to cause a 5xx but by an exchange that is full or halted", () => {
  const severe = rejectionCodes.filter((code) => errorTable[code].status >= 500);
  assert.deepEqual(severe, ["EXCHANGE_FULL", "EXCHANGE_HALTED"]);
});

test("a rejection's amounts become decimal strings, its other details stay", () => {
  const rejection = reject("INSUFFICIENT_BALANCE", {
    index: 2,
    requiredMicros: micros(12_500_000n),
    availableMicros: micros(-1n),
  });
  assert.deepEqual(problemOf(rejection), {
    code: "INSUFFICIENT_BALANCE",
    details: { index: 2, required: "12.5", available: "-0.000001" },
  });
  assert.deepEqual(problemOf(reject("EXPIRY_PAST", undefined, "expiry")), {
    code: "EXPIRY_PAST",
    field: "expiry",
  });
});

test("a missing permission and a done order are named in the message", () => {
  assert.deepEqual(problemOf(reject("PERMISSION_DENIED", { permission: "create:orders" })), {
    code: "PERMISSION_DENIED",
    message: "This key lacks the permission create:orders; use a key that holds it",
    details: { permission: "create:orders" },
  });
  const done = problemOf(reject("ORDER_DONE", { status: "FILLED" }));
  assert.equal(done.message, "The order is already done: FILLED");
  assert.deepEqual(done.details, { status: "FILLED" });
});
