// Groups of an account's orders, each with a brake of its own: one that trips takes back its own
// orders and no others.
// Invariant: a fill counts for its order's group and for its account, so that no group keeps a fill
// from the account's own protection; a group in use has limits, has tripped, or has open orders.
import type { AccountId } from "#base/ids.ts";
import { type Lots, noLots } from "#base/quantity.ts";
import type { CommandOf } from "../command.ts";
import { cancelAs } from "../market/cancel.ts";
import { groupName } from "../names.ts";
import type { Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { counted } from "./maker-protection.ts";
import type { OrderGroup } from "./protection-record.ts";

/** In use at a time, of one account. */
const MOST_GROUPS = 50;

const untouched = {
  windowOpenedAtMillis: null,
  windowLots: noLots,
  windowFills: 0,
  trippedAtMillis: null,
  tripReported: false,
} as const;

/** New limits start a new window; they do not undo a trip. */
export function setGroup(
  step: Step,
  { group, withinMillis, maxLots, maxFills }: CommandOf<"SetGroup">,
): Rejection | undefined {
  const accountId = actingAccount(step);
  const refused = withinMillis === 0 ? undefined : refuseNew(step.state, accountId, [group]);
  if (refused !== undefined) return refused;
  const { trippedAtMillis, tripReported } = groupOf(step.state, accountId, group) ?? untouched;
  const trip = { trippedAtMillis, tripReported };
  put(step, { accountId, group, withinMillis, maxLots, maxFills, ...untouched, ...trip });
  return undefined;
}

export function resetGroup(step: Step, { group }: CommandOf<"ResetGroup">): Rejection | undefined {
  const before = groupOf(step.state, actingAccount(step), group);
  if (before === undefined) return reject("GROUP_NOT_FOUND", undefined, "group");

  put(step, { ...before, ...untouched });
  return undefined;
}

/** One without limits that has not tripped says nothing: it leaves the state. */
function put(step: Step, orderGroup: OrderGroup): void {
  const { accountId, group, withinMillis, trippedAtMillis } = orderGroup;
  const isNone = withinMillis === 0 && trippedAtMillis === null;
  emit(step, { type: "GroupChanged", accountId, group, limits: isNone ? null : orderGroup });
}

/** An order of a group that has tripped, or of one group too many. */
export function refuseGroup(
  state: State,
  account: AccountId,
  { group }: Pick<Order, "group">,
  before: readonly Pick<Order, "group">[],
): Rejection | undefined {
  if (group === undefined) return undefined;
  const tripped = groupOf(state, account, group)?.trippedAtMillis ?? null;
  if (tripped !== null) return reject("GROUP_TRIPPED", undefined, "group");
  const named = before.flatMap((order) => order.group ?? []);
  return refuseNew(state, account, [...named, group]);
}

function refuseNew(
  { groupsOf }: State,
  account: AccountId,
  groups: readonly string[],
): Rejection | undefined {
  const known = groupsOf.get(account);
  const fresh = new Set(groups.filter((group) => !known?.has(group)));
  const isOver = fresh.size > 0 && (known?.size ?? 0) + fresh.size > MOST_GROUPS;
  return isOver ? reject("GROUP_CAP", { allowed: MOST_GROUPS }, "group") : undefined;
}

/** Counts a fill of a resting order of the group; one too many takes the group's orders back. */
export function countInGroup(
  step: Step,
  { accountId, group }: Pick<Order, "accountId" | "group">,
  quantity: Lots,
): void {
  const { state, nowMillis } = step;
  if (group === undefined) return;
  // One whose limits are off keeps a record after a trip alone, which left it no order to fill.
  const before = groupOf(state, accountId, group);
  if (before === undefined) return;
  const limits = counted(before, before.withinMillis, quantity, nowMillis);
  emit(step, { type: "GroupChanged", accountId, group, limits });
  if (limits.trippedAtMillis === null) return;
  for (const id of [...(state.groupOrders.get(groupName(accountId, group)) ?? [])]) {
    cancelAs(step, state.order(id), "PROTECTION");
  }
}

const groupOf = (
  { orderGroups }: Pick<State, "orderGroups">,
  account: AccountId,
  group: string,
): OrderGroup | undefined => orderGroups.get(groupName(account, group));
