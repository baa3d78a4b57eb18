// The estimate of the betas against figures by hand, and on a made-up panel whose truth is known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf } from "#base/month.ts";
import { panelOf } from "#pricing/backtest/panel.ts";
import { betaOf, pairsOf, tailOf } from "./betas.ts";

test("two months by hand: the slope, and an error that counts a month once", () => {
  const pairs = [
    { month: 1, x: -2, y: -1 },
    { month: 1, x: -2, y: -1 },
    { month: 2, x: -1, y: -2 },
  ];
  const { beta, error, months } = betaOf(pairs);
  // Σxy = 6, Σx² = 9; left over: 2·(−2)(1/3) of the first month, (−1)(−4/3) of the second.
  assert.ok(Math.abs(beta - 6 / 9) < 1e-12);
  assert.ok(Math.abs(error - Math.sqrt(2 * (4 / 3) ** 2) / 9) < 1e-12);
  assert.equal(months, 2);
});

test("the tail is the deepest hundredth, and only what fell", () => {
  const pairs = Array.from({ length: 200 }, (_, at) => ({ month: 0, x: at - 1, y: 0 }));
  assert.deepEqual(
    tailOf(pairs).map(({ x }) => x),
    [-1],
  );
});

test("a nation that goes half way with every place, a state that goes all the way", () => {
  const months = 60;
  // Momentum of a straight line is its slope: in the last year each state turns by its own part.
  const raw = Array.from({ length: 40 }, (_, at) => {
    const turn = at < 20 ? -0.02 : -0.01;
    const logs = Float64Array.from({ length: months }, (_, month) =>
      month < 48 ? 0 : turn * (month - 47),
    );
    return { name: `p${at}`, state: at < 20 ? "CA" : "TX", isNation: false, logs };
  });
  const panel = panelOf("made", "zhvi", "metro", 1, monthOf(2_000, 1), raw);
  const { state, nation } = pairsOf(panel, 3);
  const own = state.filter(({ x }) => x !== 0);
  assert.ok(own.length > 0);
  for (const { x, y } of own) assert.ok(Math.abs(x - y) < 1e-12);
  const tail = tailOf(nation);
  // The median of as many at −2 and −1 is between: three quarters of the deeper.
  assert.ok(Math.abs(betaOf(tail).beta - 0.75) < 1e-12);
});
