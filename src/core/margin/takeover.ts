// Shorts of an account in default that pass to another: to a bidder, or to the guarantee fund.
// Invariant: the account pays what was agreed and never more than it has; what the fund bears for
// it, it owes the fund, which is paid from its free cash before anybody else.
import type { AccountId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { settled, takenOver } from "../account/position.ts";
import { fitReduceOnly } from "../book/reduce-only.ts";
import type { Account } from "../records.ts";
import { sharesOf } from "../settlement/shares.ts";
import { available, cashOf, emit, GUARANTEE, positionOf, post, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import type { InDefault } from "./auction-record.ts";
import { coversKnown, type Shorts } from "./call.ts";
import type { Short } from "./exposure.ts";
import { microsUp } from "./requirement.ts";
import { drawFor } from "./waterfall.ts";

/** Of the shorts whose payouts are not known. */
export const openShorts = ({ exposures }: Shorts, id: AccountId): readonly Short[] =>
  exposures.shorts(id).filter(({ rate }) => !rate.isResolved);

/** A short at its mark, or its payout where that is known. */
const worthOf = ({ shortLots, rate }: Short): Micros => microsUp(shortLots * rate.liability);

/**
 * Moves the shorts with `amount` of cash: up to their marks it belongs to them, in proportion, so
 * that a void reverses it; beyond that it is the price of taking them. Returns the part of its mark
 * that each short was paid.
 */
export function passOn(
  step: Step,
  from: AccountId,
  to: AccountId,
  shorts: readonly Short[],
  amount: Micros,
  reference: string,
): readonly Micros[] {
  const worths = shorts.map(worthOf);
  const forMarks = least(amount, micros(worths.reduce<bigint>((sum, one) => sum + one, 0n)));
  const parts = sharesOf(forMarks, worths);
  for (const [at, { marketId, shortLots }] of shorts.entries()) {
    const paid = parts[at] ?? noMoney;
    post(step, cashOf(from), cashOf(to), paid, "takeover", marketId);
    const given = settled(positionOf(step.state, from, marketId), micros(-paid));
    emit(step, { type: "PositionChanged", position: given });
    const taken = takenOver(positionOf(step.state, to, marketId), shortLots, paid);
    emit(step, { type: "PositionChanged", position: taken });
    fitReduceOnly(step, to, marketId, null);
  }
  const beyond = micros(amount - forMarks);
  post(step, cashOf(from), cashOf(to), beyond, "liquidation", reference);
  return parts;
}

/** The fund takes over all known payouts where the account cannot pay all of them. */
export function passOnKnown(step: Step, id: AccountId): void {
  const { state } = step;
  if (coversKnown(state, id)) return;
  const known = state.exposures.shorts(id).filter(({ rate }) => rate.isResolved);
  const owed = known.map(worthOf).reduce<bigint>((sum, one) => sum + one, 0n);
  const paid = least(micros(owed), state.balance(cashOf(id)));
  passOn(step, id, GUARANTEE, known, paid, id);
  owe(step, id, micros(owed - paid));
}

/** The fund bears so much more for the account, beyond what its own contribution pays. */
export function owe(step: Step, id: AccountId, loss: Micros): void {
  if (loss === 0n) return;
  const more = loss - drawFor(step, { defaulter: id, amountMicros: loss });
  const before = step.state.account(id).inDefault?.owesMicros ?? 0n;
  putDefault(step, step.state.account(id), { owesMicros: micros(before + more) });
}

export function putDefault(
  step: Step,
  account: Account,
  changes: Partial<Pick<InDefault, "owesMicros" | "auctionId">>,
): void {
  const fresh = { sinceMillis: step.nowMillis, owesMicros: noMoney };
  const inDefault = { ...(account.inDefault ?? fresh), ...changes };
  emit(step, { type: "AccountChanged", account: { ...account, inDefault } });
}

/**
 * Pays the fund from cash that nothing holds back; and ends the default of an account that has no
 * positions to be auctioned and owes the fund nothing.
 */
export function repayFund(step: Step, id: AccountId): void {
  const { state } = step;
  const { inDefault } = state.account(id);
  if (inDefault === undefined) return;
  const free = available(state, id);
  const paid = least(inDefault.owesMicros, free > 0n ? free : noMoney);
  if (paid > 0n) {
    post(step, cashOf(id), "guarantee", paid, "default-debt", id);
    const left = micros(inDefault.owesMicros - paid);
    putDefault(step, state.account(id), { owesMicros: left });
  }
  const { inDefault: left, ...account } = state.account(id);
  if (left === undefined || left.owesMicros > 0n || left.auctionId !== undefined) return;
  emit(step, { type: "AccountChanged", account });
  const text = "The default is over: the account owes the guarantee fund nothing; its cash is free";
  raiseAlert(step, id, "auction", text);
}

export const owedText = (owes: Micros): string =>
  owes === 0n ? "" : `; the account owes the guarantee fund ${formatMicros(owes)} USD`;
