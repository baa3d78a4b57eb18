// The reference model's books of money and positions: every movement and every fill, and nothing
// that could be added up from them.
// Invariant: lists are replaced and never changed; what leaves one account enters another.
import type { AccountId, MarketId, ProposalId } from "#base/ids.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Fill, Link, Market } from "#core/records.ts";

interface ModelDispute {
  readonly by: string;
  readonly bond: bigint;
  readonly untilMillis: number;
}
/** With its moment, and what the sides held before it. */
export type ModelFill = Omit<Fill, "id" | "takerBuysYes"> & {
  readonly stood: { readonly buyer: bigint; readonly seller: bigint };
};
/** One operator's word about a subject. */
export interface ModelWord {
  readonly by: string;
  readonly subject: string;
  readonly choice: string;
  readonly untilMillis: number;
  /** It is told: the model numbers no entries. */
  readonly proposalId: ProposalId | null;
}
type ModelMarket = Pick<Market, "id" | "terms" | "status" | "tradingClosed" | "markTick"> & {
  readonly shortfall: bigint;
  /** The link of its print, once there is one. */
  readonly link: Link | null;
  readonly dispute: ModelDispute | null;
  /** Of the present resolution. */
  readonly disputedBy: readonly string[];
  /** Of the face, once there is a print. */
  readonly payoutMillionths: bigint | null;
};

export class ModelLedger {
  markets: readonly ModelMarket[] = [];
  fills: readonly ModelFill[] = [];
  busted: ReadonlySet<ModelFill> = new Set();
  moves: readonly { from: string; to: string; amount: bigint; market: MarketId | null }[] = [];

  balance(name: string): bigint {
    return sum(this.moves, ({ to, from, amount }) => sign(to === name, from === name) * amount);
  }

  /** Net money that a ledger account has had from a market. */
  flow(name: string, market: MarketId): bigint {
    const here = this.moves.filter((one) => one.market === market);
    return sum(here, ({ to, from, amount }) => sign(to === name, from === name) * amount);
  }

  /** Of a market's trades that stand: what the exchange or the fund was paid. */
  taken(name: "fees" | "guarantee", market: MarketId): bigint {
    const here = this.moves.filter((one) => one.market === market);
    return sum(here, ({ to, from, amount }) => {
      return sign(to === name, from === name && to.startsWith("cash:")) * amount;
    });
  }

  /** Trades of a market that stand. */
  standing(market: MarketId): readonly ModelFill[] {
    return this.fills.filter((one) => one.marketId === market && !this.busted.has(one));
  }

  /** YES held, or sold short below zero; flat when the market has ended. */
  held(account: AccountId, market: MarketId): bigint {
    if (isOver(this.market(market))) return 0n;
    return sum(
      this.standing(market),
      (one) => sign(one.buyer === account, one.seller === account) * one.amountLots,
    );
  }

  market(id: MarketId): ModelMarket {
    return found(this.markets.find((market) => market.id === id));
  }

  list({ marketId: id, terms, markTick }: Listing): void {
    const open = { status: "ACTIVE", tradingClosed: false, shortfall: 0n } as const;
    const undisputed = { link: null, dispute: null, disputedBy: [] } as const;
    this.markets = [
      ...this.markets,
      { id, terms, markTick, ...open, ...undisputed, payoutMillionths: null },
    ];
  }

  /** Pauses it, or resumes it. */
  turn(id: MarketId, from: Market["status"], to: Market["status"]): "MARKET_STATE" | undefined {
    if (this.market(id).status !== from) return "MARKET_STATE";
    this.change(id, { status: to });
    return undefined;
  }

  change(id: MarketId, changes: Partial<ModelMarket>): void {
    this.markets = this.markets.map((one) => (one.id === id ? { ...one, ...changes } : one));
  }

  move(from: string, to: string, amount: bigint, market: MarketId | null = null): void {
    this.moves = [...this.moves, { from, to, amount, market }];
  }
}

export const sum = <T>(all: readonly T[], of: (one: T) => bigint): bigint =>
  all.reduce((total, one) => total + of(one), 0n);

const sign = (plus: boolean, minus: boolean): bigint => (plus ? 1n : minus ? -1n : 0n);

export const isLive = ({ status }: ModelMarket): boolean =>
  status === "ACTIVE" || status === "PAUSED";

export const isOver = ({ status }: ModelMarket): boolean =>
  status === "CANCELLED" || status === "FINALIZED";

export const isTrading = ({ status, tradingClosed }: ModelMarket): boolean =>
  status === "ACTIVE" && !tradingClosed;

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the model does not know it");
  return value;
}
