// GET /api/risk: the guarantee fund against the losses of the weakest owners, open protection under
// each scenario, and the record of the replay.
// GET /api/risk/scenarios: the scenarios that margin is measured by.
// Invariant: sums alone are shown, and no account.
import { type Static, Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros, noMoney } from "#base/money.ts";
import { addMonths, formatMonth, parseMonth } from "#base/month.ts";
import { SCENARIOS_VERSION, scenarios } from "#contract/scenarios.ts";
import { exchangeTarget } from "#core/margin/contribution.ts";
import { coverOf } from "#core/margin/cover.ts";
import { attributionOf } from "#prints/release.ts";
import { replayHorizons, replayRecord } from "#quoting/replay-record.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { exceedances, openRisk } from "#views/open-risk.ts";
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

const ScenarioShape = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    direction: Type.Enum(["down", "up"], { description: "of home values" }),
  },
  { title: "Scenario" },
);

const OpenProtection = Type.Object(
  {
    coverage: Usd("what all open markets would pay at most"),
    worth: Usd("what it is worth at the marks"),
    byState: Type.Array(
      Type.Object(
        {
          stateCode: Type.String({ description: "as a place has it" }),
          markets: Type.Integer({ description: "with open positions" }),
          coverage: Usd("what they would pay at most"),
          worth: Usd("what that is worth at the marks"),
        },
        { title: "StateCoverage" },
      ),
      { description: "the most coverage first" },
    ),
    scenarios: Type.Array(
      Type.Object(
        {
          ...ScenarioShape.properties,
          worth: Usd("what open protection would be worth after it"),
          exceeded: Type.Integer({
            description:
              "of the settled markets: where more was paid than the scenario foretold last " +
              "before the print (one that rises: less)",
          }),
        },
        { title: "ScenarioRisk" },
      ),
      { description: "in the order of a market's risk array" },
    ),
    settled: Type.Integer({
      description: "markets that their own print has settled and that had such values before it",
    }),
    exceededAll: Type.Integer({
      description: "of these, where more was paid than any scenario against their sellers foretold",
    }),
  },
  { title: "OpenProtection" },
);

const Share = (description: string) => Type.Number({ description: `${description}; 0 to 1` });

const Replay = Type.Object(
  {
    date: Type.String({ description: "of the run" }),
    file: Type.String(),
    places: Type.Integer(),
    layer: Type.String({ description: "basis points of decline" }),
    tier: Type.String({ description: "of the sellers" }),
    fund: Share("the guarantee fund at the start, of coverage"),
    hindsight: Type.String(),
    horizons: Type.Array(
      Type.Object(
        {
          months: Type.Integer({ description: "how long a contract ran" }),
          due: Share("due to buyers, of coverage"),
          sellerCash: Share("the seller's deposit and the premium, of coverage"),
          paid: Share("of what was due"),
          worstPaid: Share("of what was due, in the month of sale where it was least"),
          paidFromOwnMargin: Share("of what was due, given by each contract's own seller"),
          called: Share("of sellers: margin health fell below 1 at least once"),
          cohorts: Type.Array(
            Type.Object(
              {
                month: Type.String({ description: "of the sale" }),
                due: Share("of coverage"),
                sellerCash: Share("of coverage"),
              },
              { title: "ReplayedCohort" },
            ),
          ),
        },
        { title: "ReplayedHorizon" },
      ),
    ),
    attribution: Type.String(),
  },
  { title: "Replay", description: "the last replay of a provider's history through these rules" },
);

const replayHindsight =
  "Constants of the model were known in the year of each mark. The form of the model and the " +
  "list of scenarios were chosen with 2006–2011 in view, and the file is a later restatement " +
  "of history.";

/** Counting markets is more work than most reads. */
const COST = 5;

export const showRisk = (ports: { readonly exchange: ExchangeView }): Route =>
  publicData.read({
    url: "/api/risk",
    access: "public",
    summary:
      "The guarantee fund against the two weakest owners, open protection by state and scenario, " +
      "and the last replay of 2005–2011",
    cost: COST,
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
        open: OpenProtection,
        replay: Replay,
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
          target: formatMicros(rules.fund.targetMicros),
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
          open: openShown(exchange),
          replay: replayShown,
        },
      };
    },
  });

function openShown(exchange: ExchangeView): Static<typeof OpenProtection> {
  const { coverageMicros, worthMicros, byState, worthAfterMicros } = openRisk(exchange);
  const { settled, beyond, beyondAll } = exceedances(exchange);
  return {
    coverage: formatMicros(coverageMicros),
    worth: formatMicros(worthMicros),
    byState: byState.map(({ stateCode, markets, ...sums }) => ({
      ...{ stateCode, markets, coverage: formatMicros(sums.coverageMicros) },
      worth: formatMicros(sums.worthMicros),
    })),
    scenarios: scenarios.map((scenario, at) => ({
      ...scenario,
      worth: formatMicros(worthAfterMicros[at] ?? noMoney),
      exceeded: beyond[at] ?? 0,
    })),
    settled,
    exceededAll: beyondAll,
  };
}

const BPS = 10_000;

const replayShown: Static<typeof Replay> = replayOf();

function replayOf(): Static<typeof Replay> {
  const { recordedOn, provider, firstMonth, fundBps, ...facts } = replayRecord;
  const first = parseMonth(firstMonth);
  invariant(first !== undefined, `${firstMonth} is a month`);
  return {
    date: recordedOn,
    ...facts,
    fund: fundBps / BPS,
    hindsight: replayHindsight,
    horizons: replayHorizons.map(({ dueBps, sellerCashBps, ...horizon }) => ({
      ...horizon,
      cohorts: dueBps.map((due, at) => ({
        month: formatMonth(addMonths(first, at)),
        due: due / BPS,
        sellerCash: (sellerCashBps[at] ?? 0) / BPS,
      })),
    })),
    attribution: attributionOf(provider),
  };
}

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
        scenarios: Type.Array(ScenarioShape),
      },
      { title: "Scenarios" },
    ),
    read: () => ({ data: { version: SCENARIOS_VERSION, scenarios: [...scenarios] } }),
  });
