// How an account names its orders in a command.
// Invariant: a name says nothing of whose order it is; only the sender's own are looked among.
import type { NodeId, OrderId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Side } from "../records.ts";

/** By the id that the exchange gave, or by the reference that the account gave. */
export type OrderName = { readonly orderId: OrderId } | { readonly clientOrderId: string };

/** Orders that have all of it; with a list, those alone that a list names. */
export interface OrderSelection {
  readonly orderIds?: readonly OrderId[];
  readonly clientOrderIds?: readonly string[];
  /** The market's place, or one that it lies in. */
  readonly placeId?: NodeId;
  readonly index?: IndexKind;
  readonly side?: Side;
  readonly group?: string;
}
