// POST /api/trading/margin/preview: the margin of positions and orders that are not there yet.
// Invariant: the sums are the core's own, over a layer of the durable records; nothing is done.
import { type Static, Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { formatMicros, micros } from "#base/money.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { OrderInput } from "#core/command.ts";
import { healthSteps } from "#core/margin/health.ts";
import { microsUp } from "#core/margin/requirement.ts";
import type { Binding } from "#core/margin/sums.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { type MarginPreview, previewMargin } from "#views/margin-preview.ts";
import { problemOf, type Refused } from "../route/errors.ts";
import { itemsIn } from "../route/items-in.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { atIndex, MOST_ORDERS } from "./batch-input.ts";
import { explainPrice, OrderBody, readOrder } from "./order-input.ts";
import { nowSeconds, type TradingPorts } from "./ports.ts";

const { marketId, outcomeIndex, side, amount, price } = OrderBody.properties;
const Line = closed({ marketId, outcomeIndex, side, amount, price }, { title: "WhatIf" });
const lines = (description: string) =>
  Type.Optional(
    Type.Array(Line, {
      maxItems: MOST_ORDERS,
      description: `${description}; up to ${MOST_ORDERS}`,
    }),
  );

const Usd = (description: string) => Type.String({ description: `${description}; USD` });

const Body = closed({
  positions: lines("as if each had just been filled at its price, with the fee"),
  orders: lines("as if each rested in the book"),
});

const Preview = Type.Object(
  {
    cash: Usd("after what the positions cost or bring"),
    liabilities: Usd("shorts at their marks"),
    maintenanceMargin: Usd("beyond the liabilities, in the scenario that binds"),
    initialMargin: Usd("beyond the liabilities"),
    locked: Usd("cash held back for positions and the worst of the open orders"),
    available: Usd("cash that nothing holds back; below zero where it would not do"),
    marginHealth: Type.Number({ description: "as it would be, rounded down to 4 decimals" }),
    bindingScenario: Type.String({ description: "id of the scenario the maintenance comes from" }),
    scenarios: Type.Array(
      Type.Object(
        {
          id: Type.String({
            description: "a scenario; `tier` is the floor; `full` all collateral",
          }),
          title: Type.String(),
          maintenance: Usd("liabilities and add-ons in this scenario"),
          initial: Usd("the same at initial margin"),
          locked: Usd("the same with the worst of the open orders"),
        },
        { title: "ScenarioNeed" },
      ),
    ),
  },
  { title: "MarginPreview" },
);

export const previewMarginOf = (ports: TradingPorts): Route =>
  trading.perform({
    method: "POST",
    isRead: true,
    url: "/api/trading/margin/preview",
    access: "read:portfolio",
    summary: "Shows the margin of positions and orders beside the account's own; nothing is done",
    refusals: ["MARKET_NOT_FOUND", "LISTING_STALE", "MARKET_CLOSED", "INVALID_PRICE"],
    costOf: itemsIn(MOST_ORDERS, "positions", "orders"),
    params: nothing,
    body: Body,
    data: Preview,
    perform: async ({ caller, body }) => {
      const { positions: sentPositions = [], orders: sentOrders = [] } = body;
      const positions = readLines("positions", sentPositions, ports);
      if ("refused" in positions) return positions;
      const orders = readLines("orders", sentOrders, ports);
      if ("refused" in orders) return orders;
      const asked = {
        positions: positions.inputs,
        orders: orders.inputs,
        listings: [...positions.listings, ...orders.listings],
      };
      const nowMillis = 1000 * nowSeconds(ports);
      const shown = previewMargin(ports.view.over(), caller.account.id, asked, nowMillis);
      if (!("rejection" in shown)) return { data: marginShown(shown) };
      const { rejection, at } = shown;
      const sent = [...sentPositions, ...sentOrders][at];
      const isPosition = at < sentPositions.length;
      const [list, index] = isPosition
        ? (["positions", at] as const)
        : (["orders", at - sentPositions.length] as const);
      const { field = "marketId" } = rejection;
      const named = { ...rejection, field: `${list}[${index}].${field}` };
      return { refused: problemOf(named, explainPrice(rejection, sent)) };
    },
  });

interface WhatIfLines {
  readonly inputs: readonly OrderInput[];
  readonly listings: readonly Listing[];
}

function readLines(
  list: "positions" | "orders",
  sent: readonly Static<typeof Line>[],
  ports: TradingPorts,
): WhatIfLines | Refused {
  const inputs: OrderInput[] = [];
  const listings: Listing[] = [];
  for (const [at, line] of sent.entries()) {
    const read = readOrder(line, ports);
    if ("refused" in read) return atIndex(read.refused, at, list);
    const { order, listing } = read.command;
    inputs.push(order);
    if (listing !== null) listings.push(listing);
  }
  return { inputs, listings };
}

function marginShown({ cashMicros, lockedMicros, totals, columns }: MarginPreview) {
  return {
    cash: formatMicros(cashMicros),
    liabilities: formatMicros(microsUp(totals.liabilityParts)),
    maintenanceMargin: formatMicros(microsUp(totals.maintenanceParts)),
    initialMargin: formatMicros(microsUp(totals.initialParts)),
    locked: formatMicros(lockedMicros),
    available: formatMicros(micros(cashMicros - lockedMicros)),
    marginHealth: Number(formatDecimal(healthSteps(cashMicros, totals), 4)),
    bindingScenario: totals.binding,
    scenarios: columns.map(({ id, maintenanceMicros, initialMicros, lockedMicros: held }) => ({
      id,
      title: titleOf(id),
      maintenance: formatMicros(maintenanceMicros),
      initial: formatMicros(initialMicros),
      locked: formatMicros(held),
    })),
  };
}

function titleOf(binding: Binding): string {
  if (binding === "tier") return "The tier's floor, or half of what each short needs alone";
  if (binding === "full") return "Full collateral";
  return scenarios.find(({ id }) => id === binding)?.title ?? binding;
}
