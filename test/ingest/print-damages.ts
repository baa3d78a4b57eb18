// Damages of a file's new prints in many kinds and sizes, and by how much the prints that come
// through all the same are wrong. The evidence for the blind spot in docs/concepts/releases.md.
// Invariant: a damage is the same for every file; what is wrong is told against the file itself.
import { ReleaseRefusal } from "#prints/refusal.ts";
import {
  at,
  bytesOf,
  copy,
  copyOf,
  type Damage,
  type Damaged,
  each,
  exchange,
  type Grid,
  row,
  times,
} from "./damaged-files.ts";
import { type SentAs, Series } from "./validation-series.ts";

/** The newest cells of every nth row. */
const everyNth =
  (nth: number, change: (cells: string[], d: Damaged) => void) =>
  (d: Damaged): void =>
    each(d, (cells, place) => {
      if (place % nth === 0) change(cells, d);
    });

const scaled =
  (points: number) =>
  (cells: string[], { newest }: Damaged): void =>
    times(cells, newest, 1 + points / 100);

const repeated = (cells: string[], { newest }: Damaged): void => copy(cells, newest - 1, newest);

const signed = (points: number): string =>
  points < 0 ? `${-points} points low` : `${points} points high`;

const sized = (
  name: string,
  sizes: readonly number[],
  spoil: (points: number) => (d: Damaged) => void,
): readonly Damage[] => sizes.map((points) => [`${name} ${signed(points)}`, spoil(points)]);

const valueAt = (cells: readonly string[], column: number): number => Number(at(cells, column));

/** The two rows whose newest values are nearest to each other, but not within a point. */
function nearest({ grid, newest }: Damaged): readonly [string[], string[]] {
  const rows = grid.rows
    .filter((cells) => at(cells, newest) !== "")
    .toSorted((one, other) => valueAt(one, newest) - valueAt(other, newest));
  let found: readonly [string[], string[]] = [at(rows, 0), at(rows, 1)];
  let least = Number.POSITIVE_INFINITY;
  for (let place = 1; place < rows.length; place += 1) {
    const pair = [at(rows, place - 1), at(rows, place)] as const;
    const apart = valueAt(pair[1], newest) / valueAt(pair[0], newest) - 1;
    if (apart > 0.01 && apart < least) [found, least] = [pair, apart];
  }
  return found;
}

/** The nth digit of the newest cell of a row counts one more. */
const digitOff =
  (nth: number) =>
  (d: Damaged): void => {
    const cells = row(d, 13);
    const text = at(cells, d.newest);
    const digit = Number(text[nth]);
    cells[d.newest] = `${text.slice(0, nth)}${(digit + 1) % 10}${text.slice(nth + 1)}`;
  };

const rounded =
  (dollars: number) =>
  (d: Damaged): void =>
    each(d, (cells) => {
      const cell = at(cells, d.newest);
      if (cell !== "") cells[d.newest] = String(Math.round(Number(cell) / dollars) * dollars);
    });

/** The newest move of a row becomes so many times itself. */
const paced =
  (factor: number) =>
  (cells: string[], { newest }: Damaged): void => {
    const [before, value] = [at(cells, newest - 1), at(cells, newest)];
    if (before === "" || value === "") return;
    const move = Number(value) / Number(before) - 1;
    cells[newest] = String(Number(before) * (1 + factor * move));
  };

const lastMonths =
  (months: number) =>
  (points: number) =>
  (d: Damaged): void => {
    for (let back = 0; back < months; back += 1)
      times(row(d, 10), d.newest - back, 1 + points / 100);
  };

/** Each row's newest cell off in its own way, by no more than so many points. */
const noise =
  (points: number) =>
  (d: Damaged): void =>
    each(d, (cells, place) => scaled(points * Math.sin(place * 78.233))(cells, d));

/** Los Angeles and Cook County, say. */
export const EXCHANGED = "the newest cells of the two largest places exchanged";

export const printDamages: readonly Damage[] = [
  ...sized(
    "one newest cell",
    [1.1, -1.1, 1.5, -1.5, 2, -2, 2.5, -2.5, 2.9, -2.9, 4, 8],
    (points) => {
      return (d) => scaled(points)(row(d, 6), d);
    },
  ),
  ...sized("every newest cell", [1.1, -1.1, 1.5, 2, 2.9, -2.9], (points) =>
    everyNth(1, scaled(points)),
  ),
  ...sized("half of the newest cells", [1.1, -1.5, 2.9], (points) => everyNth(2, scaled(points))),
  ...sized("a fifth of the newest cells", [1.1, -1.5, 2, 2.9, -2.9], (points) =>
    everyNth(5, scaled(points)),
  ),
  ...sized("a twentieth of the newest cells", [1.5, -2, 2.9], (points) =>
    everyNth(20, scaled(points)),
  ),
  ...sized("newest cells off in their own ways, up to", [1.5, 3], noise),
  ...sized("the last three months of one row", [2, -2.9], lastMonths(3)),
  ...sized("the last twelve months of one row", [1.5, 10], lastMonths(12)),
  ...sized("the link cell of one row", [2, -2.9, 8], (points) => (d) => {
    times(row(d, 6), d.link, 1 + points / 100);
  }),
  ["9 % of the newest month repeat the one before", everyNth(11, repeated)],
  ["half of the newest month repeat the one before", everyNth(2, repeated)],
  ["the newest month repeats the one before", everyNth(1, repeated)],
  [
    "the newest month is that of two months ago",
    everyNth(1, (cells, d) => copy(cells, d.newest - 2, d.newest)),
  ],
  [
    "the newest month is that of half a year ago",
    everyNth(1, (cells, d) => copy(cells, d.newest - 6, d.newest)),
  ],
  [
    "the newest month is that of a year ago",
    everyNth(1, (cells, d) => copy(cells, d.newest - 12, d.newest)),
  ],
  ["every newest move doubled", everyNth(1, paced(2))],
  ["every newest move turned about", everyNth(1, paced(-1))],
  ["a fifth of the newest moves tenfold", everyNth(5, paced(10))],
  ["every newest cell in hundreds of dollars", rounded(100)],
  ["every newest cell in tens of thousands of dollars", rounded(10_000)],
  ["the two nearest newest cells exchanged", (d) => exchange(...nearest(d), d.newest, d.newest)],
  [EXCHANGED, (d) => exchange(row(d, 0), row(d, 1), d.newest, d.newest)],
  ["two newest cells exchanged", (d) => exchange(row(d, 0), row(d, 5), d.newest, d.newest)],
  [
    "the newest cells of ten rows in a ring",
    (d) => {
      for (let place = 0; place < 9; place += 1) {
        exchange(row(d, place), row(d, place + 1), d.newest, d.newest);
      }
    },
  ],
  [
    "a newest cell of the row above",
    (d) => {
      row(d, 9)[d.newest] = at(row(d, 8), d.newest);
    },
  ],
  ["the second digit of one newest cell off by one", digitOff(1)],
  ["the third digit of one newest cell off by one", digitOff(2)],
  ["the decimal point of one newest cell slipped", (d) => times(row(d, 11), d.newest, 0.1)],
  [
    "all RegionIDs moved down by one row",
    (d) => {
      const ids = d.grid.rows.map((cells) => at(cells, 0));
      each(d, (cells, place) => {
        cells[0] = at(ids, (place + ids.length - 1) % ids.length);
      });
    },
  ],
  [
    "all columns shifted by one month",
    (d) =>
      each(d, (cells) => {
        cells.splice(d.grid.firstValue, 0, at(cells, d.grid.firstValue));
        cells.pop();
      }),
  ],
];

export interface Printed {
  /** `refused` or `held` as a whole, or how many of its places are held alone. */
  readonly file: "refused" | "held" | number;
  /** By how many points the print is wrong that is wrong the most. */
  readonly worstPoints: number;
}

/** How wrong the file's prints are after the damage, when `old` is the release before. */
export async function printedOf(
  sentAs: SentAs,
  old: Grid,
  fresh: Grid,
  spoil: (damaged: Damaged) => void,
): Promise<Printed> {
  const grid = copyOf(fresh);
  const newest = fresh.header.length - 1;
  const link = old.header.length - 1;
  spoil({ grid, old, newest, link });
  const series = new Series(sentAs);
  await series.take(bytesOf(old));
  try {
    const passed = await series.take(bytesOf(grid));
    if (passed.reasons.length > 0) return { file: "held", worstPoints: 0 };
    const held = new Set(passed.held.map((place) => place.split(" ")[0]));
    const printed = grid.rows.filter((cells) => !held.has(`${sentAs.level}:${cells[0]}`));
    return { file: held.size, worstPoints: worstPoints(printed, fresh, link) };
  } catch (fault) {
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return { file: "refused", worstPoints: 0 };
  }
}

/** Of the months that are new, each against what the file itself says of the place. */
function worstPoints(printed: readonly string[][], { rows }: Grid, link: number): number {
  const right = new Map(rows.map((cells) => [cells[0], cells]));
  let worst = 0;
  for (const cells of printed) {
    const own = right.get(cells[0] ?? "") ?? cells;
    for (let column = link + 1; column < cells.length; column += 1) {
      const [value, due] = [at(cells, column), at(own, column)];
      if (value === "" || due === "") continue;
      worst = Math.max(worst, Math.abs(100 * (Number(value) / Number(due) - 1)));
    }
  }
  return worst;
}

/** The rows that have every month of the last so many. */
export const wholeRows = (grid: Grid, months: number): Grid => ({
  ...grid,
  rows: grid.rows.filter((cells) => cells.slice(-months).every((cell) => cell !== "")),
});

/** The release before: all of the file but its newest month, on another scale. */
export function monthBefore({ header, firstValue, rows }: Grid): Grid {
  const columns = header.length - 1;
  return {
    header: header.slice(0, columns),
    firstValue,
    rows: rows.map((cells) =>
      cells
        .slice(0, columns)
        .map((cell, at) => (at < firstValue || cell === "" ? cell : String(Number(cell) * 1.005))),
    ),
  };
}
