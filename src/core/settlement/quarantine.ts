// Releases that validation held back: two different operators release one, a single one rejects it.
// Invariant: what is held settles nothing; whoever gave the first word never gives the second.

import type { ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "../command.ts";
import { forgetAwaited } from "../market/window.ts";
import { isOwnMatter, settlesStakeOf, waitingFor } from "../own-matter.ts";
import type { AcceptedRelease, Observation, QuarantinedRelease } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";
import { endAgreed, firstFor, isSaidBefore, say } from "../words/say.ts";

/**
 * Holds a release back. One that is held already is judged anew, and approvals of it are void:
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
    rejection: null,
    ...(awaited === undefined ? {} : { awaited }),
  });
  return undefined;
}

/** The first word; the second comes with the release itself, as AcceptRelease. */
export function approveRelease(
  step: Step,
  command: CommandOf<"ApproveRelease">,
): Rejection | undefined {
  const held = heldRelease(step, command.releaseId);
  if (held === undefined) return reject("RELEASE_NOT_QUARANTINED");
  const operator = operatorOf(step);
  if (firstFor(step, command, operator) !== undefined) return reject("RELEASE_HELD");
  const said = say(step, command);
  return said.isDecided ? undefined : said.refused;
}

export function rejectRelease(
  step: Step,
  { releaseId, reason }: CommandOf<"RejectRelease">,
): Rejection | undefined {
  const held = heldRelease(step, releaseId);
  if (held === undefined) return reject("RELEASE_NOT_QUARANTINED");

  const rejection = { by: operatorOf(step), reason };
  const { awaited: _awaited, ...release } = held;
  putHeld(step, { ...release, status: "rejected", rejection });
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
  if (!fromQuarantine) return reject("RELEASE_HELD");
  const approval = { type: "ApproveRelease", releaseId: id } as const;
  const operator = operatorOf(step);
  if (isOwnMatter(step.state, operator, approval)) return reject("CONFLICT_OF_INTEREST");
  if (firstFor(step, approval, operator) !== undefined) return undefined;
  const isSaid = isSaidBefore(step, approval, operator);
  return reject(isSaid ? "RELEASE_SAME_OPERATOR" : "RELEASE_HELD");
}

/** Whether a market that these prints settle has a stake of whoever gives the command. */
export function settlesStake(
  step: Step,
  index: IndexKind,
  observations: readonly Observation[],
): boolean {
  if (step.actor.type === "system") return false;
  return settlesStakeOf(step.state, operatorOf(step), index, observations);
}

/** Nobody lets in alone a print they have bet on: it is held for two others. */
export function holdOfStake(
  step: Step,
  { release, observations }: CommandOf<"AcceptRelease">,
): Rejection | undefined {
  const awaited = observations.filter(
    (seen) => waitingFor(step.state, release.index, seen).length > 0,
  );
  const message =
    "The operator who sent this release has a stake in a market that it settles; " +
    "two operators without one have to release it.";
  const reasons = [{ code: "SENDER_HAS_STAKE", message }];
  return quarantineRelease(step, { release, reasons, awaited });
}

/** The clearance of an accepted release that was held before. */
export function clearanceOf(step: Step, id: ReleaseId): Pick<AcceptedRelease, "clearance"> {
  const held = heldRelease(step, id);
  if (held === undefined) return {};
  const approval = { type: "ApproveRelease", releaseId: id } as const;
  const first = firstFor(step, approval, operatorOf(step));
  invariant(first !== undefined, `${id} was approved before it is accepted`);
  endAgreed(step, approval);
  return { clearance: { reasons: held.reasons, approvedBy: [first.by, operatorOf(step)] } };
}

function heldRelease({ state }: Step, id: ReleaseId): QuarantinedRelease | undefined {
  const release = state.quarantine.get(id);
  return release?.status === "quarantined" ? release : undefined;
}

const putHeld = (step: Step, release: QuarantinedRelease): void =>
  emit(step, { type: "QuarantineChanged", release });
