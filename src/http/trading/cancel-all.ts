// POST /api/trading/orders/cancel-all: every open order of the account, or those that are named.
// Invariant: the count is that of orders this command cancelled, no more.
import { type Static, Type } from "typebox";
import { type MarketId, marketId, nodeId, orderId } from "#base/ids.ts";
import { indexKinds } from "#base/index-kind.ts";
import type { OrderSelection } from "#core/order/named.ts";
import { cancelledIn } from "#core/order/orders-in-events.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { OrderBody } from "./order-input.ts";
import type { TradingPorts } from "./ports.ts";

const MOST_NAMED = 200;

const Names = (of: string, pattern: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern }), {
      minItems: 1,
      maxItems: MOST_NAMED,
      description: `${of}, 1 to ${MOST_NAMED}; with a list, those alone that a list names`,
    }),
  );

const Selection = closed({
  marketId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "a market's id" }),
  ),
  orderIds: Names("ids of orders", "^[ -~]{1,64}$"),
  clientOrderIds: Names("the account's own references", "^[\\x20-\\x7e]{1,64}$"),
  place: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 80,
      description: "the id of a place: of markets there, or in a place that lies in it",
    }),
  ),
  index: Type.Optional(Type.Enum([...indexKinds], { description: "the index that settles it" })),
  side: Type.Optional(OrderBody.properties.side),
  group: OrderBody.properties.group,
});
type Selection = Static<typeof Selection>;

export const cancelAll = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/orders/cancel-all",
    access: "cancel:orders",
    summary: "Cancels every open order, or those that have all that is named",
    refusals: ["MARKET_NOT_FOUND"],
    params: nothing,
    body: Selection,
    data: Type.Object({
      cancelledCount: Type.Integer(),
      missed: Type.Optional(
        Type.Array(Type.String(), {
          description: "names of the lists that cancelled nothing; there where a list was sent",
        }),
      ),
    }),
    toCommand: ({ body }) => ({
      command: {
        type: "CancelAll",
        marketId: body.marketId === undefined ? null : named(body.marketId, ports),
        ...selectionOf(body),
      },
    }),
    render: ({ events }, { body: { orderIds, clientOrderIds } }) => {
      const cancelled = cancelledIn(events);
      const ids = new Set<string>(cancelled.map(({ id }) => id));
      const references = new Set(cancelled.map((order) => order.clientOrderId));
      const missed = [
        ...(orderIds?.filter((id) => !ids.has(id.toLowerCase())) ?? []),
        ...(clientOrderIds?.filter((reference) => !references.has(reference)) ?? []),
      ];
      const isListed = orderIds !== undefined || clientOrderIds !== undefined;
      return { data: { cancelledCount: ids.size, ...(isListed ? { missed } : {}) } };
    },
  });

function selectionOf(body: Selection): { readonly only?: OrderSelection } {
  const { orderIds, clientOrderIds, place, index, side, group } = body;
  const only = {
    ...(orderIds === undefined
      ? {}
      : { orderIds: orderIds.map((id) => orderId(id.toLowerCase())) }),
    ...(clientOrderIds === undefined ? {} : { clientOrderIds }),
    ...(place === undefined ? {} : { placeId: nodeId(place) }),
    ...(index === undefined ? {} : { index }),
    ...(side === undefined ? {} : { side }),
    ...(group === undefined ? {} : { group }),
  };
  return Object.keys(only).length === 0 ? {} : { only };
}

const named = (text: string, { view }: TradingPorts): MarketId =>
  view.marketByAnyId(text)?.id ?? marketId(text);
