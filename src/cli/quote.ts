// firstprint quote: what protection on a place would cost by the reference model.
// Invariant: the payoff is always named by who asks; none is assumed.
import { at } from "./answer.ts";
import type { Command } from "./command.ts";
import type { Members } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import { bpsOf, layerOf } from "./percent.ts";
import { field } from "./table.ts";

const quoteFields = [
  field("node", "place"),
  field("nodeName", "name"),
  field("index"),
  field("asOfMonth", "newest print"),
  field("expiry", "measured in"),
  field("horizonMonths", "months ahead"),
  field("payoutKind", "kind"),
  field("attachPct", "attach %"),
  field("exhaustPct", "exhaust %"),
  field("strikePct", "strike %"),
  field("comparator"),
  field("threshold"),
  field("unit"),
  field("definition", "measured"),
  field("fairValue", "fair value"),
  field("anyClaimProb", "chance of a payout"),
  field("fullLimitProb", "chance of the limit"),
  field("spreadBps", "spread bps"),
  field("price"),
  field("limitPrice", "limit price"),
  field("contracts"),
  field("premiumUsd", "premium USD"),
  field("maxPayoutUsd", "most paid USD"),
  field("sellerCollateralUsd", "seller's collateral USD"),
  field("deductibleUsd", "deductible USD"),
  field("impliedExposureUsd", "implied exposure USD"),
  field("usedDefaultVol", "default volatility"),
  field("seriesMarketId", "series"),
  field("note"),
  field("attribution"),
];

const showQuote: Command = {
  words: "quote",
  about: "Show the reference price of protection on a place, and the series to accept it in",
  takes: ["place"],
  options: {
    expiry: { value: "month", required: true, about: "the measurement month, YYYY-MM" },
    notional: { value: "usd", required: true, about: "the most it pays" },
    layer: { value: "percents", about: "pays in proportion between two declines: 2-10" },
    strike: {
      value: "percent",
      about: "pays in full from a decline on: 5; a vacancy: 8; so far from normal weather: 10",
    },
    threshold: { value: "number", about: "of vacancy and weather, in place of --strike: 540" },
    comparator: { value: "gte|lte", about: "pays at or above (the default), or at or below" },
    index: { value: "index", about: "zhvi (the default), zori, vacancy or weather" },
  },
  example: "quote state:tx --expiry 2025-04 --notional 50000 --layer 2-10",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const answer = await exchange.read("/api/quotes", {
      node: args.word("place"),
      ...args.given("expiry", "notional", "index", "comparator"),
      ...payoffOf(args.option("layer"), args.option("strike"), args.option("threshold")),
    });
    screen.show(answer, () => screen.record(quoteFields, at(answer.json, "data")));
    return undefined;
  },
};

function payoffOf(
  layer: string | undefined,
  strike: string | undefined,
  threshold: string | undefined,
): Members {
  const [only, ...more] = [
    ...(layer === undefined ? [] : [{ kind: "layered", ...layerOf(layer) }]),
    ...(strike === undefined ? [] : [{ kind: "binary", strikeBps: bpsOf(strike, "--strike") }]),
    ...(threshold === undefined ? [] : [{ kind: "binary", threshold }]),
  ];
  if (only !== undefined && more.length === 0) return only;
  throw new UsageFault("give one of --layer, such as 2-10, --strike, such as 5, or --threshold");
}

export const quoteCommands: readonly Command[] = [showQuote];
