// POST /api/trading/orders/preview: what an order, or a batch, would do now; nothing is done.
// Invariant: it answers from durable records alone, by the rules that placing answers by: a refusal
// here is the refusal that placing would give.
import { type Static, Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import { complement, tickPrice } from "#base/price.ts";
import { costOf, formatLots } from "#base/quantity.ts";
import { buysYes } from "#core/book/order.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Account, Fill, Order } from "#core/records.ts";
import { type CommandPreview, previewCommand } from "#views/preview.ts";
import { invalidField, problemOf, type Refused } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { bodyShape } from "../route/shape.ts";
import { Orders, readBatch } from "./batch-input.ts";
import { explainPrice, OrderBody, orderRefusals, readOrder } from "./order-input.ts";
import { OrderRecord, orderRecord, placedOrders } from "./order-record.ts";
import type { TradingPorts } from "./ports.ts";

const PreviewBody = closed({
  ...Type.Partial(OrderBody).properties,
  orders: Type.Optional(Orders),
});
type PreviewBody = Static<typeof PreviewBody>;

const Preview = Type.Object(
  {
    orders: Type.Array(
      Type.Object({
        order: Type.Omit(OrderRecord, ["id"]),
        fills: Type.Array(Type.Object({ price: Type.Number(), amount: Type.String() })),
        cost: Type.String(),
        fee: Type.String(),
      }),
    ),
    cost: Type.String(),
    fee: Type.String(),
    required: Type.String(),
    available: Type.String(),
    availableAfter: Type.String(),
  },
  { title: "Preview" },
);
type Preview = Static<typeof Preview>;

export const previewOrder = (ports: TradingPorts): Route =>
  trading.perform({
    method: "POST",
    isRead: true,
    url: "/api/trading/orders/preview",
    access: "create:orders",
    summary: "Shows what an order, or a batch of orders, would do now; nothing is done",
    refusals: orderRefusals,
    params: nothing,
    body: PreviewBody,
    data: Preview,
    perform: async ({ caller, body }) => {
      const read = readPlacement(body, ports);
      if ("refused" in read) return read;
      const { actor, account } = caller;
      invariant(actor.type === "key", "a trading route is reached with a key");
      const now = ports.engine.status().engineTimeMillis;
      const previewed = previewCommand(ports.view, actor, read.command, now);
      if (!("rejection" in previewed)) {
        const count = body.orders?.length ?? 1;
        return {
          data: preview(previewed, placedOrders(previewed.events, account.id, count), account),
        };
      }
      const { rejection } = previewed;
      const sent = body.orders === undefined ? body : body.orders[rejection.details?.index ?? -1];
      return { refused: problemOf(rejection, explainPrice(rejection, sent)) };
    },
  });

const readSingle = bodyShape(OrderBody);

/** One order as it is placed, or `orders` as in a batch, and not both. */
function readPlacement(
  body: PreviewBody,
  ports: TradingPorts,
): { readonly command: CommandOf<"PlaceOrder"> | CommandOf<"PlaceBatch"> } | Refused {
  if (body.orders !== undefined) {
    const beside = Object.keys(body).find((name) => name !== "orders");
    if (beside === undefined) return readBatch(body.orders, ports);
    return invalidField("orders", `contradicts ${beside}`, { fields: ["orders", beside] });
  }
  const single = readSingle(body);
  return "refused" in single ? single : readOrder(single.value, ports);
}

function preview(
  { events, requiredMicros, availableMicros, availableAfterMicros }: CommandPreview,
  placed: readonly Order[],
  account: Account,
): Preview {
  const parts = placed.map((order) => ({ order, ...partOf(order, events) }));
  const total = (member: "costMicros" | "feeMicros"): string =>
    formatMicros(micros(parts.reduce((sum, part) => sum + part[member], 0n)));
  return {
    orders: parts.map(({ order, fills, costMicros, feeMicros }) => {
      const { id: _unknownYet, ...shown } = orderRecord(order, account);
      const asPlaced = { order: shown, fills: fills.map((fill) => shownFill(order, fill)) };
      return { ...asPlaced, cost: formatMicros(costMicros), fee: formatMicros(feeMicros) };
    }),
    cost: total("costMicros"),
    fee: total("feeMicros"),
    required: formatMicros(requiredMicros),
    available: formatMicros(availableMicros),
    availableAfter: formatMicros(availableAfterMicros),
  };
}

interface Part {
  readonly fills: readonly Fill[];
  /** Cash that leaves at the fills; below zero it comes in. */
  readonly costMicros: Micros;
  readonly feeMicros: Micros;
}

export function partOf(order: Order, events: readonly Event[]): Part {
  const fills = events.flatMap((event) =>
    event.type === "Filled" && event.fill.takerOrderId === order.id ? event.fill : [],
  );
  const paid = fills.reduce((sum, fill) => sum + costOf(fill.amountLots, fill.yesTick), 0n);
  const fee = events.reduce(
    (sum, event) =>
      event.type === "Posted" && event.posting.reference === order.id
        ? sum + event.posting.amountMicros
        : sum,
    0n,
  );
  return { fills, costMicros: micros(buysYes(order) ? paid : -paid), feeMicros: micros(fee) };
}

/** A fill in the terms of the order's own outcome. */
export const shownFill = ({ outcomeIndex }: Order, { yesTick, amountLots }: Fill) => ({
  price: tickPrice(outcomeIndex === 0 ? yesTick : complement(yesTick)),
  amount: formatLots(amountLots),
});
