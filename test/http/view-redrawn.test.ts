// What a node shows fails to take an entry in, by a fault of ours put in here.
// Invariant tested: no order is lost or told twice, no answer shows less than was answered before,
// and where accounts cannot be drawn again, orders are still taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "#core/outcome.ts";
import { type Closing, order, World } from "./world.ts";

const orders = "/api/trading/orders";

async function stage(t: Closing) {
  const world = await World.open(t);
  const [seller, buyer] = [await world.trader("seller"), await world.trader("buyer")];
  const market = await world.market();
  const told: number[] = [];
  world.onDurable = ({ sequence }) => void told.push(sequence);
  const place = (secret: string, more: object) => world.post(orders, secret, order(market, more));
  const shown = async () => {
    const reads = [seller, buyer].flatMap(({ secret }) =>
      ["/account", "/positions", "/orders", "/fills"].map((path) =>
        world.get(`/api/trading${path}`, secret),
      ),
    );
    return (await Promise.all(reads)).map(({ statusCode, body }) => ({ statusCode, body }));
  };
  return { world, seller, buyer, market, told, place, shown };
}

/** The next fold that meets an order fails, half of its events taken in. */
function breakNextFold(world: World): void {
  const { view } = world;
  const fold = view.fold.bind(view);
  view.fold = (entry: Entry) => {
    view.fold = fold;
    const { outcome } = entry;
    assert.ok("events" in outcome && outcome.events.length > 1, "there are events to lose");
    fold({ ...entry, outcome: { ...outcome, events: outcome.events.slice(0, 1) } });
    throw new Error("half of it is lost");
  };
}

/** 20 buys that come together, each filled by what is offered. */
async function trade({ place, seller, buyer }: Awaited<ReturnType<typeof stage>>) {
  const offered = await place(seller.secret, { side: "SELL", amount: "100", price: 0.5 });
  assert.equal(offered.statusCode, 200, offered.body);
  return Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      place(buyer.secret, { amount: `${1 + at}`, price: 0.5, clientOrderId: `c${at}` }),
    ),
  );
}

test("a view that failed at one entry is drawn again before anything is answered", async (t) => {
  const [broken, sound] = [await stage(t), await stage(t)];
  await broken.shown();
  breakNextFold(broken.world);
  const [answers, expected] = [await trade(broken), await trade(sound)];
  const codes = (of: typeof answers) => of.map(({ statusCode }) => statusCode);
  assert.deepEqual(codes(answers), codes(expected));
  assert.deepEqual(await broken.shown(), await sound.shown());
  assert.deepEqual(broken.told, sound.told, "every entry is told once, in order");

  const [fault, ...more] = broken.world.viewFaults.splice(0);
  assert.deepEqual([fault?.isLost, more], [false, []]);
  assert.equal(fault?.sequence, broken.told[0], "the order that rests");
  assert.match(fault?.requestId ?? "", /\S/);
});

test("where it cannot be drawn again, accounts answer 503, and orders are taken", async (t) => {
  const { world, seller, buyer, told, place } = await stage(t);
  const { view } = world;
  breakNextFold(world);
  view.redraw = () => {
    throw new Error("nor can it be drawn");
  };
  const placed = await place(seller.secret, { side: "SELL", amount: "5", price: 0.5 });
  assert.equal(placed.statusCode, 200, placed.body);
  assert.deepEqual(
    world.viewFaults.splice(0).map(({ isLost }) => isLost),
    [false, true],
  );
  for (const path of ["/account", "/positions", "/orders"]) {
    const read = await world.get(`/api/trading${path}`, seller.secret);
    assert.deepEqual([read.statusCode, read.json().code], [503, "NODE_BEHIND"], path);
    assert.equal(read.headers["retry-after"], "1");
  }
  const filled = await place(buyer.secret, { amount: "5", price: 0.5 });
  assert.deepEqual([filled.statusCode, filled.json().data.status], [200, "FILLED"], filled.body);
  const late = await world.trader("late");
  const resting = await place(late.secret, { price: 0.3 });
  assert.equal(resting.statusCode, 200, "a key made since is known");
  assert.equal((await world.get("/api/status")).statusCode, 200);
  assert.deepEqual(
    told,
    told.map((_, at) => (told[0] ?? 0) + at),
  );
  assert.deepEqual(world.viewFaults, [], "one alert is enough");
});
