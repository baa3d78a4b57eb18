// Falls that have happened, in whole per cent over the worst months of a state: what replays use.
// Invariant: a path begins at nothing and covers every horizon; beyond its last point it stays.
import { type Month, monthOf } from "#base/month.ts";

/** Months from the start, and the fall by then as a share of the start. */
type Path = readonly (readonly [months: number, fall: number])[];

interface StatePath {
  readonly states: string;
  readonly path: Path;
}

/**
 * The deepest fall of each span, 2005–2012, of the worst state of each group: Nevada; Arizona;
 * Michigan; New Jersey; for all others, South Carolina and Ohio. ZHVI by state (edition 2025-09).
 */
const replay2006: readonly StatePath[] = [
  { states: "NV", path: fall(9.6, 17, 30.5, 48.1, 53.7, 58.1, 61.1) },
  { states: "AZ CA FL", path: fall(8.2, 15, 24.7, 37.5, 42.4, 49.5, 52.1) },
  {
    states: "GA ID IL MD MI MN OR RI UT WA",
    path: fall(5.1, 9, 15.7, 25.2, 30.3, 34, 36.9),
  },
  { states: "CT DE HI MA NH NJ VA WI", path: fall(3.2, 5.8, 10.1, 15, 17.3, 22.9, 25.6) },
];
const elsewhere2006 = fall(2.7, 4.6, 7.2, 11.1, 14.1, 17, 18);

/** FHFA all-transactions by state (2017Q4): California; New Hampshire for all of New England. */
const replay1989: readonly StatePath[] = [
  { states: "CA", path: fall(2.4, 3.8, 6.2, 9.8, 12.3, 12.7, 12.7) },
  { states: "CT MA ME NH RI VT", path: fall(4.2, 6.2, 11.4, 15.6, 17.7, 18.1, 18.1) },
];

/** FHFA all-transactions by state (2017Q4): Oklahoma, deeper than Texas and Louisiana. */
const replay1985: readonly StatePath[] = [
  { states: "LA OK TX", path: fall(5.2, 7.7, 11.9, 15.6, 17.3, 17.3, 17.3) },
];

export type ReplayId = "replay-2006" | "replay-1989" | "replay-1985";

/** The month from which on each fall was history, with its deepest point known. */
export const replayedUntil: Readonly<Record<ReplayId, Month>> = {
  "replay-2006": monthOf(2013, 1),
  "replay-1989": monthOf(1997, 1),
  "replay-1985": monthOf(1990, 1),
};

const replays: Readonly<Record<ReplayId, readonly StatePath[]>> = {
  "replay-2006": replay2006,
  "replay-1989": replay1989,
  "replay-1985": replay1985,
};

/** The log change of a place of the state over so many months; 0 where the fall did not reach. */
export function replayedChange(replay: ReplayId, stateCode: string, months: number): number {
  const own = replays[replay].find(({ states }) => states.split(" ").includes(stateCode));
  const path = own?.path ?? (replay === "replay-2006" ? elsewhere2006 : []);
  return Math.log1p(-fallBy(path, months));
}

/** Linear between the points. */
function fallBy(path: Path, months: number): number {
  let [fromMonths, fromFall] = [0, 0];
  for (const [toMonths, toFall] of path) {
    if (months < toMonths) {
      return fromFall + ((toFall - fromFall) * (months - fromMonths)) / (toMonths - fromMonths);
    }
    [fromMonths, fromFall] = [toMonths, toFall];
  }
  return fromFall;
}

/** Per cent by the end of the months below. */
function fall(...percents: readonly [number, number, number, number, number, number, number]) {
  const months = [3, 6, 12, 24, 36, 48, 60] as const;
  return months.map((by, at) => [by, (percents[at] ?? 0) / 100] as const);
}
