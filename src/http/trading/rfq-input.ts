// A request for quotes, and a quote, as they are sent: legs by their terms or by a market's id.
// Invariant: prices and amounts are read from digits; the server draws a leg's listing.
import { type Static, Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick, type Tick } from "#base/price.ts";
import { parseLots } from "#base/quantity.ts";
import { type DeclinePayoff, formatSeriesId } from "#contract/series.ts";
import type { CommandOf } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { chainPointName } from "#core/names.ts";
import type { Market } from "#core/records.ts";
import type { RfqLeg } from "#core/rfq/record.ts";
import { type FieldFault, invalidField, invalidFields, type Refused } from "../route/errors.ts";
import { closed } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

export const MOST_LEGS = 200;
const MOST_INVITED = 20;

/** A larger one would be milliseconds: 1e11 seconds is the year 5138. */
const Moment = (description: string) => Type.Integer({ minimum: 0, maximum: 1e11, description });

const Bps = (description: string) => Type.Integer({ minimum: 0, maximum: 10_000, description });

const Leg = closed({
  marketId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "a market's or series id, alone" }),
  ),
  index: Type.Optional(Type.Enum([...indexKinds], { description: "the index that settles it" })),
  place: Type.Optional(
    Type.String({ minLength: 1, maxLength: 80, description: "the id of a place" }),
  ),
  measurementMonth: Type.Optional(
    Type.String({ pattern: "^\\d{4}-\\d{2}$", description: "YYYY-MM" }),
  ),
  attachBps: Type.Optional(Bps("of the decline, where the layer begins to pay")),
  exhaustBps: Type.Optional(Bps("of the decline, where it pays all")),
  strikeBps: Type.Optional(Bps("of the decline, in place of a layer")),
  amount: Type.String({ maxLength: 40, description: "contracts, a decimal of at most 2 decimals" }),
});
type Leg = Static<typeof Leg>;

const Prices = Type.Array(Type.String({ maxLength: 20 }), {
  minItems: 1,
  maxItems: MOST_LEGS,
  description: "USD a contract of the protection: one for each leg in order, or one for all",
});

const ShowName = Type.Optional(
  Type.Boolean({
    description:
      "whether the other side of a block trade learns the account's address, if it, too, shows " +
      "its own; false when absent",
  }),
);

export const NewRfq = closed({
  legs: Type.Array(Leg, { minItems: 1, maxItems: MOST_LEGS, description: "1 to 200 legs" }),
  side: Type.Enum(["BUY", "SELL"], { description: "what the requester does with the protection" }),
  audience: Type.Optional(
    Type.Union(
      [
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
          minItems: 1,
          maxItems: MOST_INVITED,
        }),
        Type.Null(),
      ],
      { description: "addresses of the accounts that may see it and quote; null = every trader" },
    ),
  ),
  closesAt: Moment("Unix seconds: 30 seconds to 72 hours from now"),
  showName: ShowName,
});

export const NewQuote = closed({
  prices: Prices,
  validUntil: Moment("Unix seconds: 30 seconds to 72 hours after the request closes"),
  showName: ShowName,
});

export const BetterQuote = closed({
  prices: Prices,
  validUntil: Type.Optional(Moment("Unix seconds, no earlier than it was; absent = as it was")),
});

/** Null as it is sent = every trader. */
export function readRfq(
  { legs: sent, side, audience = null, closesAt, showName }: Static<typeof NewRfq>,
  ports: TradingPorts,
): { readonly command: CommandOf<"OpenRfq"> } | Refused {
  const legs: RfqLeg[] = [];
  const faults: FieldFault[] = [];
  for (const [at, leg] of sent.entries()) {
    const read = readLeg(leg, ports);
    if ("listing" in read) legs.push(read);
    else faults.push({ field: `legs[${at}].${read.field}`, message: read.message });
  }
  if (faults.length > 0) return invalidFields(faults);
  const closesAtMillis = closesAt * 1000;
  const wish = nameWish(showName);
  return { command: { type: "OpenRfq", legs, side, audience, closesAtMillis, ...wish } };
}

export const nameWish = (showName: boolean | undefined): { readonly tellsName?: true } =>
  showName === true ? { tellsName: true } : {};

function readLeg(leg: Leg, ports: TradingPorts): RfqLeg | FieldFault {
  const lots = parseLots(leg.amount);
  if (lots === undefined) {
    return { field: "amount", message: "must be a decimal string from 0.01 with 2 decimals" };
  }
  const id = leg.marketId ?? seriesIdOf(leg, ports);
  if (typeof id !== "string") return id;
  const market = ports.view.marketByAnyId(id);
  const listing = market === undefined ? ports.negotiatedListing(id) : listingOf(market);
  return listing === undefined
    ? {
        field: leg.marketId === undefined ? "measurementMonth" : "marketId",
        message: "names no contract that could be listed now",
      }
    : { listing, amountLots: lots };
}

/** The series that starts from the newest first print of the place. */
function seriesIdOf(
  { index, place: text, measurementMonth: month, attachBps, exhaustBps, strikeBps }: Leg,
  { view }: TradingPorts,
): string | FieldFault {
  if (index === undefined) return { field: "index", message: "is asked for, or marketId alone" };
  const place = text === undefined ? undefined : view.geo.get(text);
  if (place === undefined) return { field: "place", message: "is no place that is known" };
  const measurementMonth = month === undefined ? undefined : parseMonth(month);
  if (measurementMonth === undefined) {
    return { field: "measurementMonth", message: "must be a month such as 2027-10" };
  }
  const payoff = payoffOf(attachBps, exhaustBps, strikeBps);
  if (payoff === undefined) {
    return { field: "attachBps", message: "must be below exhaustBps, or strikeBps sent alone" };
  }
  const newest = view.chainPoints.get(chainPointName(index, place.id, measurementMonth));
  if (newest === undefined) return { field: "place", message: "has no prints of the index" };
  const baselineMonth = newest.month;
  return formatSeriesId({ index, nodeId: place.id, baselineMonth, measurementMonth, payoff });
}

function payoffOf(attachBps?: number, exhaustBps?: number, strikeBps?: number) {
  const isLayer = attachBps !== undefined && exhaustBps !== undefined && attachBps < exhaustBps;
  const payoff: DeclinePayoff | undefined = isLayer
    ? { kind: "layered", attachBps, exhaustBps }
    : undefined;
  if (strikeBps === undefined) return payoff;
  const isAlone = attachBps === undefined && exhaustBps === undefined;
  return isAlone ? ({ kind: "binary", strikeBps } satisfies DeclinePayoff) : undefined;
}

const listingOf = ({ id, terms, markTick, stressedTick, riskTicks, within }: Market): Listing => ({
  marketId: id,
  terms,
  markTick,
  stressedTick,
  riskTicks,
  within,
});

/** The first price that is off the grid is named. */
export function readPrices(sent: readonly string[]): { readonly ticks: readonly Tick[] } | Refused {
  const ticks: Tick[] = [];
  for (const [at, text] of sent.entries()) {
    const tick = parseTick(text);
    if (tick === undefined) {
      return invalidField(
        `prices[${at}]`,
        "must be a decimal string from 0.0001 to 0.9999 in steps of 0.0001",
      );
    }
    ticks.push(tick);
  }
  return { ticks };
}
