// An account's own brake: when its resting orders are filled too fast, all of them are taken back.
// Invariant: what trips it is a fill of a resting order, in the command of that fill; only the
// account itself lets it trade again.

import type { AccountId } from "#base/ids.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { CommandOf } from "../command.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import { groupName } from "../names.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import type { FillLimits, MakerProtection } from "./protection-record.ts";

const without: Omit<MakerProtection, "accountId"> = {
  withinSeconds: 0,
  maxLots: null,
  maxFills: null,
  windowOpenedAtMillis: null,
  windowLots: noLots,
  windowFills: 0,
  trippedAtMillis: null,
  tripReported: false,
};

/** New limits start a new window; they do not undo a trip. */
export function setMakerProtection(
  step: Step,
  { withinSeconds, maxLots, maxFills }: CommandOf<"SetProtection">,
): undefined {
  const { trippedAtMillis, tripReported } = makerProtectionOf(step);
  change(step, { withinSeconds, maxLots, maxFills, trippedAtMillis, tripReported });
}

export function resetMakerProtection(step: Step): undefined {
  const { withinSeconds, maxLots, maxFills } = makerProtectionOf(step);
  change(step, { withinSeconds, maxLots, maxFills });
}

/** The fill's own command belongs to somebody else: this entry tells the account. */
export function reportTrip(step: Step, { accountId, group }: CommandOf<"ReportTrip">): undefined {
  if (group !== undefined) {
    const limits = step.state.orderGroups.get(groupName(accountId, group));
    if (limits === undefined) return;
    emit(step, {
      type: "GroupChanged",
      accountId,
      group,
      limits: { ...limits, tripReported: true },
    });
    return;
  }
  const tripped = step.state.makerProtections.get(accountId);
  if (tripped === undefined) return;
  emit(step, { type: "ProtectionChanged", protection: { ...tripped, tripReported: true } });
}

/** Counts a fill of a resting order; when it was one too many, the account's orders come back. */
export function countAgainst(step: Step, account: AccountId, quantity: Lots): void {
  const before = step.state.makerProtections.get(account);
  if (before === undefined || before.withinSeconds === 0) return;
  const protection = counted(before, before.withinSeconds * 1000, quantity, step.nowMillis);
  emit(step, { type: "ProtectionChanged", protection });
  if (protection.trippedAtMillis !== null) cancelOrdersOf(step, account, null, "PROTECTION");
}

/** The same limits after one more fill: above a limit, it has tripped. */
export function counted<Limits extends FillLimits>(
  before: Limits,
  withinMillis: number,
  quantity: Lots,
  nowMillis: number,
): Limits {
  const { maxLots, maxFills, windowOpenedAtMillis: opened } = before;
  if (withinMillis === 0 || before.trippedAtMillis !== null) return before;
  const within = opened !== null && nowMillis < opened + withinMillis;
  const windowLots = lots((within ? before.windowLots : 0n) + quantity);
  const windowFills = (within ? before.windowFills : 0) + 1;
  const tooMany =
    (maxLots !== null && windowLots > maxLots) || (maxFills !== null && windowFills > maxFills);
  return {
    ...before,
    windowOpenedAtMillis: within ? opened : nowMillis,
    windowLots,
    windowFills,
    trippedAtMillis: tooMany ? nowMillis : null,
  };
}

const makerProtectionOf = (step: Step): Omit<MakerProtection, "accountId"> =>
  step.state.makerProtections.get(actingAccount(step)) ?? without;

function change(step: Step, parts: Partial<MakerProtection>): void {
  const accountId = actingAccount(step);
  emit(step, { type: "ProtectionChanged", protection: { ...without, ...parts, accountId } });
}
