// A held place decided: two different operators release it, or one rejects its release for it.
// Invariant: its first prints are those it would have had, each of the release that carried it; a
// market that waited settles by them as by any first print, and one that was voided does not.
import { invariant } from "#base/invariant.ts";
import type { CommandOf, HeldFrom, PlaceReading } from "../command.ts";
import { renamingName } from "../names.ts";
import type { AcceptedRelease } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { emit, operatorOf, type Step } from "../step.ts";
import { endAgreed, firstFor, isSaidBefore, say } from "../words/say.ts";
import type { HeldPlace } from "./held-place.ts";
import { heldIn, holdPlace } from "./hold-back.ts";
import { settlesStake } from "./quarantine.ts";
import { digestsOf, firstRepeated, isEarly, observe } from "./release.ts";
import { refuseRenamed } from "./rename.ts";

/** The first word; the second comes with what the files held of the place, as ReleasePlace. */
export function approvePlace(
  step: Step,
  command: CommandOf<"ApprovePlace">,
): Rejection | undefined {
  const held = heldPlace(step, command);
  if (held === undefined) return reject("PLACE_NOT_HELD");
  if (firstFor(step, command, operatorOf(step)) !== undefined) {
    return reject("PLACE_HELD", { status: held.nodeId });
  }
  const said = say(step, command);
  return said.isDecided ? undefined : said.refused;
}

/**
 * Once decided, every release from there on brings the place what it would have had. If validation
 * has a new reason, in a later release or, for what nobody has seen, in the same, it is held anew.
 */
export function decidePlace(
  step: Step,
  command: CommandOf<"ReleasePlace" | "RejectPlace">,
): Rejection | undefined {
  const held = heldPlace(step, command);
  if (held === undefined) return reject("PLACE_NOT_HELD");
  const isReleased = command.type === "ReleasePlace";
  const approval = approvalOf(held);
  const unsaid = isReleased ? refuseFirst(step, approval) : undefined;
  if (unsaid !== undefined) return unsaid;
  const ground = isReleased ? refuseRenamed(step, held) : undefined;
  if (ground !== undefined) return ground;
  const { readings, heldAnew } = command;
  checkOrder(step, held, command);
  const observations = readings.flatMap((reading) => reading.observations);
  if (settlesStake(step, held.index, [...held.observations, ...observations])) {
    return reject("CONFLICT_OF_INTEREST");
  }
  if (isEarly(step, observations)) return reject("RELEASE_FROM_FUTURE", undefined, "publishedAt");
  const repeated = firstRepeated(step, held.index, observations);
  if (repeated !== undefined) return reject("PRINT_EXISTS", { status: repeated.nodeId });

  const status = isReleased ? "released" : "rejected";
  if (isReleased) endAgreed(step, approval);
  emit(step, { type: "HeldPlaceChanged", place: held, status });
  if (!isReleased && held.renamed === undefined) {
    letGo(step, step.state.release(held.releaseId), held);
  }
  for (const reading of readings) takeReading(step, held, reading);
  if (heldAnew !== undefined) holdAnew(step, held, heldAnew);
  return undefined;
}

const approvalOf = ({ releaseId, nodeId }: Pick<HeldPlace, "releaseId" | "nodeId">) =>
  ({ type: "ApprovePlace", releaseId, nodeId }) as const;

/** A second person has to have approved it before. */
function refuseFirst(step: Step, approval: CommandOf<"ApprovePlace">): Rejection | undefined {
  const operator = operatorOf(step);
  if (firstFor(step, approval, operator) !== undefined) return undefined;
  return isSaidBefore(step, approval, operator)
    ? reject("RELEASE_SAME_OPERATOR")
    : reject("PLACE_HELD", { status: approval.nodeId });
}

function heldPlace(
  step: Step,
  { releaseId, nodeId }: Pick<HeldPlace, "releaseId" | "nodeId">,
): HeldPlace | undefined {
  const release = step.state.releases.get(releaseId);
  if (release === undefined) return undefined;
  const { heldPlaces } = step.state;
  return [heldIn(step, release, nodeId), heldPlaces.get(renamingName(release, nodeId))].find(
    (held) => held?.releaseId === releaseId,
  );
}

/** The exchange itself reads the files: what does not fit its own state is our mistake. */
function checkOrder(
  step: Step,
  { index, level, variable, releaseId, nodeId }: HeldPlace,
  { type, readings, heldAnew }: CommandOf<"ReleasePlace" | "RejectPlace">,
): void {
  const [first] = readings;
  const counts = first?.releaseId === releaseId || heldAnew?.releaseId === releaseId;
  invariant(counts === (type === "ReleasePlace"), `${releaseId} counts for ${nodeId}, or not`);
  const all = [...step.state.releases.keys()];
  const named = [...readings, ...(heldAnew === undefined ? [] : [heldAnew])];
  let before = all.indexOf(releaseId) - 1;
  for (const reading of named) {
    const at = all.indexOf(reading.releaseId);
    const release = step.state.release(reading.releaseId);
    const isOfSeries = release.index === index && release.level === level;
    const follows = at > before && isOfSeries && release.variable === variable;
    invariant(follows, `${release.id} follows in the series that held ${nodeId}`);
    before = at;
  }
}

function takeReading(step: Step, held: HeldPlace, reading: PlaceReading): void {
  const { nodeId } = held;
  const { observations } = reading;
  const release = step.state.release(reading.releaseId);
  // It is a print from now on, whenever the release itself came.
  const seen = { ...release, ingestedAtMillis: step.nowMillis };
  const resolved = observations.flatMap((print) => observe(step, seen, print));
  const place = { nodeId, atMillis: step.nowMillis };
  const afterReleases = step.state.releases.size;
  const later = { sequence: step.sequence, afterReleases, ...digestsOf(reading), place };
  letGo(
    step,
    {
      ...release,
      firstPrints: release.firstPrints + reading.firstPrints,
      revisions: release.revisions + reading.revisions,
      unchanged: release.unchanged + reading.unchanged,
      rescaled: release.rescaled + reading.rescaled,
      resolvedMarkets: [...release.resolvedMarkets, ...resolved],
      rereads: [...(release.rereads ?? []), later],
    },
    held,
  );
}

/** From the release on that holds it, for what nobody has seen; a map stands, and holds nothing. */
function holdAnew(step: Step, { renamed }: HeldPlace, anew: HeldFrom): void {
  const release = step.state.release(anew.releaseId);
  if (renamed !== undefined) {
    const counted = { held: (release.held ?? 0) + 1, unmatched: release.unmatched - 1 };
    emit(step, { type: "ReleaseChanged", release: { ...release, ...counted } });
  }
  holdPlace(step, release, anew);
}

/** One region of it is held no longer, or has a place: until its map it had none. */
function letGo(
  step: Step,
  { held = 0, ...release }: AcceptedRelease,
  { renamed }: HeldPlace,
): void {
  if (renamed !== undefined) {
    invariant(release.unmatched > 0, `${release.id} has a region without a place`);
    const still = held === 0 ? {} : { held };
    const matched = { ...release, ...still, unmatched: release.unmatched - 1 };
    emit(step, { type: "ReleaseChanged", release: matched });
    return;
  }
  invariant(held > 0, `${release.id} has a region whose place is held`);
  const left = held === 1 ? {} : { held: held - 1 };
  emit(step, { type: "ReleaseChanged", release: { ...release, ...left } });
}
