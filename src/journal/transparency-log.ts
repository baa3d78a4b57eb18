// The transparency log beside the chain: one tree over all entries, its signed heads, its proofs.
// Invariant: a head is signed only over a tree that every head signed before is a beginning of; the
// tree is what the entries' hashes make, or the journal is not led.
import { logOriginOf, openCheckpoint, signCheckpoint } from "./checkpoint.ts";
import type { CheckpointLog } from "./checkpoint-file.ts";
import { type Head, type JournalReader, JournalRefusal, type Lead, type Note } from "./journal.ts";
import {
  fullTiles,
  hashesIn,
  joinedEvenly,
  LogTree,
  TILE_BYTES,
  TILE_HASHES,
  TileHashes,
  type TilePlace,
} from "./log-tree.ts";
import {
  consistencyRanges,
  coverOf,
  HASH_BYTES,
  inclusionRanges,
  joined,
  type Subtree,
} from "./merkle.ts";
import { type SigningKey, signedByFormer, verifierKey } from "./note.ts";

/** Hashes read from the journal at a time: what nobody handed over as it became durable. */
const SLICE_HASHES = 5_000;
/** Full tiles are kept at the latest when there are so many. */
const TILES_AT_ONCE = 64;
/** 16 KiB each: what an export's proofs are made of. */
const CACHED_TILES = 64;

type LogStore = Pick<
  JournalReader,
  "entryHashes" | "leafTiles" | "tile" | "newestLogHead" | "newestCosignedHead" | "logHead"
>;

type TileKeeper = Pick<Lead, "keepTiles">;

const keepsNothing: TileKeeper = { keepTiles: async () => undefined };

interface LogOptions {
  readonly journal: LogStore;
  readonly key: SigningKey;
  /** Heads outside the database; undefined only in simulation. */
  readonly file: CheckpointLog | undefined;
  /** The chain's name. */
  readonly chainOrigin: string;
  readonly log: (message: string) => void;
}

/** An entry's way to a signed root. */
interface Inclusion {
  /** From 0: the entry's sequence less one. */
  readonly index: number;
  readonly treeSize: number;
  /** From the leaf's sibling to the root's child. */
  readonly proof: readonly Uint8Array[];
}

export class TransparencyLog {
  readonly origin: string;
  readonly verifierKey: string;
  readonly #options: LogOptions;
  #tree = new LogTree();
  /** Durable entries the tree does not have yet. */
  #waiting: { readonly sequence: number; readonly hash: string }[] = [];
  readonly #cache = new Map<string, TileHashes>();
  #newest: Note | undefined;
  #witnessed: Note | undefined;

  /** Empty until `lead` or `takeHeads`. */
  constructor(options: LogOptions) {
    this.#options = options;
    this.origin = logOriginOf(options.chainOrigin);
    this.verifierKey = verifierKey(options.key, this.origin);
  }

  /**
   * For a term that begins: the tree over all entries up to its head, from the one that is here, or
   * else from stored tiles and the hashes after them.
   * @throws JournalRefusal where a head that was signed is not of these entries
   */
  async lead(lead: Lead, head: Head): Promise<void> {
    const { journal, file, log } = this.#options;
    const [cosigned, newest] = await Promise.all([
      journal.newestCosignedHead(),
      journal.newestLogHead(),
    ]);
    const places = [
      { place: file?.path ?? "", note: file?.newest() },
      { place: "the database", note: newest?.note },
      { place: "the database, cosigned by a witness,", note: cosigned?.note },
    ];
    const signed = places.flatMap(({ place, note }) =>
      note === undefined ? [] : [{ place, head: this.#opened(place, note) }],
    );
    if (this.#tree.size === 0) this.#tree = await restored(journal);
    if (this.#tree.size > head.size || !(await this.#agrees(lead, head, signed))) {
      log("the stored tiles of the transparency log are not those of the entries: redrawn");
      this.#tree = new LogTree();
      this.#cache.clear();
      for (const { place, head: found } of signed) {
        if (await this.#agrees(lead, head, [{ place, head: found }])) continue;
        throw new JournalRefusal(rewritten(place, found.size));
      }
    }
    this.#witnessed = cosigned;
  }

  /**
   * While another node leads: its newest heads, of no more than the entries shown here. Nothing is
   * kept or signed.
   * @throws JournalRefusal where a head is not of these entries
   */
  async takeHeads(shown: Head): Promise<void> {
    const { journal } = this.#options;
    const newest = await journal.newestLogHead();
    if (newest === undefined || newest.note === this.#newest?.note) return;
    if (newest.size > shown.size) return;
    if (this.#tree.size === 0) this.#tree = await restored(journal);
    const { hash } = this.#opened("the database", newest.note);
    // Tiles are stored before the head over them is: none of them has to be kept here.
    await this.#grow(keepsNothing, newest.size);
    await this.#keepTiles(keepsNothing);
    if ((await this.rootAt(newest.size)).toString("hex") !== hash) {
      throw new JournalRefusal(rewritten("the database", newest.size));
    }
    this.#newest = newest;
    this.#witnessed = await journal.newestCosignedHead();
  }

  get size(): number {
    return this.#tree.size;
  }

  /** The newest signed head, with the cosignatures that have come by now. */
  get newest(): Note | undefined {
    return this.#newest;
  }

  /** The newest that a witness has cosigned. */
  get witnessed(): Note | undefined {
    return this.#witnessed;
  }

  /** A durable entry; one that is not the next is read from the journal when it is needed. */
  take(sequence: number, hash: string): void {
    const last = this.#waiting.at(-1)?.sequence ?? this.#tree.size;
    if (sequence === last + 1) this.#waiting.push({ sequence, hash });
  }

  /** Signs the tree over the first `size` entries, all durable, and keeps what it takes. */
  async sign(lead: Lead, size: number): Promise<void> {
    const { key, file } = this.#options;
    await this.#grow(lead, size);
    const root = (await this.rootAt(size)).toString("hex");
    const signed = signCheckpoint(key, this.origin, { size, hash: root });
    await this.#keepTiles(lead);
    // If we stop between the two, the file knows more than the database: the start checks both.
    await file?.append(signed.note);
    const note = signedByFormer(key, this.origin, signed.note);
    await lead.keepLogHead({ size, note });
    if (size >= (this.#newest?.size ?? 0)) this.#newest = { size, note };
  }

  /** `lines`: valid signature lines of witnesses on the head of this size, newlines included. */
  async addCosignatures(lead: Lead, { size, note }: Note, lines: string): Promise<void> {
    const cosigned = { size, note: `${note}${lines}` };
    await lead.keepLogHead(cosigned);
    if (this.#newest?.size === size) this.#newest = cosigned;
    if (size >= (this.#witnessed?.size ?? 0)) this.#witnessed = cosigned;
  }

  /**
   * The head of exactly this size, with the cosignatures that are kept. One that is not kept is
   * signed again: the signature of the same tree is the same.
   */
  async headAt(size: number): Promise<Note | undefined> {
    const kept = await this.#options.journal.logHead(size);
    if (kept !== undefined || size < 1 || size > (this.#newest?.size ?? 0)) return kept;
    const { key } = this.#options;
    const root = (await this.rootAt(size)).toString("hex");
    const { note } = signCheckpoint(key, this.origin, { size, hash: root });
    return { size, note: signedByFormer(key, this.origin, note) };
  }

  rootAt(size: number): Promise<Buffer> {
    return this.#rangeHash([0, size]);
  }

  /** `size`: of a tree that holds the entry and is no larger than this one. */
  async inclusion(sequence: number, size: number): Promise<Inclusion> {
    const proof: Buffer[] = [];
    for (const range of inclusionRanges(sequence - 1, size)) {
      proof.push(await this.#rangeHash(range));
    }
    return { index: sequence - 1, treeSize: size, proof };
  }

  async consistency(from: number, to: number): Promise<readonly Uint8Array[]> {
    const proof: Buffer[] = [];
    for (const range of consistencyRanges(from, to)) proof.push(await this.#rangeHash(range));
    return proof;
  }

  /** The first `width` hashes of a tile; undefined where the tree has not so many. */
  async tile(place: TilePlace, width: number): Promise<Uint8Array | undefined> {
    const full = fullTiles(this.#tree.size, place.level);
    if (place.index > full) return undefined;
    const bytes =
      place.index < full ? await this.#fullTile(place) : this.#tree.partial(place.level);
    return bytes.length < width * HASH_BYTES ? undefined : bytes.subarray(0, width * HASH_BYTES);
  }

  /** Hashes of entries as the leaves have them: those of a leaf tile. */
  async entries(index: number, width: number): Promise<readonly string[] | undefined> {
    const first = index * TILE_HASHES;
    if (first + width > this.#tree.size) return undefined;
    return this.#options.journal.entryHashes(first + 1, width);
  }

  #opened(place: string, note: string): Head {
    const head = openCheckpoint(this.#options.key, this.origin, note);
    if (head !== undefined) return head;
    throw new JournalRefusal(
      `The checkpoint of the transparency log in ${place} is not one that this node's ` +
        `checkpoint.key signed for ${this.origin}. Put the key that belongs to this journal into ` +
        "FIRSTPRINT_DATA_DIR, or find out who changed the checkpoint.",
    );
  }

  async #agrees(
    lead: Lead,
    { size }: Head,
    signed: readonly { readonly place: string; readonly head: Head }[],
  ): Promise<boolean> {
    await this.#grow(lead, size);
    for (const { place, head } of signed) {
      if (head.size > size) throw new JournalRefusal(rewritten(place, head.size));
      if ((await this.rootAt(head.size)).toString("hex") !== head.hash) return false;
    }
    return true;
  }

  /** Two terms may grow it at once: each leaf goes in at its own place only. */
  async #grow(lead: TileKeeper, size: number): Promise<void> {
    while (this.#tree.size < size) {
      this.#waiting = this.#waiting.filter(({ sequence }) => sequence > this.#tree.size);
      const from = this.#tree.size + 1;
      if (this.#waiting.at(0)?.sequence === from) {
        for (const { sequence, hash } of this.#waiting) {
          if (sequence <= size) this.#tree.append(hash);
        }
      } else {
        const most = Math.min(SLICE_HASHES, size - this.#tree.size);
        const hashes = await this.#options.journal.entryHashes(from, most);
        if (hashes.length === 0) throw new JournalRefusal(`entry ${from} is missing`);
        for (const [at, hash] of hashes.entries()) {
          if (from + at === this.#tree.size + 1) this.#tree.append(hash);
        }
      }
      if (this.#tree.full.length >= TILES_AT_ONCE) await this.#keepTiles(lead);
    }
    this.#waiting = this.#waiting.filter(({ sequence }) => sequence > this.#tree.size);
  }

  async #keepTiles(lead: TileKeeper): Promise<void> {
    const tiles = this.#tree.full.slice();
    if (tiles.length === 0) return;
    await lead.keepTiles(tiles);
    this.#tree.forget(tiles);
  }

  async #rangeHash(range: readonly [number, number]): Promise<Buffer> {
    const hashes: Buffer[] = [];
    for (const subtree of coverOf(range)) hashes.push(await this.#subtreeHash(subtree));
    return joined(hashes);
  }

  async #subtreeHash(subtree: Subtree): Promise<Buffer> {
    const found = this.#tree.edgeHash(subtree);
    if (found !== undefined) return found;
    const { level, index } = subtree;
    const inTile = level % 8;
    const perTile = TILE_HASHES >> inTile;
    const place = { level: (level - inTile) / 8, index: Math.floor(index / perTile) };
    const hashes = (await this.#tileHashes(place)).at(inTile, index % perTile);
    if (hashes === undefined) throw new JournalRefusal(`no tile of the log has subtree ${index}`);
    return hashes;
  }

  async #tileHashes(place: TilePlace): Promise<TileHashes> {
    const name = `${place.level}/${place.index}`;
    const hashes = this.#cache.get(name) ?? new TileHashes(await this.#fullTile(place));
    this.#cache.delete(name);
    this.#cache.set(name, hashes);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= CACHED_TILES) break;
      this.#cache.delete(oldest);
    }
    return hashes;
  }

  async #fullTile(place: TilePlace): Promise<Uint8Array> {
    const { level, index } = place;
    const kept = this.#tree.full.find((tile) => tile.level === level && tile.index === index);
    const hashes = kept?.hashes ?? (await this.#options.journal.tile(place));
    if (hashes !== undefined) return hashes;
    throw new Error(
      `tile ${index} of level ${level} of the transparency log is missing: the next start makes it`,
    );
  }
}

/** The tree of the full tiles that are stored; an empty one where any that is needed is missing. */
async function restored(journal: LogStore): Promise<LogTree> {
  const size = (await journal.leafTiles()) * TILE_HASHES;
  const roots = new Map<number, readonly Buffer[]>();
  for (let level = 0; fullTiles(size, level) > 0; level += 1) {
    const first = fullTiles(size, level + 1) * TILE_HASHES;
    const count = fullTiles(size, level) - first;
    const tiles = await Promise.all(
      Array.from({ length: count }, (_, at) => journal.tile({ level, index: first + at })),
    );
    const found: Buffer[] = [];
    for (const hashes of tiles) {
      if (hashes?.length !== TILE_BYTES) return new LogTree();
      found.push(joinedEvenly(hashesIn(hashes)));
    }
    roots.set(level, found);
  }
  return LogTree.from(size / TILE_HASHES, (level) => roots.get(level) ?? []);
}

const rewritten = (place: string, size: number): string =>
  `The checkpoint of the transparency log in ${place} was signed over ${size} entries, and the ` +
  "journal's first so many are others, or fewer: it has been rewritten, cut off, or went on " +
  "otherwise after an older backup. Keep this database as evidence, and restore a backup that " +
  "holds that checkpoint; docs/operating/backups.md says more.";
