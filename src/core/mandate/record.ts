// A mandate: an account's standing instruction to trade a whole scope at the mark and a spread.
// Invariant: nothing is reserved for one; each fill is margined whole in its own command.
import type { AccountId, MandateId, MarketId, NodeId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Lots } from "#base/quantity.ts";
import type { Payoff } from "#contract/terms.ts";
import type { Side } from "../records.ts";

/** The contracts on declines that a mandate stands behind, listed or not. */
export interface MandateScope {
  readonly index: IndexKind;
  /** Places, and roots of all places that lie in them. */
  readonly places: readonly NodeId[];
  /** `state`, `zip` … of the contract's own place; null = every level. */
  readonly levels: readonly string[] | null;
  /** Layers and strikes; null = all there are. */
  readonly payoffs: readonly Exclude<Payoff, { readonly kind: "level" }>[] | null;
  /** Prints still to come until the one that settles the contract, both ends included. */
  readonly minMonths: number;
  readonly maxMonths: number;
}

/** Lots it may have traded in contracts that are not final; `InState`: of one state. */
export interface MandateLimits {
  readonly mostInMarketLots: Lots;
  readonly mostInStateLots: Lots;
  readonly mostInAllLots: Lots;
}

/** The parts of a mandate that its account sets. */
export interface MandateTerms extends MandateLimits {
  readonly scope: MandateScope;
  /** Of the protection: who sells gets the spread on top of the mark, who buys pays it less. */
  readonly side: Side;
  readonly spreadTicks: number;
  /** Beside it, for each year of prints still to come. */
  readonly spreadTicksPerYear: number;
  /** 0 = until it is cancelled. */
  readonly expirySeconds: number;
  /** `full`: only while the account's cash pays everything it could ever owe, with this fill. */
  readonly collateral: "margin" | "full";
}

export interface Mandate extends MandateTerms {
  readonly id: MandateId;
  readonly accountId: AccountId;
  readonly createdAtMillis: number;
  /** Before others at one price: of the entry that set it, or changed its price. */
  readonly rank: number;
}

export type MandateCommand =
  /** Null = a new one. */
  | {
      readonly type: "SetMandate";
      readonly mandateId: MandateId | null;
      readonly terms: MandateTerms;
    }
  | ({ readonly type: "LowerMandate"; readonly mandateId: MandateId } & MandateLimits)
  /** Null = all of the account. */
  | { readonly type: "CancelMandates"; readonly mandateId: MandateId | null }
  | { readonly type: "ExpireMandate"; readonly mandateId: MandateId };

/** The lots a mandate has traded in a market that is not final. */
export interface MandateUse {
  readonly mandateId: MandateId;
  readonly marketId: MarketId;
  /** The state that the market's place lies in, or the place itself where it lies in none. */
  readonly state: NodeId;
  readonly usedLots: Lots;
}

export const useName = (mandate: MandateId, market: MarketId): string => `${mandate}|${market}`;

export const stateUseName = (mandate: MandateId, state: NodeId): string => `${mandate}|${state}`;
