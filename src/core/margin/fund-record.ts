// The records of the fund's layers: an account's contribution, and a loss as the layers bear it.
// Invariant: what each layer bears of a loss, and what none does, add up to it.
import type { AccountId, MarketId, ReleaseId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import type { Lots } from "#base/quantity.ts";

/** An account's part in the fund; the cash of it is in the ledger, `contribution:<account>`. */
export interface Contribution {
  /** As it was set last: an assessment asks for so much again, whatever losses have left of it. */
  readonly sizeMicros: Micros;
  /** Assessed and not paid yet: a debt, paid from whatever cash of the account is free. */
  readonly owesMicros: Micros;
}

interface TrustedShort {
  readonly marketId: MarketId;
  readonly shortLots: Lots;
  /** Of its mark, as it was paid: a void of the market gives it back. */
  readonly paidMicros: Micros;
}

/** Positions of an account that the guarantee fund took over. */
export interface Trust {
  /** Asked for the positions, less what those cost that are settled. */
  readonly leftMicros: Micros;
  /** Not settled yet. */
  readonly shorts: readonly TrustedShort[];
}

/** By layer, in the order they are drawn. */
export interface DrawnLoss {
  /** The account in default, or the release whose payouts the fund's own shorts owe. */
  readonly of: AccountId | ReleaseId;
  readonly lossMicros: Micros;
  /** The defaulter's own contribution. */
  readonly ownMicros: Micros;
  readonly exchangeMicros: Micros;
  /** Of what fees and deposits have brought, beyond the worst that the fund's shorts may cost. */
  readonly fundMicros: Micros;
  /** Of the other accounts. */
  readonly contributionsMicros: Micros;
  readonly assessedMicros: Micros;
  /** Assessed, and a debt of those who had no free cash. */
  readonly assessedOwedMicros: Micros;
  /** Borne by no layer: claims are cut where the fund's shorts come to cost so much. */
  readonly leftMicros: Micros;
}
