// Damages that leave a wide file's layout whole, and other cuts of its homes, made from any file.
// Invariant: each changes a copy, and the same file gives the same damage.
import { parse } from "csv-parse/sync";

/** A wide file as cells; values stand from `firstValue` on. */
export interface Grid {
  readonly header: readonly string[];
  readonly firstValue: number;
  rows: string[][];
}

/** As the provider writes a month, or as a spreadsheet does. */
const monthName = /^(\d{4}-\d{2}|\d{1,2}\/\d{1,2}\/\d{2,4}$)/;

export function gridOf(bytes: Uint8Array): Grid {
  const [header = [], ...rows] = parse(Buffer.from(bytes), { relax_column_count: true });
  return { header, firstValue: header.findIndex((name) => monthName.test(name)), rows };
}

const quoted = (cell: string): string => (cell.includes(",") ? `"${cell}"` : cell);

export const bytesOf = ({ header, rows }: Grid): Buffer =>
  Buffer.from(`${[header, ...rows].map((cells) => cells.map(quoted).join(",")).join("\n")}\n`);

/** To this column and no further, as if it had come out so much earlier. */
export const cutAfter = ({ header, firstValue, rows }: Grid, columns: number): Grid => ({
  header: header.slice(0, columns),
  firstValue,
  rows: rows.map((cells) => cells.slice(0, columns)),
});

export const copyOf = (grid: Grid): Grid => ({
  ...grid,
  rows: grid.rows.map((cells) => [...cells]),
});

export interface Damaged {
  readonly grid: Grid;
  /** The release before. */
  readonly old: Grid;
  /** Column of the newest month, and of the newest that `old` has. */
  readonly newest: number;
  readonly link: number;
}

export type Damage = readonly [name: string, spoil: (damaged: Damaged) => void];

/** Where both months are new, nothing known says which is which, and homes hardly move in one. */
export const NEEDS_A_KNOWN_MONTH = "the newest two months exchanged";

export const at = <T>(list: readonly T[], place: number): T => {
  const found = list[place];
  if (found === undefined) throw new Error(`there is no place ${place}`);
  return found;
};

export const row = ({ grid }: Damaged, place: number): string[] => at(grid.rows, place);

export function times(cells: string[], column: number, factor: number): void {
  const cell = at(cells, column);
  if (cell !== "") cells[column] = String(Number(cell) * factor);
}

export function exchange(one: string[], other: string[], from: number, to: number): void {
  for (let column = from; column <= to; column += 1) {
    const cell = at(one, column);
    one[column] = at(other, column);
    other[column] = cell;
  }
}

/** Every row through the change. */
export function each({ grid }: Damaged, change: (cells: string[], place: number) => void): void {
  for (const [place, cells] of grid.rows.entries()) change(cells, place);
}

/** The column's cells become those of another. */
export function copy(cells: string[], from: number, to: number): void {
  cells[to] = at(cells, from);
}

/** Of the row and of the one after it whose newest cells differ by a tenth and more. */
function farApart({ grid, newest }: Damaged): readonly [string[], string[]] {
  const one = at(grid.rows, 4);
  const value = Number(at(one, newest));
  const other = grid.rows.find((cells) => Math.abs(Number(at(cells, newest)) / value - 1) > 0.1);
  return [one, at([other], 0) ?? one];
}

export const damages: readonly Damage[] = [
  ["two rows exchanged", (d) => exchange(row(d, 3), row(d, 17), d.grid.firstValue, d.newest)],
  ["one newest cell 8 % high", (d) => times(row(d, 6), d.newest, 1.08)],
  ["one newest cell 8 % low", (d) => times(row(d, 6), d.newest, 0.92)],
  ["the link cell of one row 8 % high", (d) => times(row(d, 6), d.link, 1.08)],
  ["every newest month 5 % low", (d) => each(d, (cells) => times(cells, d.newest, 0.95))],
  ["every newest month 2 % high", (d) => each(d, (cells) => times(cells, d.newest, 1.02))],
  [
    "the old history with new months",
    (d) => {
      const old = new Map(d.old.rows.map((cells) => [cells[0], cells]));
      d.grid.rows = d.grid.rows.map((cells) => {
        const before = old.get(cells[0]) ?? cells;
        return [...before.slice(0, d.link + 1), ...cells.slice(d.link + 1)];
      });
    },
  ],
  [
    "the newest month a repeat of the one before",
    (d) => each(d, (cells) => copy(cells, d.newest - 1, d.newest)),
  ],
  ["one row twice", (d) => void d.grid.rows.push([...row(d, 8)])],
  [
    "two newest cells exchanged",
    (d) => {
      const [one, other] = farApart(d);
      exchange(one, other, d.newest, d.newest);
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
  [
    "a known month's column twice",
    (d) => each(d, (cells) => copy(cells, d.link - 21, d.link - 20)),
  ],
  [
    "the last twelve months of one row a tenth higher",
    (d) => {
      for (let back = 0; back < 12; back += 1) times(row(d, 10), d.newest - back, 1.1);
    },
  ],
  ["the decimal point of one newest cell slipped", (d) => times(row(d, 11), d.newest, 0.1)],
  [
    "a sign before one newest cell",
    (d) => {
      row(d, 11)[d.newest] = `-${at(row(d, 11), d.newest)}`;
    },
  ],
  [
    "half of the newest month filled from the one before",
    (d) =>
      each(d, (cells, place) => {
        if (place % 2 === 0) copy(cells, d.newest - 1, d.newest);
      }),
  ],
  [
    "two digits of one newest cell transposed",
    (d) => {
      const digits = /^([1-9])([1-9])/;
      const cells = d.grid.rows.find((r) => {
        const [, a, b] = digits.exec(at(r, d.newest)) ?? [];
        return a !== undefined && a !== b;
      });
      if (cells !== undefined) cells[d.newest] = at(cells, d.newest).replace(digits, "$2$1");
    },
  ],
  [
    "the RegionIDs moved down by one row",
    (d) => {
      const ids = d.grid.rows.map((cells) => at(cells, 0));
      each(d, (cells, place) => {
        cells[0] = at(ids, (place + ids.length - 1) % ids.length);
      });
    },
  ],
  [
    NEEDS_A_KNOWN_MONTH,
    (d) =>
      each(d, (cells) => {
        const last = at(cells, d.newest);
        cells[d.newest] = at(cells, d.newest - 1);
        cells[d.newest - 1] = last;
      }),
  ],
  ["one cell of a year ago 1 % low", (d) => times(row(d, 20), d.link - 12, 0.99)],
  [
    "the newest month that of a year ago",
    (d) => each(d, (cells) => copy(cells, d.newest - 12, d.newest)),
  ],
  [
    "every value rounded to whole dollars",
    (d) =>
      each(d, (cells) => {
        for (let column = d.grid.firstValue; column <= d.newest; column += 1) {
          const cell = at(cells, column);
          if (cell !== "") cells[column] = String(Math.round(Number(cell)));
        }
      }),
  ],
];

/** Another cut's value of a place, by the place's number and the month's. */
export type OtherCut = (place: number, month: number) => number;

/** Growth other by up to `points` a year, slowly and in each place its own way, and the level. */
const ofOtherGrowth =
  (points: number, level: number): OtherCut =>
  (place, month) => {
    const wave = Math.sin((2 * Math.PI * month) / 60 + place * 2.4);
    const shift = level * Math.sin(place * 1.7);
    return 1 + shift + (points / 118) * wave;
  };

/** A month's season, in hundredths, as rents have it. */
const season = [-0.7, -0.6, -0.3, 0, 0.3, 0.5, 0.6, 0.6, 0.4, 0.1, -0.3, -0.6];

const withoutSeason: OtherCut = (_, month) => 1 / (1 + (season[month % 12] ?? 0) / 100);

/** As it was before it was made smooth: by up to half a percent, each month its own way. */
const notSmoothed: OtherCut = (place, month) =>
  1 + 0.005 * Math.sin(month * 12.9898 + place * 78.233);

/** The home values' cuts that Zillow publishes beside the one of the index. */
export const homeValueCuts: readonly (readonly [name: string, cut: OtherCut])[] = [
  ["uc_sfr_tier_0.33_0.67_sm_sa", ofOtherGrowth(0.3, 0.02)],
  ["uc_condo_tier_0.33_0.67_sm_sa", ofOtherGrowth(2, 0.15)],
  ["uc_sfrcondo_tier_0.0_0.33_sm_sa", ofOtherGrowth(1.5, 0.18)],
  ["uc_sfrcondo_tier_0.67_1.0_sm_sa", ofOtherGrowth(1, 0.2)],
  ["uc_sfrcondo_tier_0.33_0.67", notSmoothed],
  ["bdrmcnt_1_uc_sfrcondo_tier_0.33_0.67_sm_sa", ofOtherGrowth(1.8, 0.2)],
  ["bdrmcnt_2_uc_sfrcondo_tier_0.33_0.67_sm_sa", ofOtherGrowth(1.2, 0.1)],
  ["bdrmcnt_3_uc_sfrcondo_tier_0.33_0.67_sm_sa", ofOtherGrowth(0.5, 0.03)],
  ["bdrmcnt_4_uc_sfrcondo_tier_0.33_0.67_sm_sa", ofOtherGrowth(0.8, 0.1)],
  ["bdrmcnt_5_uc_sfrcondo_tier_0.33_0.67_sm_sa", ofOtherGrowth(1, 0.2)],
];

export const rentCuts: readonly (readonly [name: string, cut: OtherCut])[] = [
  ["uc_sfrcondomfr_sm_sa", withoutSeason],
  ["uc_sfr_sm", ofOtherGrowth(2, 0.1)],
];

/** Every value through the cut. The first month is a January. */
export const asCut = ({ header, firstValue, rows }: Grid, cut: OtherCut): Grid => ({
  header,
  firstValue,
  rows: rows.map((cells, place) =>
    cells.map((cell, column) =>
      column < firstValue || cell === ""
        ? cell
        : String(Number(cell) * cut(place, column - firstValue)),
    ),
  ),
});
