// The reference vectors: every number of every case, to 1e-9.
// Invariant: a vector that cannot be read fails the test; only an absent file skips it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { monthOf } from "#base/month.ts";
import { levelScale, type PricingLevel } from "#pricing/constants.ts";
import { distributionOf, type Outlook } from "#pricing/distribution.ts";
import { quoteBinary, quoteLayered } from "#pricing/quote.ts";

const file = new URL("../../../shared/pricing/vectors.json", import.meta.url);
const TOLERANCE = 1e-9;
/** The vectors were made for 10,000 USD of coverage and without a data-quality add-on. */
const size = { coverageUsd: 10_000, dataQualityBps: 0 };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function fieldsAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  assert.ok(isFields(value), `${name} is an object`);
  return value;
}

function numberAt(fields: Fields, name: string): number {
  const value = fields[name];
  assert.ok(typeof value === "number", `${name} is a number`);
  return value;
}

const isPricingLevel = (value: unknown): value is PricingLevel =>
  typeof value === "string" && Object.hasOwn(levelScale, value);

function outlookAt(vector: Fields): Outlook {
  const f = fieldsAt(vector, "f");
  const level = vector.level;
  assert.ok(isPricingLevel(level), `level ${String(level)}`);
  return {
    index: "zhvi",
    level,
    asOfMonth: monthOf(2025, 6),
    horizonMonths: numberAt(vector, "h"),
    features: {
      m: numberAt(f, "m"),
      g60: numberAt(f, "g60"),
      lv: numberAt(f, "lv"),
      mN: numberAt(vector, "mN"),
      mS: numberAt(vector, "mS"),
      usedDefaultVol: false,
    },
  };
}

function assertAgree(actual: object, expected: Fields, names: readonly string[], at: string) {
  const values = new Map<string, unknown>(Object.entries(actual));
  for (const name of names) {
    const value = values.get(name);
    const wanted = numberAt(expected, name);
    assert.ok(typeof value === "number", `${at}: ${name} is missing`);
    // Relative above 1, so that USD amounts of thousands are held to the same digits.
    const error = Math.abs(value - wanted) / Math.max(1, Math.abs(wanted));
    assert.ok(error <= TOLERANCE, `${at}: ${name} is ${value}, expected ${wanted}`);
  }
}

test("all reference vectors agree to 1e-9", (t) => {
  if (!existsSync(file)) return t.skip("../shared/pricing/vectors.json is absent");
  const vectors: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(Array.isArray(vectors) && vectors.length >= 100, "a list of at least 100 vectors");

  for (const [at, vector] of vectors.entries()) {
    assert.ok(isFields(vector));
    const outlook = outlookAt(vector);
    assertAgree(distributionOf(outlook), vector, ["mu", "s"], `vector ${at}`);

    const layer = {
      attachBps: numberAt(vector, "attachBps"),
      exhaustBps: numberAt(vector, "exhaustBps"),
    };
    for (const [kind, result] of [
      ["layered", quoteLayered(outlook, layer, size)],
      ["binary", quoteBinary(outlook, numberAt(vector, "strikeBps"), size)],
    ] as const) {
      assert.equal(result.status, "quoted");
      const expected = fieldsAt(vector, kind);
      if (result.status !== "quoted") return;
      assertAgree(result.quote, expected, Object.keys(expected), `vector ${at} ${kind}`);
      assert.equal(result.quote.spreadBps, numberAt(expected, "spreadBps"));
    }
  }
});
