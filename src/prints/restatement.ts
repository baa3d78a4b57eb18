// Known history as a file brings it back: the same series on another scale, or another one.
// Invariant: under one method every home value of a place is rescaled by one constant; what is
// said here is drawn from the file and from what is known. docs/concepts/releases.md: evidence.
import { addMonths, formatMonth, type Month } from "#base/month.ts";
import type { Asked } from "./asked.ts";
import type { KnownNode, MonthRow } from "./first-prints.ts";
import { middleOf, percent } from "./move.ts";
import type { ValidationReason } from "./validation-reason.ts";
import type { Repeated } from "./word-row.ts";

type Known = Pick<KnownNode, "firstMonth" | "latest">;

/** How histories are compared: `constant` for home values, `growth` for rents, as they revise. */
export type Restated = "constant" | "growth" | null;

/**
 * Of a row's largest ratio to its smallest. Real rescales agree to 1.3e-14, files of whole dollars
 * to 7e-5 (at 30,000 USD); the cut nearest by, single-family homes, differs by 1.2e-3 and more.
 */
const CONSTANT_SPREAD = 1e-4;
/** Fewer of them rescaled by one constant is another method, or another cut. */
const FEWEST_CONSTANT_BPS = 9000;
/** Where more of the places are not, no place alone is at fault. */
const MOST_UNEVEN_BPS = 200;
/** No provider gave a place's history back unchanged; 3 of 10,000 is no new month's noise. */
const MOST_UNEVEN_LINK = 0.003;
const FEWEST_LINKS = 20;
/** One ratio alone is always constant. */
const FEWEST_MONTHS = 2;

/** Years of growth looked back over, of rents. */
const GROWTH_YEARS = 4;
/** The middle place's growth was revised by 0.11 points in a month, 0.49 points in a year. */
const MOST_REVISED = 0.003;
const MOST_REVISED_A_MONTH = 0.0005;
/** One month's growth was revised by 0.1 points in the same direction; seasons by up to 0.4. */
const MOST_SEASON = 0.002;
const SEASON_MONTHS = 24;
/** The middle of fewer is noise. */
const FEWEST_ROWS = 50;

/** The two values of a month, where both files have it. */
interface Shared {
  readonly old: number;
  readonly fresh: number;
}

export class Restatement {
  readonly #how: Restated;
  readonly #isDeclared: boolean;
  #rows = 0;
  #constant = 0;
  #uneven = 0;
  /** By how much the first new month leaves the pace of the one before, in rows repeated as is. */
  readonly #unscaledLinks: number[] = [];
  /** By how much a year's growth was revised, a place each. */
  readonly #revised: number[] = [];
  readonly #newMonths: number[] = [];
  /** By how much a month's growth was revised, up or down. */
  readonly #seasons = new Map<Month, number[]>();

  /** `isDeclared`: an operator said that the method is another one, so history may be, too. */
  constructor(how: Restated, isDeclared: boolean) {
    this.#how = how;
    this.#isDeclared = isDeclared;
  }

  /** Why this row's place is to be held. `whole`: how all of it comes back, if this is its end. */
  add(known: Known, row: MonthRow, whole?: Repeated): ValidationReason | undefined {
    if (this.#how === "growth") this.#addGrowth(known, row);
    if (this.#how !== "constant") return undefined;
    if (whole === undefined) return this.#addConstant(known, row);
    this.#addRescaled(known, row, whole);
    return undefined;
  }

  /** The file is of another method, or of another cut: its history is not the known one. */
  isMethodChanged(asked: Asked): boolean {
    return this.#methodText(asked) !== undefined;
  }

  /** Why the whole file looks wrong. */
  reasons(asked: Asked): readonly ValidationReason[] {
    if (this.#isDeclared) return [];
    const method = this.#methodText(asked);
    if (method !== undefined) return [{ code: "RESTATED", message: method }];
    const found = [this.#rowsRestated(asked), this.#historyKept()];
    return found.filter((reason) => reason !== undefined);
  }

  #addConstant(known: Known, row: MonthRow): ValidationReason | undefined {
    const shift = row.firstMonth - known.firstMonth;
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    let months = 0;
    let isUnscaled = true;
    for (const [at, fresh] of row.values.entries()) {
      const old = known.latest[at + shift] ?? null;
      if (fresh === null || old === null || fresh <= 0n || old <= 0n) continue;
      const ratio = Number(fresh) / Number(old);
      if (ratio < least) least = ratio;
      if (ratio > most) most = ratio;
      if (fresh !== old) isUnscaled = false;
      months += 1;
    }
    if (months < FEWEST_MONTHS) return undefined;
    const spread = most / least - 1;
    this.#rows += 1;
    const link = isUnscaled ? linkOf(known, row) : undefined;
    if (link !== undefined) this.#unscaledLinks.push(link);
    if (spread <= CONSTANT_SPREAD) {
      this.#constant += 1;
      return undefined;
    }
    this.#uneven += 1;
    if (this.#isDeclared) return undefined;
    const message = `Known history comes back by ratios ${percent(spread * 10_000)} apart.`;
    return { code: "RESTATED", message };
  }

  #addRescaled(known: Known, row: MonthRow, { unchanged, revised }: Repeated): void {
    if (unchanged + revised < FEWEST_MONTHS) return;
    this.#rows += 1;
    this.#constant += 1;
    const link = revised === 0 ? linkOf(known, row) : undefined;
    if (link !== undefined) this.#unscaledLinks.push(link);
  }

  #addGrowth(known: Known, row: MonthRow): void {
    const newest = row.values.findLastIndex((_, at) => sharedAt(known, row, at) !== undefined);
    const years: number[] = [];
    for (let year = 0; year < GROWTH_YEARS; year += 1) {
      const revised = revisedIn(known, row, newest - 12 * year, 12);
      if (revised !== undefined) years.push(Math.abs(revised));
    }
    const middle = middleOf(years);
    if (middle !== undefined) {
      this.#revised.push(middle);
      this.#newMonths.push(row.values.findLastIndex((value) => value !== null) - newest);
    }
    for (let back = 0; back < SEASON_MONTHS; back += 1) {
      const revised = revisedIn(known, row, newest - back, 1);
      if (revised === undefined) continue;
      const month = addMonths(row.firstMonth, newest - back);
      const others = this.#seasons.get(month);
      if (others === undefined) this.#seasons.set(month, [revised]);
      else others.push(revised);
    }
  }

  #methodText(asked: Asked): string | undefined {
    if (!asked.isEnough(this.#how === "growth" ? this.#revised.length : this.#rows)) return;
    if (this.#how === "constant") {
      if (this.#constant * 10_000 >= this.#rows * FEWEST_CONSTANT_BPS) return undefined;
      return (
        `The known history of ${this.#rows - this.#constant} of ${this.#rows} places is not ` +
        "rescaled by one constant each: the file is of another method or another cut. Declare " +
        "the method where the provider has announced one."
      );
    }
    return this.#revisedText() ?? this.#seasonText();
  }

  #revisedText(): string | undefined {
    const revised = middleOf(this.#revised);
    if (revised === undefined || this.#revised.length < FEWEST_ROWS) return undefined;
    const limit = MOST_REVISED + MOST_REVISED_A_MONTH * (middleOf(this.#newMonths) ?? 0);
    if (revised <= limit) return undefined;
    return (
      `The middle place's yearly growth is revised by ${points(revised)}, more than ` +
      `${points(limit)}: the file is of another method or another cut.`
    );
  }

  #seasonText(): string | undefined {
    for (const [month, revised] of this.#seasons) {
      const middle = revised.length < FEWEST_ROWS ? undefined : middleOf(revised);
      if (middle === undefined || Math.abs(middle) <= MOST_SEASON) continue;
      return (
        `The middle place's growth in ${formatMonth(month)} is revised by ${points(middle)}, ` +
        `more than ${points(MOST_SEASON)}: the file is adjusted for seasons in another way.`
      );
    }
    return undefined;
  }

  /** Of single places each is held by itself. */
  #rowsRestated(asked: Asked): ValidationReason | undefined {
    if (!asked.isEnough(this.#rows)) return undefined;
    if (this.#uneven < 2 || this.#uneven * 10_000 <= this.#rows * MOST_UNEVEN_BPS) return undefined;
    return {
      code: "RESTATED",
      message:
        `The known history of ${this.#uneven} of ${this.#rows} places is not rescaled by one ` +
        `constant each, more than ${percent(MOST_UNEVEN_BPS)} of them.`,
    };
  }

  #historyKept(): ValidationReason | undefined {
    const links = this.#unscaledLinks;
    const isMost = links.length * 2 > this.#rows && links.length >= FEWEST_LINKS;
    const middle = isMost ? middleOf(links) : undefined;
    if (middle === undefined || middle <= MOST_UNEVEN_LINK) return undefined;
    return {
      code: "HISTORY_NOT_RESCALED",
      message:
        `${links.length} of ${this.#rows} places repeat their known history to the digit, and ` +
        `the middle one's new month leaves its pace by ${points(middle)}: the new months may be ` +
        "on another scale.",
    };
  }
}

/** Undefined where one of the two has no value above zero. `at`: the place in the row. */
function sharedAt(known: Known, row: MonthRow, at: number): Shared | undefined {
  const fresh = row.values[at] ?? null;
  const old = known.latest[at + row.firstMonth - known.firstMonth] ?? null;
  if (fresh === null || old === null || fresh <= 0n || old <= 0n) return undefined;
  return { old: Number(old), fresh: Number(fresh) };
}

/** By how much the growth of so many months to `at` is revised. */
function revisedIn(known: Known, row: MonthRow, at: number, months: number): number | undefined {
  const to = sharedAt(known, row, at);
  const from = sharedAt(known, row, at - months);
  if (to === undefined || from === undefined) return undefined;
  return to.fresh / from.fresh - to.old / from.old;
}

/** By how much the first month after the known ones leaves the pace of the last of them. */
function linkOf(known: Known, row: MonthRow): number | undefined {
  const at = row.values.findLastIndex((_, at) => sharedAt(known, row, at) !== undefined);
  const last = sharedAt(known, row, at);
  const before = sharedAt(known, row, at - 1);
  const next = row.values[at + 1] ?? null;
  if (last === undefined || before === undefined || next === null) return undefined;
  return Math.abs(Number(next) / last.fresh - last.fresh / before.fresh);
}

const points = (part: number): string => `${Math.round(part * 10_000) / 100} points`;
