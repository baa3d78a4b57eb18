// Open protection in figures for everybody: where it lies, what it would be worth in each scenario,
// and how often a payout went beyond one.
// Invariant: sums over markets alone; nothing here tells an account from another.
import { type Micros, micros } from "#base/money.ts";
import { MAX_TICK, MIN_TICK, TICKS_PER_USD } from "#base/price.ts";
import { faceOf, lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import { riskOf } from "#core/margin/risk.ts";
import { isLive } from "#core/market/life.ts";
import type { Market } from "#core/records.ts";
import type { ExchangeView } from "./exchange.ts";

interface StateCoverage {
  readonly stateCode: string;
  readonly markets: number;
  readonly coverageMicros: Micros;
  /** At the marks. */
  readonly worthMicros: Micros;
}

interface OpenRisk {
  /** The most coverage first. */
  readonly byState: readonly StateCoverage[];
  readonly coverageMicros: Micros;
  readonly worthMicros: Micros;
  /** After each scenario, in the order of the list. */
  readonly worthAfterMicros: readonly Micros[];
}

/** Of markets that somebody holds and whose payout is not known yet. */
export function openRisk(exchange: ExchangeView): OpenRisk {
  const states = new Map<string, { markets: number; held: bigint; worth: bigint }>();
  const after = scenarios.map(() => 0n);
  for (const market of exchange.markets.values()) {
    const held = exchange.traded(market.id).openInterest;
    if (held <= 0n || !isLive(market.status)) continue;
    const stateCode = exchange.geo.get(market.terms.nodeId)?.stateCode ?? "";
    const state = states.get(stateCode) ?? { markets: 0, held: 0n, worth: 0n };
    states.set(stateCode, state);
    state.markets += 1;
    state.held += held;
    // A lot at a tick is exactly a micro-dollar.
    state.worth += held * BigInt(market.markTick);
    for (const [at, tick] of riskOf(market).entries()) {
      after[at] = (after[at] ?? 0n) + held * BigInt(tick);
    }
  }
  const byState = [...states]
    .map(([stateCode, { markets, held, worth }]) => ({
      ...{ stateCode, markets, coverageMicros: faceOf(lots(held)), worthMicros: micros(worth) },
    }))
    .sort((one, other) => Number(other.coverageMicros - one.coverageMicros));
  const sum = (of: (state: StateCoverage) => bigint): Micros =>
    micros(byState.reduce((total, state) => total + of(state), 0n));
  return {
    byState,
    coverageMicros: sum((state) => state.coverageMicros),
    worthMicros: sum((state) => state.worthMicros),
    worthAfterMicros: after.map(micros),
  };
}

interface Exceedances {
  /** Markets that a print has settled, and that had a scenario's values before it. */
  readonly settled: number;
  /** Of these, where the payout lay beyond the scenario, in the order of the list. */
  readonly beyond: readonly number[];
  /** Of these, where it lay beyond every scenario that is against the seller of protection. */
  readonly beyondAll: number;
}

/** The payouts of printed markets against the scenarios that were published last before them. */
export function exceedances({ markets }: Pick<ExchangeView, "markets">): Exceedances {
  const beyond = scenarios.map(() => 0);
  let [settled, beyondAll] = [0, 0];
  for (const market of markets.values()) {
    if (!isPrinted(market)) continue;
    const flags = isBeyond(market);
    settled += 1;
    for (const [at, flag] of flags.entries()) beyond[at] = (beyond[at] ?? 0) + (flag ? 1 : 0);
    const isBeyondAll = flags.every((flag, at) => flag || scenarios[at]?.direction === "up");
    if (isBeyondAll) beyondAll += 1;
  }
  return { settled, beyond, beyondAll };
}

const isPrinted = ({ status, resolution }: Market): boolean =>
  (status === "RESOLVED" || status === "FINALIZED") &&
  resolution !== null &&
  resolution.fallback === undefined;

const MILLIONTHS_PER_TICK = 1_000_000 / TICKS_PER_USD;

/** By scenario: more than a fall foretold was paid, or less than a rise did. */
function isBeyond(market: Market): readonly boolean[] {
  const paid = Number(market.resolution?.payoutMillionths ?? 0);
  return riskOf(market).map((tick, at) => {
    const foretold = tick * MILLIONTHS_PER_TICK;
    // The highest tick stands for everything up to a whole payout, the lowest for nothing.
    if (scenarios[at]?.direction === "up") return paid < foretold && tick > MIN_TICK;
    return paid > foretold && tick < MAX_TICK;
  });
}
