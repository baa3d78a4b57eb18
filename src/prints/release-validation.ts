// Validates a release before anything settles: what looks wrong enough for two people to look.
// Invariant: a reason is drawn from the file and from what is known, never from the day's clock; a
// release without a reason may settle at once. docs/concepts/releases.md has the evidence.
import type { NodeId } from "#base/ids.ts";
import { formatMonth, type Month, monthEndMillis } from "#base/month.ts";
import type { PrintValue } from "#base/print-value.ts";
import { Asked } from "./asked.ts";
import type { KnownNode, MonthRow, NewPrint } from "./first-prints.ts";
import { type Limits, limitsOf, type ValidatedKind } from "./limits.ts";
import { byValue, middleOf, percent } from "./move.ts";
import { NewMonths } from "./new-months.ts";
import { NewMoves } from "./new-moves.ts";
import { Restatement } from "./restatement.ts";
import type { ValidationReason } from "./validation-reason.ts";
import type { Repeated } from "./word-row.ts";

interface Band {
  readonly from: number;
  readonly to: number;
}

/** The middle place's known values were restated by 0.93 to 1.05, method changes included. */
const MIDDLE_RATIO_E6: Band = { from: 800_000, to: 1_250_000 };
/** A single place's by 0.52 to 2.08 (a county's rent within a year); beyond this it is held. */
const PLACE_RATIO_E6: Band = { from: 250_000, to: 4_000_000 };
/** Newest against newest, where no month is shared: 0.52 to 6.23 (a beach town's rent). */
const FAR_RATIO_E6: Band = { from: 125_000, to: 8_000_000 };
/** Where more of the places are beyond, no place alone is at fault. */
const MOST_SLIPPED_BPS = 200;
/** Years looked back over: enough for any method, a bounded cost a place. */
const YEARS = 10;
/** `add` reads of a row no more than so many months before its newest one that is known. */
export const MONTHS_LOOKED_BACK = 12 * YEARS;
const ONE_E6 = 1_000_000n;
const ONE_E15 = 1_000_000_000_000_000n;

type KnownSpan = Pick<KnownNode, "firstMonth" | "latest">;

interface EarlierRelease {
  readonly id: string;
  readonly lastMonth: Month;
  readonly publishedAtMillis: number;
  /** Of an index that is no chain: the first month that any release of the series has. */
  readonly historyFrom?: Month;
}

/** Takes a release's lines one after the other; keeps two numbers of each and its region. */
export class ReleaseValidation {
  readonly #kind: ValidatedKind;
  readonly #limits: Limits;
  readonly #regions = new Set<string>();
  /** Restated over known, a place each. */
  readonly #ratiosE6: number[] = [];
  /** The values `middle` reads, one a place. */
  readonly #values: bigint[] = [];
  #slips = 0;
  readonly #newMoves: NewMoves;
  readonly #restatement: Restatement;
  readonly #newMonths: NewMonths | undefined;
  /** The first place and month that a market waits for and that would be no first print. */
  #notFirst: { readonly node: NodeId; readonly month: Month } | undefined;

  /** `isDeclared`: an operator said that the method is another one. */
  constructor(kind: ValidatedKind, level: string, isDeclared = false) {
    this.#kind = kind;
    this.#limits = limitsOf(kind, level);
    const { restated, moves, middles } = this.#limits;
    this.#newMoves = new NewMoves(moves);
    this.#restatement = new Restatement(restated, isDeclared);
    if (middles !== null) this.#newMonths = new NewMonths(middles, restated === "constant");
  }

  /**
   * `known`: before this release; `newPrints`: what the line adds to it. The answer: why this place
   * is to be held, whatever the others do. A region without a node gets no prints: it tells what is
   * usual in the file, and is no reason by itself. `whole`: how all of it comes back, where row and
   * known are cut to their end.
   */
  add(
    place: { readonly node: NodeId | null; readonly regionId: string },
    known: KnownSpan | undefined,
    row: MonthRow,
    newPrints: readonly Pick<NewPrint, "month" | "valueE15" | "backfill">[],
    whole?: Repeated,
  ): readonly ValidationReason[] {
    this.#regions.add(place.regionId);
    const newest = row.values.findLast((value) => value !== null);
    if (newest === undefined || newest === null) return [];
    const isOwnMiddle = this.#limits.middle.of === "history";
    this.#values.push(isOwnMiddle ? (middleValue(row.values) ?? newest) : newest);
    const fresh = newOf(known, newPrints);
    const found = [
      this.#newMoves.add(place.node, known, row, fresh),
      this.#newMonths?.add(row, known === undefined, fresh),
    ];
    if (known !== undefined) {
      found.push(this.#restatement.add(known, row, whole));
      const ratioE6 = middleOf(comparedE6(known, row));
      const farE6 = ratioE6 === undefined ? newestRatio(known, newest) : undefined;
      if (ratioE6 !== undefined) found.push(this.#addRatio(ratioE6, PLACE_RATIO_E6));
      if (farE6 !== undefined) found.push(this.#addRatio(farE6, FAR_RATIO_E6));
    }
    return place.node === null ? [] : found.filter((reason) => reason !== undefined);
  }

  /**
   * `awaited`: months that markets at the place wait for and that the journal has no print of.
   * Where the line carries one and it is no first print all the same, what is stored of the place
   * is not what the journal knows: a settlement would be passed over.
   */
  expect(
    node: NodeId,
    awaited: readonly Month[],
    { firstMonth, values }: MonthRow,
    newPrints: readonly Pick<NewPrint, "month" | "backfill">[],
  ): void {
    for (const month of awaited) {
      const isCarried = (values[month - firstMonth] ?? null) !== null;
      const isFirst = newPrints.some((print) => print.month === month && !print.backfill);
      if (isCarried && !isFirst) this.#notFirst ??= { node, month };
    }
  }

  /** A region whose place is held already: it is there, and nothing of it is judged. */
  pass(regionId: string): void {
    this.#regions.add(regionId);
  }

  /** The known history comes back as that of another method, or of another cut. */
  get isMethodChanged(): boolean {
    return this.#restatement.isMethodChanged(this.#asked(undefined));
  }

  /**
   * `before`: the newest release of this index and level, with the regions it had; undefined for
   * the first.
   */
  reasons(
    release: { readonly lastMonth: Month; readonly publishedAtMillis: number },
    before: EarlierRelease | undefined,
    regionsBefore: Iterable<string>,
  ): readonly ValidationReason[] {
    const asked = this.#asked(before);
    const found = [
      this.#unitSlip(asked),
      this.#newMoves.reason(asked),
      ...(this.#newMonths?.reasons(before === undefined, asked) ?? []),
      // A file read again was judged as a whole when it came.
      ...(before === undefined ? [] : this.#restatement.reasons(asked)),
      this.#regionsMissing(asked, before, regionsBefore),
      wrongMonth(release),
      staleFile(release, before),
      this.#printNotFirst(),
    ];
    return found.filter((reason) => reason !== undefined);
  }

  #asked(before: EarlierRelease | undefined): Asked {
    return new Asked(this.#regions.size, before?.lastMonth);
  }

  #printNotFirst(): ValidationReason | undefined {
    if (this.#notFirst === undefined) return undefined;
    const { node, month } = this.#notFirst;
    return {
      code: "PRINT_NOT_FIRST",
      message:
        `A market waits for ${formatMonth(month)} of ${node}, which no release has printed; the ` +
        "file carries it, and by what is stored of the place it would be no first print. Run " +
        "npm run verify before letting it through.",
    };
  }

  #addRatio(ratioE6: number, band: Band): ValidationReason | undefined {
    this.#ratiosE6.push(ratioE6);
    if (isWithin(ratioE6, band)) return undefined;
    this.#slips += 1;
    return unitSlip(`Known values are multiplied by ${ratioE6 / 1e6}.`);
  }

  #unitSlip(asked: Asked): ValidationReason | undefined {
    const { middle } = this.#limits;
    const places = this.#ratiosE6.length;
    const isAsked = asked.isEnough(places);
    const ratioE6 = isAsked ? middleOf(this.#ratiosE6) : undefined;
    if (ratioE6 !== undefined && !isWithin(ratioE6, MIDDLE_RATIO_E6)) {
      return unitSlip(`The middle place's known values are multiplied by ${ratioE6 / 1e6}.`);
    }
    const value = middleValue(this.#values);
    if (value !== undefined && (value < middle.from * ONE_E15 || value > middle.to * ONE_E15)) {
      const { from, to } = middle;
      const whole = value / ONE_E15;
      return unitSlip(`The middle place's ${this.#kind} is ${whole}, not ${from} to ${to}.`);
    }
    if (!isAsked || this.#slips < 2 || this.#slips * 10_000 <= places * MOST_SLIPPED_BPS)
      return undefined;
    return unitSlip(
      `Known values of ${this.#slips} of ${places} places come back multiplied, ` +
        `more than ${percent(MOST_SLIPPED_BPS)} of them.`,
    );
  }

  #regionsMissing(
    asked: Asked,
    before: EarlierRelease | undefined,
    regionsBefore: Iterable<string>,
  ): ValidationReason | undefined {
    if (before === undefined) return undefined;
    let regions = 0;
    let missing = 0;
    for (const region of regionsBefore) {
      regions += 1;
      if (!this.#regions.has(region)) missing += 1;
    }
    const { mostMissingBps } = this.#limits;
    if (!asked.isEnough(regions) || missing * 10_000 <= regions * mostMissingBps) return undefined;
    return {
      code: "REGIONS_MISSING",
      message:
        `${missing} of the ${regions} regions of ${before.id} are missing, ` +
        `more than ${percent(mostMissingBps)}.`,
    };
  }
}

/** Backfill settles nothing, and a gap that is filled in months before the newest is no move. */
function newOf<P extends Pick<NewPrint, "month" | "backfill">>(
  known: KnownSpan | undefined,
  newPrints: readonly P[],
): readonly P[] {
  if (known === undefined) return newPrints.filter(({ backfill }) => !backfill);
  const newest = known.firstMonth + known.latest.findLastIndex((value) => value !== null);
  return newPrints.filter(({ month, backfill }) => !backfill && month > newest);
}

/** Codes that hold no place: those that two operators saw. */
export const clearedCodes = (seen: readonly { readonly code: string }[]): ReadonlySet<string> =>
  new Set(seen.map(({ code }) => code));

const unitSlip = (message: string): ValidationReason => ({ code: "UNIT_SLIP", message });

/** A month is printed when it is over. */
function wrongMonth({
  lastMonth,
  publishedAtMillis,
}: {
  readonly lastMonth: Month;
  readonly publishedAtMillis: number;
}): ValidationReason | undefined {
  if (monthEndMillis(lastMonth) <= publishedAtMillis) return undefined;
  const published = new Date(publishedAtMillis).toISOString().slice(0, 10);
  const message = `The file ends in ${formatMonth(lastMonth)} and was published on ${published}.`;
  return { code: "WRONG_MONTH", message };
}

/**
 * A file older than what is known: its values would pass for revisions. The history of an index that
 * is no chain may come after the files that follow it, as long as nothing of it is known.
 */
function staleFile(
  release: { readonly lastMonth: Month; readonly publishedAtMillis: number },
  before: EarlierRelease | undefined,
): ValidationReason | undefined {
  if (before === undefined || release.lastMonth < (before.historyFrom ?? 0)) return undefined;
  const isOlder =
    release.lastMonth < before.lastMonth || release.publishedAtMillis < before.publishedAtMillis;
  if (!isOlder) return undefined;
  const message = `Release ${before.id}, to ${formatMonth(before.lastMonth)}, is newer.`;
  return { code: "STALE_FILE", message };
}

/** Restated over known, in the newest month that both know and every twelfth before it. */
function comparedE6(known: KnownSpan, row: MonthRow): readonly number[] {
  const ratiosE6: number[] = [];
  let at = newestShared(known, row);
  for (let year = 0; year <= YEARS && at >= 0; year += 1, at -= 12) {
    const old = known.latest[at] ?? null;
    const fresh = row.values[at + known.firstMonth - row.firstMonth] ?? null;
    if (old === null || fresh === null || old <= 0n || fresh <= 0n) continue;
    ratiosE6.push(Number((fresh * ONE_E6) / old));
  }
  return ratiosE6;
}

/** Its place in `known`; below 0 where the two have no month in common. */
function newestShared(known: KnownSpan, row: MonthRow): number {
  for (let at = known.latest.length - 1; at >= 0; at -= 1) {
    const fresh = row.values[at + known.firstMonth - row.firstMonth] ?? null;
    if (fresh !== null && (known.latest[at] ?? null) !== null) return at;
  }
  return -1;
}

/** For a line without a month that is known: newest against newest. */
function newestRatio({ latest }: KnownSpan, newest: PrintValue): number | undefined {
  const old = latest.findLast((value) => value !== null);
  if (old === undefined || old === null || old <= 0n) return undefined;
  return Number((newest * ONE_E6) / old);
}

const middleValue = (values: readonly (PrintValue | bigint | null)[]): bigint | undefined => {
  const known = values.filter((value) => value !== null).toSorted(byValue);
  return known[known.length >> 1];
};

const isWithin = (value: number, { from, to }: Band): boolean => value >= from && value <= to;
