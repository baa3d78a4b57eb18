// The days of markets drawn anew from the entries, to compare with what is stored of them.
// Invariant: drawn entry by entry as the leader counts them, and no more days are held at a time
// than those in which a trade may still be undone.
import { createHash, type Hash } from "node:crypto";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Fill } from "#core/records.ts";
import {
  countedIn,
  type DayKey,
  dayOf,
  dayOfFill,
  joined,
  keyName,
  type MarketDay,
} from "./market-days.ts";

/** The days of all markets as they were at an entry; a digest of each market's, by its id. */
export interface DayDigests {
  /** The last entry that is counted. */
  readonly reached: number;
  readonly byMarket: ReadonlyMap<string, string>;
}

/** A trade can be undone for a day, so it is one of this day or of the two before it. */
const OPEN_DAYS = 2;

/** Prices in ticks, of YES; null on a day without a trade, or without a mark. */
export interface DayColumns {
  readonly day: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly lots: string;
  readonly trades: number;
  readonly mark: number | null;
}

/** The digest of the days of one market, which are added from the oldest on. */
export class MarketDaysDigest {
  readonly #hash: Hash = createHash("sha256");

  add({ day, open, high, low, close, lots, trades, mark }: DayColumns): void {
    const columns = [day, open, high, low, close, lots, trades, mark];
    this.#hash.update(`${columns.map((column) => column ?? "").join("|")}\n`);
  }

  hex(): string {
    return this.#hash.digest("hex");
  }
}

export class DrawnMarketDays {
  readonly #upTo: number;
  readonly #digests = new Map<string, MarketDaysDigest>();
  /** Of this day and the two before it. */
  readonly #open = new Map<string, MarketDay>();
  readonly #fills = new Map<string, Fill[]>();
  #today = 0;
  #sequence = 0;

  /** `upTo`: entries after it are not counted. */
  constructor(upTo: number) {
    this.#upTo = upTo;
  }

  /** Entries in their order, from the first on. */
  take(entry: Entry): void {
    if (entry.sequence > this.#upTo) return;
    this.#sequence = entry.sequence;
    this.#begin(dayOf(entry.envelope.timeMillis));
    const { days } = countedIn(entry);
    for (const day of days) {
      const name = keyName(day);
      const before = this.#open.get(name);
      this.#open.set(name, before === undefined ? day : joined(before, day));
    }
    const { outcome } = entry;
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type === "Filled") this.#fillsOf(event.fill).push(event.fill);
      else if (event.type === "FillBusted") this.#undo(event.fill);
    }
  }

  /** The markets of which other days are stored; undefined where the entries end too early. */
  differing({ reached, byMarket }: DayDigests): readonly string[] | undefined {
    if (this.#sequence !== reached || this.#upTo !== reached) return undefined;
    this.#begin(Number.POSITIVE_INFINITY);
    const drawn = new Map([...this.#digests].map(([market, digest]) => [market, digest.hex()]));
    const all = new Set([...drawn.keys(), ...byMarket.keys()]);
    return [...all].filter((market) => byMarket.get(market) !== drawn.get(market)).toSorted();
  }

  /** Closes the days in which nothing can be undone any more. */
  #begin(today: number): void {
    if (today === this.#today) return;
    this.#today = today;
    const over = [...this.#open.values()].filter(({ day }) => day < today - OPEN_DAYS);
    for (const day of over.toSorted((one, other) => one.day - other.day)) {
      const digest = this.#digests.get(day.market) ?? new MarketDaysDigest();
      this.#digests.set(day.market, digest);
      digest.add(columnsOf(day));
      this.#open.delete(keyName(day));
      this.#fills.delete(keyName(day));
    }
  }

  #fillsOf({ marketId: market, timeMillis }: Fill): Fill[] {
    const name = keyName({ market, day: dayOf(timeMillis) });
    const fills = this.#fills.get(name) ?? [];
    this.#fills.set(name, fills);
    return fills;
  }

  #undo(busted: Fill): void {
    const key: DayKey = { market: busted.marketId, day: dayOf(busted.timeMillis) };
    const fills = this.#fillsOf(busted);
    const at = fills.findIndex(({ id }) => id === busted.id);
    if (at >= 0) fills.splice(at, 1);
    const empty: MarketDay = { ...key, traded: null, mark: null };
    const { mark } = this.#open.get(keyName(key)) ?? empty;
    this.#open.set(keyName(key), { ...fills.map(dayOfFill).reduce(joined, empty), mark });
  }
}

const columnsOf = ({ day, traded, mark }: MarketDay): DayColumns => ({
  day,
  open: traded?.open ?? null,
  high: traded?.high ?? null,
  low: traded?.low ?? null,
  close: traded?.close ?? null,
  lots: String(traded?.lots ?? 0n),
  trades: traded?.trades ?? 0,
  mark,
});
