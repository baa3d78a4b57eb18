// Counts the durable entries into the days of markets, behind the exchange and out of its way.
// Invariant: each entry is counted once, in its order; a day is shown with the entry it is counted
// through, and a store that lags, or starts anew, catches up from the journal.
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MILLIS } from "#base/day.ts";
import type { MarketId } from "#base/ids.ts";
import { Outage } from "#base/outage.ts";
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
  type MarketDayStore,
} from "#journal/market-days.ts";
import { type History, HistoryBusy } from "./engine.ts";

/** Between two writes: what is traded meanwhile in one market and day is one row. */
const WRITE_EVERY_MILLIS = 500;
const SLICE_ENTRIES = 500;
/** Days that are written before more entries are read. */
const MOST_DAYS = 20_000;
/** Readers that wait for the store at a time. */
const MOST_READERS = 64;

interface MarketHistoryOptions {
  readonly store: MarketDayStore;
  readonly history: Pick<History, "after" | "touching" | "sequenceBefore">;
  durableSequence(): number;
  /** Of a store that is out of reach, once; and of undefined once it is reached again. */
  onFault(fault: unknown): void;
}

export class MarketHistory {
  readonly #options: MarketHistoryOptions;
  /** Counted and not yet written. */
  #days = new Map<string, MarketDay>();
  #undone = new Map<string, DayKey>();
  #written = 0;
  #counted = 0;
  #isKnown = false;
  #isStopped = false;
  #readers = 0;
  #writing: Promise<void> = Promise.resolve();
  readonly #waking = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(options: MarketHistoryOptions) {
    this.#options = options;
  }

  /** Catches up, and from then on writes twice a second what has come. */
  start(): void {
    this.#loop = this.#run();
  }

  /** The next start counts from the journal what is not written yet. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waking.abort();
    await this.#loop;
    await this.#options.store.close();
  }

  /** An entry as it becomes durable; one that does not follow is read from the journal later. */
  take(entry: Entry): void {
    const isNext = this.#isKnown && entry.sequence === this.#counted + 1;
    if (isNext && this.#days.size < MOST_DAYS) this.#count(entry);
  }

  /** Of a market, the newest first, those before the day `below`; may throw `HistoryBusy`. */
  async daysOf(market: MarketId, below: number, limit: number) {
    if (this.#readers === MOST_READERS) throw new HistoryBusy();
    this.#readers += 1;
    try {
      return await this.#options.store.daysOf(market, below, limit);
    } finally {
      this.#readers -= 1;
    }
  }

  /**
   * Of these markets, from the day `since` on and before `below`, by market and day, `page` at a
   * time; may throw `HistoryBusy`. Between two pages the store is free for others.
   */
  async *daysOfAll(
    markets: readonly MarketId[],
    since: number,
    below: number,
    page: number,
  ): AsyncGenerator<MarketDay> {
    for (let after: DayKey | undefined; ; ) {
      if (this.#readers === MOST_READERS) throw new HistoryBusy();
      this.#readers += 1;
      const read = this.#options.store.daysOfAll({ markets, since, below }, after, page);
      const days = await read.finally(() => {
        this.#readers -= 1;
      });
      yield* days;
      after = days.at(-1);
      if (after === undefined || days.length < page) return;
    }
  }

  /** Counts and writes all that is durable now. */
  caughtUp(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#catchUp());
    return this.#writing;
  }

  async #run(): Promise<void> {
    const outage = new Outage((fault) => this.#options.onFault(fault));
    while (!this.#isStopped) {
      // The store may be out of reach: the same is tried again, and nothing is lost meanwhile.
      await this.caughtUp().then(
        () => outage.over(),
        (error: unknown) => outage.met(error),
      );
      const { signal } = this.#waking;
      await sleep(WRITE_EVERY_MILLIS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  async #catchUp(): Promise<void> {
    const { history, store, durableSequence } = this.#options;
    if (!this.#isKnown) this.#beginAt(await store.reached());
    while (this.#counted < durableSequence() && !this.#isStopped) {
      const entries = await history.after(this.#counted, SLICE_ENTRIES);
      for (const entry of entries) if (entry.sequence === this.#counted + 1) this.#count(entry);
      if (this.#days.size >= MOST_DAYS) await this.#write();
    }
    await this.#write();
  }

  #beginAt(sequence: number): void {
    this.#days.clear();
    this.#undone.clear();
    this.#written = sequence;
    this.#counted = sequence;
    this.#isKnown = true;
  }

  #count(entry: Entry): void {
    const { days, undone } = countedIn(entry);
    for (const day of days) {
      const name = keyName(day);
      const before = this.#days.get(name);
      this.#days.set(name, before === undefined ? day : joined(before, day));
    }
    for (const key of undone) this.#undone.set(keyName(key), key);
    this.#counted = entry.sequence;
  }

  async #write(): Promise<void> {
    const [days, undone, upTo] = [this.#days, this.#undone, this.#counted];
    if (upTo === this.#written) return;
    this.#days = new Map();
    this.#undone = new Map();
    try {
      const { store } = this.#options;
      const whole = await this.#whole(days, undone, upTo);
      if (await store.put(this.#written, upTo, whole)) this.#written = upTo;
      else this.#isKnown = false;
    } catch (error) {
      // Whether it was written nobody knows: the store says where to go on.
      this.#isKnown = false;
      throw error;
    }
  }

  /** The days as they are once these entries are counted. */
  async #whole(
    days: ReadonlyMap<string, MarketDay>,
    undone: ReadonlyMap<string, DayKey>,
    upTo: number,
  ): Promise<readonly MarketDay[]> {
    const keys = [...new Map<string, DayKey>([...days, ...undone]).values()];
    const stored = await this.#options.store.named(keys);
    const whole = new Map(stored.map((day) => [keyName(day), day]));
    for (const [name, day] of days) {
      const before = whole.get(name);
      whole.set(name, before === undefined ? day : joined(before, day));
    }
    for (const [name, key] of undone) {
      const traded = await this.#standing(key, upTo);
      whole.set(name, { ...key, mark: whole.get(name)?.mark ?? null, traded });
    }
    return [...whole.values()];
  }

  /** The trades of a day that nobody has undone; a trade can be undone for a day. */
  async #standing({ market, day }: DayKey, upTo: number): Promise<MarketDay["traded"]> {
    const { history } = this.#options;
    const fills: Fill[] = [];
    const busted = new Set<string>();
    let after = await history.sequenceBefore(day * DAY_MILLIS);
    for (let isMore = true; isMore; ) {
      const range = { subjects: [market], after, before: upTo + 1, order: "oldest" } as const;
      const entries = await history.touching(range, SLICE_ENTRIES);
      for (const { outcome } of entries) {
        for (const event of isRejected(outcome) ? [] : outcome.events) {
          if (event.type === "FillBusted") busted.add(event.fill.id);
          else if (event.type === "Filled" && isOf(event.fill, market, day)) fills.push(event.fill);
        }
      }
      const last = entries.at(-1);
      isMore = entries.length === SLICE_ENTRIES && dayOf(last?.envelope.timeMillis ?? 0) < day + 2;
      after = last?.sequence ?? after;
    }
    return fills
      .filter(({ id }) => !busted.has(id))
      .map(dayOfFill)
      .reduce<MarketDay["traded"]>(
        (sum, { traded, ...rest }) => joined({ ...rest, traded: sum }, { ...rest, traded }).traded,
        null,
      );
  }
}

const isOf = ({ marketId, timeMillis }: Fill, market: MarketId, day: number): boolean =>
  marketId === market && dayOf(timeMillis) === day;
