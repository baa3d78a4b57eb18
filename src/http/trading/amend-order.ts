// PATCH /api/trading/orders/:orderId: another price, amount or expiry for an open order.
// Invariant: the id stays; the answer shows the order after it has met the book again.
import { type Static, Type } from "typebox";
import { orderId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { CommandOf } from "#core/command.ts";
import { type ErrorCode, invalidField, type Refused, refuse } from "../route/errors.ts";
import { closed, type Route, trading } from "../route/route.ts";
import {
  expected,
  explainPrice,
  OrderBody,
  refuseMilliseconds,
  sentAmount,
  sentPrice,
} from "./order-input.ts";
import { OrderRecord, orderRecord } from "./order-record.ts";

const { price, amount, expiry } = OrderBody.properties;
export const AmendBody = closed({
  price: Type.Optional(price),
  amount: Type.Optional(amount),
  expiry,
});
type AmendBody = Static<typeof AmendBody>;

export const amendRefusals: readonly ErrorCode[] = [
  "ROLE_NOT_TRADER",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PAYMENT_OVERDUE",
  "MARGIN_CALL",
  "PROTECTION_TRIPPED",
  "ORDER_NOT_FOUND",
  "ORDER_DONE",
  "MARKET_CLOSED",
  "INVALID_PRICE",
  "EXPIRY_PAST",
  "AMOUNT_BELOW_FILLED",
  "FUND_SHORT",
  "POSITION_LIMIT",
  "FINANCING_PRICE",
  "FINANCED_POSITION",
  "INSUFFICIENT_BALANCE",
  "CLOSING_PRICE",
];

export const amendOrder = (): Route =>
  trading.write({
    method: "PATCH",
    url: "/api/trading/orders/:orderId",
    access: "create:orders",
    summary: "Changes the price, the amount (the new total) or the expiry of an open order",
    refusals: amendRefusals,
    params: Type.Object({ orderId: Type.String({ maxLength: 64 }) }),
    body: AmendBody,
    data: OrderRecord,
    toCommand: ({ params, body }) => {
      const changes = readChanges(body);
      if ("refused" in changes) return changes;
      const id = orderId(params.orderId.toLowerCase());
      return { command: { type: "AmendOrder", orderId: id, ...changes } };
    },
    render: ({ events }, { params, caller }) => {
      const id = params.orderId.toLowerCase();
      const last = events.findLast(
        (event) => event.type === "OrderChanged" && event.order.id === id,
      );
      invariant(last?.type === "OrderChanged", "an amended order is an event");
      return { data: orderRecord(last.order, caller.account) };
    },
    explain: (rejection, { body }) => explainPrice(rejection, body),
  });

type Changes = Pick<CommandOf<"AmendOrder">, "price" | "amountLots" | "expirySeconds">;

export function readChanges(body: AmendBody): Changes | Refused {
  if (body.price === undefined && body.amount === undefined && body.expiry === undefined) {
    return refuse("INVALID_REQUEST", { message: "Send at least one of price, amount and expiry" });
  }
  const price = sentPrice(body);
  if (body.price !== undefined && price === undefined) {
    return invalidField("price", expected("price"));
  }
  const amountLots = sentAmount(body) ?? null;
  if (body.amount !== undefined && amountLots === null) {
    return invalidField("amount", expected("amount"));
  }
  const expirySeconds = body.expiry ?? null;
  return (
    refuseMilliseconds(expirySeconds ?? 0) ?? {
      price: price === undefined ? null : { tick: price.tick },
      amountLots,
      expirySeconds,
    }
  );
}
