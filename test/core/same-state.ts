// Two states compared record by record: cheaper than their hashes, and it says what differs.
// Invariant: all that a snapshot keeps is compared, in order; a new field is, unless named here.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { OrderPages } from "#core/order/pages.ts";
import type { State } from "#core/state.ts";

/** Drawn from records: what is empty there may as well be absent. */
const drawn: ReadonlySet<string> = new Set([
  "books",
  "exposures",
  "debts",
  "due",
  "awaiting",
  "positionsByMarket",
  "marketsHeldBy",
  "openOrders",
  "reduceOnlyOrders",
  "accountsByOwner",
  "keysByAccount",
  "ties",
  "tiedTo",
  "listingsOf",
]);

/** Drawn from records, and listed in the order in which the drawing came to each. */
const counted: ReadonlySet<string> = new Set([
  ...["openInterest", "callsDue", "releaseOrders"],
  ...["rfqsOf", "openRfqsOn", "rfqQuotesOf", "quotesForRfq", "promisedLots", "reservedMicros"],
  ...["mandatesOf", "mandateSums", "mandatesUsedIn"],
  ...["groupOrders", "groupsOf", "quotedLots", "wordsOn"],
]);

export function assertSameState(actual: State, expected: State): void {
  const found = new Map(Object.entries(actual));
  for (const [name, value] of Object.entries(expected)) {
    if (drawn.has(name)) continue;
    // Two maps are one to assert.deepEqual in whatever order their keys are.
    const listed = counted.has(name) ? (map: unknown) => map : inOrder;
    const [one, other] = [listed(found.get(name)), listed(value)];
    if (!isDeepStrictEqual(one, other)) assert.deepEqual(one, other, `${name} of the state`);
  }
  assert.deepEqual(awaitingIn(actual), awaitingIn(expected), "what awaits a print");
}

/** Markets settle in this order. */
const awaitingIn = ({ awaiting }: State) =>
  [...awaiting].flatMap(([name, ids]) => (ids.size > 1 ? [`${name}: ${[...ids]}`] : [])).sort();

function inOrder(value: unknown): unknown {
  if (value instanceof OrderPages) return [...value.values()];
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
