// The rows of the audit trail's table that are about orders, quotes and marks of an account.
// Invariant: a price off the grid stands in the details as null, whatever became of the order.
import { orderId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import type { Row } from "./audit-rows-of-two.ts";
import type { Stage } from "./audit-stage.ts";

const orderOne = orderId("ord-1");

export const ofOrders = ({ marketId, input, shown }: Stage): readonly Row[] => [
  [{ type: "PlaceOrder", order: input, listing: null }, "order.placed", marketId, shown],
  [
    { type: "PlaceBatch", orders: [input, { ...input, priceTick: null }], listings: [] },
    "order.batch_placed",
    "orders",
    { orders: [shown, { ...shown, price: null }] },
  ],
  [
    {
      type: "MassQuote",
      quotes: [{ marketId, bid: input, ask: null, expirySeconds: 0 }],
      listings: [],
    },
    "quotes.replaced",
    "orders",
    { quotes: [{ marketId, bid: { amount: shown.amount, price: shown.price }, ask: null }] },
  ],
  [
    {
      type: "AmendOrder",
      orderId: orderOne,
      price: { tick: null },
      amountLots: lots(150n),
      expirySeconds: null,
    },
    "order.amended",
    orderOne,
    { price: null, amount: "1.5" },
  ],
  [{ type: "CancelOrder", orderId: orderOne }, "order.cancelled", "ord-1", { orderId: "ord-1" }],
  [{ type: "ExpireOrder", orderId: orderOne }, "order.expired", "ord-1", { orderId: "ord-1" }],
  [{ type: "CancelAll", marketId: null }, "order.all_cancelled", "orders", { marketId: null }],
  [{ type: "CancelAll", marketId }, "order.all_cancelled", marketId, { marketId }],
  [{ type: "GiveMark", marketId, valueTicks: 2_500 }, "mark.given", marketId, {}],
  [{ type: "CloseMarks", marketId }, "market.marks_closed", marketId, { marketId }],
];

/** Of groups of orders. */
export const ofGroups = (): readonly Row[] => [
  [
    { type: "SetGroup", group: "texas", withinMillis: 250, maxLots: lots(500n), maxFills: null },
    "group.set",
    "group",
    { group: "texas", withinMillis: 250, maxContracts: "5", maxFills: null },
  ],
  [{ type: "ResetGroup", group: "texas" }, "group.reset", "group", { group: "texas" }],
];
