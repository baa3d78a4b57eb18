// A margin call: the day an account below health 1 has to come back to it by.
// Invariant: a call never ends early, and never later than it was said to; marks do not move it.
import { afterBusinessDay } from "#base/business-days.ts";
import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import type { Account } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { cashOf, type Step } from "../step.ts";
import type { MarginCall } from "./call-record.ts";
import { microsUp } from "./requirement.ts";
import type { ShortTotals } from "./sums.ts";

export const callNow = ({ state, nowMillis }: Step, id: AccountId): MarginCall => ({
  calledAtMillis: nowMillis,
  dueAtMillis: afterBusinessDay(nowMillis),
  amountMicros: lackingOf(state.balance(cashOf(id)), state.exposures.shortTotals(id)),
});

/** The cash that an account below health 1 lacks of it, rounded up. */
export const lackingOf = (
  cash: Micros,
  { liabilityParts, maintenanceParts }: ShortTotals,
): Micros => micros(microsUp(liabilityParts + maintenanceParts) - cash);

export const toldOf = ({ amountMicros, dueAtMillis }: MarginCall): string =>
  `deposit ${formatMicros(amountMicros)} USD or reduce the short positions by ` +
  `${new Date(dueAtMillis).toISOString().slice(0, 19)}Z, else the account defaults`;

/** False where the account cannot pay the payouts that are known. */
export const coversKnown = (state: State, id: AccountId): boolean =>
  state.balance(cashOf(id)) >= knownOf(state, id);

/** The payouts that the account's shorts in resolved markets owe. */
function knownOf({ exposures }: State, id: AccountId): Micros {
  const known = exposures.shorts(id).filter(({ rate }) => rate.isResolved);
  const owed = known.map(({ shortLots, rate }) => microsUp(shortLots * rate.liability));
  return micros(owed.reduce((sum, one) => sum + one, 0n));
}

/** Only what brings it back: deposits, cancels, and orders that can only reduce a position. */
export const refuseCalled = ({ marginCall }: Account): Rejection | undefined =>
  marginCall === undefined
    ? undefined
    : reject("MARGIN_CALL", { requiredMicros: marginCall.amountMicros });
