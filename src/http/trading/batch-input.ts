// A batch as it is sent: 1 to 100 orders; the first at fault is named by its index.
// Invariant: a batch is read whole or refused; each series it would list is there once.
import { type Static, Type } from "typebox";
import type { CommandOf, OrderInput } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Problem, Refused } from "../route/errors.ts";
import { OrderBody, readOrder } from "./order-input.ts";
import type { TradingPorts } from "./ports.ts";

export const MOST_ORDERS = 100;

export const Orders = Type.Array(OrderBody, {
  minItems: 1,
  maxItems: MOST_ORDERS,
  description: `a list of 1 to ${MOST_ORDERS} orders`,
});

export function readBatch(
  sent: Static<typeof Orders>,
  ports: TradingPorts,
): { readonly command: CommandOf<"PlaceBatch"> } | Refused {
  const orders: OrderInput[] = [];
  const listings = new Map<string, Listing>();
  for (const [index, body] of sent.entries()) {
    const read = readOrder(body, ports);
    if ("refused" in read) return atIndex(read.refused, index);
    const { order, listing } = read.command;
    orders.push(order);
    if (listing !== null) listings.set(listing.marketId, listing);
  }
  return { command: { type: "PlaceBatch", orders, listings: [...listings.values()] } };
}

/** `list`: the field that has it. */
export const atIndex = (problem: Problem, index: number, list = "orders"): Refused => ({
  refused: {
    ...problem,
    message: `${list}[${index}].${problem.message ?? ""}`,
    details: { ...problem.details, index },
    errors: (problem.errors ?? []).map(({ field, message }) => ({
      field: `${list}[${index}].${field}`,
      message,
    })),
  },
});
