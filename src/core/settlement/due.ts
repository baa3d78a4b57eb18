// The payouts of a resolved market: who is paid, and who pays.
// Invariant: what shorts give up is what longs are due; a due is rounded once, down.
import type { MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { type Lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { mulDivDown } from "#base/rounding.ts";
import { FULL_PAYOUT_MILLIONTHS } from "#contract/payoff.ts";
import type { Market, Position, Resolution } from "../records.ts";
import { emit, type Step } from "../step.ts";
import { positionsIn } from "./holders.ts";
import { sharesOf } from "./shares.ts";

export interface Due {
  readonly position: Position;
  readonly micros: Micros;
}

export interface DueInMarket {
  readonly market: Market;
  readonly owed: bigint;
  readonly claims: readonly Due[];
  /** The amounts that shorts pay: together they equal the claims. */
  readonly payers: readonly Due[];
}

/** Each long is due floor(face × fraction); shorts owe the sum of that, in proportion. */
export function dueIn(step: Step, id: MarketId): DueInMarket {
  const market = step.state.market(id);
  const fraction = BigInt(resolutionOf(market).payoutMillionths);
  const held = positionsIn(step, id);
  const claims = held
    .filter(({ heldLots }) => heldLots > 0n)
    .map((position) => ({ position, micros: payoutOf(position.heldLots, fraction) }));
  const owed = claims.reduce((sum, due) => sum + due.micros, 0n);
  const shorts = held.filter(({ heldLots }) => heldLots < 0n);
  const weights = shorts.map(({ heldLots }) => -heldLots);
  const shares = sharesOf(owed, weights);
  const payers = shorts.map((position, at) => ({ position, micros: shares[at] ?? noMoney }));
  return { market, owed, claims, payers };
}

const payoutOf = (held: Lots, fraction: bigint): Micros =>
  micros(mulDivDown(held * MICROS_PER_LOT, fraction, FULL_PAYOUT_MILLIONTHS));

export function resolutionOf({ id, resolution }: Market): Resolution {
  invariant(resolution !== null, `market ${id} resolved before it is finalized`);
  return resolution;
}

/** The market is done; `lacks` is what its payouts lack. */
export function putFinal(step: Step, market: Market, lacks: Micros): void {
  const resolution = { ...resolutionOf(market), finalizedAtMillis: step.nowMillis };
  const ended = { status: "FINALIZED", shortfallMicros: lacks, resolution } as const;
  emit(step, {
    type: "MarketChanged",
    market: { ...market, ...ended, updatedAtMillis: step.nowMillis },
  });
}
