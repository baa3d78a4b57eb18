// The ends of requests for quotes, watched on the core alone: its records before a command, and
// what the command made of them.
// Invariant: nothing of the model is asked; a reserve is added up from prices and lots.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import type { EventOf } from "#core/event.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { RfqQuote } from "#core/rfq/record.ts";
import type { State } from "#core/state.ts";
import { reserveOf } from "./model-quotes.ts";

interface Standing {
  readonly cash: bigint;
  readonly locked: bigint;
  readonly held: string;
}

/** Before a last command; the answer is asked after it. */
export function watchRequests(core: State): (outcome: Outcome) => void {
  const before = new Map([...core.accounts.keys()].map((id) => [id, standingOf(core, id)]));
  const requests = new Map(core.rfqs);
  const open = [...core.rfqQuotes.values()].filter(({ status }) => status === "open");
  const reserves = new Map(open.map((one) => [one.id, reserveIn(core, one)]));
  return (outcome) => {
    for (const id of core.accounts.keys()) {
      const { cash, locked } = standingOf(core, id);
      assert.ok(cash >= locked, `${id} has what it holds back`);
    }
    if (isRejected(outcome)) return;
    const ended = outcome.events.flatMap((event) =>
      event.type === "RfqEnded" && event.status !== "closed" ? event : [],
    );
    for (const { rfqId, quoteId } of ended) {
      assert.equal(requests.get(rfqId)?.doneMillis, undefined, `${rfqId} ends once`);
      assert.equal(ended.filter((one) => one.rfqId === rfqId).length, 1, `${rfqId} ends once`);
      const left = [...core.rfqQuotes.values()].filter((one) => one.rfqId === rfqId);
      const isOver = left.every(({ id, status }) => (status === "filled") === (id === quoteId));
      assert.ok(isOver && left.every(({ status }) => status !== "open"), "its quotes are over");
    }
    const [first] = ended;
    const isQuoting = outcome.events.some(({ type }) => type === "RfqQuoteChanged");
    if (first === undefined || isQuoting) return;
    const parties = partiesOf(core, ended);
    for (const [id, was] of before) {
      if (parties.has(id)) continue;
      const isGone = ({ id: one, accountId }: RfqQuote): boolean =>
        accountId === id && core.rfqQuotes.get(one)?.status !== "open";
      const given = open
        .filter(isGone)
        .reduce((all, one) => all + (reserves.get(one.id) ?? 0n), 0n);
      const now = { ...was, locked: was.locked - given };
      assert.deepEqual(standingOf(core, id), now, `${id} is given its reserve back, and no more`);
    }
  };
}

const standingOf = (core: State, id: AccountId): Standing => ({
  cash: core.balance(`cash:${id}`),
  locked: core.exposures.locked(id),
  held: [...core.positions.values()]
    .filter(({ accountId }) => accountId === id)
    .map(({ marketId, heldLots, flowMicros }) => `${heldLots} of ${marketId} for ${flowMicros}`)
    .join(),
});

const reserveIn = (core: State, quote: RfqQuote): bigint => {
  const requests = [...core.rfqs.values()].map((one) => ({ ...one, doneMillis: null }));
  return reserveOf({ requests, quotes: [] }, quote);
};

/** The requester and the winner of each that was filled. */
function partiesOf(core: State, ended: readonly EventOf<"RfqEnded">[]): ReadonlySet<AccountId> {
  return new Set(
    ended.flatMap(({ status, accountId, quoteId }) => {
      const winner = quoteId === null ? undefined : core.rfqQuotes.get(quoteId)?.accountId;
      return status === "filled" && winner !== undefined ? [accountId, winner] : [];
    }),
  );
}
