// How well forecasts foretold: event scores, ranked score, layer errors, premium over payout and
// the tails of the probability transform, added up pair by pair.
// Invariant: each pair weighs the same within a horizon, and each horizon the same in a mean, where
// premium over payout is the ratio of the two means.
import { cumulative, declineChance, type Forecast, meanLayer, rankedScore } from "./forecast.ts";

/** Where the three standard layers attach and exhaust. */
const events = [0.02, 0.05, 0.08, 0.1, 0.15, 0.2] as const;
export const scoredLayers = [
  { kind: "layered", attachBps: 200, exhaustBps: 1000 },
  { kind: "layered", attachBps: 500, exhaustBps: 1500 },
  { kind: "layered", attachBps: 800, exhaustBps: 2000 },
] as const;
const layers = scoredLayers.map(
  ({ attachBps, exhaustBps }) => [attachBps / 10_000, exhaustBps / 10_000] as const,
);
/** A forecast that called the outcome impossible is not ruined for ever by it. */
const LOWEST_CHANCE = 1e-4;

export interface Scores {
  readonly pairs: number;
  /** Percent of the index. */
  readonly crpsPercent: number;
  readonly brier: number;
  readonly log: number;
  /** Squared error of fair value against payout, × 1000. */
  readonly layerError: number;
  /** Mean fair value per 1 of coverage, of 2–10, 5–15 and 8–20 %. */
  readonly fairValues: readonly number[];
  /** Mean payout of the same. */
  readonly payouts: readonly number[];
  /** The one over the other. */
  readonly premiumOverPayout: readonly number[];
  /** Mean price per 1 of coverage over mean payout; empty for a baseline, which has no price. */
  readonly priceOverPayout: readonly number[];
  /** Share of outcomes below the 1 % and 5 % points and above the 95 % point. */
  readonly tails: readonly number[];
}

/** Adds up one model at one horizon. */
export class Tally {
  #pairs = 0;
  #crps = 0;
  #brier = 0;
  #log = 0;
  #layerError = 0;
  readonly #premiums = layers.map(() => 0);
  readonly #payouts = layers.map(() => 0);
  readonly #prices: number[] = [];
  readonly #tails = [0, 0, 0];

  add(forecast: Forecast, logChange: number): void {
    const decline = -Math.expm1(logChange);
    this.#pairs += 1;
    this.#crps += rankedScore(forecast, logChange);
    for (const event of events) {
      const chance = declineChance(forecast, event);
      const happened = decline >= event;
      this.#brier += (chance - (happened ? 1 : 0)) ** 2 / events.length;
      const told = Math.max(LOWEST_CHANCE, happened ? chance : 1 - chance);
      this.#log -= Math.log(told) / events.length;
    }
    for (const [at, [attach, exhaust]] of layers.entries()) {
      const premium = meanLayer(forecast, attach, exhaust);
      const payout = Math.min(1, Math.max(0, (decline - attach) / (exhaust - attach)));
      this.#layerError += (premium - payout) ** 2 / layers.length;
      this.#premiums[at] = (this.#premiums[at] ?? 0) + premium;
      this.#payouts[at] = (this.#payouts[at] ?? 0) + payout;
    }
    for (const [at, price] of (forecast.family === "model" ? forecast.prices : []).entries()) {
      this.#prices[at] = (this.#prices[at] ?? 0) + price;
    }
    const place = cumulative(forecast, logChange);
    for (const [at, inTail] of [place < 0.01, place < 0.05, place > 0.95].entries()) {
      if (inTail) this.#tails[at] = (this.#tails[at] ?? 0) + 1;
    }
  }

  /** The means so far; without a pair all of them NaN. */
  scores(): Scores {
    const pairs = this.#pairs;
    return {
      pairs,
      crpsPercent: (100 * this.#crps) / pairs,
      brier: this.#brier / pairs,
      log: this.#log / pairs,
      layerError: (1000 * this.#layerError) / pairs,
      fairValues: this.#premiums.map((sum) => sum / pairs),
      payouts: this.#payouts.map((sum) => sum / pairs),
      premiumOverPayout: this.#premiums.map((sum, at) => sum / (this.#payouts[at] ?? 0)),
      priceOverPayout: this.#prices.map((sum, at) => sum / (this.#payouts[at] ?? 0)),
      tails: this.#tails.map((count) => count / pairs),
    };
  }
}

/** The mean over horizons that were scored, each of the same weight; pairs are added up. */
export function meanScores(all: readonly Scores[]): Scores {
  const mean = (of: (scores: Scores) => number): number =>
    all.reduce((sum, scores) => sum + of(scores), 0) / all.length;
  const means = (of: (scores: Scores) => readonly number[]): number[] =>
    [0, 1, 2].map((at) => mean((scores) => of(scores)[at] ?? Number.NaN));
  const fairValues = means((scores) => scores.fairValues);
  const payouts = means((scores) => scores.payouts);
  // A price over a payout is of one horizon's mean payout: back to the mean price, then over all.
  const prices = means((scores) =>
    scores.priceOverPayout.map((ratio, at) => ratio * (scores.payouts[at] ?? Number.NaN)),
  );
  const isPriced = all.some((scores) => scores.priceOverPayout.length > 0);
  return {
    pairs: all.reduce((sum, { pairs }) => sum + pairs, 0),
    crpsPercent: mean(({ crpsPercent }) => crpsPercent),
    brier: mean(({ brier }) => brier),
    log: mean(({ log }) => log),
    layerError: mean(({ layerError }) => layerError),
    fairValues,
    payouts,
    premiumOverPayout: fairValues.map((fair, at) => fair / (payouts[at] ?? 0)),
    priceOverPayout: isPriced ? prices.map((price, at) => price / (payouts[at] ?? 0)) : [],
    tails: means(({ tails }) => tails),
  };
}
