// Fees in the reference model: of an order, and the part of each of its fills.
// Invariant: nothing of src/core is called; the parts of an order's fills are its fee.
import type { AccountId } from "#base/ids.ts";
import { ceilDiv } from "#test/simulation/arithmetic.ts";
import type { ModelFill } from "./model-ledger.ts";
import { feeBase } from "./model-order.ts";

export interface ModelCharge {
  readonly payer: AccountId;
  readonly house: bigint;
  readonly fund: bigint;
}

/** Rounded up; of an order that has paid before, down. */
export const feeOn = (base: bigint, feeBps: number, isFirst: boolean): bigint =>
  isFirst ? ceilDiv(base * BigInt(feeBps), 10_000n) : (base * BigInt(feeBps)) / 10_000n;

/** The part of a fill: the fee up to it less the fee before it; the fund's half likewise. */
export function chargesOf(
  fills: readonly ModelFill[],
  payer: AccountId,
  feeBps: number,
  isFirst: boolean,
): readonly (readonly [ModelFill, ModelCharge])[] {
  let base = 0n;
  return fills.map((fill) => {
    const before = feeOn(base, feeBps, isFirst);
    base += feeBase(fill.amountLots, fill.yesTick);
    const upTo = feeOn(base, feeBps, isFirst);
    const fund = upTo / 2n - before / 2n;
    return [fill, { payer, house: upTo - before - fund, fund }];
  });
}
