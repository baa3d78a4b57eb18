// A node's view fails to take an entry in, by a fault of ours put in here.
// Invariant tested: no order is lost or told twice, no answer shows less than was answered before,
// and where accounts cannot be drawn again, orders are still taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry } from "#core/outcome.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { isSettled } from "#test/engine/held-journal.ts";
import { type Closing, order, World } from "./world.ts";

const orders = "/api/trading/orders";

/** A journal whose appends wait for `go`, each for one, from `wait` on. */
class PacedJournal extends MemoryJournal {
  #waits = false;
  readonly #waiting: (() => void)[] = [];

  override async lead(...how: Parameters<MemoryJournal["lead"]>) {
    const lead = await super.lead(...how);
    const append: typeof lead.append = async (entries) => {
      if (this.#waits) await new Promise<void>((go) => this.#waiting.push(go));
      await lead.append(entries);
    };
    return { ...lead, append };
  }

  wait(): void {
    this.#waits = true;
  }

  /** One append; ends once the next one waits. */
  async go(): Promise<void> {
    const next = this.#waiting.shift();
    assert.ok(next !== undefined, "an append waits");
    next();
    await this.reached();
  }

  async reached(): Promise<void> {
    for (let turns = 0; this.#waiting.length === 0; turns += 1) {
      assert.ok(turns < 10_000, "an append comes");
      await nextTurn();
    }
  }

  end(): void {
    this.#waits = false;
    for (const go of this.#waiting.splice(0)) go();
  }
}

async function stage(t: Closing, journal = new PacedJournal()) {
  // The world ends after it: what still waits then would keep it open.
  t.after(async () => journal.end());
  const world = await World.open(t, [], journal);
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

const LATER = Date.UTC(2024, 11, 24);

/** An offer, buys that come while it is written, and a command that comes once it is durable. */
async function trade(
  { world, place, seller, buyer }: Awaited<ReturnType<typeof stage>>,
  journal: PacedJournal,
  whileBehind: (offered: Promise<unknown>) => Promise<void>,
) {
  const { sequence } = world.engine.status();
  journal.wait();
  const offered = place(seller.secret, { side: "SELL", amount: "100", price: 0.5 });
  await journal.reached();
  const early = [1, 2, 3].map((amount) => place(buyer.secret, { amount: `${amount}`, price: 0.5 }));
  while (world.engine.status().sequence < sequence + 4) await nextTurn();
  // The engine's own: what HTTP has let in before, or the exchange gives itself.
  await journal.go();
  const late = world.root({ type: "SetClock", toMillis: LATER });
  await whileBehind(offered);
  journal.end();
  await late;
  return Promise.all([offered, ...early]);
}

test("a view that failed at one entry is drawn again before anything is answered", async (t) => {
  const journals = [new PacedJournal(), new PacedJournal()] as const;
  const [broken, sound] = [await stage(t, journals[0]), await stage(t, journals[1])];
  await broken.shown();
  breakNextFold(broken.world);
  const whileBehind: ReturnType<World["get"]>[] = [];
  const answers = await trade(broken, journals[0], async (offered) => {
    whileBehind.push(
      broken.world.get("/api/trading/account", broken.seller.secret),
      broken.place(broken.buyer.secret, { price: 0.3 }),
    );
    assert.equal(await isSettled(offered), false, "answered with the view");
    const { sequence, durableSequence } = broken.world.engine.status();
    assert.equal(sequence - durableSequence, 3, "nothing more is decided");
  });
  for (const { statusCode, body } of await Promise.all(whileBehind)) {
    assert.deepEqual([statusCode, JSON.parse(body).code], [503, "NODE_BEHIND"], "nothing is shown");
  }
  const expected = await trade(sound, journals[1], async () => undefined);
  const codes = (of: typeof answers) => of.map(({ statusCode }) => statusCode);
  assert.deepEqual(codes(answers), codes(expected));
  assert.deepEqual(new Set(codes(answers)), new Set([200]));
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
