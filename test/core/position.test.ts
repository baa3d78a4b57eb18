// Positions by average cost: worked trades, and the law that ties them to the cash that moved.
// Invariant: the cash is added up here, trade by trade, by nothing of the code under test.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, marketId } from "#base/ids.ts";
import { micros, noMoney } from "#base/money.ts";
import { parseTick, type Tick } from "#base/price.ts";
import { lots, noLots } from "#base/quantity.ts";
import {
  charged,
  feesOf,
  reversed,
  settled,
  takenOver,
  traded,
  undone,
} from "#core/account/position.ts";
import type { Position } from "#core/records.ts";

const flat: Position = {
  accountId: accountId("acc-1"),
  marketId: marketId("m"),
  heldLots: noLots,
  costMicros: noMoney,
  realisedMicros: noMoney,
  flowMicros: noMoney,
};

const tick = (price: string): Tick => {
  const parsed = parseTick(price);
  assert.ok(parsed !== undefined, `${price} is a price`);
  return parsed;
};

const after = (...trades: readonly (readonly [lots: bigint, price: string])[]): Position =>
  trades.reduce((held, [by, price]) => traded(held, lots(by), tick(price)), flat);

const figures = ({ heldLots, costMicros, realisedMicros, flowMicros }: Position) => [
  heldLots,
  costMicros,
  realisedMicros,
  flowMicros,
];

test("buying more averages the cost; selling realises against the average", () => {
  const bought = after([100n, "0.10"], [300n, "0.30"]);
  assert.deepEqual(figures(bought), [400n, 1_000_000n, 0n, -1_000_000n]);
  const sold = traded(bought, lots(-100n), tick("0.40"));
  assert.deepEqual(figures(sold), [300n, 750_000n, 150_000n, -600_000n]);
});

test("a short has received its cost, and buying it back below that is a gain", () => {
  const short = after([-200n, "0.30"]);
  assert.deepEqual(figures(short), [-200n, -600_000n, 0n, 600_000n]);
  const closer = traded(short, lots(50n), tick("0.10"));
  assert.deepEqual(figures(closer), [-150n, -450_000n, 100_000n, 550_000n]);
});

test("a trade beyond flat closes all, then opens at its own price", () => {
  const flipped = after([100n, "0.10"], [-250n, "0.20"]);
  assert.deepEqual(figures(flipped), [-150n, -300_000n, 100_000n, 400_000n]);
  const back = traded(flipped, lots(150n), tick("0.20"));
  assert.deepEqual(figures(back), [0n, 0n, 100_000n, 100_000n]);
});

test("the share of the cost rounds towards zero and the rest stays with what is held", () => {
  const three = after([2n, "0.0001"], [1n, "0.0002"]);
  assert.deepEqual(figures(three), [3n, 4n, 0n, -4n]);
  const two = traded(three, lots(-1n), tick("0.0003"));
  assert.deepEqual(figures(two), [2n, 3n, 2n, -1n]);
  const short = after([-2n, "0.0001"], [-1n, "0.0002"], [1n, "0.0003"]);
  assert.deepEqual(figures(short), [-2n, -3n, -2n, 1n]);
});

test("fees stay apart; a settlement realises; a void leaves what the account still has", () => {
  const held = charged(after([100n, "0.10"]), micros(700n));
  assert.deepEqual(figures(held), [100n, 100_000n, 0n, -100_700n]);
  assert.equal(feesOf(held), 700n);
  const paid = settled(held, micros(1_000_000n));
  assert.deepEqual(figures(paid), [0n, 0n, 900_000n, 899_300n]);
  assert.equal(feesOf(paid), 700n);
  const refunded = reversed(undone(held), micros(100_000n));
  assert.deepEqual(figures(refunded), [0n, 0n, -700n, -700n]);
  assert.equal(feesOf(refunded), 0n);
});

test("a short taken over is worth what was given for it, and the law of the cash holds", () => {
  const taken = takenOver(after([-100n, "0.10"]), lots(50n), micros(7n));
  assert.deepEqual(figures(taken), [-150n, -100_007n, 0n, 100_007n]);
  assert.equal(feesOf(taken), 0n);
});

test("a short taken over closes a long first, each with its part of the cash", () => {
  const long = after([100n, "0.10"]);
  const part = takenOver(long, lots(40n), micros(50_001n));
  assert.deepEqual(figures(part), [60n, 60_000n, 10_001n, -49_999n]);
  const beyond = takenOver(long, lots(150n), micros(300_001n));
  assert.deepEqual(figures(beyond), [-50n, -100_001n, 100_000n, 200_001n]);
  assert.deepEqual(figures(takenOver(flat, lots(50n), micros(7n))), [-50n, -7n, 0n, 7n]);
  for (const taken of [part, beyond]) assert.equal(feesOf(taken), 0n);
});

test("whatever is traded, realised − cost − fees is the cash that moved", () => {
  const trade = fc.record({
    by: fc.bigInt({ min: -1_000n, max: 1_000n }).filter((by) => by !== 0n),
    price: fc.integer({ min: 1, max: 9_999 }),
    fee: fc.bigInt({ min: 0n, max: 50n }),
  });
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 40 }), fc.bigInt({ min: 0n }), (trades, payout) => {
      let position = flat;
      let cash = 0n;
      let fees = 0n;
      for (const { by, price, fee } of trades) {
        position = charged(
          traded(position, lots(by), tick((price / 10_000).toFixed(4))),
          micros(fee),
        );
        cash -= by * BigInt(price) + fee;
        fees += fee;
        assert.equal(position.flowMicros, cash);
        assert.equal(position.realisedMicros - position.costMicros - fees, cash);
        assert.equal(feesOf(position), fees);
        // The held lots never cost more than 1 USD a contract, nor less than nothing.
        const { heldLots, costMicros } = position;
        const [held, cost] = heldLots < 0n ? [-heldLots, -costMicros] : [heldLots, costMicros];
        assert.ok(cost >= 0n && cost <= held * 10_000n, `${heldLots} lots cost ${costMicros}`);
      }
      const ended = settled(position, micros(payout));
      assert.equal(ended.realisedMicros, cash + payout + fees);
    }),
  );
});
