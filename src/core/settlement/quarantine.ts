// Releases that validation held back: two different operators release one, a single one rejects it.
// Invariant: what is held settles nothing; whoever gave the first word never gives the second.

import type { MarketId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "../command.ts";
import { isLive } from "../market/life.ts";
import { forgetAwaited } from "../market/window.ts";
import { awaitingName } from "../names.ts";
import { hasStake, isSecondPerson } from "../person.ts";
import type { AcceptedRelease, Observation, OperatorName, QuarantinedRelease } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";

/**
 * Holds a release back. One that is held already is judged anew, and its first approval is void:
 * what operators release is what they have seen. One that was rejected is a new delivery.
 */
export function quarantineRelease(
  step: Step,
  { release, reasons, awaited }: Omit<CommandOf<"QuarantineRelease">, "type">,
): Rejection | undefined {
  invariant(reasons.length > 0, `release ${release.id} is held for a reason`);
  if (step.state.releases.has(release.id)) return reject("RELEASE_EXISTS");
  if (release.publishedAtMillis > step.nowMillis) {
    return reject("RELEASE_FROM_FUTURE", undefined, "publishedAt");
  }

  putHeld(step, {
    ...release,
    status: "quarantined",
    ingestedAtMillis: step.nowMillis,
    reasons,
    approvedBy: null,
    rejection: null,
    ...(awaited === undefined ? {} : { awaited }),
  });
  return undefined;
}

/** The first word; the second comes with the release itself, as AcceptRelease. */
export function approveRelease(
  step: Step,
  { releaseId }: CommandOf<"ApproveRelease">,
): Rejection | undefined {
  const held = heldRelease(step, releaseId);
  if (held === undefined) return reject("RELEASE_NOT_QUARANTINED");
  const operator = operatorOf(step);
  if (settlesOwn(step, held, operator)) return reject("CONFLICT_OF_INTEREST");
  if (held.approvedBy !== null) {
    const isSecond = isSecondPerson(step.state, held.approvedBy, operator);
    return reject(isSecond ? "RELEASE_HELD" : "RELEASE_SAME_OPERATOR");
  }

  putHeld(step, { ...held, approvedBy: operator });
  return undefined;
}

export function rejectRelease(
  step: Step,
  { releaseId, reason }: CommandOf<"RejectRelease">,
): Rejection | undefined {
  const held = heldRelease(step, releaseId);
  if (held === undefined) return reject("RELEASE_NOT_QUARANTINED");

  const rejection = { by: operatorOf(step), reason };
  const { awaited: _awaited, ...release } = held;
  putHeld(step, { ...release, status: "rejected", approvedBy: null, rejection });
  forgetAwaited(step, { index: release.index, releaseId });
  return undefined;
}

/** One that is rejected while its file is read is held no longer, and is not accepted either. */
export function refuseHeld(
  step: Step,
  id: ReleaseId,
  fromQuarantine: boolean,
): Rejection | undefined {
  const held = heldRelease(step, id);
  if (held === undefined) return fromQuarantine ? reject("RELEASE_NOT_QUARANTINED") : undefined;
  if (!fromQuarantine || held.approvedBy === null) return reject("RELEASE_HELD");
  const operator = operatorOf(step);
  if (settlesOwn(step, held, operator)) return reject("CONFLICT_OF_INTEREST");
  const isSecond = isSecondPerson(step.state, held.approvedBy, operator);
  return isSecond ? undefined : reject("RELEASE_SAME_OPERATOR");
}

/** Whether a market that these prints settle has a stake of whoever gives the command. */
export function settlesStake(
  step: Step,
  index: IndexKind,
  observations: readonly Observation[],
): boolean {
  if (step.actor.type === "system") return false;
  const by = operatorOf(step);
  return observations.some((seen) =>
    waitingFor(step, index, seen).some((market) => hasStake(step.state, by, market)),
  );
}

/** The markets that a print settles. */
function waitingFor(
  { state }: Step,
  index: IndexKind,
  { nodeId, month, backfill }: Observation,
): readonly MarketId[] {
  return backfill ? [] : [...(state.awaiting.get(awaitingName(index, nodeId, month)) ?? [])];
}

/** Nobody lets in alone a print they have bet on: it is held for two others. */
export function holdOfStake(
  step: Step,
  { release, observations }: CommandOf<"AcceptRelease">,
): Rejection | undefined {
  const awaited = observations.filter((seen) => waitingFor(step, release.index, seen).length > 0);
  const message =
    "The operator who sent this release has a stake in a market that it settles; " +
    "two operators without one have to release it.";
  const reasons = [{ code: "SENDER_HAS_STAKE", message }];
  return quarantineRelease(step, { release, reasons, awaited });
}

/** Whether a market with a stake of this person waits for a month that the release brings. */
function settlesOwn({ state }: Step, release: QuarantinedRelease, by: OperatorName): boolean {
  const { index, firstMonth, lastMonth } = release;
  for (const { id, status, terms } of state.markets.values()) {
    const { measurementMonth: month } = terms;
    const waits = isLive(status) && terms.index === index;
    if (waits && firstMonth <= month && month <= lastMonth && hasStake(state, by, id)) return true;
  }
  return false;
}

/** The clearance of an accepted release that was held before. */
export function clearanceOf(step: Step, id: ReleaseId): Pick<AcceptedRelease, "clearance"> {
  const held = heldRelease(step, id);
  if (held === undefined || held.approvedBy === null) return {};
  const approvedBy = [held.approvedBy, operatorOf(step)];
  return { clearance: { reasons: held.reasons, approvedBy } };
}

function heldRelease({ state }: Step, id: ReleaseId): QuarantinedRelease | undefined {
  const release = state.quarantine.get(id);
  return release?.status === "quarantined" ? release : undefined;
}

const putHeld = (step: Step, release: QuarantinedRelease): void =>
  emit(step, { type: "QuarantineChanged", release });
