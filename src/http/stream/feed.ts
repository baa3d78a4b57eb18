// The one source of a stream: what becomes durable, kept a while in memory for all readers.
// Invariant: `kept` has all that is told of the entries from `keptFrom` to `reached`, in order.
import { invariant } from "#base/invariant.ts";
import type { Entry } from "#core/outcome.ts";
import type { History } from "#engine/engine.ts";
import { isStrangers } from "../server/admission.ts";
import type { FeedFilter, FeedMessage } from "./feed-message.ts";
import {
  type Changeable,
  FeedReader,
  type FeedSource,
  PORTION_BYTES,
  type Stretch,
} from "./feed-reader.ts";

export interface FeedOptions {
  readonly history: Pick<History, "after">;
  /** The message of an entry to its readers; undefined = none. */
  telling(entry: Entry): FeedMessage | undefined;
  durableSequence(): number;
  readonly onFault: (error: unknown) => void;
  /** The most that may wait for a reader who has caught up; as FEED_DEFAULTS where left out. */
  readonly waitingBytes?: number;
  readonly heartbeatMillis?: number;
}

export const FEED_DEFAULTS = { waitingBytes: 16_777_216, heartbeatMillis: 15_000 } as const;
/** Streams open at once: of an address, of a key, of everybody without an account, of everybody. */
export const MOST_STREAMS = { address: 20, key: 100, strangers: 1_000, all: 2_000 } as const;
/** Read from the journal at a time: decoding more would hold up the exchange. */
const SLICE_ENTRIES = 100;

type Opened =
  | { readonly reader: FeedReader }
  | { readonly refused: "SEQUENCE_AHEAD" | "STREAM_LIMIT" | "OVERLOADED" | "STOPPING" };

export class Feed implements FeedSource {
  readonly #options: Required<FeedOptions>;
  /** Each reader, and whose it is. */
  readonly #readers = new Map<FeedReader, string>();
  /** Those whose filter can be set, by the ids that their readers were told. */
  readonly #changeable = new Map<string, FeedReader>();
  readonly #owned = new Map<string, number>();
  readonly #heart: NodeJS.Timeout;
  /** Streams of those without an account's key. */
  #strangers = 0;
  #isEnded = false;
  #fresh: Entry[] = [];
  #kept: FeedMessage[] = [];
  #keptBytes = 0;
  #keptFrom: number;
  #reached: number;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = { ...FEED_DEFAULTS, ...options };
    this.#reached = this.durableSequence;
    this.#keptFrom = this.#reached + 1;
    this.#heart = setInterval(() => {
      for (const reader of this.#readers.keys()) reader.beat();
    }, this.#options.heartbeatMillis).unref();
  }

  get durableSequence(): number {
    return this.#options.durableSequence();
  }

  get size(): number {
    return this.#readers.size;
  }

  /** Each durable entry, in order; readers are told once the engine has gone on. */
  take(entry: Entry): void {
    if (this.#fresh.push(entry) === 1) setImmediate(() => this.#tell());
  }

  /** `owner`: whose streams are counted together; `after`: undefined = from now on. */
  open(
    owner: string,
    filter: FeedFilter,
    after: number | undefined,
    changeable?: Changeable,
  ): Opened {
    const head = this.durableSequence;
    const mine = this.#owned.get(owner) ?? 0;
    if (this.#isEnded) return { refused: "STOPPING" };
    if (after !== undefined && after > head) return { refused: "SEQUENCE_AHEAD" };
    if (mine >= mostOf(owner)) return { refused: "STREAM_LIMIT" };
    const isFull = this.#readers.size >= MOST_STREAMS.all;
    const isStranger = isStrangers(owner);
    if (isFull || (isStranger && this.#strangers >= MOST_STREAMS.strangers)) {
      return { refused: "OVERLOADED" };
    }

    const reader = new FeedReader(this, filter, after ?? head, changeable);
    this.#readers.set(reader, owner);
    if (changeable !== undefined) this.#changeable.set(changeable.id, reader);
    this.#owned.set(owner, mine + 1);
    if (isStranger) this.#strangers += 1;
    return { reader };
  }

  /** The entry after which the filter holds; undefined where no such stream is open. */
  change(id: string, filter: FeedFilter): number | undefined {
    return this.#changeable.get(id)?.change(filter);
  }

  /** Every reader is told to come back later, and no new one is taken. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#heart);
    for (const reader of this.#readers.keys()) reader.cut("STOPPING");
  }

  recent(sequence: number): Stretch | undefined {
    if (sequence + 1 < this.#keptFrom) return undefined;
    const told: FeedMessage[] = [];
    let bytes = 0;
    for (let at = this.#firstAfter(sequence); at < this.#kept.length; at += 1) {
      const one = this.#kept[at];
      if (one === undefined) break;
      told.push(one);
      bytes += one.bytes;
      if (bytes >= PORTION_BYTES) return { told, upTo: one.sequence };
    }
    return { told, upTo: Math.max(sequence, this.#reached) };
  }

  /** One slice at a time, whoever wants it: readers of old entries wait for each other. */
  older(sequence: number): Promise<Stretch> {
    const read = this.#reading.then(() => this.#slice(sequence));
    this.#reading = read.catch(() => undefined);
    return read;
  }

  left(reader: FeedReader): void {
    const owner = this.#readers.get(reader);
    if (owner === undefined) return;
    this.#readers.delete(reader);
    if (reader.id !== undefined) this.#changeable.delete(reader.id);
    if (isStrangers(owner)) this.#strangers -= 1;
    const others = (this.#owned.get(owner) ?? 1) - 1;
    if (others === 0) this.#owned.delete(owner);
    else this.#owned.set(owner, others);
  }

  onFault(error: unknown): void {
    this.#options.onFault(error);
  }

  async #slice(sequence: number): Promise<Stretch> {
    const entries = await this.#options.history.after(sequence, SLICE_ENTRIES);
    invariant(entries.length > 0, `an entry follows ${sequence}, for later ones are known`);
    const told: FeedMessage[] = [];
    let upTo = sequence;
    let bytes = 0;
    for (const entry of entries) {
      const one = this.#telling(entry);
      upTo = entry.sequence;
      if (one === undefined) continue;
      told.push(one);
      bytes += one.bytes;
      if (bytes >= PORTION_BYTES) break;
    }
    return { told, upTo };
  }

  #tell(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    this.#reached = fresh.at(-1)?.sequence ?? this.#reached;
    if (this.#readers.size === 0) {
      this.#kept = [];
      this.#keptBytes = 0;
      this.#keptFrom = this.#reached + 1;
      return;
    }
    for (const entry of fresh) this.#keep(entry);
    for (const reader of this.#readers.keys()) reader.wake();
    this.#forget();
  }

  /** Readers of an entry that cannot be told are cut there: none goes on without its message. */
  #keep(entry: Entry): void {
    try {
      const told = this.#telling(entry);
      if (told === undefined) return;
      this.#kept.push(told);
      this.#keptBytes += told.bytes;
    } catch (error) {
      this.onFault(error);
      this.#kept = [];
      this.#keptBytes = 0;
      this.#keptFrom = entry.sequence + 1;
      for (const reader of this.#readers.keys()) reader.cut("INTERRUPTED");
    }
  }

  #telling(entry: Entry): FeedMessage | undefined {
    try {
      return this.#options.telling(entry);
    } catch (cause) {
      const { requestId } = entry.envelope;
      const what = `no stream can tell entry ${entry.sequence} of request ${requestId}`;
      throw new Error(what, { cause });
    }
  }

  /** The oldest go first; who still needed them is cut, for nothing more may wait for anybody. */
  #forget(): void {
    let gone = 0;
    while (this.#keptBytes > this.#options.waitingBytes) {
      const oldest = this.#kept[gone];
      if (oldest === undefined) break;
      this.#keptBytes -= oldest.bytes;
      this.#keptFrom = oldest.sequence + 1;
      gone += 1;
    }
    if (gone === 0) return;
    this.#kept.splice(0, gone);
    for (const reader of this.#readers.keys()) {
      if (reader.isLive && reader.position + 1 < this.#keptFrom) reader.cut("SLOW_READER");
    }
  }

  /** Where in `kept` the entries after `sequence` begin. */
  #firstAfter(sequence: number): number {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** An address's bucket is named so at admission; every other is of some key. */
const mostOf = (owner: string): number =>
  owner.startsWith("ip ") ? MOST_STREAMS.address : MOST_STREAMS.key;
