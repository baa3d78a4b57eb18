// The limits a release is held to: one table, by what it measures and at which level.
// Invariant: a limit stands here with the figures that it was set by; `tools/validation-figures.ts`
// draws them anew from a provider's files. docs/concepts/releases.md has the rest of the evidence.
import type { IndexKind } from "#base/index-kind.ts";
import type { MiddleLimits } from "./new-months.ts";
import type { MoveLimits } from "./new-moves.ts";
import type { PastLimits } from "./own-past.ts";
import type { PrintLevel } from "./release.ts";
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
  /** How far the middle place goes in a new month; null where no month follows the one before. */
  readonly middles: MiddleLimits | null;
  readonly mostMissingBps: number;
  /** How known history comes back under one method. */
  readonly restated: Restated;
}

type Level = Exclude<PrintLevel, "nation">;

interface LevelLimits {
  readonly past: PastLimits;
  readonly mostBps: number;
  readonly middles: MiddleLimits;
}

const pace = (floor: number, months: number, most = Number.POSITIVE_INFINITY): PastLimits => ({
  by: "pace",
  floor,
  times: 2,
  months,
  most,
});

const move = (floor: number): PastLimits => ({
  by: "move",
  floor,
  times: 2.5,
  months: 36,
  most: 0.15,
});

/**
 * Home values are made smooth, so that their pace tells. Beside each level: genuine prints that its
 * past would hold, of those of the files at hand, each month as a release (2026-11); and how far
 * the pace of the middle place went. Files of before 2023 are of another method, and rougher.
 */
const homeValues: Readonly<Record<Level, LevelLimits>> = {
  // 2 of 15,480 (to 2025-09); 0.61 points. Before 2023: 12 of 13,037, and 4.4 % in one month.
  state: {
    past: pace(0.008, 12, 0.03),
    mostBps: 500,
    middles: { mostMove: 0.03, mostTurn: 0.008 },
  },
  // 17 of 217,444 (to 2024-11); 0.53 points.
  metro: { past: pace(0.02, 12), mostBps: 1000, middles: { mostMove: 0.03, mostTurn: 0.008 } },
  // Of before 2023 only: 109 of 520,765 (to 2022-01), 164 of 376,873 (to 2018-01); 0.87 points.
  county: { past: pace(0.03, 36), mostBps: 1000, middles: { mostMove: 0.03, mostTurn: 0.012 } },
  // None at hand: as zip.
  city: { past: pace(0.03, 36), mostBps: 1000, middles: { mostMove: 0.03, mostTurn: 0.01 } },
  // 6 of 14,436 (to 2018-01); 0.55 points.
  neighborhood: {
    past: pace(0.03, 36),
    mostBps: 1000,
    middles: { mostMove: 0.03, mostTurn: 0.01 },
  },
  // 0 of 38,805 (130 zips to 2023-01, 10 to 2025-07); 0.69 points.
  zip: { past: pace(0.03, 36), mostBps: 1000, middles: { mostMove: 0.03, mostTurn: 0.01 } },
};

/**
 * Rents jump about: the move tells more than the pace. Beside each level as above. Places with less
 * than a year known are held beyond 15 %: none of metros and counties, 1 of 26,891 cities' prints,
 * 17 of 55,265 zips', all among the counted.
 */
const rents: Readonly<Record<Level, LevelLimits>> = {
  // None is published by state: as metro.
  state: { past: move(0.02), mostBps: 2500, middles: { mostMove: 0.03, mostTurn: 0.008 } },
  // 4 of 39,823 (to 2024-11); 0.52 points.
  metro: { past: move(0.02), mostBps: 2500, middles: { mostMove: 0.03, mostTurn: 0.008 } },
  // 7 of 75,069 (to 2025-04); 0.49 points.
  county: { past: move(0.02), mostBps: 2500, middles: { mostMove: 0.03, mostTurn: 0.008 } },
  // 18 of 161,116 (to 2025-02); 0.54 points.
  city: { past: move(0.03), mostBps: 2500, middles: { mostMove: 0.03, mostTurn: 0.008 } },
  // None at hand: as zip.
  neighborhood: {
    past: move(0.04),
    mostBps: 2500,
    middles: { mostMove: 0.03, mostTurn: 0.01 },
  },
  // 49 of 246,585 (to 2023-10); 0.68 points.
  zip: { past: move(0.04), mostBps: 2500, middles: { mostMove: 0.03, mostTurn: 0.01 } },
};

/** A year of weather may break records nearly everywhere, by little; a wrong unit does it far. */
const records: MoveLimits = {
  by: "record",
  countedBps: 2500,
  mostCountedBps: 2500,
  mostBps: 20_000,
  past: null,
  mostLeftBps: 0,
};

/** Of prices and rents alike. */
const movesOfValues = { by: "growth", countedBps: 1000, mostCountedBps: 200 } as const;

/**
 * Measured on 17 vintages of ZHVI and ZORI and on first prints of 44 releases, on every quarter of
 * the vacancy tables and on every year since 1925 of the weather files (2026-11).
 */
const byKind: Readonly<Record<ValidatedKind, (level: string) => Limits>> = {
  // 2.5 % of metros went in eleven months, none in one; 6.4 % of counties left their past in 2009,
  // of other levels and months 1.2 % did.
  zhvi: (level) => {
    const { past, mostBps, middles } = homeValues[levelOf(level)];
    return {
      middle: { of: "newest", from: 50_000n, to: 3_000_000n },
      moves: {
        ...movesOfValues,
        mostBps,
        past,
        mostLeftBps: 1000,
      },
      middles,
      mostMissingBps: 500,
      restated: "constant",
    };
  },
  // 1.1 % of places moved by more than 10 %, 3 of 2,956 by more than 25 %, one by 41.9 %; 0.3 % left
  // their past; 10.0 % of metros went in one month, 16.8 % of cities in four.
  zori: (level) => {
    const { past, mostBps, middles } = rents[levelOf(level)];
    return {
      middle: { of: "newest", from: 400n, to: 10_000n },
      moves: {
        ...movesOfValues,
        mostBps,
        past,
        mostLeftBps: 200,
      },
      middles,
      mostMissingBps: 2500,
      restated: "growth",
    };
  },
  // Middles of 5.0 to 11.1 %; 5.3 % of metros moved by more than 10 points in one quarter, one by
  // 19.9; the nation, alone in its file, never by more than a point.
  vacancy: (level) => ({
    middle: { of: "newest", from: 3n, to: 20n },
    moves: {
      by: "points",
      countedBps: 1000,
      mostCountedBps: 1000,
      mostBps: level === "nation" ? 1000 : 3000,
      past: null,
      mostLeftBps: 0,
    },
    middles: null,
    mostMissingBps: 500,
    restated: null,
  }),
  // Middles of a place's own middle: 51.5 degrees and 11.4 inches; of degree days, which stand for
  // files that were not at hand, 2790 and 252 by an estimate from the temperatures of each month.
  temperature: () => weather(45n, 58n),
  precipitation: () => weather(8n, 16n),
  heatingDegreeDays: () => weather(2000n, 3600n),
  coolingDegreeDays: () => weather(180n, 450n),
};

/** The provider's files are by these levels; whatever else a file is called, it is no state's. */
const levelOf = (level: string): Level =>
  level === "state" ||
  level === "metro" ||
  level === "county" ||
  level === "city" ||
  level === "neighborhood"
    ? level
    : "zip";

function weather(from: bigint, to: bigint): Limits {
  return {
    middle: { of: "history", from, to },
    moves: records,
    middles: null,
    mostMissingBps: 500,
    restated: null,
  };
}

export const limitsOf = (kind: ValidatedKind, level: string): Limits => byKind[kind](level);
