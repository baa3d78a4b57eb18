// The records of a cash settlement: the round in which sellers mark a market, and a mark.
// Invariant: a mark is in no record but its own until the round is over; then all of them are told.
import type { AccountId, MarketId } from "#base/ids.ts";

export interface MarkRound {
  readonly openedAtMillis: number;
  readonly closesAtMillis: number;
}

/** The worth of YES to a seller, in ticks, 0 and 10,000 included. Sealed; one an account. */
export interface SealedMark {
  readonly marketId: MarketId;
  readonly accountId: AccountId;
  readonly valueTicks: number;
  /** Of the entry: of marks of one owner the newest counts. */
  readonly sequence: number;
}

export const markName = ({ marketId, accountId }: Pick<SealedMark, "marketId" | "accountId">) =>
  `${marketId}|${accountId}`;

export const FEWEST_MARKS = 3;
