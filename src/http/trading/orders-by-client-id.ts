// /api/trading/orders/by-client-id/:clientOrderId: an order by the reference its account gave it.
// Invariant: the reference is looked up when the command is decided, so a cancel sent right after
// its order finds it.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { namedIn } from "#core/order/orders-in-events.ts";
import { refuse } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { AmendBody, amendRefusals, readChanges } from "./amend-order.ts";
import { Done, done } from "./done.ts";
import { explainPrice } from "./order-input.ts";
import { OrderRecord, orderRecord } from "./order-record.ts";
import { ordersByClientId } from "./own-orders.ts";
import type { TradingPorts } from "./ports.ts";

const url = "/api/trading/orders/by-client-id/:clientOrderId";
const named = Type.Object({ clientOrderId: Type.String({ pattern: "^[\\x20-\\x7e]{1,64}$" }) });

const show = (ports: TradingPorts): Route =>
  trading.read({
    url,
    access: "read:portfolio",
    summary: "The newest order that the account gave this reference",
    refusals: ["ORDER_NOT_FOUND", "OVERLOADED"],
    params: named,
    query: nothing,
    data: OrderRecord,
    read: async ({ caller, params: { clientOrderId } }) => {
      const { id } = caller.account;
      const newest = Number.MAX_SAFE_INTEGER;
      for await (const order of ordersByClientId(ports, id, clientOrderId, newest)) {
        return { data: orderRecord(order, caller.account) };
      }
      return refuse("ORDER_NOT_FOUND");
    },
  });

const amend = (): Route =>
  trading.write({
    method: "PATCH",
    url,
    access: "create:orders",
    summary: "Changes the price, the amount or the expiry of an open order, by its reference",
    refusals: amendRefusals,
    params: named,
    body: AmendBody,
    data: OrderRecord,
    toCommand: ({ params, body }) => {
      const changes = readChanges(body);
      if ("refused" in changes) return changes;
      return { command: { type: "AmendOrder", ...params, ...changes } };
    },
    render: ({ events }, { params, caller }) => {
      const id = namedIn(params, events);
      const last = events.findLast(
        (event) => event.type === "OrderChanged" && event.order.id === id,
      );
      invariant(last?.type === "OrderChanged", "an amended order is an event");
      return { data: orderRecord(last.order, caller.account) };
    },
    explain: (rejection, { body }) => explainPrice(rejection, body),
  });

const cancel = (): Route =>
  trading.write({
    method: "DELETE",
    url,
    access: "cancel:orders",
    summary: "Cancels an open order by its reference",
    refusals: ["ORDER_NOT_FOUND", "ORDER_DONE"],
    params: named,
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({ command: { type: "CancelOrder", ...params } }),
    render: () => done,
  });

export const ordersByClientIdRoutes = (ports: TradingPorts): readonly Route[] => [
  show(ports),
  amend(),
  cancel(),
];
