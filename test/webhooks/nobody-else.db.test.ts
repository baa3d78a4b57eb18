// Over random histories of traders in one market: a webhook carries what its own account's private
// stream carries, whole, and no id, address, balance or label of anybody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/e2e/until.ts";
import { entriesUpTo, openStream } from "#test/http/event-reader.ts";
import { type Holder, order } from "#test/http/world.ts";
import { randomFrom } from "#test/ingest/wide-file.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { checkOrder, Receiver } from "./receiver.ts";
import { Stage } from "./stage.ts";

const names = ["ann", "bob", "cyd", "dee"];
const STREAM = "/api/trading/stream";
const STEPS = 60;

/** Orders at random prices, each labelled by its trader. */
async function trade(
  { world }: Stage,
  traders: readonly Holder[],
  draw: (below: number) => number,
) {
  const marketId = await world.market();
  for (let step = 0; step < STEPS; step += 1) {
    const who = draw(traders.length);
    const { secret } = traders[who] ?? assert.fail("there are four");
    if (draw(6) === 0) await world.post("/api/trading/orders/cancel-all", secret, {});
    const label = { clientOrderId: `${names[who]}-${step}` };
    const side = { side: draw(2) === 0 ? "BUY" : "SELL", outcomeIndex: draw(2) };
    const size = { amount: String(1 + draw(40)), price: (30 + draw(40)) / 100 };
    const answer = await world.post(
      "/api/trading/orders",
      secret,
      order(marketId, { ...label, ...side, ...size }),
    );
    assert.equal(answer.statusCode, 200, answer.body);
  }
}

test("a webhook carries its account's private stream and nothing of anybody else's", async (t) => {
  for (const seed of [1, 20_261_123]) {
    const random = randomFrom(seed);
    const draw = (below: number): number => Math.floor(random() * below);
    const stage = await Stage.open(t);
    const { world } = stage;
    await world.listen();
    // Amounts that nobody else has.
    const cash = names.map((_, who) => `${20_000 + who}.1${who}7${who}31`);
    const traders = await Promise.all(names.map((name, who) => world.trader(name, cash[who])));
    const receivers: Receiver[] = [];
    for (const [who, trader] of traders.entries()) {
      const receiver = await Receiver.open(t);
      const types = who === 0 ? { types: ["fill", "cash"] } : {};
      receiver.secrets.add((await stage.set(trader, receiver.url, types)).secret);
      receivers.push(receiver);
    }
    const begun = world.engine.status().durableSequence;
    await trade(stage, traders, draw);
    const head = world.engine.status().durableSequence;
    for (const [who, trader] of traders.entries()) {
      const receiver = receivers[who] ?? assert.fail("each has one");
      const query = { lastEventId: `${begun}`, ...(who === 0 ? { types: "fill,cash" } : {}) };
      const headers = { authorization: `Bearer ${trader.secret}` };
      const stream = await openStream(world.url, query, headers, undefined, STREAM);
      const own = (await entriesUpTo(stream, head)).filter(({ event }) => event === "entry");
      await stream.return(undefined);
      assert.ok(own.length > 5, `${own.length} entries are of ${trader.id}`);
      await until("all came", () => receiver.got.length >= own.length);
      checkOrder(receiver.got);
      assert.deepEqual(
        receiver.got.map(({ body }) => at(body, "data")),
        own.map(({ data }) => data),
      );
      const text = receiver.got.map((one) => one.text).join("\n");
      const balances = new Set(postingsIn(receiver.got.map(({ body }) => body)));
      for (const [other, { id, address }] of traders.entries()) {
        if (other === who) continue;
        assert.ok(!text.includes(`"${id}"`) && !text.includes(address), `${trader.id} and ${id}`);
        assert.ok(!text.includes(`"${names[other]}-`), "nobody else's label");
        const theirs = postingsIn((receivers[other]?.got ?? []).map(({ body }) => body));
        assert.ok(!theirs.some((balance) => balances.has(balance)), "nobody else's balance");
      }
    }
    await stage.stop();
  }
});

/** The balances that messages tell. */
const postingsIn = (bodies: readonly unknown[]): readonly string[] =>
  bodies
    .flatMap((body) => listAt(body, "data", "events"))
    .filter((event) => at(event, "type") === "cash")
    .map((event) => textAt(event, "posting", "balance"));
