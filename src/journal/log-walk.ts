// The transparency log judged anew: its tree made from the entries, held against tiles and heads.
// Invariant: nothing stored is used to make the tree; it is only compared with.
import { ChainBreak } from "./chain.ts";
import { CheckpointWalk, logOriginOf } from "./checkpoint.ts";
import { type Head, type JournalReader, SLICE_ENTRIES } from "./journal.ts";
import { LogTree, TILE_HASHES, type TilePlace } from "./log-tree.ts";
import type { SigningKey } from "./note.ts";
import { notesOf, texts } from "./note-pages.ts";

type LogSource = Pick<JournalReader, "logHeadsAfter" | "tile">;

interface HeadsElsewhere {
  readonly place: string;
  readonly notes: AsyncIterable<string> | undefined;
}

export class LogWalk {
  readonly #source: LogSource;
  readonly #tree = new LogTree();
  readonly #heads: readonly [CheckpointWalk, ...CheckpointWalk[]];
  /** The first full tile that is not stored: no fault while no stored head speaks of it. */
  #missing: TilePlace | undefined;
  #stopAt = 0;
  passed = 0;

  /** `others`: where heads lie besides the database. */
  constructor(source: LogSource, key: SigningKey, others: readonly HeadsElsewhere[]) {
    this.#source = source;
    const stored = notesOf((after) => source.logHeadsAfter(after, SLICE_ENTRIES));
    const elsewhere = others.flatMap(({ place, notes }) =>
      notes === undefined ? [] : [new CheckpointWalk(place, notes, key)],
    );
    const inTable = new CheckpointWalk("the log's table", texts(stored), key, true);
    this.#heads = [inTable, ...elsewhere];
  }

  async append({ hash }: Head): Promise<void> {
    this.#tree.append(hash);
    const tiles = this.#tree.full.slice();
    for (const { hashes, ...place } of tiles) {
      const stored = await this.#source.tile(place);
      if (stored === undefined) this.#missing ??= place;
      else if (!Buffer.from(hashes).equals(stored)) {
        throw new ChainBreak(firstIn(place), `${named(place)} is not of these entries`);
      }
    }
    this.#tree.forget(tiles);
  }

  /** Judges the heads of exactly this size; gives the next size that somebody has signed. */
  async compare(chainOrigin: string): Promise<number> {
    if (this.#tree.size < this.#stopAt) return this.#stopAt;
    const origin = logOriginOf(chainOrigin);
    const head = { size: this.#tree.size, hash: this.#tree.root().toString("hex") };
    let next = Number.POSITIVE_INFINITY;
    for (const walk of this.#heads) {
      const before = walk.agreed;
      await walk.pass(head, origin);
      if (walk.agreed > before) this.passed += 1;
      next = Math.min(next, await walk.nextSize(origin));
    }
    this.#stopAt = next;
    return next;
  }

  /** The size of a head that lies ahead, 0 where there is none. */
  async newest(chainOrigin: string): Promise<number> {
    const sizes = await Promise.all(
      this.#heads.map((walk) => walk.nextSize(logOriginOf(chainOrigin))),
    );
    return Math.max(0, ...sizes.filter((size) => size !== Number.POSITIVE_INFINITY));
  }

  async end(chainOrigin: string): Promise<void> {
    const origin = logOriginOf(chainOrigin);
    const head = { size: this.#tree.size, hash: this.#tree.root().toString("hex") };
    for (const walk of this.#heads) await walk.end(head, origin);
    const place = this.#missing;
    if (place === undefined || this.#heads[0].agreed < endOf(place)) return;
    throw new ChainBreak(firstIn(place), `${named(place)} is missing`);
  }
}

const widthOf = ({ level }: TilePlace): number => TILE_HASHES ** (level + 1);
const firstIn = (place: TilePlace): number => place.index * widthOf(place) + 1;
const endOf = (place: TilePlace): number => (place.index + 1) * widthOf(place);

const named = ({ level, index }: TilePlace): string =>
  `tile ${index} of level ${level} of the transparency log`;
