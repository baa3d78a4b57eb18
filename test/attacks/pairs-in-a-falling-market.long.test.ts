// Two owners, a stranger, and histories that print after they have traded (test/core/falling-market.ts).
// They are judged by what is paid in the end alone; test/core/falling-market.long.test.ts judges the
// invariants of every command.
// Invariant: two owners take out no more than they put in plus what the stranger lost to them. Two
// risks of the exchange stand beside it: a premium lent on protection that stays and pays nothing,
// and what a contract pays beyond the mark at which the guarantee fund took it over.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MarketId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { owedIn } from "#core/acceptance/financed.ts";
import type { Event } from "#core/event.ts";
import { isRejected } from "#core/outcome.ts";
import { GUARANTEE } from "#core/step.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { CASH_OF_STRANGER, MARK, type Play, played } from "../core/falling-market.ts";
import { usd } from "../core/premiums.ts";
import { tick } from "../core/world.ts";
import { text } from "./take-out.ts";

const HISTORIES = sizeOfRun("FIRSTPRINT_PAIR_HISTORIES", 120);
const FIRST = 1;

/** Each has to come up in some history. */
const wanted = [
  ...(["swap", "hedge", "drain", "finance", "sell back", "rest", "block"] as const),
  ...(["premium lent", "block on request", "mandate used", "traded market voided"] as const),
  ...(["auction", "won by one of the two", "won by the stranger", "taken by the fund"] as const),
  ...(["protection paid", "protection paid nothing"] as const),
];

type Met = Map<string, number>;

const count = (met: Met, kind: string): Met => met.set(kind, (met.get(kind) ?? 0) + 1);

/** Principal that protection stands behind, at the worth it was lent on: the pool's own risk. */
function riskOfPool({ world, pair }: Play): bigint {
  let risk = 0n;
  const seen = new Set<string>();
  for (const { accountId, marketId, status } of world.state.acceptances.values()) {
    const name = `${accountId} ${marketId}`;
    if (status === "paid" || seen.has(name)) continue;
    seen.add(name);
    if (!pair.some(({ id }) => id === accountId)) continue;
    const held = world.state.position(accountId, marketId)?.heldLots ?? 0n;
    const worth = held > 0n ? held * BigInt(tick(MARK) + 1) : 0n;
    const owed = owedIn(world, accountId, marketId);
    risk += owed < worth ? owed : worth;
  }
  return risk;
}

const eventsOf = ({ world }: Play): readonly (readonly Event[])[] =>
  world.journal.map(({ outcome }) => (isRejected(outcome) ? [] : outcome.events));

/**
 * Micro-dollars that contracts paid beyond the marks at which an auction left them to the fund. Where
 * margin covers all that can be paid, there is none, unless a void took a hedge away.
 */
function riskOfFund(play: Play): bigint {
  const { state } = play.world;
  const isVoided = [...state.markets.values()].some(({ status }) => status === "CANCELLED");
  if (play.mood.isFull && !isVoided) return 0n;
  const [marks, held] = [new Map<MarketId, number>(), new Map<MarketId, bigint>()];
  let risk = 0n;
  for (const events of eventsOf(play)) {
    const isAuctioned = events.some((one) => one.type === "AuctionEnded" && one.takenBy === "fund");
    for (const event of events) {
      if (event.type === "MarketMarked") marks.set(event.marketId, event.markTick);
      if (event.type !== "PositionChanged" || event.position.accountId !== GUARANTEE) continue;
      const { marketId, heldLots } = event.position;
      const taken = (held.get(marketId) ?? 0n) - heldLots;
      held.set(marketId, heldLots);
      const { payoutMillionths = 0 } = state.markets.get(marketId)?.resolution ?? {};
      const beyond = payoutMillionths / 100 - (marks.get(marketId) ?? tick(MARK));
      if (isAuctioned && beyond > 0) risk += taken * BigInt(Math.ceil(beyond));
    }
  }
  return risk;
}

function countEvents(play: Play, met: Met): void {
  const traded = new Set<MarketId>();
  const lentOn = new Set<string>();
  for (const events of eventsOf(play)) {
    for (const event of events) {
      switch (event.type) {
        case "Filled":
          traded.add(event.fill.marketId);
          if (event.fill.rfqId !== undefined) count(met, "block on request");
          break;
        case "AcceptanceChanged": {
          const { id, principalMicros } = event.acceptance;
          if (principalMicros > 0n && !lentOn.has(id)) count(met, "premium lent");
          lentOn.add(id);
          break;
        }
        case "MandateUsed":
          count(met, "mandate used");
          break;
        case "AuctionOpened":
          count(met, "auction");
          break;
        case "AuctionEnded":
          if (event.takenBy === "fund") count(met, "taken by the fund");
          if (event.takenBy !== "bidder") break;
          count(met, `won by ${winnerIn(events, event.accountId, play)}`);
          break;
        case "MarketChanged": {
          const { id, status, resolution } = event.market;
          if (!traded.has(id)) break;
          if (status === "CANCELLED") count(met, "traded market voided");
          if (status !== "FINALIZED") break;
          const paid = (resolution?.payoutMillionths ?? 0) > 0 ? "paid" : "paid nothing";
          count(met, `protection ${paid}`);
        }
      }
    }
  }
}

function winnerIn(events: readonly Event[], seller: string, { stranger }: Play): string {
  const taking = events.find(
    (one) => one.type === "PositionChanged" && one.position.accountId !== seller,
  );
  assert.ok(taking?.type === "PositionChanged");
  return taking.position.accountId === stranger.id ? "the stranger" : "one of the two";
}

/** Micro-dollars that the two have more than they may. */
function surplusOf(seed: number, met: Met): bigint {
  let risk = 0n;
  const play = played(seed, {
    judgesInvariants: false,
    traded: (kind) => count(met, kind),
    beforeTheFall: (before) => {
      risk = riskOfPool(before);
    },
  });
  countEvents(play, met);
  const { world, pair, stranger } = play;
  const lost = usd(CASH_OF_STRANGER) - world.cash(stranger);
  let gained = 0n;
  for (const one of pair) gained += world.cash(one);
  for (const event of eventsOf(play).flat()) {
    if (event.type !== "Posted") continue;
    const { from, to, amountMicros } = event.posting;
    if (to === "external" && pair.some(({ id }) => from === `cash:${id}`)) gained += amountMicros;
    if (from === "external" && pair.some(({ id }) => to === `cash:${id}`)) gained -= amountMicros;
  }
  return gained - lost - risk - riskOfFund(play);
}

test("two owners take out no more than they put in and a stranger lost to them", (t) => {
  const met: Met = new Map();
  let most = -(1n << 60n);
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
    const surplus = surplusOf(seed, met);
    if (surplus > most) most = surplus;
    assert.ok(surplus <= 0n, `history ${seed}: the two took ${text(surplus)} USD too much`);
  }
  const counted = wanted.map((kind) => [kind, met.get(kind) ?? 0] as const);
  for (const [kind, times] of counted) assert.ok(times > 0, `no history had: ${kind}`);
  t.diagnostic(`met: ${counted.map(([kind, times]) => `${kind} ${times}`).join(", ")}`);
  t.diagnostic(`after: ${text(micros(most))} USD at most in ${HISTORIES} histories`);
});
