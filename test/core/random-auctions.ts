// Auctions of defaults as a seed draws them: somebody is there when one opens, bids are many and
// often equal, and something befalls their bidders before the close.
// Invariant: only the dice and the state decide; time stands where an auction opens or ends.
import type { AccountId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { buysYes } from "#core/book/order.ts";
import type { Actor, Command } from "#core/command.ts";
import { highestBid } from "#core/margin/auction.ts";
import type { Bid, DefaultAuction } from "#core/margin/auction-record.ts";
import { kycTiers } from "#core/records.ts";
import { foundingRules } from "#core/rules.ts";
import type { Dice } from "./dice.ts";
import { decision, order, root, type Trader, type World } from "./world.ts";

const usd = (dollars: number): Micros => micros(BigInt(dollars) * 1_000_000n);

const kinds = [
  ...(["bid", "bid", "bid", "bid", "bid", "bid", "fit", "fit", "fit", "close"] as const),
];
const harms = [
  ...(["cash", "cash", "cash", "halt", "tier", "limit", "limit", "limit"] as const),
  ...(["debt", "debt", "debt", "debt"] as const),
];

export class RandomAuctions {
  readonly #world: World;
  readonly #dice: Dice;
  /** Buys on credit next. */
  #toOwe: Trader | undefined;
  /** Then the auction closes, before anything comes back. */
  #isCloseNext = false;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** Undefined: whatever else is drawn, perhaps at a later time. */
  next(traders: readonly Trader[]): readonly [Actor, Command] | undefined {
    const dice = this.#dice;
    const [auction] = [...this.#world.state.auctions.values()].slice(-1);
    if (auction === undefined) return this.#without();
    const [owing, isClosed] = [this.#toOwe, this.#isCloseNext];
    this.#toOwe = undefined;
    const owed = owing === undefined ? undefined : this.#indebt(owing, auction);
    if (owed !== undefined) return owed;
    this.#isCloseNext = false;
    if (isClosed || !dice.chance(80)) return isClosed ? this.#close(auction) : undefined;
    const bids = [...this.#world.state.bids.values()].filter(
      ({ auctionId }) => auctionId === auction.id,
    );
    const bidder = traders.find(
      ({ id }) => id === (bids.length > 0 ? dice.pick(bids).accountId : ""),
    );
    const others = traders.filter(({ id }) => id !== auction.accountId);
    const anybody = dice.pick(others);
    switch (dice.pick(kinds)) {
      case "bid":
        return [anybody.actor, this.#bid(auction, bids)];
      case "fit":
        return this.#fit(anybody);
      case "close":
        // One bid alone seldom, and mostly once something has befallen a bidder.
        if (bids.length < 2 && dice.chance(80)) return undefined;
        return bidder !== undefined && dice.chance(70) ? this.#harm(bidder) : this.#close(auction);
    }
  }

  #close({ closesAtMillis }: DefaultAuction): undefined {
    this.#world.runTo(closesAtMillis + this.#dice.below(1_000));
  }

  /** To bid: cleared, resumed, or with more cash. */
  #fit({ id: accountId }: Trader): readonly [Actor, Command] {
    const { kyc, halted } = this.#world.state.account(accountId);
    const tier = this.#dice.pick(kycTiers);
    if (kyc.status !== "approved") return [root, decision(accountId, "approve", tier, true)];
    if (halted) return [root, { type: "ResumeAccount", accountId, reason: "drill" }];
    return [root, funding(accountId, usd(this.#dice.pick([50, 500, 3_000])))];
  }

  /** Limits that an auction has lowered rise again; and calls fall due one by one. */
  #without(): readonly [Actor, Command] | undefined {
    const { state, nowMillis } = this.#world;
    const [due] = [...state.callsDue.keys()].sort((a, b) => a - b);
    if (due !== undefined && due > nowMillis && this.#dice.chance(10)) {
      this.#world.runTo(due + this.#dice.below(1_000));
    }
    const lowered = kycTiers.find((tier) => state.rules.tiers[tier].maxOpenPositions < FEW);
    if (lowered !== undefined && this.#dice.chance(20)) {
      return [root, this.#limit(lowered, foundingRules.tiers[lowered].maxOpenPositions)];
    }
    return undefined;
  }

  #bid({ id, accountId }: DefaultAuction, bids: readonly Bid[]): Command {
    const dice = this.#dice;
    const most = highestBid(this.#world.state, accountId);
    const drawn = micros((most * BigInt(dice.below(1_001))) / 1_000n);
    const same = bids.length > 0 ? dice.pick(bids).amountMicros : drawn;
    if (dice.chance(8)) return { type: "WithdrawBid", auctionId: id };
    const amounts = [0n, drawn, drawn, same, same, same, most, most + 1n];
    const amountMicros = micros(dice.pick(amounts));
    return { type: "PlaceBid", auctionId: id, amountMicros };
  }

  #harm(bidder: Trader): readonly [Actor, Command] {
    const { id } = bidder;
    const { approvedTier, tier } = this.#world.state.account(id).kyc;
    const own = approvedTier ?? tier;
    this.#isCloseNext = true;
    switch (this.#dice.pick(harms)) {
      case "cash":
        return this.#empty(id);
      case "halt":
        return [root, { type: "HaltAccount", accountId: id, reason: "drill" }];
      case "tier":
        return [root, decision(id, "approve", "basic", true)];
      case "limit":
        return [root, this.#limit(own === "none" ? "basic" : own, 0)];
      case "debt":
        this.#toOwe = bidder;
        return this.#empty(id);
    }
  }

  /** All of what is offered somewhere on credit, due before the close. */
  #indebt({ id, actor }: Trader, auction: DefaultAuction): readonly [Actor, Command] | undefined {
    const { state, nowMillis } = this.#world;
    const offered = [...state.openOrders.values()].flatMap((ids) =>
      [...ids]
        .map((one) => state.order(one))
        .filter((one) => !buysYes(one) && one.accountId !== id),
    );
    if (offered.length === 0) return undefined;
    const { marketId, amountLots } = this.#dice.pick(offered);
    const { terms, markTick, stressedTick, riskTicks, within } = state.market(marketId);
    const listing = { marketId, terms, markTick, stressedTick, riskTicks, within };
    const dear = order(listing, "BUY", "1", "0.9999", { amountLots, timeInForce: "IOC" });
    const fundsAtMillis = Math.floor((nowMillis + auction.closesAtMillis) / 2);
    const structure = { kind: "at_funding", fundsAtMillis, aprBps: 600 } as const;
    return [
      actor,
      { type: "AcceptQuote", order: dear, listing, structure, referenceTick: dear.priceTick },
    ];
  }

  /** All but a dollar: fees are paid of it. */
  #empty(id: AccountId): readonly [Actor, Command] {
    const { state } = this.#world;
    const free = state.balance(`cash:${id}`) - state.exposures.locked(id);
    return [root, funding(id, micros(usd(1) - free))];
  }

  #limit(tier: (typeof kycTiers)[number], maxOpenPositions: number): Command {
    const { tiers } = this.#world.state.rules;
    const changed = { ...tiers[tier], maxOpenPositions };
    return { type: "SetRules", rules: { tiers: { ...tiers, [tier]: changed } } };
  }
}

/** No tier is founded with so few open positions. */
const FEW = 5;

const funding = (accountId: AccountId, amountMicros: Micros): Command => ({
  type: "FundAccount",
  accountId,
  amountMicros,
  memo: null,
});
