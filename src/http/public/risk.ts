// GET /api/risk: the guarantee fund, and the losses it would have to bear of the weakest owners.
// GET /api/risk/scenarios: the scenarios that margin is measured by.
// Invariant: sums alone are shown, and no account.
import { Type } from "typebox";
import { formatMicros } from "#base/money.ts";
import { SCENARIOS_VERSION, scenarios } from "#contract/scenarios.ts";
import { exchangeTarget } from "#core/margin/contribution.ts";
import { coverOf } from "#core/margin/cover.ts";
import { fundRules } from "#core/rules.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { nothing, publicData, type Route } from "../route/route.ts";

const Usd = (description: string) => Type.String({ description: `${description}; USD` });

const Layers = Type.Array(
  Type.Object(
    {
      layer: Type.Enum(["exchange", "fund", "contributions"]),
      balance: Usd("what it has"),
      target: Type.Union([Type.String(), Type.Null()], {
        description: "what the exchange's own layer is to have, USD; null of the others",
      }),
    },
    { title: "FundLayer" },
  ),
  {
    description:
      "in the order they bear a loss, after the defaulter's margin and contribution; " +
      "`fund` is what fees and deposits have brought, less setAside",
  },
);

export const showRisk = (ports: { readonly exchange: ExchangeView }): Route =>
  publicData.read({
    url: "/api/risk",
    access: "public",
    summary: "The guarantee fund, and what it would need if the two weakest owners defaulted",
    params: nothing,
    query: nothing,
    data: Type.Object(
      {
        fund: Type.Object({
          balance: Usd("what the fund has"),
          setAside: Usd("the most that the positions it took over may cost"),
          spare: Usd("what it has beyond that; below zero where it lacks something"),
        }),
        target: Usd("what all layers of the fund are to have; a rule"),
        layers: Layers,
        cover1: Usd("the loss beyond its margin of the owner that lacks most"),
        cover2: Usd("the losses of the two owners that lack most"),
        isCovered: Type.Boolean({
          description: "whether spare and the other layers are at least cover2",
        }),
      },
      { title: "Risk" },
    ),
    read: () => {
      const { exchange } = ports;
      const cover = coverOf(exchange);
      const { setAsideMicros, spareMicros, exchangeMicros, contributionsMicros } = cover;
      const { rules } = exchange;
      return {
        data: {
          fund: {
            balance: formatMicros(exchange.balance("guarantee")),
            setAside: formatMicros(setAsideMicros),
            spare: formatMicros(spareMicros),
          },
          target: formatMicros(fundRules(rules).targetMicros),
          layers: [
            { layer: "exchange" as const, balance: exchangeMicros, target: exchangeTarget(rules) },
            { layer: "fund" as const, balance: spareMicros, target: null },
            { layer: "contributions" as const, balance: contributionsMicros, target: null },
          ].map(({ layer, balance, target }) => ({
            layer,
            balance: formatMicros(balance),
            target: target === null ? null : formatMicros(target),
          })),
          cover1: formatMicros(cover.cover1Micros),
          cover2: formatMicros(cover.cover2Micros),
          isCovered: cover.isCovered,
        },
      };
    },
  });

export const listScenarios = (): Route =>
  publicData.read({
    url: "/api/risk/scenarios",
    access: "public",
    summary: "The scenarios that margin is measured by, in the order of a market's risk array",
    params: nothing,
    query: nothing,
    data: Type.Object(
      {
        version: Type.Integer({ description: "rises when one is computed otherwise or added" }),
        scenarios: Type.Array(
          Type.Object(
            {
              id: Type.String(),
              title: Type.String(),
              direction: Type.Enum(["down", "up"], { description: "of home values" }),
            },
            { title: "Scenario" },
          ),
        ),
      },
      { title: "Scenarios" },
    ),
    read: () => ({ data: { version: SCENARIOS_VERSION, scenarios: [...scenarios] } }),
  });
