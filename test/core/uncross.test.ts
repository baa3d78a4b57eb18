// The auction of one market against an obvious one: every price of the grid is tried, every order
// looked at. Over random books, with prices of a few cents and of the whole grid.
// Invariant: nothing of the core's search is called by the obvious one.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, marketId, orderId } from "#base/ids.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { Book } from "#core/book/book.ts";
import { uncrossOf } from "#core/book/indicative.ts";
import { pairsAt } from "#core/book/uncross.ts";
import type { Order } from "#core/records.ts";

const toTick = (value: number): Tick => (isTick(value) ? value : assert.fail(`${value}`));

const plain = {
  marketId: marketId("mkt-1"),
  clientOrderId: null,
  status: "OPEN",
  cancelReason: null,
  timeInForce: "GTC",
  postOnly: false,
  reduceOnly: false,
  selfTradePrevention: "cancel_incoming",
  expirySeconds: 0,
  createdAtMillis: 0,
} as const;

interface Drawn {
  readonly buys: boolean;
  readonly onNo: boolean;
  /** Of YES. */
  readonly price: number;
  readonly amount: bigint;
  readonly done: bigint;
}

const made = ({ buys, onNo, price, amount, done }: Drawn, at: number): Order => ({
  ...plain,
  id: orderId(`ord-${at + 1}`),
  accountId: accountId(`acc-${at + 1}`),
  outcomeIndex: onNo ? 1 : 0,
  side: buys !== onNo ? "BUY" : "SELL",
  priceTick: toTick(onNo ? 10_000 - price : price),
  amountLots: lots(amount + done),
  filledLots: lots(done),
  rank: at + 1,
});

/** Every price in turn; undefined where nothing trades at any. */
function obvious(orders: readonly Drawn[], mark: number) {
  const sum = (isMeant: (one: Drawn) => boolean): bigint =>
    orders.filter(isMeant).reduce((total, { amount }) => total + amount, 0n);
  const all = Array.from({ length: 9_999 }, (_, at) => {
    const price = at + 1;
    const bought = sum((one) => one.buys && one.price >= price);
    const sold = sum((one) => !one.buys && one.price <= price);
    const surplus = bought - sold;
    const left = surplus < 0n ? -surplus : surplus;
    return { price, volume: bought < sold ? bought : sold, surplus, left };
  });
  const best = all.reduce((first, one) => {
    const isBetter =
      Number(first.volume - one.volume) ||
      Number(one.left - first.left) ||
      Math.abs(one.price - mark) - Math.abs(first.price - mark);
    return isBetter < 0 ? one : first;
  });
  return best.volume === 0n ? undefined : best;
}

const bookOf = (orders: readonly Drawn[]): Book => {
  const book = new Book();
  for (const [at, order] of orders.entries()) book.put(made(order, at));
  return book;
};

const drawn = (prices: fc.Arbitrary<number>) =>
  fc.array(
    fc.record({
      buys: fc.boolean(),
      onNo: fc.boolean(),
      price: prices,
      amount: fc.bigInt(1n, 6n),
      done: fc.bigInt(0n, 2n),
    }),
    { maxLength: 14 },
  );

const worlds = fc.oneof(
  fc.record({
    orders: drawn(fc.integer({ min: 495, max: 505 })),
    mark: fc.integer({ min: 490, max: 510 }),
  }),
  fc.record({
    orders: drawn(
      fc.oneof(fc.constantFrom(1, 2, 9_998, 9_999), fc.integer({ min: 1, max: 9_999 })),
    ),
    mark: fc.integer({ min: 1, max: 9_999 }),
  }),
);

test("price, volume and surplus are those of trying every price", () => {
  const seen = { none: 0, traded: 0, surplus: 0, atMark: 0 };
  fc.assert(
    fc.property(worlds, ({ orders, mark }) => {
      const expected = obvious(orders, mark);
      const found = uncrossOf(bookOf(orders), toTick(mark));
      const shown = found && [found.tick, found.volumeLots, found.surplusLots];
      assert.deepEqual(shown, expected && [expected.price, expected.volume, expected.surplus]);
      seen[expected === undefined ? "none" : "traded"] += 1;
      if (expected?.surplus) seen.surplus += 1;
      if (expected?.price === mark) seen.atMark += 1;
    }),
    { numRuns: Number(process.env.FIRSTPRINT_UNCROSS ?? 300), seed: 86 },
  );
  for (const [kind, count] of Object.entries(seen)) {
    assert.ok(count > 20, `${kind}: ${count}`);
  }
});

const sell = (price: number, amount: bigint): Drawn => ({
  ...{ buys: false, onNo: false, done: 0n },
  price,
  amount,
});
const buy = (price: number, amount: bigint): Drawn => ({ ...sell(price, amount), buys: true });

test("by hand: the price, what trades at it, and what is left over on either side", () => {
  const shown = (mark: number, orders: readonly Drawn[]) => {
    const found = uncrossOf(bookOf(orders), toTick(mark));
    return found && [found.tick, found.volumeLots, found.surplusLots];
  };
  assert.equal(shown(500, [buy(499, 1n), sell(500, 1n)]), undefined);
  assert.deepEqual(shown(700, [buy(500, 1n), sell(500, 1n)]), [500, 1n, 0n], "a single price");
  assert.deepEqual(shown(500, [buy(505, 2n), sell(500, 5n)]), [500, 2n, -3n], "sellers are left");
  // 490 to 500: 2 of 6 bought. 501 to 505: 2 of 3. From 506: 3, and 3 of 6 sold.
  const inTurn = [buy(510, 3n), buy(500, 3n), sell(490, 2n), sell(506, 4n)];
  assert.deepEqual(shown(520, inTurn), [510, 3n, -3n]);
  assert.deepEqual(shown(1, inTurn), [506, 3n, -3n]);
  // Each bid but the two best leaves buyers without a seller.
  const below = [buy(510, 1n), buy(505, 1n), buy(500, 5n), buy(495, 5n), sell(490, 2n)];
  assert.deepEqual(shown(500, below), [501, 2n, 0n]);
  // 3 trade at 501, and 9 are left of it; 2 from 502 on, and 1 is left.
  const more = [buy(505, 2n), buy(501, 10n), sell(500, 2n), sell(501, 1n)];
  assert.deepEqual(shown(505, more), [501, 3n, 9n], "volume goes before what is left");
  const less = [buy(505, 2n), sell(500, 2n), sell(503, 5n)];
  assert.deepEqual(shown(505, less), [502, 2n, 0n], "what is left goes before the mark");
});

test("by hand: an order meets as many of the other side as it takes, none beyond the price", () => {
  const met = (orders: readonly Drawn[], price: number) =>
    pairsAt(bookOf(orders), toTick(price)).map((pair) => [
      pair.buy.id.slice("ord-".length),
      pair.sell.id.slice("ord-".length),
      pair.quantity,
    ]);
  const asks = [sell(495, 3n), sell(500, 3n), sell(505, 3n), sell(506, 3n)];
  assert.deepEqual(met([buy(510, 10n), ...asks], 505), [
    ["1", "2", 3n],
    ["1", "3", 3n],
    ["1", "4", 3n],
  ]);
  const bids = [buy(505, 3n), buy(500, 3n), buy(495, 3n), buy(494, 3n)];
  assert.deepEqual(met([sell(490, 10n), ...bids], 495), [
    ["2", "1", 3n],
    ["3", "1", 3n],
    ["4", "1", 3n],
  ]);
});

test("each rule decides only where the ones before it leave two prices", () => {
  const at = (orders: readonly Drawn[], mark: number) =>
    uncrossOf(bookOf(orders), toTick(mark))?.tick;
  // Most volume: 3 at 501 against 2 anywhere else, however near the mark.
  assert.equal(at([buy(505, 2n), buy(501, 1n), sell(500, 2n), sell(501, 1n)], 505), 501);
  // Least surplus: 2 trade from 500 to 502; at 502 the second buyer is gone.
  assert.equal(at([buy(505, 2n), buy(501, 5n), sell(500, 2n)], 500), 502);
  // Nearest the mark, from above, within, from below.
  assert.deepEqual(
    [9_000, 503, 1].map((mark) => at([buy(505, 1n), sell(500, 1n)], mark)),
    [505, 503, 500],
  );
  // As much, and as much left over on either side of 500.5: the nearest the mark of both.
  const sides = [buy(510, 1n), buy(500, 1n), sell(490, 1n), sell(501, 1n)];
  assert.deepEqual(
    [499, 505].map((mark) => at(sides, mark)),
    [499, 505],
  );
  // As near on either side: the lower. 1 trades at any price; from 501 to 509 a buyer is left over.
  assert.equal(at([buy(510, 1n), buy(500, 1n), sell(490, 1n), sell(511, 1n)], 505), 505);
  const twoGaps = [buy(510, 2n), buy(505, 1n), sell(495, 1n), sell(500, 1n), sell(506, 1n)];
  assert.equal(at(twoGaps, 505), obvious(twoGaps, 505)?.price);
});

test("orders meet by price, then by time, and none is left that would trade", () => {
  fc.assert(
    fc.property(worlds, ({ orders, mark }) => {
      const book = bookOf(orders);
      const found = uncrossOf(book, toTick(mark));
      if (found === undefined) return;
      const filled = new Map<string, bigint>();
      for (const { buy, sell, quantity } of pairsAt(book, found.tick)) {
        assert.ok(quantity > 0n);
        for (const { id } of [buy, sell]) filled.set(id, (filled.get(id) ?? 0n) + quantity);
      }
      for (const buys of [true, false]) {
        const side = orders
          .map((order, at) => ({ ...order, at, got: filled.get(`ord-${at + 1}`) ?? 0n }))
          .filter((one) => one.buys === buys);
        const better = (a: number, b: number): boolean => (buys ? a > b : a < b);
        const total = side.reduce((sum, { got }) => sum + got, 0n);
        assert.equal(total, found.volumeLots);
        for (const one of side) {
          assert.ok(one.got === 0n || !better(found.tick, one.price), "nobody beyond its limit");
          const ahead = side.filter(
            (other) =>
              better(other.price, one.price) || (other.price === one.price && other.at < one.at),
          );
          const isServed = ahead.every(({ got, amount }) => got === amount);
          assert.ok(one.got === 0n || isServed, "those ahead of it are served whole");
        }
      }
      const rest = orders.flatMap((order, at) => {
        const amount = order.amount - (filled.get(`ord-${at + 1}`) ?? 0n);
        return amount === 0n ? [] : [{ ...order, amount }];
      });
      assert.equal(obvious(rest, mark), undefined, "nothing is left that would trade");
    }),
    { numRuns: 200, seed: 87 },
  );
});
