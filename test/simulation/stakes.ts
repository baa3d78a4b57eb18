// Operators with a part in a market, by an account of their owner: the auditor's own rules.
// Invariant: nothing of the core is called; nobody gives a word about a market it has bet on.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { type Books, FUND } from "./books.ts";
import { actorOf, type People } from "./people.ts";

/** Of an accepted entry: a void, a decision, or a release that settles by hand. */
export function assertNoStake(
  books: Books,
  people: People,
  { actor, command }: Envelope,
  events: readonly Event[],
): void {
  if (actor.type === "system") return;
  const by = actorOf(actor);
  const isOfOne = command.type === "CancelMarket" || command.type === "DecideDispute";
  for (const market of isOfOne ? [command.marketId] : settledBy(events)) {
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
