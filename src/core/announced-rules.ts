// Changing the rules: what makes positions dearer is announced, and the rest is in force at once.
// Invariant: no position that is held becomes dearer before two people said so and five days went
// by; a change that is withdrawn begins anew.

import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId } from "#base/ids.ts";
import { announcementId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "./command.ts";
import type { EventOf } from "./event.ts";
import { approvedTier } from "./kyc/standing.ts";
import { raiseAlert } from "./margin/alert.ts";
import { countOpen } from "./market/open-count.ts";
import { kycTiers } from "./records.ts";
import { type Rejection, reject } from "./rejection.ts";
import {
  type Announcement,
  changesShown,
  isBustTightened,
  isConcentrationTightened,
  isFundTightened,
  isPriceTightened,
  newIn,
  type RulesChange,
  rulesAfter,
  tiersTightened,
} from "./rules-change.ts";
import type { State } from "./state.ts";
import { emit, type Step } from "./step.ts";
import { say } from "./words/say.ts";

/** From the second person's word until the change is in force. */
const NOTICE_MILLIS = 5 * DAY_MILLIS;
/** That wait at a time. */
export const MOST_ANNOUNCED = 5;

/** The funding limit is changed by a command of its own, which may take two people. */
export function setRules(step: Step, command: CommandOf<"SetRules">): Rejection | undefined {
  const { state, nowMillis } = step;
  const { rules } = state;
  if (concernedBy(state, command.rules).length === 0) {
    putInForce(step, command.rules);
    return undefined;
  }
  if (state.announcedRules.size >= MOST_ANNOUNCED) {
    return reject("RULES_ANNOUNCED_LIMIT", { allowed: MOST_ANNOUNCED });
  }
  const said = say(step, { ...command, rules: newIn(rules, command.rules) });
  if (!said.isDecided) return said.refused;

  const announcement = {
    id: announcementId(`ann-${step.sequence}`),
    change: newIn(rules, command.rules),
    announcedAtMillis: nowMillis,
    effectiveAtMillis: nowMillis + NOTICE_MILLIS,
  };
  const day = new Date(announcement.effectiveAtMillis).toISOString();
  tell(step, announcement.change, (values) => `From ${day} on the rules are ${values}`);
  put(step, announcement, "announced");
  return undefined;
}

export function applyRules(step: Step, command: CommandOf<"ApplyRules">): undefined {
  const announcement = step.state.announcedRules.get(command.announcementId);
  invariant(announcement !== undefined, `${command.announcementId} is announced`);
  put(step, announcement, "in_force");
  putInForce(step, announcement.change);
}

/** Shares are judged by what is open now from the moment they are judged at all. */
function putInForce(step: Step, change: RulesChange): void {
  const rules = rulesAfter(step.state.rules, change);
  if (change.concentration !== undefined) countOpen(step, rules);
  emit(step, { type: "RulesChanged", rules });
}

/** Two people, as announcing it took: nobody alone frightens sellers and takes it back. */
export function withdrawRules(
  step: Step,
  command: CommandOf<"WithdrawRules">,
): Rejection | undefined {
  const announcement = step.state.announcedRules.get(command.announcementId);
  if (announcement === undefined) return reject("RULES_NOT_ANNOUNCED");
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  tell(step, announcement.change, (values) => `The rules do not become ${values}: withdrawn`);
  put(step, announcement, "withdrawn");
  return undefined;
}

const put = (
  step: Step,
  announcement: Announcement,
  status: EventOf<"RulesAnnounced">["status"],
): void => emit(step, { type: "RulesAnnounced", announcement, status });

/** Those who hold a position, or have an order open, in a tier that gets dearer. */
function concernedBy(state: State, change: RulesChange): readonly AccountId[] {
  const isForAll =
    isBustTightened(state.rules, change) ||
    isFundTightened(state.rules, change) ||
    isConcentrationTightened(state.rules, change) ||
    isPriceTightened(state.rules, change);
  const tightened = isForAll ? new Set(kycTiers) : tiersTightened(state.rules, change);
  if (tightened.size === 0) return [];
  return [...state.accounts.values()].flatMap(({ id, kyc }) => {
    const tier = approvedTier(kyc);
    const isOfTier = tightened.has(tier === "none" ? "basic" : tier);
    return isOfTier && isInvolved(state, id) ? id : [];
  });
}

function isInvolved(state: State, id: AccountId): boolean {
  if ((state.openOrders.get(id)?.size ?? 0) > 0) return true;
  for (const market of state.marketsHeldBy.get(id) ?? []) {
    if (state.position(id, market)?.heldLots !== 0n) return true;
  }
  return false;
}

function tell(step: Step, change: RulesChange, text: (values: string) => string): void {
  const shown = Object.entries(changesShown(step.state.rules, change));
  const message = text(shown.map(([path, value]) => `${path} = ${value}`).join(", "));
  for (const id of concernedBy(step.state, change)) raiseAlert(step, id, "rules", message);
}
