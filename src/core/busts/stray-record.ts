// A fill off the reference, as a record.
// Invariant: it holds all that undoing the fill takes.
import type { Micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import type { Fill, Position } from "../records.ts";

/** A party's position as it was before the fill. */
type Stood = Pick<Position, "heldLots" | "costMicros" | "realisedMicros">;

/** As the fill found its market and its parties. */
export interface Found {
  readonly referenceTick: Tick;
  readonly lastTick: Tick | null;
  readonly buyer: Stood;
  readonly seller: Stood;
}

export interface Stray extends Found {
  readonly fill: Fill;
  /** The taker's fee on this fill: the parts of an order's fills add up to its fee. */
  readonly houseFeesMicros: Micros;
  readonly fundFeesMicros: Micros;
}
