// One reader of the stream: first what it has missed, from the journal, then what becomes durable.
// Invariant: what has been pushed is every wanted message up to `position`, once each, in order.
import { Readable } from "node:stream";
import {
  addMessage,
  type CutReason,
  cutMessage,
  type FeedFilter,
  type FeedMessage,
  heartbeat,
  retryAdvice,
} from "./feed-message.ts";

/** A stretch of the journal: what is public of it, and the entry it ends with. */
export interface Stretch {
  readonly told: readonly FeedMessage[];
  readonly upTo: number;
}

/** Where a reader draws from; a stretch follows `sequence` and is of about a portion. */
export interface FeedSource {
  readonly durableSequence: number;
  /** Of what is kept in memory; undefined where it begins later than that. */
  recent(sequence: number): Stretch | undefined;
  /** Of the journal, where at least one entry follows. */
  older(sequence: number): Promise<Stretch>;
  left(reader: FeedReader): void;
  onFault(error: unknown): void;
}

/** Handed to a connection at once; what is beyond waits where all readers share it. */
export const PORTION_BYTES = 65_536;
const RETRY_MILLIS = 1_000;
/** How long a reader that is cut may take to read what had been pushed. */
const GRACE_MILLIS = 1_000;

/** A stream whose filter can be set anew while it runs. */
export interface Changeable {
  /** Told to its reader alone: to know it is to be allowed to change the stream. */
  readonly id: string;
  /** Nothing is told before its filter is set. */
  readonly isHeld: boolean;
}

export class FeedReader extends Readable {
  /** Of one whose filter can be set anew. */
  readonly id: string | undefined;
  readonly #source: FeedSource;
  #filter: FeedFilter;
  #position: number;
  #isHeld: boolean;
  #isLive = false;
  #isBehind: boolean;
  #isWanted = false;
  #isBusy = false;
  #grace: NodeJS.Timeout | undefined;

  /** `after`: the last entry that need not be told. */
  constructor(source: FeedSource, filter: FeedFilter, after: number, changeable?: Changeable) {
    super({ highWaterMark: PORTION_BYTES });
    this.id = changeable?.id;
    this.#source = source;
    this.#filter = filter;
    this.#position = after;
    this.#isHeld = changeable?.isHeld === true;
    this.#isBehind = after < source.durableSequence;
    this.push(retryAdvice(RETRY_MILLIS));
    this.push(heartbeat(after, source.durableSequence, changeable?.id));
  }

  get position(): number {
    return this.#position;
  }

  /** True once it has caught up: from then on it may not fall behind what is kept. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The entry after which the filter holds; undefined of a stream that is ending. */
  change(filter: FeedFilter): number | undefined {
    if (this.#isEnding) return undefined;
    this.#filter = filter;
    if (this.#isHeld) this.#isBehind = this.#position < this.#source.durableSequence;
    this.#isHeld = false;
    const from = this.#position;
    this.wake();
    return from;
  }

  override _read(): void {
    this.#isWanted = true;
    this.wake();
  }

  /** There may be something new. */
  wake(): void {
    if (this.#isBusy || this.#isHeld) return;
    if (!this.#takeRecent()) void this.#takeOlder();
  }

  /** A reader that has not taken what it was sent is not sent more. */
  beat(): void {
    this.#cutWhereOver();
    if (this.#isWanted && !this.#isEnding) {
      this.#push(this.#heartbeat());
    }
  }

  /** Says why, if the reader still listens; then ends. */
  cut(reason: CutReason): void {
    if (this.#isEnding) return;
    this.push(cutMessage(reason));
    this.push(null);
    this.#grace = setTimeout(() => this.destroy(), GRACE_MILLIS);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#grace);
    this.#grace = undefined;
    this.#source.left(this);
    done(error);
  }

  get #isEnding(): boolean {
    return this.#grace !== undefined || this.destroyed;
  }

  #heartbeat(): Buffer {
    return heartbeat(this.#position, this.#source.durableSequence);
  }

  #push(chunk: Buffer): void {
    this.#isWanted = this.push(chunk);
  }

  /** False where the next entries are only in the journal. */
  #takeRecent(): boolean {
    while (this.#isWanted && !this.#isEnding) {
      const stretch = this.#source.recent(this.#position);
      if (stretch === undefined) return false;
      this.#isLive = true;
      if (stretch.upTo > this.#position) this.#take(stretch);
      else return this.#hasCaughtUp();
    }
    return true;
  }

  /** A reader of old entries is told once that it has come to the newest. */
  #hasCaughtUp(): true {
    if (this.#isBehind) this.#push(this.#heartbeat());
    this.#isBehind = false;
    return true;
  }

  async #takeOlder(): Promise<void> {
    this.#isBusy = true;
    try {
      while (!this.#takeRecent()) {
        const stretch = await this.#source.older(this.#position);
        if (!this.#isEnding) this.#take(stretch);
      }
    } catch (error) {
      this.#source.onFault(error);
      this.cut("INTERRUPTED");
    } finally {
      this.#isBusy = false;
    }
  }

  #cutWhereOver(): boolean {
    const reason = this.#filter.over?.();
    if (reason !== undefined) this.cut(reason);
    return reason !== undefined;
  }

  #take({ told, upTo }: Stretch): void {
    if (this.#cutWhereOver()) return;
    const buffers: Buffer[] = [];
    for (const one of told) addMessage(buffers, one, this.#filter);
    this.#position = upTo;
    for (const chunk of joined(buffers)) this.#push(chunk);
  }
}

/** Short ones joined; a long one is shared by all its readers, and stays as it is. */
function joined(buffers: readonly Buffer[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let short: Buffer[] = [];
  for (const buffer of buffers) {
    if (buffer.length < PORTION_BYTES) {
      short.push(buffer);
      continue;
    }
    chunks.push(Buffer.concat(short), buffer);
    short = [];
  }
  chunks.push(Buffer.concat(short));
  return chunks.filter(({ length }) => length > 0);
}
