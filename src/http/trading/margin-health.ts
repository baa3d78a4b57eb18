// GET /api/liquidity/margin-health: how an account's shorts are covered.
// Invariant: shows the caller's own account, as the newest durable command left it.
import { Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { formatMicros } from "#base/money.ts";
import { healthSteps, owedAtMost } from "#core/margin/health.ts";
import { microsUp } from "#core/margin/requirement.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const Usd = (description: string) => Type.String({ description: `${description}; USD` });

export const showMarginHealth = (ports: Pick<TradingPorts, "view">): Route =>
  trading.read({
    url: "/api/liquidity/margin-health",
    access: "read:portfolio",
    summary: "How well the account's shorts are covered",
    params: nothing,
    query: nothing,
    data: Type.Object(
      {
        collateralBalance: Usd("cash"),
        totalExposure: Usd("the most the shorts can still owe"),
        marginHealth: Type.Number({
          description: "(cash − liabilities) / maintenance, rounded down to 4 decimals",
        }),
        frozen: Type.Boolean({ description: "halted: it places no order until it is resumed" }),
        healthStatus: Type.Enum(["healthy", "warning", "critical", "liquidation"]),
        liabilities: Usd("shorts at their marks"),
        maintenanceMargin: Usd("the sum of the add-ons"),
        initialMargin: Usd("what opening the shorts took"),
        available: Usd("cash that nothing holds back"),
      },
      { title: "MarginHealth" },
    ),
    read: ({ caller: { account } }) => {
      const { view } = ports;
      const cash = view.cash(account.id);
      const totals = view.exposures.shortTotals(account.id);
      return {
        data: {
          collateralBalance: formatMicros(cash),
          totalExposure: formatMicros(owedAtMost(totals)),
          marginHealth: Number(formatDecimal(healthSteps(cash, totals), 4)),
          frozen: account.halted,
          healthStatus: account.marginStatus,
          liabilities: formatMicros(microsUp(totals.liabilityParts)),
          maintenanceMargin: formatMicros(microsUp(totals.maintenanceParts)),
          initialMargin: formatMicros(microsUp(totals.initialParts)),
          available: formatMicros(view.available(account.id)),
        },
      };
    },
  });
