// firstprint quote: what protection on a place would cost by the reference model.
// Invariant: what is computed here, the table of falls, is the contract's own payoff, rounded.
import { at, type ExchangeResponse } from "./answer.ts";
import type { Arguments } from "./arguments.ts";
import type { CliCommand } from "./command.ts";
import type { ExchangeClient, Members } from "./exchange.ts";
import { UsageFault } from "./faults.ts";
import {
  amountText,
  centsOf,
  chance,
  dollars,
  monthName,
  monthOfText,
  monthsLater,
  monthText,
  percent,
  usdText,
  wholeDollars,
} from "./figures.ts";
import { bpsOf, layerOf } from "./percent.ts";
import { placeId } from "./place.ts";
import type { Screen } from "./screen.ts";
import { type Field, field, plain } from "./table.ts";

const DEFAULT_LAYER = "5-15";
const DEFAULT_MONTHS = 12;
const BPS = 10_000n;

const quoteFields = [
  field("node", "place"),
  field("nodeName", "name"),
  field("index"),
  field("asOfMonth", "newest print", monthName),
  field("expiry", "measured in", monthName),
  field("horizonMonths", "months ahead"),
];

const percentOf = (value: unknown): string => (typeof value === "number" ? `${value} %` : "-");

const payoffFields = [
  field("attachPct", "pays from a fall of", percentOf),
  field("exhaustPct", "in full from", percentOf),
  field("strikePct", "pays in full from", percentOf),
  field("comparator"),
  field("threshold"),
  field("unit"),
  field("definition", "measured"),
];

const priceFields = [
  field("impliedExposureUsd", "home worth", dollars),
  field("deductibleUsd", "deductible", dollars),
  field("maxPayoutUsd", "coverage", dollars),
  field("premiumUsd", "premium", dollars),
  field("price", "premium of coverage", percent),
  field("anyClaimProb", "chance of a payout", chance),
  field("fullLimitProb", "chance of all of it", chance),
  field("limitPrice", "limit price"),
  field("contracts"),
  field("seriesMarketId", "market"),
];

/** How it is accepted is shown as a command; the note says it in the words of the API. */
const noteField = field("note", "note", (note) =>
  String(note ?? "-").replace(/ To accept, .*$/, ""),
);

const acceptField: Field = {
  title: "to accept",
  text: (quote) => {
    const [market, contracts, price] = ["seriesMarketId", "contracts", "limitPrice"].map((member) =>
      plain(at(quote, member)),
    );
    return market === "-" ? "-" : `firstprint order place ${market} buy ${contracts} ${price}`;
  },
};

const showQuote: CliCommand = {
  words: "quote",
  about: "Show what protection on a place costs by the reference model, and what it would pay",
  takes: ["place"],
  options: {
    home: { value: "usd", about: "what the home is worth: covers what it loses in the layer" },
    notional: { value: "usd", about: "in place of --home: the most it pays" },
    expiry: { value: "month", about: 'when it is measured: 2027-10 or "Oct 2027"' },
    months: { value: "number", about: "in place of --expiry: after the newest print; 12" },
    layer: { value: "percents", about: "pays in proportion between two falls; 5-15" },
    strike: {
      value: "percent",
      about: "pays in full from a fall on: 5; a vacancy: 8; so far from normal weather: 10",
    },
    threshold: { value: "number", about: "of vacancy and weather, in place of --strike: 540" },
    comparator: { value: "gte|lte", about: "pays at or above (the default), or at or below" },
    index: { value: "index", about: "zhvi (the default), zori, vacancy or weather" },
  },
  example: "quote Texas --home 480000",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const payoff = payoffOf(args);
    const notional = notionalOf(args, payoff);
    const index = args.option("index") ?? "zhvi";
    const node = await placeId(exchange, args.word("place"), index);
    const answer = await exchange.read("/api/quotes", {
      node,
      expiry: await expiryOf(args, exchange, node),
      notional,
      ...args.given("index", "comparator"),
      ...payoff,
    });
    screen.show(answer, () => quoteText(screen, answer));
    return undefined;
  },
};

function payoffOf(args: Arguments): Members {
  const [layer, strike, threshold] = ["layer", "strike", "threshold"].map((name) =>
    args.option(name),
  );
  const [only, ...more] = [
    ...(layer === undefined ? [] : [{ kind: "layered", ...layerOf(layer) }]),
    ...(strike === undefined ? [] : [{ kind: "binary", strikeBps: bpsOf(strike, "--strike") }]),
    ...(threshold === undefined ? [] : [{ kind: "binary", threshold }]),
  ];
  if (more.length > 0) throw new UsageFault("give only one of --layer, --strike and --threshold");
  if (only !== undefined) return only;
  const index = args.option("index");
  if (index === "vacancy" || index === "weather") {
    throw new UsageFault(`${index} pays from a level on: give --strike, such as 8, or --threshold`);
  }
  return { kind: "layered", ...layerOf(DEFAULT_LAYER) };
}

/** A home loses its worth × the width of the layer, where the fall reaches the layer's end. */
function notionalOf(args: Arguments, { attachBps, exhaustBps }: Members): string {
  const [home, notional] = [args.option("home"), args.option("notional")];
  if ((home === undefined) === (notional === undefined)) {
    throw new UsageFault("give --home, what the home is worth, or --notional, the most it pays");
  }
  if (home === undefined) return amountText(notional ?? "");
  if (typeof attachBps !== "number" || typeof exhaustBps !== "number") {
    throw new UsageFault("--home goes with --layer; give --notional, the most it pays");
  }
  const width = BigInt(Math.max(0, exhaustBps - attachBps));
  return usdText((centsOf(home, "--home") * width) / BPS);
}

async function expiryOf(args: Arguments, exchange: ExchangeClient, node: string): Promise<string> {
  const expiry = args.option("expiry");
  const months = args.whole("months");
  if (expiry !== undefined && months !== undefined) {
    throw new UsageFault("give --expiry or --months, not both");
  }
  if (expiry !== undefined) return monthText(expiry, "--expiry");
  const answer = await exchange.read("/api/index/{nodeId}", {
    nodeId: node,
    ...args.given("index"),
  });
  const newest = monthOfText(String(at(answer.json, "data.asOfMonth")), "the newest print");
  return monthsLater(newest, months ?? DEFAULT_MONTHS);
}

function quoteText(screen: Screen, answer: ExchangeResponse): string {
  const quote = at(answer.json, "data");
  const record = (fields: readonly Field[]): string =>
    screen.record(
      fields.filter((one) => one.text(quote) !== "-"),
      quote,
    );
  const isLayered = at(quote, "payoutKind") === "layered";
  return [
    record([...quoteFields, ...payoffFields]),
    record(priceFields),
    ...(isLayered ? [fallsTable(screen, quote)] : []),
    record([acceptField, noteField, field("attribution")]),
  ].join("\n\n");
}

const falls = [0, 2, 5, 6, 8, 10, 12, 15, 20];

/** The payout for each fall, to the dollar. */
function fallsTable(screen: Screen, quote: unknown): string {
  const [attach, exhaust, coverage] = ["attachPct", "exhaustPct", "maxPayoutUsd"].map((member) =>
    Number(at(quote, member)),
  );
  if (attach === undefined || exhaust === undefined || coverage === undefined) return "";
  const points = [...new Set([...falls, attach, exhaust])].sort((a, b) => a - b);
  const rows = points.map((fall) => {
    const part = Math.min(1, Math.max(0, (fall - attach) / (exhaust - attach)));
    return { fall: `${fall} %`, pays: wholeDollars(coverage * part) };
  });
  return screen.table([field("fall", "falls"), field("pays")], rows, "");
}

export const quoteCommands: readonly CliCommand[] = [showQuote];
