// The query of a quote: the place, the month, and the payoff asked for.
// Invariant: each refusal names the one field to change; nothing here looks at a print.
import { type Static, Type } from "typebox";
import { parseDecimal } from "#base/decimal.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { parseMonth } from "#base/month.ts";
import { parsePrintValue } from "#base/print-value.ts";
import {
  isLevelIndex,
  type LevelIndex,
  vacancyStrikeBps,
  vacancyThreshold,
} from "#contract/level.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { Comparator } from "#contract/terms.ts";
import type { GeoTree } from "#geo/tree.ts";
import type {
  Asked,
  AskedDecline,
  AskedPlace,
  AskedVacancy,
  AskedWeather,
} from "#quoting/asked.ts";
import { invalidField, invalidFields, type Refused, refuse } from "../route/errors.ts";
import { closed } from "../route/route.ts";

const Bps = Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }));

export const QuoteQuery = closed({
  node: Type.String(),
  expiry: Type.String({
    pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$",
    description: "a month written YYYY-MM",
  }),
  notional: Type.Number({ minimum: 1, maximum: 1_000_000_000 }),
  kind: Type.Optional(Type.Enum(["binary", "layered"])),
  attachBps: Bps,
  exhaustBps: Bps,
  strikeBps: Bps,
  index: Type.Optional(Type.Enum([...indexKinds])),
  comparator: Type.Optional(Type.Enum(["gte", "lte"], { description: "gte or lte" })),
  threshold: Type.Optional(Type.String({ maxLength: 40, description: "a decimal string" })),
});
type Query = Static<typeof QuoteQuery>;

export function askedOf(geo: GeoTree, query: Query): Asked | Refused {
  const expiry = parseMonth(query.expiry);
  const paid = paidOf(query, query.index ?? "zhvi");
  const faults = [
    ...(expiry === undefined ? [{ field: "expiry", message: "must be from 1800 to 2999" }] : []),
    ...(parseDecimal(String(query.notional), 2) === undefined
      ? [{ field: "notional", message: "must have at most 2 decimals" }]
      : []),
    ...("refused" in paid ? (paid.refused.errors ?? []) : []),
  ];
  if (expiry === undefined || faults.length > 0) return invalidFields(faults);
  if ("refused" in paid) return paid;
  const node = geo.get(query.node);
  if (node === undefined) return refuse("NOT_FOUND", { message: "No such place", field: "node" });
  return { node, expiry, coverageUsd: query.notional, ...paid };
}

type AskedPayoff =
  | Omit<AskedDecline, keyof AskedPlace>
  | Omit<AskedVacancy, keyof AskedPlace>
  | Omit<AskedWeather, keyof AskedPlace>;

function paidOf(query: Query, index: IndexKind): AskedPayoff | Refused {
  if (isLevelIndex(index)) return levelOf(query, index);
  for (const field of ["threshold", "comparator"] as const) {
    if (query[field] !== undefined) return invalidField(field, "is for vacancy and weather only");
  }
  const payoff = query.kind === "layered" ? layerOf(query) : strikeOf(query);
  return "refused" in payoff ? payoff : { index, payoff };
}

/** An exhaustion that is not above the attachment is INVALID_LAYER, whatever the two are. */
function layerOf({ attachBps, exhaustBps }: Query): DeclinePayoff | Refused {
  if (attachBps === undefined || exhaustBps === undefined) {
    const missing = Object.entries({ attachBps, exhaustBps }).filter(
      ([, bps]) => bps === undefined,
    );
    const message = "is required for kind=layered";
    return invalidFields(missing.map(([field]) => ({ field, message })));
  }
  if (exhaustBps <= attachBps) return refuse("INVALID_LAYER", { field: "exhaustBps" });
  if (attachBps < 0) return invalidField("attachBps", "must be from 0 to 9999");
  if (exhaustBps > 10_000) return invalidField("exhaustBps", "must be at most 10000");
  return { kind: "layered", attachBps, exhaustBps };
}

function strikeOf({ strikeBps }: Query): DeclinePayoff | Refused {
  if (strikeBps === undefined) return invalidField("strikeBps", "is required unless kind=layered");
  return isStrike(strikeBps) ? { kind: "binary", strikeBps } : invalidStrike();
}

const isStrike = (bps: number): boolean => bps >= 1 && bps <= 9_999;

const invalidStrike = (): Refused => invalidField("strikeBps", "must be from 1 to 9999");

/** A level's threshold is given as such, or named by a strike. */
function levelOf(query: Query, index: LevelIndex): AskedPayoff | Refused {
  const { kind, strikeBps, comparator = "gte" } = query;
  if (kind === "layered") return refuse("LAYER_NOT_SUPPORTED", { field: "kind" });
  if (query.threshold !== undefined) {
    return strikeBps === undefined
      ? thresholdOf(query.threshold, index, comparator)
      : invalidField("threshold", "says what strikeBps says too: give one of them");
  }
  if (strikeBps === undefined) {
    return invalidField("strikeBps", "is required unless threshold is given");
  }
  if (!isStrike(strikeBps)) return invalidStrike();
  return index === "vacancy"
    ? { index, comparator, strikeBps, thresholdE15: vacancyThreshold(strikeBps) }
    : { index, comparator, trigger: { strikeBps } };
}

function thresholdOf(
  text: string,
  index: LevelIndex,
  comparator: Comparator,
): AskedPayoff | Refused {
  const thresholdE15 = parsePrintValue(text);
  if (thresholdE15 === undefined || thresholdE15 <= 0n) {
    return invalidField("threshold", 'must be a decimal string above 0, such as "8"');
  }
  if (index === "weather") return { index, comparator, trigger: { thresholdE15 } };
  const strikeBps = vacancyStrikeBps(thresholdE15);
  return strikeBps === undefined || !isStrike(strikeBps)
    ? invalidField("threshold", "must be from 0.01 to 99.99 percent, with at most 2 decimals")
    : { index, comparator, strikeBps, thresholdE15 };
}
