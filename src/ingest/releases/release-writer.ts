// A release on its way into the store: blocks are written as they fill, while the file is read.
// Invariant: the digests cover every block that was staged, in their order.
import type { NodeId } from "#base/ids.ts";
import { addMonths } from "#base/month.ts";
import type { NewPrint } from "#prints/first-prints.ts";
import { mergeRows, type PackedRow } from "#prints/packed-row.ts";
import { RunWriter } from "#prints/print-run.ts";
import type { FirstChain } from "#prints/word-row.ts";
import { placesText } from "../places/known-places.ts";
import { BLOCK_BYTES, BlocksDigest, LatestDigest, type Staging } from "../store.ts";

/** The digests a journal entry holds of the rows that were staged with it. */
export interface StagedDigests {
  readonly printsDigest: string;
  readonly latestDigest: string;
}

/** Where blocks go. */
type Blocks = Pick<Staging, "add" | "addLatest">;

export class ReleaseWriter {
  readonly #staging: Blocks;
  readonly #digest = new BlocksDigest();
  readonly #latestDigest = new LatestDigest();
  readonly #runs = new RunWriter(BLOCK_BYTES + 16_384);
  readonly #latest = new RunWriter(BLOCK_BYTES + 16_384);
  #blocks = 0;
  #latestBlocks = 0;
  #firstPlace: number;
  #newPlaces: (readonly [string, NodeId])[] = [];

  /** `places`: how many the series has. */
  constructor(staging: Blocks, places: number) {
    this.#staging = staging;
    this.#firstPlace = places;
  }

  /** The number of a place that no release of the series had. */
  newPlace(region: string, node: NodeId): number {
    return this.#firstPlace + this.#newPlaces.push([region, node]) - 1;
  }

  /** `row`: the line; `before`: the newest values before it. */
  add(
    place: number,
    newPrints: readonly NewPrint[],
    row: PackedRow,
    before: PackedRow | undefined,
  ): void {
    this.#runs.add(place, newPrints, row);
    this.#addLatest(place, row, before);
  }

  /** A place that nobody knew, by its chain. */
  addFirst(place: number, { start, end, near }: FirstChain, row: PackedRow): void {
    const words = row.words.subarray(start, end);
    this.#runs.addFirst(place, addMonths(row.firstMonth, start), words, near);
    this.#addLatest(place, row, undefined);
  }

  #addLatest(place: number, row: PackedRow, before: PackedRow | undefined): void {
    const latest = mergeRows(before, row);
    if (latest !== undefined) this.#latest.addRow(place, latest);
  }

  /** Writes what has become a block. */
  async drain(): Promise<void> {
    if (this.#runs.length >= BLOCK_BYTES) await this.#writeBlock();
    if (this.#latest.length >= BLOCK_BYTES) await this.#writeLatest();
  }

  /** `untouched`: newest values of places that the file does not carry. */
  async finish(untouched: ReadonlyMap<number, PackedRow>): Promise<StagedDigests> {
    for (const [place, row] of untouched) {
      this.#latest.addRow(place, row);
      await this.drain();
    }
    if (this.#runs.length > 0 || this.#newPlaces.length > 0) await this.#writeBlock();
    if (this.#latest.length > 0) await this.#writeLatest();
    return { printsDigest: this.#digest.hex(), latestDigest: this.#latestDigest.hex() };
  }

  async #writeLatest(): Promise<void> {
    const block = { block: this.#latestBlocks, bytes: this.#latest.take() };
    this.#latestBlocks += 1;
    this.#latestDigest.add(block);
    await this.#staging.addLatest(block);
  }

  async #writeBlock(): Promise<void> {
    const block = {
      block: this.#blocks,
      firstPlace: this.#firstPlace,
      places: placesText(this.#newPlaces),
      bytes: this.#runs.take(),
    };
    this.#blocks += 1;
    this.#firstPlace += this.#newPlaces.length;
    this.#newPlaces = [];
    this.#digest.add(block);
    await this.#staging.add(block);
  }
}
