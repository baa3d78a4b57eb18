// Positions that the guarantee fund took over, held for the account that failed: what they brought
// beyond their payouts goes back to it.
// Invariant: the fund keeps of a takeover no more than its positions cost it, and gives back
// nothing that its other positions may need.
import type { AccountId, MarketId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { atLeastZero, formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { byAge } from "../account/owner.ts";
import type { Account, Market } from "../records.ts";
import { cashOf, emit, GUARANTEE, post, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import type { Short } from "./exposure.ts";
import { worstOf } from "./guarantee.ts";
import { lotWorthOf, microsUp } from "./requirement.ts";
import { putDefault } from "./takeover.ts";

/** `asked`: what the fund asked for them; what the account did not pay of that, it owes. */
export function keepInTrust(
  step: Step,
  id: AccountId,
  shorts: readonly Short[],
  parts: readonly Micros[],
  asked: Micros,
): void {
  const account = step.state.account(id);
  const taken = shorts.map(({ marketId, shortLots }, at) => ({
    ...{ marketId, shortLots },
    paidMicros: parts[at] ?? noMoney,
  }));
  const { leftMicros = noMoney, shorts: before = [] } = account.trust ?? {};
  const trust = { leftMicros: micros(leftMicros + asked), shorts: [...before, ...taken] };
  emit(step, { type: "AccountChanged", account: { ...account, trust } });
}

/** After a command that ended markets in which the fund held something. */
export function returnTrusts(step: Step): void {
  const ended = new Map<MarketId, Market>();
  const held = new Set<MarketId>();
  for (const event of step.events) {
    if (event.type === "PositionChanged" && event.position.accountId === GUARANTEE) {
      held.add(event.position.marketId);
    }
    if (event.type !== "MarketChanged") continue;
    const { status, id } = event.market;
    if (status === "FINALIZED" || status === "CANCELLED") ended.set(id, event.market);
  }
  if (![...ended.keys()].some((id) => held.has(id))) return;
  const owners = [...step.state.accounts.values()].filter(({ trust }) =>
    trust?.shorts.some(({ marketId }) => ended.has(marketId)),
  );
  for (const account of owners.sort((a, b) => byAge(a.id, b.id))) settle(step, account, ended);
}

function settle(
  step: Step,
  { trust, ...account }: Account,
  ended: ReadonlyMap<MarketId, Market>,
): void {
  if (trust === undefined) return;
  let left: bigint = trust.leftMicros;
  for (const { marketId, shortLots, paidMicros } of trust.shorts) {
    const market = ended.get(marketId);
    if (market === undefined) continue;
    const isVoid = market.status === "CANCELLED";
    left -= isVoid ? paidMicros : microsUp(shortLots * lotWorthOf(market));
  }
  const shorts = trust.shorts.filter(({ marketId }) => !ended.has(marketId));
  const after =
    shorts.length === 0 ? account : { ...account, trust: { leftMicros: micros(left), shorts } };
  emit(step, { type: "AccountChanged", account: after });
  if (shorts.length === 0) giveBack(step, account.id, atLeastZero(micros(left)));
}

/** A debt to the fund for these positions comes off first. */
function giveBack(step: Step, id: AccountId, surplus: Micros): void {
  const { state } = step;
  const owes = state.account(id).inDefault?.owesMicros ?? noMoney;
  const forgiven = least(surplus, owes);
  if (forgiven > 0n) putDefault(step, state.account(id), { owesMicros: micros(owes - forgiven) });
  const worst = worstOf(state.markets, state.exposures.shorts(GUARANTEE));
  const spare = atLeastZero(micros(state.balance("guarantee") - worst));
  const back = least(micros(surplus - forgiven), spare);
  post(step, "guarantee", cashOf(id), back, "takeover-returned", id);
  state.marginQueue.add(id);
  if (surplus === 0n) return;
  const usd = formatMicros(surplus);
  const text = `Positions that the guarantee fund took over cost ${usd} USD less than it asked`;
  raiseAlert(step, id, "auction", `${text}: ${formatMicros(back)} USD of it came back`);
}
