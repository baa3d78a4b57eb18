// The records of a default: the account's own, the auction of its positions, and a bid.
// Invariant: a bid is in no record but its own, which nobody but its bidder is shown.
import type { AccountId, AuctionId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";

/** An account in default: while its positions are auctioned, and until it owes the fund nothing. */
export interface InDefault {
  readonly sinceMillis: number;
  /** The amount that the guarantee fund bears for it, paid from whatever cash it has free. */
  readonly owesMicros: Micros;
  /** The assessments that its losses have asked for so far; absent = none. */
  readonly assessedMicros?: Micros;
  /** Present while the auction runs. */
  readonly auctionId?: AuctionId;
}

/** Sealed; of all short positions of the account whose payouts are not known. */
export interface DefaultAuction {
  readonly id: AuctionId;
  readonly accountId: AccountId;
  readonly openedAtMillis: number;
  readonly closesAtMillis: number;
}

/** One an account and auction, firm until it is withdrawn. */
export interface Bid {
  readonly auctionId: AuctionId;
  readonly accountId: AccountId;
  /** Cash of the account in default that is to come with its positions. */
  readonly amountMicros: Micros;
  /** Of the entry: of equal bids the earlier one wins. */
  readonly sequence: number;
}

export const bidName = ({ auctionId, accountId }: Pick<Bid, "auctionId" | "accountId">): string =>
  `${auctionId}|${accountId}`;
