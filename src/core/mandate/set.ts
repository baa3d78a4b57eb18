// Setting, lowering and cancelling mandates.
// Invariant: an account changes its own mandates only; what lowers or cancels is always taken.
import { type AccountId, type MandateId, mandateId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import type { CommandOf } from "../command.ts";
import { refuseExpiry, refuseStanding } from "../order/checks.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import type { Mandate, MandateLimits } from "./record.ts";

const MOST_MANDATES = 50;

/** A new one, or all terms of one there is: it goes behind the others at its price. */
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
  const mandate = { ...terms, id: name, accountId, createdAtMillis, rank: step.sequence };
  emit(step, { type: "MandateChanged", mandate, status: "set" });
  return undefined;
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
