// The days of a market: what was traded on each, in prices of YES, and its last mark.
// Invariant: a day is the sum of its entries in their order, so counting them in any slices gives
// the same; a trade that was busted is in no day.
import { DAY_MILLIS } from "#base/day.ts";
import type { MarketId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Fill } from "#core/records.ts";

export interface DayTrades {
  readonly open: Tick;
  readonly high: Tick;
  readonly low: Tick;
  readonly close: Tick;
  readonly lots: Lots;
  readonly trades: number;
}

export interface MarketDay {
  readonly market: MarketId;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  /** Null on a day without a trade. */
  readonly traded: DayTrades | null;
  /** The last of the day; null where it brought none. */
  readonly mark: Tick | null;
}

/** The names of days: a market's, and which. */
export type DayKey = Pick<MarketDay, "market" | "day">;

/** Where days are kept. */
export interface MarketDayStore {
  /** The last entry that is counted. */
  reached(): Promise<number>;
  /** Those of these days that there are, in no order that matters. */
  named(keys: readonly DayKey[]): Promise<readonly MarketDay[]>;
  /**
   * Puts whole days, counted through entry `upTo`. False, and nothing is put, where another writer
   * has counted beyond `after`.
   */
  put(after: number, upTo: number, days: readonly MarketDay[]): Promise<boolean>;
  /** Of a market, the newest first, those before the day `below`; and the last entry counted. */
  daysOf(
    market: MarketId,
    below: number,
    limit: number,
  ): Promise<{ readonly days: readonly MarketDay[]; readonly sequence: number }>;
  /** By market and day, the oldest first, those that come after a day. */
  daysOfAll(
    asked: DaysAsked,
    after: DayKey | undefined,
    limit: number,
  ): Promise<readonly MarketDay[]>;
  close(): Promise<void>;
}

/** Of these markets, from the day `since` on and before the day `below`. */
export interface DaysAsked {
  readonly markets: readonly MarketId[];
  readonly since: number;
  readonly below: number;
}

export const dayOf = (timeMillis: number): number => Math.floor(timeMillis / DAY_MILLIS);

const byMarketAndDay = (a: DayKey, b: DayKey): number =>
  a.market === b.market ? a.day - b.day : a.market < b.market ? -1 : 1;

export const keyName = ({ market, day }: DayKey): string => `${market}|${day}`;

/** A day, and the same day's entries that came later. */
export const joined = (before: MarketDay, later: MarketDay): MarketDay => ({
  ...before,
  traded: joinedTrades(before.traded, later.traded),
  mark: later.mark ?? before.mark,
});

function joinedTrades(before: DayTrades | null, later: DayTrades | null): DayTrades | null {
  if (before === null || later === null) return later ?? before;
  return {
    open: before.open,
    high: before.high > later.high ? before.high : later.high,
    low: before.low < later.low ? before.low : later.low,
    close: later.close,
    lots: lots(before.lots + later.lots),
    trades: before.trades + later.trades,
  };
}

/** The day of one trade. */
export const dayOfFill = ({ marketId, timeMillis, yesTick, amountLots }: Fill): MarketDay => ({
  market: marketId,
  day: dayOf(timeMillis),
  traded: {
    ...{ open: yesTick, high: yesTick, low: yesTick, close: yesTick },
    lots: amountLots,
    trades: 1,
  },
  mark: null,
});

interface Counted {
  /** In the order they happened, each what one event adds. */
  readonly days: readonly MarketDay[];
  /** Days in which it undid a trade: only their entries can say what is left. */
  readonly undone: readonly DayKey[];
}

export function countedIn({ envelope, outcome }: Entry): Counted {
  const days: MarketDay[] = [];
  const undone: DayKey[] = [];
  const day = dayOf(envelope.timeMillis);
  for (const event of isRejected(outcome) ? [] : outcome.events) {
    if (event.type === "Filled") {
      days.push(dayOfFill(event.fill));
    } else if (event.type === "FillBusted") {
      undone.push({ market: event.fill.marketId, day: dayOf(event.fill.timeMillis) });
    } else if (event.type === "MarketMarked") {
      days.push({ market: event.marketId, day, traded: null, mark: event.markTick });
    } else if (event.type === "MarketChanged" && event.market.resolution === null) {
      const { id, markTick } = event.market;
      days.push({ market: id, day, traded: null, mark: markTick });
    }
  }
  return { days, undone };
}

/** Days in memory, where the journal is. */
export class MemoryMarketDays implements MarketDayStore {
  readonly #days = new Map<string, MarketDay>();
  #reached = 0;

  async reached(): Promise<number> {
    return this.#reached;
  }

  async named(keys: readonly DayKey[]): Promise<readonly MarketDay[]> {
    return keys.flatMap((key) => this.#days.get(keyName(key)) ?? []);
  }

  async put(after: number, upTo: number, days: readonly MarketDay[]): Promise<boolean> {
    if (this.#reached !== after) return false;
    for (const day of days) this.#days.set(keyName(day), day);
    this.#reached = upTo;
    return true;
  }

  async daysOf(market: MarketId, below: number, limit: number) {
    const days = [...this.#days.values()]
      .filter((one) => one.market === market && one.day < below)
      .sort((a, b) => b.day - a.day);
    return { days: days.slice(0, limit), sequence: this.#reached };
  }

  async daysOfAll({ markets, since, below }: DaysAsked, after: DayKey | undefined, limit: number) {
    const days = [...this.#days.values()]
      .filter(({ market, day }) => markets.includes(market) && day >= since && day < below)
      .sort(byMarketAndDay);
    const rest = days.filter((day) => after === undefined || byMarketAndDay(after, day) < 0);
    return rest.slice(0, limit);
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}
