// After every command: requests for quotes, and quotes, that a release, a halt, a call or the end
// of a market has stopped.
// Invariant: a request with a stopped leg is over on both sides alike, with all its quotes.
import type { AccountId, MarketId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Event } from "../event.ts";
import { holdsMatching } from "../market/window-times.ts";
import type { Account } from "../records.ts";
import type { Step } from "../step.ts";
import { endRfq, lapseQuotesOf } from "./end.ts";
import { isDone, type Rfq } from "./record.ts";

/** The things a command has stopped. */
interface Stopped {
  isAll: boolean;
  readonly indexes: Set<IndexKind>;
  readonly markets: Set<MarketId>;
  readonly accounts: Set<AccountId>;
}

export function lapseRfqs(step: Step): void {
  const { state } = step;
  if (state.openRfqs.size === 0) return;
  const stopped: Stopped = {
    isAll: false,
    indexes: new Set(),
    markets: new Set(),
    accounts: new Set(),
  };
  for (const event of step.events) note(stopped, event);
  const { isAll, indexes, markets, accounts } = stopped;
  if (isAll || indexes.size + markets.size + accounts.size > 0) {
    for (const id of [...state.openRfqs]) {
      const rfq = state.rfqs.get(id);
      if (rfq !== undefined && !isDone(rfq) && isStopped(stopped, rfq)) endRfq(step, rfq, "lapsed");
    }
  }
  for (const id of accounts) lapseQuotesOf(step, id);
}

function note(stopped: Stopped, event: Event): void {
  const { indexes, markets, accounts } = stopped;
  switch (event.type) {
    case "HaltChanged":
      stopped.isAll ||= event.halted;
      return;
    case "WindowChanged":
      if (event.window !== null && holdsMatching(event.window)) indexes.add(event.index);
      return;
    case "FrontierMoved":
      indexes.add(event.frontier.index);
      return;
    case "MarketChanged": {
      const { id, status, tradingClosed } = event.market;
      if (status !== "ACTIVE" || tradingClosed) markets.add(id);
      return;
    }
    case "AccountChanged":
      if (isAccountStopped(event.account)) accounts.add(event.account.id);
  }
}

/** By somebody else, or by its losses: nothing an account does at will takes its quotes back. */
const isAccountStopped = ({ halted, kyc, marginCall, inDefault }: Account): boolean =>
  halted || kyc.status !== "approved" || marginCall !== undefined || inDefault !== undefined;

const isStopped = ({ isAll, indexes, markets, accounts }: Stopped, { accountId, legs }: Rfq) =>
  isAll ||
  accounts.has(accountId) ||
  legs.some(
    ({ listing: { marketId, terms } }) => indexes.has(terms.index) || markets.has(marketId),
  );
