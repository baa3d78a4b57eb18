// Drawn cancels, names of orders, and times after which a command is late.
// Invariant: about as many of them find an order as find none.
import type { OrderId } from "#base/ids.ts";
import type { CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { OrderName, OrderSelection } from "#core/order/named.ts";
import type { Dice } from "./dice.ts";

const reference = (dice: Dice): string => `own-${dice.below(30)}`;

export const randomName = (dice: Dice, anyOrder: () => OrderId): OrderName =>
  dice.chance(15) ? { clientOrderId: reference(dice) } : { orderId: anyOrder() };

export function randomCancel(
  dice: Dice,
  { terms: { nodeId, index } }: Listing,
  anyOrder: () => OrderId,
): CommandOf<"CancelAll"> {
  if (dice.chance(40)) return { type: "CancelAll", marketId: null };
  const only = dice.pick<OrderSelection>([
    { orderIds: [anyOrder(), anyOrder()] },
    { clientOrderIds: [reference(dice), reference(dice)] },
    { side: dice.pick(["BUY", "SELL"]) },
    { placeId: nodeId },
    { index, side: "SELL" },
    { group: "north" },
  ]);
  return { type: "CancelAll", marketId: null, only };
}

/** In time as often as not. */
export const randomLateness = (dice: Dice, nowMillis: number) =>
  dice.chance(4) ? { expiresAfterMillis: nowMillis - 1 + dice.below(2) } : {};
