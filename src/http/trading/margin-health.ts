// GET /api/liquidity/margin-health: how an account's shorts are covered.
// Invariant: shows the caller's own account, as the newest durable command left it.
import { Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { formatMicros, type Micros, noMoney } from "#base/money.ts";
import { lackingOf } from "#core/margin/call.ts";
import { contributionTo } from "#core/margin/contribution.ts";
import { healthSteps, owedAtMost } from "#core/margin/health.ts";
import { microsUp } from "#core/margin/requirement.ts";
import type { Account } from "#core/records.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const Usd = (description: string) => Type.String({ description: `${description}; USD` });

export const MarginCallShape = Type.Union(
  [
    Type.Object(
      {
        amount: Usd("the cash that the account lacks of health 1 now"),
        calledAt: Type.Integer({ description: "when the call began, Unix seconds" }),
        dueAt: Type.Integer({ description: "the account defaults then, Unix seconds" }),
      },
      { title: "MarginCall" },
    ),
    Type.Null(),
  ],
  { description: "present while healthStatus is liquidation, before a default" },
);

export const DefaultShape = Type.Union(
  [
    Type.Object(
      {
        since: Type.Integer({ description: "when the account defaulted, Unix seconds" }),
        auctionId: Type.Union([Type.String(), Type.Null()], {
          description: "the auction of its short positions, while it runs",
        }),
        owesFund: Usd("what the guarantee fund bears for it, paid from its free cash"),
      },
      { title: "InDefault" },
    ),
    Type.Null(),
  ],
  { description: "null once its positions are gone and it owes nothing" },
);

const ContributionShape = Type.Object(
  {
    amount: Usd("what the fund has of it, beside the cash above"),
    assessment: Usd("assessed and not paid yet; taken from free cash"),
  },
  { title: "Contribution", description: "the account's own part of the guarantee fund" },
);

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
        maintenanceMargin: Usd("beyond the liabilities, in the scenario that binds"),
        initialMargin: Usd("what opening the shorts took"),
        available: Usd("cash that nothing holds back"),
        bindingScenario: Type.String({
          description:
            "id of the scenario the maintenance comes from (GET /api/risk/scenarios); `tier`: " +
            "the floor below all of them; `full`: all collateral",
        }),
        marginCall: MarginCallShape,
        inDefault: DefaultShape,
        contribution: ContributionShape,
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
          bindingScenario: totals.binding,
          marginCall: callShown(account, lackingOf(cash, totals)),
          inDefault: defaultShown(account),
          contribution: {
            amount: formatMicros(view.balance(contributionTo(account.id))),
            assessment: formatMicros(account.contribution?.owesMicros ?? noMoney),
          },
        },
      };
    },
  });

export const callShown = ({ marginCall }: Account, lacking: Micros) =>
  marginCall === undefined
    ? null
    : {
        amount: formatMicros(lacking),
        calledAt: Math.floor(marginCall.calledAtMillis / 1000),
        dueAt: Math.floor(marginCall.dueAtMillis / 1000),
      };

export const defaultShown = ({ inDefault }: Account) =>
  inDefault === undefined
    ? null
    : {
        since: Math.floor(inDefault.sinceMillis / 1000),
        auctionId: inDefault.auctionId ?? null,
        owesFund: formatMicros(inDefault.owesMicros),
      };
