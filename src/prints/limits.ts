// The limits a release is held to: one table, by what it measures and at which level.
// Invariant: a limit stands here with the figures that it was set by; `tools/validation-figures.ts`
// draws them anew from a provider's files. docs/concepts/releases.md has the rest of the evidence.
import type { IndexKind } from "#base/index-kind.ts";
import type { MoveLimits } from "./new-moves.ts";
import type { Restated } from "./restatement.ts";

/** The kinds with limits of their own: each weather variable is one. */
export type ValidatedKind =
  | Exclude<IndexKind, "weather">
  | "temperature"
  | "precipitation"
  | "heatingDegreeDays"
  | "coolingDegreeDays";

export interface Limits {
  /** Where the middle place's value lies, in whole units: its newest, or the middle of its own. */
  readonly middle: {
    readonly of: "newest" | "history";
    readonly from: bigint;
    readonly to: bigint;
  };
  readonly moves: MoveLimits;
  readonly mostMissingBps: number;
  /** How known history comes back under one method. */
  readonly restated: Restated;
}

/** A year of weather may break records nearly everywhere, by little; a wrong unit does it far. */
const records: MoveLimits = {
  by: "record",
  countedBps: 2500,
  mostCountedBps: 2500,
  mostBps: 20_000,
};

/**
 * Measured on 17 vintages of ZHVI and ZORI and on first prints of 44 releases, on every quarter of
 * the vacancy tables and on every year since 1925 of the weather files (2026-11).
 */
const byKind: Readonly<Record<ValidatedKind, Limits>> = {
  // Newest prints moved by 5.4 % at most; 2.5 % of metros went in eleven months, none in one.
  zhvi: {
    middle: { of: "newest", from: 50_000n, to: 3_000_000n },
    moves: { by: "growth", countedBps: 1000, mostCountedBps: 200, mostBps: 1000 },
    mostMissingBps: 500,
    restated: "constant",
  },
  // 1.1 % of places moved by more than 10 %, 3 of 2,956 by more than 25 %, one by 41.9 %; 10.0 % of
  // metros went in one month, 16.8 % of cities in four.
  zori: {
    middle: { of: "newest", from: 400n, to: 10_000n },
    moves: { by: "growth", countedBps: 1000, mostCountedBps: 200, mostBps: 2500 },
    mostMissingBps: 2500,
    restated: "growth",
  },
  // Middles of 5.0 to 11.1 %; 5.3 % of metros moved by more than 10 points in one quarter, one by
  // 19.9.
  vacancy: {
    middle: { of: "newest", from: 3n, to: 20n },
    moves: { by: "points", countedBps: 1000, mostCountedBps: 1000, mostBps: 3000 },
    mostMissingBps: 500,
    restated: null,
  },
  // Middles of a place's own middle: 51.5 degrees and 11.4 inches; of degree days, which stand for
  // files that were not at hand, 2790 and 252 by an estimate from the temperatures of each month.
  temperature: weather(45n, 58n),
  precipitation: weather(8n, 16n),
  heatingDegreeDays: weather(2000n, 3600n),
  coolingDegreeDays: weather(180n, 450n),
};

function weather(from: bigint, to: bigint): Limits {
  return {
    middle: { of: "history", from, to },
    moves: records,
    mostMissingBps: 500,
    restated: null,
  };
}

/** The nation's rate has never moved by more than a point, and is all there is in its file. */
const NATION_RATE_BPS = 1000;

export function limitsOf(kind: ValidatedKind, level: string): Limits {
  const limits = byKind[kind];
  if (kind !== "vacancy" || level !== "nation") return limits;
  return { ...limits, moves: { ...limits.moves, mostBps: NATION_RATE_BPS } };
}
