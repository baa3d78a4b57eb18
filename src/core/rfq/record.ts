// A request for quotes (RFQ) and the quotes for it: firm, sealed, whole.
// Invariant: a quote names a price for every leg, and holds back the most its fill could ever cost.
import type { AccountId, MarketId, NodeId, RfqId, RfqQuoteId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Micros, micros } from "#base/money.ts";
import { complement, type Tick } from "#base/price.ts";
import { costOf, type Lots, MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import type { Listing } from "../market/listing-record.ts";
import type { Side } from "../records.ts";

/** A market as it is, or would be listed; the block trade lists it where nobody else has. */
export interface RfqLeg {
  readonly listing: Listing;
  readonly amountLots: Lots;
}

interface RfqTerms {
  readonly legs: readonly RfqLeg[];
  /** Of the protection, by the requester: all legs alike. */
  readonly side: Side;
  /** Addresses of the accounts that may see it and quote; null = every trader. */
  readonly audience: readonly string[] | null;
  readonly closesAtMillis: number;
  /** Its maker learns whose it is from the block trade, if it wishes so, too; absent = no. */
  readonly tellsName?: true;
}

type RfqEnd = "filled" | "cancelled" | "lapsed" | "expired";

export interface Rfq extends RfqTerms {
  readonly id: RfqId;
  readonly accountId: AccountId;
  readonly openedAtMillis: number;
  /** `closed`: it takes no more quotes, and those it has may be accepted. */
  readonly status: "open" | "closed" | RfqEnd;
  /** Present once it is done: it can be neither quoted nor accepted any more. */
  readonly doneMillis?: number;
}

export interface RfqQuote {
  readonly id: RfqQuoteId;
  readonly rfqId: RfqId;
  readonly accountId: AccountId;
  /** Of YES, one a leg. */
  readonly ticks: readonly Tick[];
  readonly validUntilMillis: number;
  /** Cash that stays until the quote is over. */
  readonly reservedMicros: Micros;
  /** `ended`: the request is done, and another quote or none was taken. */
  readonly status: "open" | "filled" | "ended" | "lapsed";
  /** As of the request. */
  readonly tellsName?: true;
}

export type RfqCommand =
  | ({ readonly type: "OpenRfq" } & RfqTerms)
  /** One price is that of every leg. */
  | {
      readonly type: "QuoteRfq";
      readonly rfqId: RfqId;
      readonly ticks: readonly Tick[];
      readonly validUntilMillis: number;
      readonly tellsName?: true;
    }
  /** Null = as it was. */
  | {
      readonly type: "ImproveQuote";
      readonly quoteId: RfqQuoteId;
      readonly ticks: readonly Tick[];
      readonly validUntilMillis: number | null;
    }
  | { readonly type: "AcceptRfq"; readonly rfqId: RfqId; readonly quoteId: RfqQuoteId }
  | { readonly type: "CancelRfq"; readonly rfqId: RfqId }
  | { readonly type: "CloseRfq"; readonly rfqId: RfqId }
  | { readonly type: "LapseQuote"; readonly quoteId: RfqQuoteId };

export const sizeBands = ["under_100k", "100k_1m", "1m_10m", "over_10m"] as const;

export type RfqEvent =
  | { readonly type: "RfqOpened"; readonly rfq: Rfq }
  /** All that everybody learns of it. */
  | {
      readonly type: "RfqAnnounced";
      readonly rfqId: RfqId;
      readonly indexes: readonly IndexKind[];
      readonly states: readonly NodeId[];
      /** Of the coverage of all legs, USD. */
      readonly size: (typeof sizeBands)[number];
    }
  /** It takes no more quotes, or is done; its quotes are over with it, and no price is told. */
  | {
      readonly type: "RfqEnded";
      readonly rfqId: RfqId;
      readonly accountId: AccountId;
      readonly status: "closed" | RfqEnd;
      /** The quote that was taken. */
      readonly quoteId: RfqQuoteId | null;
    }
  | { readonly type: "RfqQuoteChanged"; readonly quote: RfqQuote }
  /** It lapsed, and its request goes on. */
  | {
      readonly type: "RfqQuoteEnded";
      readonly quoteId: RfqQuoteId;
      readonly accountId: AccountId;
    }
  | { readonly type: "RfqsForgotten"; readonly rfqIds: readonly RfqId[] };

/** An account, a market or an index that a request rests on. */
export type RfqGround = AccountId | MarketId | IndexKind;

export const rfqNumber = (id: RfqId): number => Number(id.slice("rfq-".length));

export const isDone = ({ doneMillis }: Rfq): boolean => doneMillis !== undefined;

/** Whether the two sides of a block trade learn of each other: both have wished so. */
export const areKnown = (rfq: Rfq, quote: RfqQuote): boolean =>
  quote.status === "filled" && rfq.tellsName === true && quote.tellsName === true;

/** Of the protection: what a quote for it does. */
export const makerSide = ({ side }: Pick<Rfq, "side">): Side => (side === "BUY" ? "SELL" : "BUY");

/** The most that a fill could take from its maker: no margin is more, whatever marks do later. */
export function reserveOf({ legs, side }: Pick<Rfq, "legs" | "side">, ticks: readonly Tick[]) {
  let reserved = 0n;
  for (const [at, { amountLots: lots }] of legs.entries()) {
    const tick = ticks[at];
    if (tick === undefined) reserved += lots * MICROS_PER_LOT;
    else reserved += costOf(lots, side === "BUY" ? complement(tick) : tick);
  }
  return micros(reserved);
}

/** Of YES, in one market. */
export interface PromisedLots {
  readonly buyLots: Lots;
  readonly sellLots: Lots;
}

/** A change of an account's promises. */
export interface Promised {
  /** Cash that all its quotes hold back from then on. */
  readonly reservedMicros: Micros;
  /** Of the markets it concerns: whether any quote sells there, so that a long offsets nothing. */
  readonly sells: ReadonlyMap<MarketId, boolean>;
}

export const nothingPromised: PromisedLots = { buyLots: noLots, sellLots: noLots };
