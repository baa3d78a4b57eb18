// GET /api/liquidity/requirements/:metricType: when a market of an index counts as liquid.
// Invariant: every figure is of the rules in force.
import { Type } from "typebox";
import { liquidityShown } from "#core/rules.ts";
import { indexOfMetric } from "#views/market.ts";
import { refuse } from "../route/errors.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

export const showRequirements = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/liquidity/requirements/:metricType",
    access: "read:markets",
    summary: "When a market of an index kind counts as liquid",
    params: Type.Object({
      metricType: Type.String({ description: "an index kind, or the metricType of a market" }),
    }),
    query: nothing,
    data: Type.Object(
      {
        minLiquidity: Type.Number({ description: "USD of coverage resting in the book" }),
        minProviders: Type.Integer({ description: "accounts with resting orders" }),
        spreadMax: Type.Number({ description: "best ask less best bid" }),
      },
      { title: "LiquidityRequirements" },
    ),
    read: ({ params: { metricType } }) => {
      const index = indexOfMetric(metricType);
      return index === undefined
        ? refuse("NOT_FOUND")
        : { data: liquidityShown(ports.view.rules.liquidity[index]) };
    },
  });
