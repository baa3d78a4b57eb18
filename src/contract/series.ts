// Protection series: the readable, complete id of a contract, written and read.
// Invariant: formatSeriesId and parseSeriesId are inverse; equal terms have exactly one id.
import { type MarketId, marketId, type NodeId, nodeId } from "#base/ids.ts";
import { type IndexKind, isIndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { calendarMonth, formatMonth, type Month, parseMonth } from "#base/month.ts";
import { formatPrintValue, parsePrintValue } from "#base/print-value.ts";
import { hasPrintIn, isLevelIndex, isStandardThreshold } from "./level.ts";
import type { Payoff } from "./terms.ts";

export type LevelPayoff = Extract<Payoff, { kind: "level" }>;
export type DeclinePayoff = Exclude<Payoff, { kind: "level" }>;

export interface Series {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  /** Null for a level: it is compared with its threshold, whenever it was listed. */
  readonly baselineMonth: Month | null;
  readonly measurementMonth: Month;
  readonly payoff: Payoff;
}

const standardLayers: readonly (readonly [number, number])[] = [
  [200, 1000],
  [500, 1500],
  [800, 2000],
];

const standardMonths: readonly number[] = [12, 24, 36];

/** Standard layers and whole-percent strikes are listed; anything else is quoted as indicative. */
export const isStandard = (payoff: DeclinePayoff): boolean =>
  payoff.kind === "layered"
    ? standardLayers.some(([a, x]) => a === payoff.attachBps && x === payoff.exhaustBps)
    : payoff.strikeBps % 100 === 0 && payoff.strikeBps >= 100 && payoff.strikeBps <= 9900;

/** Is this one of the contracts an order may list by naming it? */
export function isSeries(
  { index, measurementMonth, payoff }: Pick<Series, "index" | "measurementMonth" | "payoff">, //
): boolean {
  if (!isLevelIndex(index)) return payoff.kind !== "level" && isStandard(payoff);
  return (
    payoff.kind === "level" &&
    hasPrintIn(index, measurementMonth) &&
    isStandardThreshold(index, measurementMonth, payoff.thresholdE15)
  );
}

/** Standard series start from the print of such a month. */
export const endsQuarter = (month: Month): boolean => calendarMonth(month) % 3 === 0;

/**
 * A contract whose buyers and sellers find each other: a standard layer of 12, 24 or 36 months from
 * the end of a quarter, 36 a place and year. Levels have one series a print and threshold as it is.
 */
export function isStandardSeries(
  { index, baselineMonth, measurementMonth, payoff }: Omit<Series, "nodeId">, //
): boolean {
  if (isLevelIndex(index) || payoff.kind === "level") return true;
  return (
    baselineMonth !== null &&
    endsQuarter(baselineMonth) &&
    standardMonths.includes(measurementMonth - baselineMonth) &&
    payoff.kind === "layered" &&
    isStandard(payoff)
  );
}

/** Any layer or strike of whole basis points, which two sides may agree on by a request. */
export function isNegotiable(
  terms: Pick<Series, "index" | "measurementMonth" | "payoff">, //
): boolean {
  const { index, payoff } = terms;
  if (isLevelIndex(index) || payoff.kind === "level") return isSeries(terms);
  const [from, to] =
    payoff.kind === "layered"
      ? [payoff.attachBps, payoff.exhaustBps]
      : [payoff.strikeBps - 1, payoff.strikeBps];
  return Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to && to <= 10_000;
}

const bps4 = (bps: number): string => String(bps).padStart(4, "0");

/**
 * A decline: `srs.zhvi.zip-10001.b2026-09.e2027-09.L0200-1000`, or `….K0500` for a binary.
 * A level: `lvl.vacancy.state-tx.e2026-06.gte-8`; it has no month it starts from.
 */
export function formatSeriesId(series: Series): MarketId {
  const { index, payoff, baselineMonth } = series;
  const place = series.nodeId.replace(":", "-");
  const end = `e${formatMonth(series.measurementMonth)}`;
  if (payoff.kind === "level") {
    const trigger = `${payoff.comparator}-${formatPrintValue(payoff.thresholdE15)}`;
    return marketId(["lvl", index, place, end, trigger].join("."));
  }
  invariant(baselineMonth !== null, "a decline starts from a month");
  const tail =
    payoff.kind === "layered"
      ? `L${bps4(payoff.attachBps)}-${bps4(payoff.exhaustBps)}`
      : `K${bps4(payoff.strikeBps)}`;
  return marketId(["srs", index, place, `b${formatMonth(baselineMonth)}`, end, tail].join("."));
}

const place = "(state|county|city|nbhd|zip)-([a-z0-9-]{1,100})";
const month = "(\\d{4}-\\d{2})";
const declinePattern = new RegExp(
  [
    "^srs",
    "([a-z]+)",
    place,
    `b${month}`,
    `e${month}`,
    "(?:l(\\d{4})-(\\d{4}|10000)|k(\\d{4}))$",
  ].join("\\."),
);
const levelPattern = new RegExp(
  ["^lvl", "([a-z]+)", place, `e${month}`, "(gte|lte)-([0-9.]{1,47})$"].join("\\."),
);

/** Undefined when the text is no series id. Case does not matter. */
export function parseSeriesId(text: string): Series | undefined {
  const lower = text.toLowerCase();
  return declineOf(declinePattern.exec(lower)) ?? levelOf(levelPattern.exec(lower));
}

function declineOf(match: RegExpExecArray | null): Series | undefined {
  if (match === null) return undefined;
  const [, index = "", level = "", place = "", baseline = "", end = "", attach, exhaust, strike] =
    match;
  const baselineMonth = parseMonth(baseline);
  const measurementMonth = parseMonth(end);
  if (!isIndexKind(index) || baselineMonth === undefined || measurementMonth === undefined) {
    return undefined;
  }
  const payoff: DeclinePayoff =
    strike === undefined
      ? { kind: "layered", attachBps: Number(attach), exhaustBps: Number(exhaust) }
      : { kind: "binary", strikeBps: Number(strike) };
  return { index, nodeId: nodeId(`${level}:${place}`), baselineMonth, measurementMonth, payoff };
}

function levelOf(match: RegExpExecArray | null): Series | undefined {
  if (match === null) return undefined;
  const [, index = "", level = "", place = "", end = "", comparator, threshold = ""] = match;
  const measurementMonth = parseMonth(end);
  const thresholdE15 = parsePrintValue(threshold);
  if (!isIndexKind(index) || measurementMonth === undefined || thresholdE15 === undefined) {
    return undefined;
  }
  // `8.0` would be a second name of `8`.
  if (formatPrintValue(thresholdE15) !== threshold) return undefined;
  return {
    index,
    nodeId: nodeId(`${level}:${place}`),
    baselineMonth: null,
    measurementMonth,
    payoff: { kind: "level", comparator: comparator === "gte" ? "gte" : "lte", thresholdE15 },
  };
}
