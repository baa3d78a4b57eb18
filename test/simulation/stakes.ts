// Operators with a part in a market, by an account of their owner: the auditor's own rules.
// Invariant: nothing of the core is called; nobody gives a word about a market it has bet on.
import assert from "node:assert/strict";
import type { Command, CommandType, Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { type Books, FUND } from "./books.ts";
import { actorOf, type People } from "./people.ts";

const ending: ReadonlySet<CommandType> = new Set([
  ...(["CancelMarket", "DecideDispute", "SettleByFallback"] as const),
]);

/**
 * Of an accepted entry: a void, a decision, a fallback, or a release that settles by hand. `done`:
 * what took effect by it, undefined where it was a first word.
 */
export function assertNoStake(
  books: Books,
  people: People,
  { actor, command }: Envelope,
  done: Command | undefined,
  events: readonly Event[],
): void {
  if (actor.type === "system") return;
  const by = actorOf(actor);
  const meant = done ?? command;
  const markets = ending.has(meant.type) && "marketId" in meant ? [meant.marketId] : [];
  for (const market of [...markets, ...settledBy(events)]) {
    if (market === null) continue;
    for (const [account, { held }] of books.holdingsIn(market)) {
      const isOwn = held !== 0n && account !== FUND && !people.areTwo(account, by);
      assert.ok(!isOwn, `${command.type} by ${by}, whose ${account} holds ${held} of ${market}`);
    }
  }
}

/** Markets that a print has resolved: what is disputed has been so before. */
const settledBy = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => {
    const isPrint = event.type === "MarketChanged" && event.market.status === "RESOLVED";
    return isPrint && event.market.dispute === null ? [event.market.id] : [];
  });
