// Setting, lowering and cancelling mandates.
// Invariant: an account changes its own mandates only; what lowers or cancels is always taken.
import { type AccountId, type MandateId, mandateId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { encode } from "../codec.ts";
import type { CommandOf } from "../command.ts";
import { refuseExpiry, refuseStanding } from "../order/checks.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import type { Mandate, MandateLimits, MandateTerms } from "./record.ts";

const MOST_MANDATES = 50;

/** A new one, or all terms of one there is. */
export function setMandate(step: Step, command: CommandOf<"SetMandate">): Rejection | undefined {
  const { state, nowMillis } = step;
  const { mandateId: id, terms } = command;
  const accountId = actingAccount(step);
  const before = id === null ? undefined : ownMandate(state, accountId, id);
  if (id !== null && before === undefined) return reject("MANDATE_NOT_FOUND");
  const refused =
    refuseStanding(step, state.account(accountId), false) ??
    refuseExpiry(step, terms.expirySeconds);
  if (refused !== undefined) return refused;
  if (before === undefined && (state.mandatesOf.get(accountId)?.size ?? 0) >= MOST_MANDATES) {
    return reject("MANDATE_CAP", { allowed: MOST_MANDATES });
  }

  const fresh = { id: mandateId(`mnd-${state.mandateCount + 1}`), createdAtMillis: nowMillis };
  const { id: name, createdAtMillis } = before ?? fresh;
  const rank = before !== undefined && isNoMore(terms, before) ? before.rank : step.sequence;
  const mandate = { ...terms, id: name, accountId, createdAtMillis, rank };
  emit(step, { type: "MandateChanged", mandate, status: "set" });
  return undefined;
}

/** At its price it keeps its place where nothing is new to others: else it goes behind them. */
function isNoMore(terms: MandateTerms, before: MandateTerms): boolean {
  const [scope, known] = [terms.scope, before.scope];
  const isSamePrice =
    terms.side === before.side &&
    terms.spreadTicks === before.spreadTicks &&
    terms.spreadTicksPerYear === before.spreadTicksPerYear;
  const isNoWider =
    scope.index === known.index &&
    scope.minMonths >= known.minMonths &&
    scope.maxMonths <= known.maxMonths &&
    isPartOf(scope.places, known.places) &&
    isPartOf(scope.levels, known.levels) &&
    isPartOf(scope.payoffs, known.payoffs);
  const isNoLarger =
    terms.mostInMarketLots <= before.mostInMarketLots &&
    terms.mostInStateLots <= before.mostInStateLots &&
    terms.mostInAllLots <= before.mostInAllLots &&
    (terms.collateral === before.collateral || before.collateral === "margin");
  return isSamePrice && isNoWider && isNoLarger;
}

/** Null = all there are. */
function isPartOf(list: readonly unknown[] | null, all: readonly unknown[] | null): boolean {
  if (all === null) return true;
  const known = new Set(all.map(encode));
  return list?.every((one) => known.has(encode(one))) === true;
}

/** Keeps its place; a limit that is not lower stays as it is. */
export function lowerMandate(
  step: Step,
  command: CommandOf<"LowerMandate">,
): Rejection | undefined {
  const mandate = ownMandate(step.state, actingAccount(step), command.mandateId);
  if (mandate === undefined) return reject("MANDATE_NOT_FOUND");

  const lowered: MandateLimits = {
    mostInMarketLots: least(mandate.mostInMarketLots, command.mostInMarketLots),
    mostInStateLots: least(mandate.mostInStateLots, command.mostInStateLots),
    mostInAllLots: least(mandate.mostInAllLots, command.mostInAllLots),
  };
  emit(step, { type: "MandateChanged", mandate: { ...mandate, ...lowered }, status: "set" });
  return undefined;
}

export function cancelMandates(
  step: Step,
  { mandateId: id }: CommandOf<"CancelMandates">,
): Rejection | undefined {
  const accountId = actingAccount(step);
  if (id === null) {
    cancelMandatesOf(step, accountId);
    return undefined;
  }
  const mandate = ownMandate(step.state, accountId, id);
  if (mandate === undefined) return reject("MANDATE_NOT_FOUND");

  emit(step, { type: "MandateChanged", mandate, status: "cancelled" });
  return undefined;
}

/** All of an account, the oldest first. */
export function cancelMandatesOf(step: Step, accountId: AccountId): void {
  for (const id of [...(step.state.mandatesOf.get(accountId) ?? [])]) {
    const mandate = step.state.mandates.get(id);
    if (mandate !== undefined) emit(step, { type: "MandateChanged", mandate, status: "cancelled" });
  }
}

export function expireMandate(
  step: Step,
  { mandateId: id }: CommandOf<"ExpireMandate">,
): undefined {
  const mandate = step.state.mandates.get(id);
  if (mandate !== undefined) emit(step, { type: "MandateChanged", mandate, status: "expired" });
}

/** Somebody else's is answered like an absent one. */
function ownMandate({ mandates }: State, accountId: AccountId, id: MandateId): Mandate | undefined {
  const mandate = mandates.get(id);
  return mandate?.accountId === accountId ? mandate : undefined;
}
