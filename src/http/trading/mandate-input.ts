// A mandate as it is sent and shown: its terms from a body, or a 400 that names the field.
// Invariant: a place that nobody knows is refused here; the core never sees one.
import { type Static, Type } from "typebox";
import { formatLots, type Lots, parseLots } from "#base/quantity.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { MandateLimits, MandateTerms } from "#core/mandate/record.ts";
import { geoLevels, isGeoLevel } from "#geo/node.ts";
import { type FieldFault, invalidFields, type Refused } from "../route/errors.ts";
import { closed } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const MOST_PLACES = 60;
const MOST_PAYOFFS = 20;
const MOST_MONTHS = 36;
/** A wider one leaves the grid of prices from any mark. */
const MOST_SPREAD_BPS = 9_999;

const Usd = (description: string) =>
  Type.String({ maxLength: 40, description: `${description}; USD of coverage, a decimal string` });
const Bps = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MOST_SPREAD_BPS, description });
const Months = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MOST_MONTHS, description });

const MandatePayoff = closed(
  {
    attachBps: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999 })),
    exhaustBps: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    strikeBps: Type.Optional(Type.Integer({ minimum: 1, maximum: 9_999 })),
  },
  { title: "MandatePayoff" },
);

export const mandateLimits = {
  maxPerMarketUsd: Usd("it trades at most in one market while that is not final"),
  maxPerStateUsd: Usd("in all such markets of a state"),
  maxTotalUsd: Usd("in all such markets"),
};

const asked = {
  index: Type.Enum(["zhvi", "zori"], { description: "zhvi or zori" }),
  places: Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
    minItems: 1,
    maxItems: MOST_PLACES,
    description: `1 to ${MOST_PLACES} ids of places; each stands for all that lies in it, too`,
  }),
  side: Type.Enum(["SELL", "BUY"], { description: "SELL or BUY, of the protection" }),
  spreadBps: Bps("steps of 0.0001 USD a contract beyond the mark"),
  ...mandateLimits,
};

const defaulted = {
  levels: Type.Union([Type.Array(Type.Enum([...geoLevels]), { minItems: 1 }), Type.Null()], {
    description: "levels of the contracts' own places; null = every level",
  }),
  payoffs: Type.Union(
    [Type.Array(MandatePayoff, { minItems: 1, maxItems: MOST_PAYOFFS }), Type.Null()],
    { description: "layers and strikes; null = all there are" },
  ),
  minMonths: Months("prints still to come until the one that settles, at least"),
  maxMonths: Months("and at most"),
  spreadBpsPerYear: Bps("beside spreadBps, for each year of prints still to come"),
  expiry: Type.Integer({ minimum: 0, description: "Unix seconds; 0 = until it is cancelled" }),
  collateral: Type.Enum(["margin", "full"], {
    description: "full: only while the account's cash pays everything it could ever owe",
  }),
};

export const mandateFields = { ...asked, ...defaulted };
const Whole = closed(mandateFields);
type Whole = Static<typeof Whole>;

export const NewMandate = closed({
  ...asked,
  ...Type.Partial(Type.Object(defaulted)).properties,
});
export const ChangedMandate = closed(Type.Partial(Type.Object(mandateFields)).properties);

const defaults: Pick<Whole, keyof typeof defaulted> = {
  levels: null,
  payoffs: null,
  minMonths: 1,
  maxMonths: MOST_MONTHS,
  spreadBpsPerYear: 0,
  expiry: 0,
  collateral: "margin",
};

/** The fields of a mandate that its account sets. */
export function mandateShown(terms: MandateTerms): Whole {
  const {
    scope,
    spreadTicks,
    spreadTicksPerYear,
    mostInMarketLots,
    mostInStateLots,
    mostInAllLots,
  } = terms;
  const { levels, payoffs, minMonths, maxMonths } = scope;
  return {
    index: scope.index === "zori" ? "zori" : "zhvi",
    places: [...scope.places],
    side: terms.side,
    spreadBps: spreadTicks,
    maxPerMarketUsd: formatLots(mostInMarketLots),
    maxPerStateUsd: formatLots(mostInStateLots),
    maxTotalUsd: formatLots(mostInAllLots),
    levels: levels === null ? null : levels.filter(isGeoLevel),
    payoffs: payoffs === null ? null : payoffs.map(({ kind: _, ...bps }) => bps),
    ...{ minMonths, maxMonths, spreadBpsPerYear: spreadTicksPerYear },
    expiry: terms.expirySeconds,
    collateral: terms.collateral,
  };
}

type ReadMandate = { readonly terms: MandateTerms } | Refused;

export const readNewMandate = (
  sent: Static<typeof NewMandate>,
  ports: Pick<TradingPorts, "view">,
): ReadMandate => readMandate({ ...defaults, ...sent }, ports);

/** Fields that are left out stay as they are. */
export const readChangedMandate = (
  before: MandateTerms,
  sent: Static<typeof ChangedMandate>,
  ports: Pick<TradingPorts, "view">,
): ReadMandate => readMandate({ ...mandateShown(before), ...sent }, ports);

function readMandate(whole: Whole, { view }: Pick<TradingPorts, "view">): ReadMandate {
  const faults: FieldFault[] = [];
  const found = whole.places.map((text) => view.geo.get(text));
  for (const [at, place] of found.entries()) {
    if (place !== undefined) continue;
    faults.push({ field: `places[${at}]`, message: "is no place that is known" });
  }
  const payoffs = whole.payoffs?.map(payoffIn);
  for (const [at, payoff] of (payoffs ?? []).entries()) {
    if (payoff !== undefined) continue;
    const message = "must have attachBps below exhaustBps, or strikeBps alone";
    faults.push({ field: `payoffs[${at}]`, message });
  }
  if (whole.minMonths > whole.maxMonths) {
    faults.push({ field: "maxMonths", message: "must not be below minMonths" });
  }
  const limits = readMandateLimits(whole);
  if ("refused" in limits) faults.push(...(limits.refused.errors ?? []));
  if (faults.length > 0 || "refused" in limits) return invalidFields(faults);
  const { index, levels, minMonths, maxMonths } = whole;
  return {
    terms: {
      scope: {
        index,
        places: [...new Set(found.flatMap((place) => place?.id ?? []))],
        levels,
        payoffs: payoffs?.flatMap((payoff) => payoff ?? []) ?? null,
        ...{ minMonths, maxMonths },
      },
      side: whole.side,
      spreadTicks: whole.spreadBps,
      spreadTicksPerYear: whole.spreadBpsPerYear,
      ...limits,
      expirySeconds: whole.expiry,
      collateral: whole.collateral,
    },
  };
}

function payoffIn(sent: Static<typeof MandatePayoff>): DeclinePayoff | undefined {
  const { attachBps, exhaustBps, strikeBps } = sent;
  if (strikeBps !== undefined) {
    const isAlone = attachBps === undefined && exhaustBps === undefined;
    return isAlone ? { kind: "binary", strikeBps } : undefined;
  }
  if (attachBps === undefined || exhaustBps === undefined) return undefined;
  return attachBps < exhaustBps ? { kind: "layered", attachBps, exhaustBps } : undefined;
}

export function readMandateLimits(
  sent: Pick<Whole, keyof typeof mandateLimits>,
): MandateLimits | Refused {
  const faults: FieldFault[] = [];
  const read = (field: keyof typeof mandateLimits): Lots | undefined => {
    const value = parseLots(sent[field]);
    if (value === undefined) {
      faults.push({ field, message: "must be a decimal from 0.01 to 10000000000" });
    }
    return value;
  };
  const mostInMarketLots = read("maxPerMarketUsd");
  const mostInStateLots = read("maxPerStateUsd");
  const mostInAllLots = read("maxTotalUsd");
  return mostInMarketLots === undefined ||
    mostInStateLots === undefined ||
    mostInAllLots === undefined
    ? invalidFields(faults)
    : { mostInMarketLots, mostInStateLots, mostInAllLots };
}
