// Markets in words: what is measured, and for what they pay.
// Invariant: nothing an owner reads says YES or NO.
import type { Schemas } from "@firstprint/sdk";
import { amount, layerOf } from "../words.ts";

type Market = Pick<Schemas["Market"], "id" | "metricType" | "comparator" | "threshold">;

const indices: Readonly<Record<string, string>> = {
  zhvi: "home values",
  zori: "rents",
  vacancy: "rental vacancy",
  weather: "weather",
};

/** "home values", of an index or a market's metric. */
export const indexWords = (metric: string): string => indices[metric.split("_")[0] ?? ""] ?? metric;

/** "a fall from 2% to 10%". */
export function paysFor({ id, metricType, comparator, threshold }: Market): string {
  const layer = layerOf(id);
  if (layer !== undefined) return `a fall from ${layer[0]}% to ${layer[1]}%`;
  const isDecline = metricType.endsWith("_decline");
  if (isDecline) return `a fall of ${amount(threshold)}% or more`;
  const side = comparator === "gte" ? "or more" : "or less";
  return `a level of ${amount(threshold)} ${side}`;
}

const states: Readonly<Record<Schemas["Market"]["status"], string>> = {
  ACTIVE: "open",
  PAUSED: "paused",
  RESOLVED: "resolved, can be disputed",
  CANCELLED: "void",
  FINALIZED: "paid and final",
};

/** Where a market stands, in words. */
export const stateWords = ({
  status,
  tradingClosed,
  phase,
}: Pick<Schemas["Market"], "status" | "tradingClosed" | "phase">): string => {
  if (status !== "ACTIVE") return states[status];
  if (tradingClosed) return "waiting for its print";
  return phase === "AUCTION" ? "in an auction" : states.ACTIVE;
};

/** Of a market in an auction; undefined where nothing is to be said. */
export function auctionWords({
  status,
  tradingClosed,
  phase,
  indicative,
  printOverdue,
}: Schemas["Market"]): string | undefined {
  if (status !== "ACTIVE" || tradingClosed || phase !== "AUCTION") return undefined;
  const when = printOverdue ? "once a day until the late print comes" : "after the release";
  if (indicative === null) return `Orders wait and meet at one price ${when}.`;
  const { price, volume } = indicative;
  return `Orders wait and meet at one price ${when}: now ${volume} at ${price}.`;
}
