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
