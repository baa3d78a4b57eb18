// The pages of orders beside a map: the same orders in the order they came, however full or thin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { OrderPages, PAGE_ORDERS } from "#core/order/pages.ts";
import type { Order } from "#core/records.ts";
import { drawing } from "#test/journal/sealed.ts";
import { layer } from "./premiums.ts";
import { order, World } from "./world.ts";

const world = new World();
world.print("2024-10", "300000");
const listing = world.listing("2025-08", layer);
const trader = world.trader("one", "10");
const sample = world.order(order(listing, "BUY", "0.01", "0.0001"), trader, listing);

const numbered = (number: number, filled = 0n): Order => ({
  ...sample,
  id: orderId(`ord-${number}`),
  filledLots: lots(filled),
});

function assertSame(pages: OrderPages, map: ReadonlyMap<string, Order>): void {
  assert.equal(pages.size, map.size);
  assert.deepEqual([...pages.values()], [...map.values()]);
}

/** Orders come, now and then the higher number first; they change, and leave from anywhere. */
function play(seed: number, pages: OrderPages, map: Map<string, Order>, from: number): number {
  const draw = drawing(seed);
  const here = [...map.keys()];
  let next = from;
  const put = (one: Order): void => {
    if (!map.has(one.id)) here.push(one.id);
    pages.set(one);
    map.set(one.id, one);
  };
  for (let step = 0; step < 30_000; step += 1) {
    const isGrowing = step % 12_000 < 8_000;
    if (isGrowing && draw(200) === 0) {
      put(numbered(next + 2));
      put(numbered(next + 1));
      put(numbered(next));
      next += 3;
    } else if (isGrowing && draw(3) > 0) {
      put(numbered(next));
      // Most of them close to one another, some far beyond what a map can hold.
      next += draw(2_000) === 0 ? PAGE_ORDERS * 100_000 : 1 + draw(3);
    }
    const [at] = [draw(here.length + 1)];
    const id = here[at];
    if (id === undefined) continue;
    const one = map.get(id);
    assert.deepEqual(pages.get(orderId(id)), one);
    if (one !== undefined && draw(4) === 0) put({ ...one, filledLots: lots(BigInt(step)) });
    else if (!isGrowing) {
      pages.delete(orderId(id));
      map.delete(id);
      here.splice(at, 1);
    }
  }
  return next;
}

test("pages tell what a map would, in the order in which orders came", () => {
  for (const seed of [1, 2, 3]) {
    const [pages, map] = [new OrderPages(), new Map<string, Order>()];
    play(seed, pages, map, 1);
    assert.ok(map.size > 1_000, `${map.size}`);
    assertSame(pages, map);
    for (const at of pages.pageNumbers()) {
      const listed = [...pages.between(at * PAGE_ORDERS, (at + 1) * PAGE_ORDERS)];
      assert.ok(listed.length > 0, "a page that is kept holds an order");
    }
    for (const id of map.keys()) pages.delete(orderId(id));
    assert.deepEqual([pages.size, pages.pageNumbers()], [0, []]);
  }
});

test("a page with many orders, then few, then many again", () => {
  const [pages, map] = [new OrderPages(), new Map<string, Order>()];
  for (const [first, last] of [
    [1, 9_000],
    [9_001, 20_000],
  ] as const) {
    for (let number = first; number <= last; number += 1) {
      pages.set(numbered(number));
      map.set(`ord-${number}`, numbered(number));
    }
    assertSame(pages, map);
    for (let number = first; number <= last; number += 1) {
      if (number % 100 === 0) continue;
      pages.delete(orderId(`ord-${number}`));
      map.delete(`ord-${number}`);
    }
    assertSame(pages, map);
  }
});

test("pages over others read through, and leave no trace in them", () => {
  const [pages, map] = [new OrderPages(), new Map<string, Order>()];
  const next = play(4, pages, map, 1);
  const [over, copy] = [pages.layer(), new Map(map)];
  play(5, over, copy, next);
  assertSame(over, copy);
  assertSame(over.layer(), copy);
  const numbers = over.pageNumbers();
  const listed = numbers.flatMap((at) => [
    ...over.between(at * PAGE_ORDERS, (at + 1) * PAGE_ORDERS),
  ]);
  assert.equal(listed.length, copy.size);
  assertSame(pages, map);
});

test("copied pages are the same, and go on by themselves", () => {
  const [pages, map] = [new OrderPages(), new Map<string, Order>()];
  const next = play(6, pages, map, 1);
  const [copy, copied] = [pages.copy(), new Map(map)];
  assert.deepEqual([...copy.late()], [...pages.late()]);
  assertSame(copy, copied);
  play(7, copy, copied, next);
  assertSame(copy, copied);
  assertSame(pages, map);
  const layered = pages.layer();
  layered.delete(orderId([...map.keys()][0] ?? ""));
  assert.deepEqual([...layered.copy().values()], [...layered.values()]);
});

test("an id that is not written as ours finds nothing", () => {
  const pages = new OrderPages();
  pages.set(numbered(7));
  for (const id of ["ord-07", "ord-7.0", "ord-", "ord-x", "ord--7", "ORD-7", "7", "", "ord-1e99"]) {
    assert.equal(pages.get(orderId(id)), undefined, id);
    pages.delete(orderId(id));
  }
  assert.equal(pages.size, 1);
  assert.throws(() => pages.set({ ...sample, id: orderId("ord-x") }), /order's id/);
});

const numbersIn = (pages: Iterable<Order>): readonly number[] =>
  [...pages].map(({ id }) => Number(id.slice("ord-".length)));

function pagesOf(...numbers: readonly number[]): OrderPages {
  const pages = new OrderPages();
  for (const number of numbers) pages.set(numbered(number));
  return pages;
}

const idOf = (number: number) => orderId(`ord-${number}`);

test("orders are told as they came, also those that came after a higher number", () => {
  for (const numbers of [
    [1, 2, 3],
    [3, 2, 1],
    [5, 4, 9, 8, 7, 10],
    [2, PAGE_ORDERS + 2, 1, PAGE_ORDERS + 1, 3 * PAGE_ORDERS, 3],
  ]) {
    const pages = pagesOf(...numbers);
    assert.deepEqual(numbersIn(pages.values()), numbers);
    assert.equal(pages.size, numbers.length);
    const again = pagesOf(...numbers.toSorted((a, b) => a - b));
    again.putLate(pages.late());
    assert.deepEqual(numbersIn(again.values()), numbers, "also out of a snapshot");
  }
  assert.deepEqual(
    [...pagesOf(5, 4, 9, 8).late()],
    [
      [4, 5],
      [8, 9],
    ],
  );
  assert.deepEqual([...pagesOf(1, 2, 3).late()], []);
});

test("one that came late keeps its place when what it stood behind has gone", () => {
  const pages = pagesOf(10, 5, 4, 11);
  pages.delete(idOf(10));
  assert.deepEqual(numbersIn(pages.values()), [5, 4, 11]);
  assert.deepEqual([...pages.late()], [[4, 5]], "5 stands behind nothing any more");
  pages.delete(idOf(11));
  assert.deepEqual(numbersIn(pages.values()), [5, 4]);
  pages.delete(idOf(5));
  assert.deepEqual([numbersIn(pages.values()), [...pages.late()]], [[4], []]);
});

test("a record that changes stays where it is; one that left and comes again is the newest", () => {
  const pages = pagesOf(1, 3, 2, 4);
  for (const number of [1, 2, 4]) pages.set(numbered(number, 7n));
  assert.deepEqual(numbersIn(pages.values()), [1, 3, 2, 4]);
  assert.equal(pages.get(idOf(2))?.filledLots, 7n);
  assert.equal(pages.size, 4);
  pages.delete(idOf(1));
  pages.delete(idOf(1));
  assert.deepEqual([pages.size, pages.has(idOf(1)), pages.has(idOf(2))], [3, false, true]);
  pages.set(numbered(1));
  assert.deepEqual(numbersIn(pages.values()), [3, 2, 4, 1]);
  pages.delete(idOf(2));
  pages.set(numbered(2));
  assert.deepEqual(numbersIn(pages.values()), [3, 4, 1, 2]);
  const turned = pagesOf(5, 4);
  turned.delete(idOf(5));
  turned.set(numbered(5));
  assert.deepEqual(numbersIn(turned.values()), [4, 5], "the highest number too");
});

test("a page ends before the first number of the next, and is kept while it holds an order", () => {
  const [last, first] = [PAGE_ORDERS - 1, PAGE_ORDERS];
  const pages = pagesOf(2 * PAGE_ORDERS + 1, 0, last, first, 7, 3);
  assert.deepEqual(pages.pageNumbers(), [0, 1, 2]);
  assert.deepEqual(numbersIn(pages.between(0, PAGE_ORDERS)), [0, 3, 7, last], "by number");
  assert.deepEqual(numbersIn(pages.between(3, 7)), [3]);
  assert.deepEqual(numbersIn(pages.between(first, 2 * PAGE_ORDERS)), [first]);
  assert.deepEqual(numbersIn(pages.between(first + 1, 2 * PAGE_ORDERS)), []);
  assert.deepEqual(numbersIn(pages.between(9 * PAGE_ORDERS, 10 * PAGE_ORDERS)), []);
  pages.set(numbered(first + 5));
  assert.deepEqual(numbersIn(pages.between(first, first + 5)), [first]);
  for (const number of [first, first + 5]) pages.delete(idOf(number));
  assert.deepEqual(pages.pageNumbers(), [0, 2]);
});

test("an order numbered nought is one", () => {
  const pages = pagesOf(0, 1);
  assert.deepEqual(numbersIn(pages.values()), [0, 1]);
  assert.equal(pages.get(idOf(0))?.id, "ord-0");
});

test("a full page tells what it told when it had few, and its copy is its own", () => {
  const pages = new OrderPages();
  const few = 1_025;
  for (let number = 1; number <= 4_096; number += 1) pages.set(numbered(number));
  const copy = pages.copy();
  assert.deepEqual(numbersIn(pages.between(4_000, 4_002)), [4_000, 4_001]);
  assert.deepEqual(numbersIn(pages.between(4_096, 4_098)), [4_096]);
  assert.equal(numbersIn(copy.values()).length, 4_096);
  for (let number = few; number <= 4_096; number += 1) pages.delete(idOf(number));
  assert.equal(pages.size, few - 1);
  const left = numbersIn(pages.values());
  assert.deepEqual([left.length, left[0], left.at(-1)], [few - 1, 1, few - 1]);
  assert.deepEqual([pages.has(idOf(few)), copy.has(idOf(few))], [false, true]);
  copy.delete(idOf(1));
  assert.equal(pages.has(idOf(1)), true);
});

test("a copy of pages has their orders, their late ones and their newest number", () => {
  const pages = pagesOf(3, 2, 5);
  const copy = pages.copy();
  assert.deepEqual([numbersIn(copy.values()), copy.size], [[3, 2, 5], 3]);
  copy.set(numbered(4));
  copy.delete(idOf(3));
  assert.deepEqual(numbersIn(copy.values()), [2, 5, 4], "4 came after 5");
  assert.deepEqual([numbersIn(pages.values()), pages.size], [[3, 2, 5], 3]);
});

test("a layer reads through, keeps what is written, and leaves the pages below alone", () => {
  const below = pagesOf(3, 2, PAGE_ORDERS + 5);
  const layer = below.layer();
  assert.deepEqual([numbersIn(layer.values()), layer.size], [[3, 2, PAGE_ORDERS + 5], 3]);
  layer.set(numbered(2, 7n));
  assert.deepEqual([layer.get(idOf(2))?.filledLots, below.get(idOf(2))?.filledLots], [7n, 0n]);
  assert.equal(layer.size, 3, "a change is none more");
  layer.delete(idOf(3));
  layer.delete(idOf(3));
  layer.delete(idOf(99));
  assert.deepEqual([layer.get(idOf(3)), layer.has(idOf(3)), layer.size], [undefined, false, 2]);
  layer.set(numbered(9));
  layer.set(numbered(8));
  assert.deepEqual(numbersIn(layer.values()), [2, PAGE_ORDERS + 5, 9, 8]);
  assert.equal(layer.size, 4);
  assert.deepEqual(numbersIn(layer.between(2, 9)), [2, 8]);
  assert.deepEqual(numbersIn(layer.between(3, 10)), [8, 9], "by number");
  assert.deepEqual(layer.pageNumbers(), [0, 1]);
  layer.delete(idOf(9));
  assert.deepEqual(
    [numbersIn(layer.copy().values()), layer.copy().size],
    [[2, PAGE_ORDERS + 5, 8], 3],
  );
  layer.set(numbered(3));
  assert.deepEqual([layer.size, layer.has(idOf(3))], [4, true]);
  assert.deepEqual(numbersIn(layer.layer().values()), numbersIn(layer.values()));
  assert.deepEqual(numbersIn(below.values()), [3, 2, PAGE_ORDERS + 5]);
  const turned = pagesOf(PAGE_ORDERS + 1, 1).layer();
  assert.deepEqual(turned.pageNumbers(), [0, 1]);
});
