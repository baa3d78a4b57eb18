// After every command: requests for quotes, and quotes, that a release, a halt, a call or the end
// of a market has stopped.
// Invariant: a request with a stopped leg is over on both sides alike, with all its quotes.
import type { AccountId, RfqId } from "#base/ids.ts";
import type { Event } from "../event.ts";
import { holdsMatching } from "../market/window-times.ts";
import type { Account } from "../records.ts";
import type { State } from "../state.ts";
import type { Step } from "../step.ts";
import { endRfq, lapseQuotesOf } from "./end.ts";
import { isDone, type RfqGround, rfqNumber } from "./record.ts";

/** The things a command has stopped. */
interface Stopped {
  isAll: boolean;
  readonly grounds: Set<RfqGround>;
  readonly accounts: Set<AccountId>;
}

export function lapseRfqs(step: Step): void {
  const { state } = step;
  if (state.openRfqs.size === 0) return;
  const stopped: Stopped = { isAll: false, grounds: new Set(), accounts: new Set() };
  for (const event of step.events) note(stopped, event);
  for (const id of stoppedIn(state, stopped)) {
    const rfq = state.rfqs.get(id);
    if (rfq !== undefined && !isDone(rfq)) endRfq(step, rfq, "lapsed");
  }
  for (const id of stopped.accounts) lapseQuotesOf(step, id);
}

/** Only those that end, the oldest first: nobody's command goes past the requests of others. */
function stoppedIn({ openRfqs, openRfqsOn }: State, { isAll, grounds }: Stopped): readonly RfqId[] {
  if (isAll) return [...openRfqs];
  const ids = new Set([...grounds].flatMap((ground) => [...(openRfqsOn.get(ground) ?? [])]));
  return [...ids].sort((a, b) => rfqNumber(a) - rfqNumber(b));
}

function note(stopped: Stopped, event: Event): void {
  const { grounds, accounts } = stopped;
  switch (event.type) {
    case "HaltChanged":
      stopped.isAll ||= event.halted;
      return;
    case "WindowChanged":
      if (event.window !== null && holdsMatching(event.window)) grounds.add(event.index);
      return;
    case "FrontierMoved":
      grounds.add(event.frontier.index);
      return;
    case "MarketChanged": {
      const { id, status, tradingClosed } = event.market;
      if (status !== "ACTIVE" || tradingClosed) grounds.add(id);
      return;
    }
    case "AccountChanged":
      if (!isAccountStopped(event.account)) return;
      accounts.add(event.account.id);
      grounds.add(event.account.id);
  }
}

/** By somebody else, or by its losses: nothing an account does at will takes its quotes back. */
const isAccountStopped = ({ halted, kyc, marginCall, inDefault }: Account): boolean =>
  halted || kyc.status !== "approved" || marginCall !== undefined || inDefault !== undefined;
