// The records that an account's limits are read from.
// Invariant: they are the state's own.
import type { State } from "#core/state.ts";

export type LimitRecords = Pick<
  State,
  "dayVolumes" | "quotedLots" | "makerProtections" | "orderGroups" | "groupOrders" | "groupsOf"
>;
