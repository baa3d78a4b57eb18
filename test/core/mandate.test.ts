// Mandates: which orders they meet, at which price, for how many lots, and when they are off.
// Invariant: `world.ts` judges every fill of a mandate by its spread and its budgets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mandateId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots, parseLots } from "#base/quantity.ts";
import { encode } from "#core/codec.ts";
import type { OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { MandateScope, MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { order, root, system, type Trader, tick, tripProtection, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const strike = { kind: "binary", strikeBps: 500 } as const;
const FIRST = mandateId("mnd-1");
const contracts = (text: string) => parseLots(text) ?? assert.fail(text);

const texas: MandateScope = {
  index: "zhvi",
  places: [nodeId("state:tx")],
  levels: null,
  payoffs: null,
  minMonths: 1,
  maxMonths: 36,
};

const plain: MandateTerms = {
  scope: texas,
  side: "SELL",
  spreadTicks: 100,
  spreadTicksPerYear: 0,
  mostInMarketLots: contracts("1000"),
  mostInStateLots: contracts("1000"),
  mostInAllLots: contracts("1000"),
  expirySeconds: 0,
  collateral: "margin",
};

/** A zip of Texas with a mark of 0.05; a seller with a mandate, a buyer, and a third. */
function stage(terms: Partial<MandateTerms> = {}, cash = "100000") {
  const world = new World();
  world.place = nodeId("zip:78701");
  world.print("2024-10", "300000");
  const [seller, buyer] = [world.trader("seller", cash), world.trader("buyer", "100000")];
  const other = world.trader("other", "100000");
  const listing: Listing = { ...world.listing("2025-10", layer), within: [nodeId("state:tx")] };
  const set = (more: Partial<MandateTerms> = {}, who = seller, id: string | null = null) =>
    world.try(who.actor, {
      type: "SetMandate",
      mandateId: id === null ? null : mandateId(id),
      terms: { ...plain, ...terms, ...more },
    });
  const buy = (amount: string, price: string, more: Partial<OrderInput> = {}, who = buyer) =>
    world.order(order(listing, "BUY", amount, price, more), who, listing);
  const held = ({ id }: Trader) => world.state.position(id, listing.marketId)?.heldLots ?? 0n;
  const newest = (): readonly Event[] => {
    const outcome = world.journal.at(-1)?.outcome;
    return outcome !== undefined && "events" in outcome ? outcome.events : [];
  };
  const fills = () => newest().flatMap((event) => (event.type === "Filled" ? event.fill : []));
  return { world, seller, buyer, other, listing, set, buy, held, fills };
}

const refusalIn = (outcome: ReturnType<World["try"]>): string | undefined =>
  "rejection" in outcome ? outcome.rejection.code : undefined;

test("an order in a market that nobody has quoted is filled at the mark and the spread", () => {
  const { world, seller, buyer, buy, set, held, fills } = stage();
  set();
  const bought = buy("10", "0.10");
  assert.equal(bought.status, "FILLED");
  assert.deepEqual([held(buyer), held(seller)], [contracts("10"), lots(-contracts("10"))]);
  const [fill] = fills();
  assert.equal(fill?.yesTick, tick("0.06"));
  const made = world.state.order(fill?.makerOrderId ?? bought.id);
  assert.deepEqual([made.mandateId, made.status, made.filledLots], [FIRST, "FILLED", 1000n]);
  assert.equal(world.cash(seller), 100_000_600_000n);
  assert.deepEqual([bought.id, made.id], ["ord-1", "ord-2"]);
});

test("a limit below its price meets nothing, and rests", () => {
  const { set, buy } = stage();
  set();
  assert.equal(buy("10", "0.0599").status, "OPEN");
});

test("price comes first, at one price the resting order, then the mandate set first", () => {
  const { world, seller, other, listing, set, buy, fills } = stage();
  const sell = (who: Trader, amount: string, price: string) =>
    world.order(order(listing, "SELL", amount, price), who, listing);
  set();
  set({ spreadTicks: 100 }, other);
  sell(other, "5", "0.0599");
  sell(other, "5", "0.06");
  buy("1015", "0.07");
  const taken = fills().map(({ yesTick, amountLots, seller: by }) => [yesTick, amountLots, by]);
  assert.deepEqual(taken, [
    [599, 500n, other.id],
    [600, 500n, other.id],
    [600, 100_000n, seller.id],
    [600, 500n, other.id],
  ]);
});

test("changed terms go behind others at their price; a lowered limit keeps the place", () => {
  const { world, seller, other, set, buy, fills } = stage();
  set();
  set({}, other);
  const all = contracts("100000");
  const limits = { mostInMarketLots: contracts("5"), mostInStateLots: all, mostInAllLots: all };
  world.do(seller.actor, { type: "LowerMandate", mandateId: FIRST, ...limits });
  buy("6", "0.06");
  assert.deepEqual(
    fills().map(({ seller: by }) => by),
    [seller.id, other.id],
  );
  set({ mostInMarketLots: contracts("2000") }, seller, FIRST);
  buy("1", "0.06");
  assert.deepEqual(
    fills().map(({ seller: by }) => by),
    [other.id],
  );
});

test("terms that give nobody anything new keep the place; others go behind", () => {
  const places = [nodeId("state:tx"), nodeId("state:az")];
  const wide: MandateScope = { ...texas, places, payoffs: [strike, layer], maxMonths: 24 };
  const isFirstAfter = (terms: Partial<MandateTerms>): boolean => {
    const { seller, other, set, buy, fills } = stage({ scope: wide });
    set();
    set({}, other);
    set(terms, seller, FIRST);
    buy("1", "0.07");
    return fills()[0]?.seller === seller.id;
  };
  const narrower: readonly Partial<MandateTerms>[] = [
    { expirySeconds: 2_000_000_000 },
    { collateral: "full" },
    { mostInMarketLots: contracts("5") },
    { scope: { ...wide, places: texas.places } },
    { scope: { ...wide, levels: ["state", "zip"] } },
    { scope: { ...wide, payoffs: [layer] } },
    { scope: { ...wide, minMonths: 2, maxMonths: 12 } },
  ];
  for (const terms of narrower) assert.ok(isFirstAfter(terms), `kept: ${encode(terms)}`);
  const more: readonly Partial<MandateTerms>[] = [
    { spreadTicks: 99, spreadTicksPerYear: 1 },
    { mostInAllLots: contracts("2000") },
    { scope: { ...wide, places: [...places, nodeId("state:nv")] } },
    { scope: { ...wide, maxMonths: 25 } },
    { scope: { ...wide, payoffs: null } },
  ];
  for (const terms of more) assert.ok(!isFirstAfter(terms), `behind: ${encode(terms)}`);
});

test("a spread a year is taken for the prints still to come, a part of a tick in full", () => {
  const { set, buy, fills } = stage({ spreadTicks: 10, spreadTicksPerYear: 101 });
  set();
  buy("1", "0.10");
  assert.equal(fills()[0]?.yesTick, 500 + 10 + 101);
});

test("a scope names places or what they lie in, levels, payoffs and months", () => {
  const { set, buy } = stage();
  const met = (scope: Partial<MandateScope>): string => {
    set({ scope: { ...texas, ...scope } });
    return buy("1", "0.06", { timeInForce: "IOC" }).status;
  };
  const off = "CANCELLED";
  assert.equal(met({ places: [nodeId("state:az")] }), off);
  assert.equal(met({ index: "zori" }), off);
  assert.equal(met({ levels: ["county", "state"] }), off);
  assert.equal(met({ payoffs: [strike, { ...layer, attachBps: 200 }] }), off);
  assert.equal(met({ maxMonths: 11 }), off);
  assert.equal(met({ minMonths: 13 }), off);
  assert.equal(met({ places: [nodeId("zip:78701")], levels: ["zip"], payoffs: [layer] }), "FILLED");
  assert.equal(met({ minMonths: 12, maxMonths: 12 }), "FILLED");
});

test("each of the three budgets ends what it gives, and only until its markets are final", () => {
  for (const limit of ["mostInMarketLots", "mostInStateLots", "mostInAllLots"] as const) {
    const { world, set, buy, held, seller, listing } = stage({ [limit]: contracts("7") });
    set();
    assert.equal(buy("10", "0.06").filledLots, contracts("7"), limit);
    assert.equal(held(seller), -contracts("7"));
    world.doInTwo({ type: "CancelMarket", marketId: listing.marketId, reason: "test" });
    assert.equal(world.state.mandateUses.size, 0);
    assert.equal(world.state.mandateSums.size, 0);
  }
});

test("it gives the lots its account can margin, then none; a deposit brings it back", () => {
  const { world, set, buy, seller, held } = stage({}, "50");
  set();
  const { filledLots } = buy("1000", "0.06");
  assert.ok(filledLots > 0n && filledLots < contracts("1000"));
  assert.ok(world.available(seller) >= 0n && world.available(seller) < 10_000n);
  assert.equal(buy("1", "0.06", { timeInForce: "IOC" }).filledLots, 0n);
  world.fund(seller, micros(1_000_000_000n));
  assert.ok(buy("1", "0.06").status === "FILLED");
  assert.equal(held(seller), -(filledLots + contracts("1")) - 0n);
});

test("with full collateral its cash pays everything it sold, at once", () => {
  const { set, buy } = stage({ collateral: "full" }, "94");
  set();
  // 100 short at 0.06 brings 6 USD: 94 + 6 = 100.
  assert.equal(buy("150", "0.06").filledLots, contracts("100"));
});

test("a buying mandate pays the mark less its spread, from free cash", () => {
  const { world, set, held, seller, other, listing } = stage({ side: "BUY" }, "4");
  set();
  const sold = world.order(order(listing, "SELL", "200", "0.03"), other, listing);
  assert.equal(sold.filledLots, contracts("100"));
  assert.equal(held(seller), contracts("100"));
  assert.equal(world.cash(seller), 0n);
});

test("it never trades with its own owner's orders, and does not stand in their way", () => {
  const { world, set, buy, seller, listing, other } = stage();
  set();
  world.order(order(listing, "SELL", "3", "0.08"), other, listing);
  const bought = buy("3", "0.08", {}, seller);
  assert.equal(bought.status, "FILLED");
  assert.equal(world.state.position(seller.id, listing.marketId)?.heldLots, contracts("3"));
});

test("post-only would cross it; fill-or-kill is judged by what it gives after all it gave", () => {
  const { set, buy } = stage({}, "50");
  set();
  assert.equal(buy("1", "0.06", { postOnly: true }).cancelReason, "POST_ONLY_WOULD_CROSS");
  const most = buy("1000", "0.06", { timeInForce: "IOC" }).filledLots;
  const again = stage({}, "50");
  again.set();
  const kill = { timeInForce: "FOK" } as const;
  const text = (quantity: bigint) =>
    `${quantity / 100n}.${String(quantity % 100n).padStart(2, "0")}`;
  assert.equal(again.buy(text(most + 1n), "0.06", kill).cancelReason, "FILL_OR_KILL");
  assert.equal(again.buy(text(most), "0.06", kill).status, "FILLED");
});

test("orders of one batch keep their own numbers around those of mandates", () => {
  const { world, buyer, listing, set } = stage();
  set();
  const buy = order(listing, "BUY", "1", "0.06");
  const sent = { type: "PlaceBatch", orders: [buy, buy], listings: [listing] } as const;
  world.do(buyer.actor, sent);
  const numbers = [...world.state.orders.values()].map(({ id, accountId }) => [id, accountId]);
  assert.equal(new Set(numbers.map(([id]) => id)).size, 4);
  assert.equal(world.state.orderCount, 4);
});

test("it is off while its account is halted or tripped, and while matching is held", () => {
  const { world, set, buy, seller, other, listing } = stage();
  set();
  const now = () => buy("1", "0.06", { timeInForce: "IOC" }).status;
  assert.equal(now(), "FILLED");
  world.do(root, { type: "HaltAccount", accountId: seller.id, reason: "test" });
  assert.equal(now(), "CANCELLED");
  world.do(root, { type: "ResumeAccount", accountId: seller.id, reason: "test" });
  tripProtection(world, seller, other, listing);
  assert.equal(now(), "CANCELLED");
  world.do(seller.actor, { type: "ResetProtection" });
  assert.equal(now(), "FILLED");
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: null });
  assert.equal(now(), "CANCELLED");
});

test("it adds no short while the fund cannot carry its weakest owners", () => {
  const { world, set, buy } = stage();
  set();
  const { exchange } = world.state;
  assert.ok(exchange !== undefined);
  world.state.exchange = { ...exchange, fundShortMicros: micros(1n) };
  assert.equal(buy("1", "0.06", { timeInForce: "IOC" }).status, "CANCELLED");
});

test("its protection counts its fills, and takes it off", () => {
  const { world, set, buy, seller } = stage();
  set();
  const limits = { withinSeconds: 60, maxLots: null, maxFills: 1 };
  world.do(seller.actor, { type: "SetProtection", ...limits });
  assert.equal(buy("1", "0.06").status, "FILLED");
  assert.equal(buy("1", "0.06").status, "FILLED");
  assert.equal(buy("1", "0.06", { timeInForce: "IOC" }).status, "CANCELLED");
});

test("it expires at its second; the switch for all markets takes it; others' are absent", () => {
  const { world, listing, set, buy, seller, other } = stage();
  set({ expirySeconds: Math.floor(world.nowMillis / 1000) + 60 });
  world.runTo(world.nowMillis + 60_000);
  assert.equal(world.state.mandates.size, 0);
  set();
  const second = mandateId("mnd-2");
  const cancel = { type: "CancelMandates", mandateId: second } as const;
  assert.equal(world.refused(other.actor, cancel).code, "MANDATE_NOT_FOUND");
  assert.equal(refusalIn(set({}, other, second)), "MANDATE_NOT_FOUND");
  buy("1", "0.06");
  world.do(seller.actor, { type: "SetCancelAfter", seconds: 5, marketId: listing.marketId });
  world.runTo(world.nowMillis + 6_000);
  assert.equal(world.state.mandates.size, 1, "the switch of one market");
  world.do(seller.actor, { type: "SetCancelAfter", seconds: 5, marketId: null });
  world.runTo(world.nowMillis + 6_000);
  assert.equal(world.state.mandates.size, 0);
});

test("an account has fifty at most; cancelling all is one command", () => {
  const { world, set, seller } = stage();
  for (let at = 0; at < 50; at += 1) assert.equal(refusalIn(set()), undefined);
  assert.equal(refusalIn(set()), "MANDATE_CAP");
  world.do(seller.actor, { type: "CancelMandates", mandateId: null });
  assert.equal(world.state.mandates.size, 0);
  assert.deepEqual([...world.state.mandatesByPlace.at("zhvi", "SELL", nodeId("state:tx"), 1)], []);
});

test("one order meets hundreds of one place, in the order of their prices", () => {
  const { world, set, seller, other, buy, fills } = stage({ mostInAllLots: contracts("1") });
  world.judgesRefusals = false;
  const sellers = [seller, other, world.trader("third", "1000"), world.trader("fourth", "1000")];
  const spreads = Array.from({ length: 200 }, (_, at) => 100 + ((at * 37) % 200));
  for (const [at, spreadTicks] of spreads.entries()) set({ spreadTicks }, sellers[at % 4]);
  buy("0.01", "0.06");
  // Set anew at another price, after the list was drawn.
  set({ spreadTicks: 400 }, seller, "mnd-1");
  buy("199.99", "0.5");
  const prices = fills().map(({ yesTick }) => Number(yesTick));
  assert.deepEqual(
    prices,
    [...spreads.slice(1).sort((a, b) => a - b), 400].map((one) => 500 + one),
  );
});

test("a snapshot keeps mandates, their uses and their numbers", () => {
  const { world, set, buy } = stage();
  set();
  buy("10", "0.06");
  const read = decodeState(encodeState(world.state));
  assert.equal(stateHash(read), stateHash(world.state));
  assert.deepEqual(new Map(read.mandateSums), new Map(world.state.mandateSums));
  assert.equal(read.mandateCount, 1);
});
