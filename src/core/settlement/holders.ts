// The holders of a market's positions: who they are, and telling them what the market paid.
// Invariant: an account is told once a command what came to it, and once what it lacks.
import type { AccountId, MarketId } from "#base/ids.ts";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import { raiseAlert } from "../margin/alert.ts";
import type { Position } from "../records.ts";
import { emit, type Step } from "../step.ts";

export function positionsIn(step: Step, id: MarketId): readonly Position[] {
  const positions: Position[] = [];
  for (const account of step.state.positionsByMarket.get(id) ?? []) {
    const position = step.state.position(account, id);
    if (position !== undefined) positions.push(position);
  }
  return positions;
}

export const putPosition = (step: Step, position: Position): void =>
  emit(step, { type: "PositionChanged", position });

export interface PaidClaim {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly paidMicros: Micros;
  /** Of what was due; 0 where it is paid in full, or the account knows already. */
  readonly lacksMicros: Micros;
}

export function tellPaid(step: Step, all: readonly PaidClaim[]): void {
  const byAccount = new Map<AccountId, PaidClaim[]>();
  for (const one of all) {
    const mine = byAccount.get(one.accountId);
    if (mine === undefined) byAccount.set(one.accountId, [one]);
    else mine.push(one);
  }
  for (const [account, mine] of byAccount) {
    const paying = mine.filter(({ paidMicros }) => paidMicros > 0n);
    const paid = formatMicros(sumOf(paying.map(({ paidMicros }) => paidMicros)));
    const text = `${paid} USD came from ${named(step, paying)}`;
    if (paying.length > 0) raiseAlert(step, account, "payout", text);
    const cut = mine.filter(({ lacksMicros }) => lacksMicros > 0n);
    warnOfHaircut(step, account, cut, sumOf(cut.map(({ lacksMicros }) => lacksMicros)));
  }
}

/** Somebody who is paid less than is due is told so, by how much. */
export function warnOfHaircut(
  step: Step,
  account: AccountId,
  markets: readonly Pick<PaidClaim, "marketId">[],
  lacks: Micros,
): void {
  if (lacks <= 0n) return;
  const missing = `${formatMicros(lacks)} USD due from ${named(step, markets)} is missing`;
  const why = "shorts and the guarantee fund could not pay all";
  raiseAlert(step, account, "haircut", `${missing}: ${why}`);
}

function named({ state }: Step, markets: readonly Pick<PaidClaim, "marketId">[]): string {
  const [first] = markets;
  const isOne = first !== undefined && markets.length === 1;
  return isOne ? `market ${state.market(first.marketId).frontendId}` : `${markets.length} markets`;
}

const sumOf = (amounts: readonly Micros[]): Micros =>
  micros(amounts.reduce((sum, amount) => sum + amount, 0n));
