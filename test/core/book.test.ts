// The fast book against the obvious one: the same puts, the same answers.
// Invariant: after every put both books tell the same best, order of meeting and depth.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accountId, marketId, orderId } from "#base/ids.ts";
import { parseTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { Book } from "#core/book/book.ts";
import { cancelled, filled, isOpen, remaining } from "#core/book/order.ts";
import type { Order } from "#core/records.ts";
import { PlainBook } from "./plain-book.ts";

const prices = ["0.01", "0.02", "0.03", "0.5", "0.97", "0.98", "0.99"];

const tickOf = (price: string): Tick => parseTick(price) ?? assert.fail(price);

function fresh(rank: number, buys: boolean, no: boolean, price: number): Order {
  return {
    id: orderId(`ord-${rank}`),
    accountId: accountId("acc-1"),
    marketId: marketId("m"),
    clientOrderId: null,
    outcomeIndex: no ? 1 : 0,
    side: buys ? "BUY" : "SELL",
    priceTick: tickOf(prices[price % prices.length] ?? ""),
    amountLots: lots(10n),
    filledLots: lots(0n),
    status: "OPEN",
    cancelReason: null,
    timeInForce: "GTC",
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: "cancel_incoming",
    expirySeconds: 0,
    createdAtMillis: 0,
    rank,
  };
}

interface Put {
  readonly kind: "add" | "fill" | "cancel" | "fillFirst" | "amend";
  readonly at: number;
  readonly buys: boolean;
  readonly no: boolean;
  readonly price: number;
}

const puts: fc.Arbitrary<Put> = fc.record({
  kind: fc.constantFrom("add", "add", "add", "fill", "cancel", "fillFirst", "amend"),
  at: fc.nat(1000),
  buys: fc.boolean(),
  no: fc.boolean(),
  price: fc.nat(prices.length - 1),
});

/** The order's next record, as the exchange would make it. */
function next(
  put: Put,
  orders: readonly Order[],
  plain: PlainBook,
  rank: number,
): Order | undefined {
  if (put.kind === "add") return fresh(rank, put.buys, put.no, put.price);
  const open = orders.filter(isOpen);
  const chosen =
    put.kind === "fillFirst" ? plain.against(put.buys).at(0) : open.at(put.at % open.length);
  if (chosen === undefined) return undefined;
  if (put.kind === "amend") {
    const { priceTick } = fresh(rank, put.buys, put.no, put.price);
    return { ...chosen, priceTick, rank: put.at % 3 === 0 ? chosen.rank : rank };
  }
  if (put.kind === "cancel") return cancelled(chosen, "REQUESTED");
  return filled(chosen, put.at % 2 === 0 ? remaining(chosen) : lots(1n));
}

function compare(fast: Book, plain: PlainBook): void {
  assert.equal(fast.bestBid(), plain.bestBid());
  assert.equal(fast.bestAsk(), plain.bestAsk());
  for (const buying of [true, false]) {
    assert.deepEqual([...fast.against(buying)], plain.against(buying));
    assert.equal(fast.firstAgainst(buying), plain.against(buying).at(0));
  }
  assert.deepEqual([...fast.bids()], plain.depth(false));
  assert.deepEqual([...fast.asks()], plain.depth(true));
  for (const price of prices) {
    const at = tickOf(price);
    const resting = (buying: boolean) => plain.depth(buying).find((level) => level.tick === at);
    assert.deepEqual(fast.at("bid", at), resting(false));
    assert.deepEqual(fast.at("ask", at), resting(true));
  }
}

test("the fast book answers as the obvious one, put by put", () => {
  fc.assert(
    fc.property(fc.array(puts, { maxLength: 120, size: "max" }), (sequence) => {
      const [fast, plain] = [new Book(), new PlainBook()];
      const orders = new Map<string, Order>();
      for (const [at, put] of sequence.entries()) {
        const order = next(put, [...orders.values()], plain, at + 1);
        if (order === undefined) continue;
        fast.put(order, orders.get(order.id));
        orders.set(order.id, order);
        plain.put(order);
        compare(fast, plain);
      }
    }),
    { numRuns: 100 },
  );
});

test("a layer over a book answers as the obvious one, and the book below stays", () => {
  fc.assert(
    fc.property(fc.array(puts, { maxLength: 80, size: "max" }), fc.nat(80), (sequence, until) => {
      const [below, plain, plainBelow] = [new Book(), new PlainBook(), new PlainBook()];
      const orders = new Map<string, Order>();
      let book = below;
      for (const [at, put] of sequence.entries()) {
        if (at === until) book = below.layer();
        const order = next(put, [...orders.values()], plain, at + 1);
        if (order === undefined) continue;
        book.put(order, orders.get(order.id));
        orders.set(order.id, order);
        plain.put(order);
        if (at < until) plainBelow.put(order);
      }
      compare(book, plain);
      compare(below, plainBelow);
    }),
    { numRuns: 100 },
  );
});

test("a copy of a book has its orders, and neither changes with the other", () => {
  const orders = [fresh(1, true, false, 2), fresh(2, false, false, 3), fresh(3, true, false, 2)];
  const [book, plain] = [new Book(), new PlainBook()];
  for (const order of orders) {
    book.put(order);
    plain.put(order);
  }
  const copy = book.copy();
  compare(copy, plain);
  // At a price that both have, each under a rank of its own.
  const [ofCopy, ofBook] = [fresh(4, true, false, 2), fresh(5, true, false, 2)];
  copy.put(ofCopy);
  compare(book, plain);
  book.put(ofBook);
  plain.put(ofBook);
  compare(book, plain);
  assert.deepEqual(
    [...copy.against(false)].map(({ rank }) => rank),
    [1, 3, 4],
  );
  copy.put(cancelled(ofCopy, "REQUESTED"));
  book.put(cancelled(ofBook, "REQUESTED"));
  plain.put(cancelled(ofBook, "REQUESTED"));
  compare(book, plain);
  compare(copy, plain);
});

test("a long queue that loses its head and its middle stays in order", () => {
  const [fast, plain] = [new Book(), new PlainBook()];
  const orders = Array.from({ length: 600 }, (_, at) => fresh(at + 1, true, false, 3));
  for (const order of orders) {
    fast.put(order);
    plain.put(order);
  }
  // Every third from the middle first, then all from the front: its holes are closed on the way.
  const gone = [
    ...orders.filter(({ rank }) => rank % 3 === 0),
    ...orders.filter(({ rank }) => rank % 3 !== 0),
  ];
  for (const [at, order] of gone.entries()) {
    fast.put(cancelled(order, "REQUESTED"));
    plain.put(cancelled(order, "REQUESTED"));
    if (at % 40 === 0) compare(fast, plain);
  }
  compare(fast, plain);
  assert.equal(fast.bestBid(), undefined);
});

test("every kind of change, one by one, on both sides of both outcomes", () => {
  for (const buys of [true, false]) {
    for (const no of [true, false]) {
      const [fast, plain] = [new Book(), new PlainBook()];
      const put = (order: Order, before?: Order): void => {
        fast.put(order, before);
        plain.put(order);
        compare(fast, plain);
      };
      const [first, second, third] = [1, 2, 3].map((rank) => fresh(rank, buys, no, rank % 2));
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      compare(fast, plain);
      for (const order of [first, second, third]) put(order);
      // At another price under its rank, then at the first one under another rank.
      const moved = { ...first, priceTick: second.priceTick };
      put(moved, first);
      const back = { ...moved, priceTick: first.priceTick, rank: 9 };
      put(back, moved);
      put(filled(third, lots(3n)), third);
      // Done before it ever rested: at a level that others hold, behind them and before them.
      for (const rank of [10, 0]) put(cancelled(fresh(rank, buys, no, 1), "FILL_OR_KILL"));
      put(cancelled(fresh(11, buys, no, 5), "FILL_OR_KILL"));
      for (const order of [second, filled(third, lots(3n)), back]) {
        put(cancelled(order, "REQUESTED"), order);
      }
      put(cancelled(back, "REQUESTED"));
    }
  }
});

test("an old rank put into a newer queue stands in front of it", () => {
  const [fast, plain] = [new Book(), new PlainBook()];
  for (const rank of [5, 6, 2, 9, 1]) {
    const order = fresh(rank, true, false, 2);
    fast.put(order);
    plain.put(order);
  }
  compare(fast, plain);
});
