// The reference vectors: every number of every case, to 1e-9.
// Invariant: a vector that cannot be read fails the test; only an absent file skips it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { monthOf } from "#base/month.ts";
import { levelScale, type PriceModel, type PricingLevel } from "#pricing/constants.ts";
import { distributionOf, type Outlook } from "#pricing/distribution.ts";
import { firstLoads, quoteBinary, quoteLayered } from "#pricing/quote.ts";

const fileOf = (name: string): URL => new URL(`../../../shared/pricing/${name}`, import.meta.url);
const TOLERANCE = 1e-9;
/** The vectors were made for 10,000 USD of coverage and without a data-quality add-on. */
const size = { coverageUsd: 10_000, dataQualityBps: 0, loads: firstLoads };

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

function outlookAt(model: PriceModel, vector: Fields): Outlook {
  const f = fieldsAt(vector, "f");
  // The first model's vectors give them beside the place's own features.
  const around = model === "hmr-t4" ? vector : f;
  const level = vector.level;
  assert.ok(isPricingLevel(level), `level ${String(level)}`);
  return {
    model,
    index: "zhvi",
    level,
    asOfMonth: monthOf(2025, 6),
    horizonMonths: numberAt(vector, "h"),
    features: {
      m: numberAt(f, "m"),
      g60: numberAt(f, "g60"),
      lv: numberAt(f, "lv"),
      mN: numberAt(around, "mN"),
      mS: numberAt(around, "mS"),
      g60N: model === "hmr-t4" ? 0 : numberAt(f, "g60N"),
      g60S: model === "hmr-t4" ? 0 : numberAt(f, "g60S"),
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

/** Undefined when skipped. */
function vectorsOf(t: TestContext, name: string): readonly unknown[] | undefined {
  const file = fileOf(name);
  if (!existsSync(file)) {
    t.skip(`../shared/pricing/${name} is absent`);
    return undefined;
  }
  const vectors: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(Array.isArray(vectors) && vectors.length >= 100, "a list of at least 100 vectors");
  return vectors;
}

function assertQuoted(model: PriceModel, vectors: readonly unknown[]) {
  for (const [at, vector] of vectors.entries()) {
    assert.ok(isFields(vector));
    const outlook = outlookAt(model, vector);
    const { mu, s, bust, loadScale } = distributionOf(outlook);
    // With two regimes the vectors give the scale before kappa splits it.
    const told = bust === undefined ? { mu, s } : { mu, s: loadScale / 1.1, w: bust.weight };
    assertAgree(told, vector, Object.keys(told), `vector ${at}`);

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
    }
  }
}

test("all vectors of the first model agree to 1e-9", (t) => {
  const vectors = vectorsOf(t, "vectors.json");
  if (vectors !== undefined) assertQuoted("hmr-t4", vectors);
});

test("all vectors of two regimes agree to 1e-9, with the carry they were made with", (t) => {
  const vectors = vectorsOf(t, "vectors-regime.json");
  if (vectors !== undefined) assertQuoted("hmr-t4r", vectors);
});
