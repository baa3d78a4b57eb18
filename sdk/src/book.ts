// A market's book, kept right: a snapshot, and every change after it from the stream.
// Invariant: what is shown is the whole book, down to `depth` levels, as of entry `sequence`.
import { answered, type Exchange } from "./client.ts";
import { follow } from "./follow.ts";
import type { Schemas } from "./openapi.ts";
import { pauseMillis, sleep } from "./retry.ts";
import { StreamGap, type StreamMessage } from "./stream.ts";

export interface BookView {
  /** The journal entry after which it is so. */
  readonly sequence: number;
  /** Best first, in prices of YES. */
  readonly bids: readonly Schemas["BookLevel"][];
  readonly asks: readonly Schemas["BookLevel"][];
}

export interface BookOptions {
  /** Levels a side, 1 to 50; 20 when left out. */
  readonly depth?: number;
  readonly signal?: AbortSignal;
  onInterrupted?(reason: string, after: number): void;
}

/** More than is shown, so that levels that go leave enough behind; the most the exchange gives. */
const SNAPSHOT_DEPTH = 100;

/** The snapshot may be of a node that is ahead of the stream's: it is given time to come along. */
const AFTER_GAP_MILLIS = 1000;

/** The book now, and again after each entry that changed it. */
export async function* followBook(
  exchange: Exchange,
  marketId: string,
  options: BookOptions = {},
): AsyncGenerator<BookView, void> {
  const { depth = 20, signal } = options;
  if (!Number.isInteger(depth) || depth < 1 || depth > 50)
    throw new RangeError(`depth is ${depth}; give a whole number from 1 to 50`);
  while (!signal?.aborted) {
    // From the snapshot on: the stream begins after the very entry the snapshot stands at.
    const book = await snapshot(exchange, marketId, signal);
    yield book.view(depth);
    try {
      const filter = { ...options, markets: [marketId], types: ["level"] as const };
      for await (const message of follow(exchange, { ...filter, after: book.sequence })) {
        if (!book.apply(message)) continue;
        if (book.isTooShort(depth)) break;
        yield book.view(depth);
      }
    } catch (fault) {
      if (!(fault instanceof StreamGap)) throw fault;
      options.onInterrupted?.(fault.message, fault.after);
      await sleep(pauseMillis(1, AFTER_GAP_MILLIS), signal).catch(() => undefined);
    }
  }
}

async function snapshot(exchange: Exchange, marketId: string, signal: AbortSignal | undefined) {
  const { data } = await answered(
    exchange.GET("/api/markets/{id}/book", {
      params: { path: { id: marketId }, query: { depth: SNAPSHOT_DEPTH } },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return new Book(data);
}

class Book {
  readonly #bids: Side;
  readonly #asks: Side;
  #sequence: number;

  constructor({ sequence, bids, asks }: Schemas["Book"]) {
    this.#sequence = sequence;
    this.#bids = new Side(bids, (a, b) => b - a);
    this.#asks = new Side(asks, (a, b) => a - b);
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** True where a level that is kept has changed. */
  apply(message: StreamMessage): boolean {
    this.#sequence = message.sequence;
    if (message.kind !== "entry") return false;
    let changed = false;
    for (const event of message.entry.events) {
      if (event.type !== "level") continue;
      const { side, price, amount, orders } = event;
      const changes = side === "bid" ? this.#bids : this.#asks;
      changed = changes.set({ price, amount, orders }) || changed;
    }
    return changed;
  }

  /** Levels that the snapshot left out may now be among the best. */
  isTooShort(depth: number): boolean {
    return this.#bids.isTooShort(depth) || this.#asks.isTooShort(depth);
  }

  view(depth: number): BookView {
    const bids = this.#bids.best(depth);
    return { sequence: this.#sequence, bids, asks: this.#asks.best(depth) };
  }
}

class Side {
  readonly #levels: Map<number, Schemas["BookLevel"]>;
  readonly #order: (a: number, b: number) => number;
  /** Beyond it nothing is known; undefined where the snapshot had all. */
  readonly #worstKnown: number | undefined;

  constructor(levels: readonly Schemas["BookLevel"][], order: (a: number, b: number) => number) {
    this.#levels = new Map(levels.map((level) => [level.price, level]));
    this.#order = order;
    this.#worstKnown = levels.length < SNAPSHOT_DEPTH ? undefined : levels.at(-1)?.price;
  }

  /** Levels are absolute: they say what rests there now. */
  set(level: Schemas["BookLevel"]): boolean {
    const { price, orders } = level;
    if (this.#worstKnown !== undefined && this.#order(price, this.#worstKnown) > 0) return false;
    if (orders > 0) this.#levels.set(price, level);
    else this.#levels.delete(price);
    return true;
  }

  isTooShort(depth: number): boolean {
    return this.#worstKnown !== undefined && this.#levels.size < depth;
  }

  best(depth: number): readonly Schemas["BookLevel"][] {
    const levels = [...this.#levels.values()];
    return levels.sort((a, b) => this.#order(a.price, b.price)).slice(0, depth);
  }
}
