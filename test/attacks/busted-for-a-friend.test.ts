// An operator busts a fill for a friend: alone, with a key of the same owner, as a party, when the
// print has come, too late, within the band; or a party makes its fill impossible to bust.
// Invariant: a bust gives back exactly what the fill moved, while nobody can know who won by it;
// where it cannot, nothing is done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillId, nodeId, releaseId } from "#base/ids.ts";
import { formatMicros, micros } from "#base/money.ts";
import { tickPrice } from "#base/price.ts";
import { auditFactsFor } from "#core/audit.ts";
import type { Command } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type { Fill } from "#core/records.ts";
import type { BustRules } from "#core/rules.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { ledgerTotal } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { subjectOf } from "#core/words/word.ts";
import { touchesOf } from "#journal/touches.ts";
import { publicEvents } from "#views/public-events.ts";
import { order, root, system, type Trader, World } from "../core/world.ts";

const MINUTE = 60_000;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

/** The mark is 0.05; a buyer pays 0.95 for 100 where somebody had an offer of 10 at 0.06. */
function stage() {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis += MINUTE;
  const listing = world.listing("2025-09", layer);
  const [buyer, seller] = [world.trader("buyer", "1000"), world.trader("seller", "1000", "basic")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.order(order(listing, "SELL", "10", "0.06"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.06"), buyer);
  world.order(order(listing, "SELL", "100", "0.95"), seller);
  const before = pictureOf(world, buyer, seller);
  world.order(order(listing, "BUY", "100", "0.95"), buyer);
  const fill = lastFill(world);
  return { world, listing, buyer, seller, olga, otto, before, fill };
}

function lastFill(world: World): Fill {
  for (const { outcome } of world.journal.toReversed()) {
    if (isRejected(outcome)) continue;
    const filled = outcome.events.findLast((event) => event.type === "Filled");
    if (filled !== undefined) return filled.fill;
  }
  return assert.fail("no fill");
}

/** All that money and positions are, but for who was told what. */
function pictureOf({ state }: World, ...traders: readonly Trader[]) {
  const [market] = [...state.markets.values()];
  return {
    ledger: [...state.ledger].filter(([name]) => !name.startsWith("market:")).sort(),
    positions: [...state.positions.values()],
    locked: traders.map(({ id }) => state.exposures.locked(id)),
    volumes: [...state.dayVolumes].sort(),
    fees: [market?.houseFeesMicros, market?.fundFeesMicros, market?.lastTick],
  };
}

const bust = ({ id }: Fill) =>
  ({ type: "BustFill", fillId: id, reason: "a digit too many" }) as const;
const codeOf = (world: World, by: Trader, command: Command) =>
  world.refused(by.actor, command).code;
const inTwo = (
  on: Pick<ReturnType<typeof stage>, "world" | "olga" | "otto" | "fill">,
  fill = on.fill,
) => {
  const waiting = wordIn("open", on.world.do(on.olga.actor, bust(fill)));
  return on.world.agree(on.otto.actor, waiting ?? assert.fail("busted alone"));
};

test("two people undo a fill: cash, fees, positions, locked flow, volume, last price", (t) => {
  const on = stage();
  const { world, before, buyer, seller } = on;
  assert.notDeepEqual(pictureOf(world, buyer, seller), before);
  inTwo(on);
  const after = pictureOf(world, buyer, seller);
  assert.deepEqual({ ...after, locked: [] }, { ...before, locked: [] });
  // The order that was filled reserved cash; it is filled, and asks for nothing any more.
  assert.ok((after.locked[1] ?? 0n) <= (before.locked[1] ?? 0n));
  assert.equal(ledgerTotal(world.state), 0n);
  assert.equal(world.refused(on.olga.actor, bust(on.fill)).code, "BUST_NOT_OPEN", "once");
  t.diagnostic(
    `after: undone by two people: ${formatMicros(micros(world.cash(buyer)))} USD, as before it`,
  );
});

test("both parties are told, and find it in their trail", () => {
  const on = stage();
  inTwo(on);
  const entry = on.world.journal.at(-1) ?? assert.fail();
  for (const { id } of [on.buyer, on.seller]) {
    const told = on.world.state.alerts.get(id)?.at(-1);
    assert.equal(told?.type, "bust");
    assert.match(told?.message ?? "", /^Fill fil-2, 100 at 0\.95 .* was busted: a digit too many$/);
    assert.ok(touchesOf(entry).includes(id), `${id} finds it`);
    const shown = publicEvents(entry, () => "").map(({ type }) => type);
    assert.ok(shown.includes("bust"), "everybody sees it");
    assert.equal(auditFactsFor(id, entry).details.alertCount, 1);
  }
});

test("it takes two people, of other owners, neither a party nor a holder, by owner too", () => {
  const on = stage();
  const { world, olga, otto, buyer, fill } = on;
  const waiting = wordIn("open", world.do(olga.actor, bust(fill))) ?? assert.fail();
  const confirm = {
    type: "ConfirmProposal",
    proposalId: waiting.id,
    key: { prefix: "p", digest: "d" },
  } as const;
  assert.equal(codeOf(world, olga, confirm), "PROPOSAL_SAME_OPERATOR");
  world.join(buyer, otto);
  assert.equal(codeOf(world, otto, confirm), "CONFLICT_OF_INTEREST");
  assert.equal(codeOf(world, otto, bust(fill)), "CONFLICT_OF_INTEREST");
  world.join(buyer, olga);
  world.do(otto.actor, confirm);
  const voices = world.voices(subjectOf(bust(fill)));
  assert.deepEqual(voices, [olga.id, otto.id], "the first word's owner: it does not count");
});

test("the founder alone busts nothing", () => {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis += MINUTE;
  const listing = world.listing("2025-09", layer);
  const [buyer, seller] = [world.trader("buyer", "1000"), world.trader("seller", "1000")];
  world.order(order(listing, "SELL", "10", "0.9"), seller, listing);
  world.order(order(listing, "BUY", "10", "0.9"), buyer);
  assert.ok(wordIn("open", world.do(root, bust(lastFill(world)))));
});

test("never after anything tells who won: a file, the expected day, a print", () => {
  for (const come of [
    (on: ReturnType<typeof stage>) =>
      on.world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: releaseId("rel-9") }),
    (on: ReturnType<typeof stage>) => {
      on.world.place = nodeId("state:ny");
      return on.world.print("2024-10", "150000");
    },
  ]) {
    const on = stage();
    const waiting = wordIn("open", on.world.do(on.olga.actor, bust(on.fill))) ?? assert.fail();
    on.world.nowMillis += MINUTE;
    come(on);
    assert.equal(codeOf(on.world, on.olga, bust(on.fill)), "BUST_AFTER_PRINT");
    const key = { prefix: "p", digest: "d" };
    const confirm = { type: "ConfirmProposal", proposalId: waiting.id, key } as const;
    assert.equal(codeOf(on.world, on.otto, confirm), "BUST_AFTER_PRINT", "no word held back");
  }
});

test("both words fall into the window, and a fill within the band stands", () => {
  const on = stage();
  const { world, olga, otto, fill } = on;
  const within = { ...fill, id: fillId("fil-1") };
  assert.equal(codeOf(world, olga, bust(within)), "BUST_NOT_OPEN", "0.06 is near 0.05");
  const waiting = wordIn("open", world.do(olga.actor, bust(fill))) ?? assert.fail();
  const restored = decodeState(encodeState(world.state));
  assert.equal(stateHash(restored), stateHash(world.state), "a restart keeps what may be busted");
  world.state = restored;
  world.nowMillis = fill.timeMillis + 30 * MINUTE + 1;
  const key = { prefix: "p", digest: "d" };
  const confirm = { type: "ConfirmProposal", proposalId: waiting.id, key } as const;
  assert.equal(codeOf(world, otto, confirm), "BUST_NOT_OPEN");
  const [late, later] = [world.trader("late", "100"), world.trader("later", "100")];
  world.order(order(on.listing, "SELL", "1", "0.06"), late);
  world.order(order(on.listing, "BUY", "1", "0.06"), later);
  assert.equal(world.state.strays.size, 0, "the next fill takes it out of the state");
});

test("lots that were sold on stay, until the later fill is busted", () => {
  const on = stage();
  const { world, listing, buyer, olga, fill } = on;
  const third = world.trader("third", "1000");
  world.order(order(listing, "BUY", "110", "0.9"), third);
  world.order(order(listing, "SELL", "110", "0.9"), buyer);
  const later = lastFill(world);
  const refused = world.refused(olga.actor, bust(fill));
  assert.deepEqual([refused.code, refused.details?.account], ["BUST_SOLD_ON", buyer.id]);
  inTwo(on, later);
  inTwo(on);
  assert.deepEqual(world.state.position(buyer.id, listing.marketId)?.heldLots, 1_000n);
});

/** A short of 100 at 0.5, bought back at 0.3; its seller has taken out what it could. */
function closedShort() {
  const world = new World();
  world.print("2024-10", "300000");
  world.nowMillis += MINUTE;
  const listing = world.listing("2025-09", layer, "0.5");
  const [closer, other] = [world.trader("closer", "100"), world.trader("other", "1000")];
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.order(order(listing, "SELL", "100", "0.5"), closer, listing);
  world.order(order(listing, "BUY", "100", "0.5"), other);
  world.order(order(listing, "SELL", "100", "0.3"), other);
  world.order(order(listing, "BUY", "100", "0.3"), closer);
  const fill = lastFill(world);
  world.fund(closer, micros(-world.available(closer)));
  const refused = world.refused(olga.actor, bust(fill));
  assert.deepEqual([refused.code, refused.details?.account], ["BUST_NOT_COVERED", closer.id]);
  const lacks = refused.details?.requiredMicros ?? assert.fail("how much is said");
  return { world, listing, closer, olga, otto, fill, lacks };
}

test("a seller whose cash has gone is asked for it first, to the micro-dollar", () => {
  const { world, listing, closer, olga, otto, fill, lacks } = closedShort();
  world.fund(closer, micros(lacks - 1n));
  assert.equal(codeOf(world, olga, bust(fill)), "BUST_NOT_COVERED");
  world.fund(closer, micros(1n));
  inTwo({ world, olga, otto, fill });
  assert.equal(world.state.position(closer.id, listing.marketId)?.heldLots, -10_000n);
  assert.equal(world.available(closer), 0n);
});

test("orders of a party are not in the way: they give way", () => {
  const { world, listing, closer, olga, otto, fill, lacks } = closedShort();
  world.fund(closer, lacks);
  const listed = world.listing("2025-10", layer, "0.1");
  world.order(order(listed, "BUY", "10", "0.2"), closer, listed);
  assert.ok(world.available(closer) < lacks, "it reserves a part of that");
  inTwo({ world, olga, otto, fill });
  assert.ok(world.available(closer) >= 0n);
  assert.equal(world.state.position(closer.id, listing.marketId)?.heldLots, -10_000n);
});

test("the window and the band are rules: a longer reach is announced, a shorter one is not", () => {
  const on = stage();
  const { world, olga } = on;
  const set = (bustRules: Partial<BustRules>) =>
    wordIn("open", world.do(olga.actor, { type: "SetRules", rules: { bust: bustRules } }));
  assert.ok(set({ windowMinutes: 31 }));
  assert.ok(set({ bandTicks: 999 }));
  assert.equal(set({ bandTicks: 2_000, windowMinutes: 10 }), undefined);
  assert.deepEqual(world.state.rules.bust, { bandTicks: 2_000, windowMinutes: 10 });
});

test("an order's fee is given back by its fills: together exactly what it paid", () => {
  const on = stage();
  const { world, listing, buyer, seller } = on;
  world.order(order(listing, "SELL", "0.37", "0.93"), seller);
  world.order(order(listing, "SELL", "0.39", "0.93"), seller);
  const before = pictureOf(world, buyer, seller);
  const first = world.state.fillCount;
  world.order(order(listing, "BUY", "0.76", "0.93"), buyer);
  assert.equal(world.state.fillCount, first + 2);
  for (const { fill } of [...world.state.strays.values()].slice(-2).reverse()) inTwo(on, fill);
  const after = pictureOf(world, buyer, seller);
  assert.deepEqual({ ...after, locked: [] }, { ...before, locked: [] });
});

test("the last price is that of the newest fill that stands, in any order of busts", () => {
  for (const isOlderFirst of [true, false]) {
    const on = stage();
    const { world, listing, buyer, seller, fill } = on;
    world.order(order(listing, "SELL", "10", "0.9"), seller);
    world.order(order(listing, "BUY", "10", "0.9"), buyer);
    const newer = lastFill(world);
    const last = () => tickPrice(world.state.market(listing.marketId).lastTick ?? assert.fail());
    inTwo(on, isOlderFirst ? fill : newer);
    assert.equal(last(), isOlderFirst ? 0.9 : 0.95, "the other one stands");
    inTwo(on, isOlderFirst ? newer : fill);
    assert.equal(last(), 0.06, "no busted price comes back");
  }
});
