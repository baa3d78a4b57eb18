// Protection series: the readable, complete id of a decline contract, written and read.
// Invariant: formatSeriesId and parseSeriesId are inverse; every listed decline has exactly one id.
import { type MarketId, marketId, type NodeId, nodeId } from "#base/ids.ts";
import { type IndexKind, isIndexKind } from "#base/index-kind.ts";
import { formatMonth, type Month, parseMonth } from "#base/month.ts";
import type { Payoff } from "./terms.ts";

export type DeclinePayoff = Exclude<Payoff, { kind: "level" }>;

interface Series {
  readonly index: IndexKind;
  readonly nodeId: NodeId;
  readonly baselineMonth: Month;
  readonly measurementMonth: Month;
  readonly payoff: DeclinePayoff;
}

const standardLayers: readonly (readonly [number, number])[] = [
  [200, 1000],
  [500, 1500],
  [800, 2000],
];

/** Standard layers and whole-percent strikes are listed; anything else is quoted as indicative. */
export const isStandard = (payoff: DeclinePayoff): boolean =>
  payoff.kind === "layered"
    ? standardLayers.some(([a, x]) => a === payoff.attachBps && x === payoff.exhaustBps)
    : payoff.strikeBps % 100 === 0 && payoff.strikeBps >= 100 && payoff.strikeBps <= 9900;

const bps4 = (bps: number): string => String(bps).padStart(4, "0");

/** `srs.zhvi.zip-10001.b2026-09.e2027-09.L0200-1000`, or `….K0500` for a binary. */
export function formatSeriesId(series: Series): MarketId {
  const { payoff } = series;
  const tail =
    payoff.kind === "layered"
      ? `L${bps4(payoff.attachBps)}-${bps4(payoff.exhaustBps)}`
      : `K${bps4(payoff.strikeBps)}`;
  const place = series.nodeId.replace(":", "-");
  const from = `b${formatMonth(series.baselineMonth)}`;
  const to = `e${formatMonth(series.measurementMonth)}`;
  return marketId(["srs", series.index, place, from, to, tail].join("."));
}

const pattern = new RegExp(
  [
    "^srs",
    "([a-z]+)",
    "(state|county|city|nbhd|zip)-([a-z0-9-]{1,100})",
    "b(\\d{4}-\\d{2})",
    "e(\\d{4}-\\d{2})",
    "(?:l(\\d{4})-(\\d{4}|10000)|k(\\d{4}))$",
  ].join("\\."),
);

/** Undefined when the text is no series id. Case does not matter. */
export function parseSeriesId(text: string): Series | undefined {
  const match = pattern.exec(text.toLowerCase());
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
