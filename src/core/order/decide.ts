// Every command about orders, and the file that decides it.
// Invariant: cancelling, of whatever kind, has no guard but whose order it is.
import { unreachable } from "#base/invariant.ts";
import type { Command } from "../command.ts";
import { cancelAll, cancelAs, cancelOrder } from "../market/cancel.ts";
import { fireCancelAfter, setCancelAfter } from "../market/cancel-after.ts";
import type { Rejection } from "../rejection.ts";
import type { Step } from "../step.ts";
import { amendOrder } from "./amend.ts";
import { placeBatch, placeOrder } from "./place.ts";

type OrderCommand = Extract<
  Command,
  {
    type:
      | "PlaceOrder"
      | "PlaceBatch"
      | "AmendOrder"
      | "CancelOrder"
      | "CancelAll"
      | "ExpireOrder"
      | "SetCancelAfter"
      | "FireCancelAfter";
  }
>;

export function decideOrder(step: Step, command: OrderCommand): Rejection | undefined {
  switch (command.type) {
    case "PlaceOrder":
      return placeOrder(step, command);
    case "PlaceBatch":
      return placeBatch(step, command);
    case "AmendOrder":
      return amendOrder(step, command);
    case "CancelOrder":
      return cancelOrder(step, command);
    case "CancelAll":
      return cancelAll(step, command);
    case "ExpireOrder":
      cancelAs(step, step.state.order(command.orderId), "EXPIRED");
      return undefined;
    case "SetCancelAfter":
      return setCancelAfter(step, command);
    case "FireCancelAfter":
      return fireCancelAfter(step, command);
    default:
      return unreachable(command);
  }
}
