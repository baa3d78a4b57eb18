// A group of orders in its place, and which groups an account has in use.
// Invariant: a group that has no record and no open order has left no trace.
import type { AccountId } from "#base/ids.ts";
import type { EventOf } from "../event.ts";
import { groupName } from "../names.ts";
import type { State } from "../state.ts";
import type { OrderGroup } from "./protection-record.ts";

export function foldGroup(state: State, { accountId, group, limits }: EventOf<"GroupChanged">) {
  if (limits !== null) putGroup(state, limits);
  else {
    state.orderGroups.delete(groupName(accountId, group));
    noteGroup(state, accountId, group);
  }
}

export function putGroup(state: State, orderGroup: OrderGroup): void {
  const { accountId, group, trippedAtMillis, tripReported } = orderGroup;
  state.orderGroups.set(groupName(accountId, group), orderGroup);
  noteGroup(state, accountId, group);
  if (trippedAtMillis !== null && !tripReported) {
    const command = { type: "ReportTrip" as const, accountId, group };
    state.due.add({ atMillis: trippedAtMillis, command });
  }
}

/** After its record, or its open orders, changed. */
export function noteGroup(state: State, accountId: AccountId, group: string): void {
  const name = groupName(accountId, group);
  const isUsed = state.orderGroups.has(name) || state.groupOrders.has(name);
  const groups = state.groupsOf.get(accountId) ?? new Set<string>();
  if (isUsed) state.groupsOf.set(accountId, groups.add(group));
  else if (groups.delete(group) && groups.size === 0) state.groupsOf.delete(accountId);
}
