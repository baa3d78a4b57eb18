// Whether an order would fill whole at once: what a fill-or-kill is judged by before it may match.
// Invariant: it is to the lot what matching then fills: resting orders that are cut or taken back
// on the way count only for what is left of them.

import type { AccountId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { lots } from "#base/quantity.ts";
import { leftToday } from "../account/caps.ts";
import { counted } from "../account/maker-protection.ts";
import { sameOwner } from "../account/owner.ts";
import type { MakerProtection, OrderGroup } from "../account/protection-record.ts";
import { groupName } from "../names.ts";
import type { Order } from "../records.ts";
import { positionOf, type Step } from "../step.ts";
import { buysYes, crosses, remaining } from "./order.ts";
import { reducible } from "./reduce-only.ts";

/** Somebody whose resting orders are met: what has become of their position, day and protection. */
interface Met {
  readonly heldLots: bigint;
  /** Lots that its day leaves. */
  readonly leftLots: bigint;
  readonly protection: MakerProtection | undefined;
}

export function fillsWhole(step: Step, order: Order): boolean {
  const buying = buysYes(order);
  const met = new Map<AccountId, Met>();
  const groups = new Map<string, OrderGroup>();
  let wanted: bigint = order.amountLots;
  if (leftToday(step, order.accountId) < wanted) return false;
  for (const resting of step.state.book(order.marketId).against(buying)) {
    if (!crosses(order, resting)) return false;
    if (sameOwner(step.state, resting.accountId, order.accountId)) {
      if (order.selfTradePrevention === "cancel_resting") continue;
      return false;
    }
    const maker = met.get(resting.accountId) ?? asMet(step, resting);
    const group = groupMet(step, resting, groups);
    const isTripped = group !== undefined && group.trippedAtMillis !== null;
    const quantity = isTripped ? 0n : offered(resting, maker);
    if (quantity >= wanted) return true;
    if (quantity === 0n) continue;
    wanted -= quantity;
    met.set(resting.accountId, afterFill(step, maker, quantity, buying));
    if (group === undefined) continue;
    const after = counted(group, group.withinMillis, lots(quantity), step.nowMillis);
    groups.set(groupName(group.accountId, group.group), after);
  }
  return false;
}

/** The group of a resting order, where it has limits, as the fills before have left it. */
function groupMet(
  { state }: Step,
  { accountId, group }: Order,
  groups: ReadonlyMap<string, OrderGroup>,
): OrderGroup | undefined {
  if (group === undefined) return undefined;
  const name = groupName(accountId, group);
  return groups.get(name) ?? state.orderGroups.get(name);
}

const asMet = (step: Step, { accountId, marketId }: Order): Met => ({
  heldLots: positionOf(step.state, accountId, marketId).heldLots,
  leftLots: leftToday(step, accountId),
  protection: step.state.makerProtections.get(accountId),
});

function offered(resting: Order, { heldLots, leftLots, protection }: Met): bigint {
  if (protection !== undefined && protection.trippedAtMillis !== null) return 0n;
  const most = least(remaining(resting), leftLots);
  return resting.reduceOnly ? least(most, reducible(heldLots, buysYes(resting))) : most;
}

/** The one who rests gives what the incoming order takes. */
const afterFill = (step: Step, met: Met, quantity: bigint, buying: boolean): Met => ({
  heldLots: met.heldLots + (buying ? -quantity : quantity),
  leftLots: met.leftLots - quantity,
  protection:
    met.protection &&
    counted(met.protection, met.protection.withinSeconds * 1000, lots(quantity), step.nowMillis),
});
