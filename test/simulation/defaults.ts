// The auditor's own record of defaults: auctions, bids, what is paid for positions, and what the
// accounts in default owe the guarantee fund.
// Invariant: nothing of the core is called; who takes an auction, and its price, are found anew.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { Account, Market } from "#core/records.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { State } from "#core/state.ts";
import { atLeastZero, ceilDiv, least, shared, takeoverCharge } from "./arithmetic.ts";
import type { Bidders, Unfit } from "./bidders.ts";
import { type Books, cashOf, FUND } from "./books.ts";
import type { Cover } from "./cover.ts";
import type { Fund } from "./fund.ts";

interface Auction {
  readonly account: string;
  readonly openedAtMillis: number;
  readonly closesAtMillis: number;
  /** By account, the newest last. */
  readonly bids: Map<string, bigint>;
}

interface Leg {
  readonly market: Market;
  readonly short: bigint;
  readonly worth: bigint;
}

/** Positions that the fund took over from an account, and what it has left of their price. */
interface Held {
  readonly left: bigint;
  readonly shorts: readonly {
    readonly market: Market["id"];
    readonly short: bigint;
    readonly paid: bigint;
  }[];
}

export class Defaults {
  readonly #books: Books;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #fund: Fund;
  readonly #cover: Cover;
  readonly #bidders: Bidders;
  /** How auctions ended, and why bids were passed over. */
  readonly met = new Set<string>();
  readonly #auctions = new Map<string, Auction>();
  readonly #owed = new Map<string, bigint>();
  readonly #trusts = new Map<string, Held>();

  constructor(
    books: Books,
    markets: ReadonlyMap<string, Market>,
    { fund, cover, bidders }: { fund: Fund; cover: Cover; bidders: Bidders },
  ) {
    this.#books = books;
    this.#markets = markets;
    this.#fund = fund;
    this.#cover = cover;
    this.#bidders = bidders;
  }

  get isAuctioning(): boolean {
    return this.#auctions.size > 0;
  }

  /** It is auctioned, or owes the fund something. */
  isOf(account: string): boolean {
    const isAuctioned = [...this.#auctions.values()].some((one) => one.account === account);
    return isAuctioned || (this.#owed.get(account) ?? 0n) > 0n;
  }

  opened({ auction }: EventOf<"AuctionOpened">, { timeMillis }: Envelope): void {
    const { id, accountId: account, openedAtMillis, closesAtMillis } = auction;
    assert.equal(openedAtMillis, timeMillis, `${id} opens now`);
    assert.ok(closesAtMillis >= timeMillis + 86_400_000, `${id} lasts a day`);
    const running = [...this.#auctions.values()].map((one) => one.account);
    assert.ok(!running.includes(account), `${account} is auctioned once`);
    assert.ok(this.#legs(account, false).length > 0, `${id} has positions`);
    this.#auctions.set(id, { account, openedAtMillis, closesAtMillis, bids: new Map() });
  }

  bid({ bid, status }: EventOf<"BidChanged">, { timeMillis }: Envelope): void {
    const auction = this.#auctions.get(bid.auctionId) ?? assert.fail(`${bid.auctionId} runs`);
    assert.notEqual(bid.accountId, auction.account, "nobody bids for its own");
    if (status === "withdrawn") {
      assert.ok(auction.bids.delete(bid.accountId), `${bid.accountId} has bid`);
      return;
    }
    const unfit = this.#unfit(auction, bid.accountId, bid.amountMicros, timeMillis);
    assert.equal(unfit, undefined, `${bid.accountId} may bid ${bid.amountMicros}`);
    auction.bids.delete(bid.accountId);
    auction.bids.set(bid.accountId, bid.amountMicros);
  }

  /** A bid that was refused for what it asks or who asks it. */
  refused({ actor, command, timeMillis }: Envelope, code: RejectionCode): void {
    const why = refusals[code];
    if (command.type !== "PlaceBid" || why === undefined || actor.type !== "key") return;
    const auction = this.#auctions.get(command.auctionId) ?? assert.fail(command.auctionId);
    const unfit = this.#unfit(auction, actor.accountId, command.amountMicros, timeMillis);
    assert.equal(unfit, why, `the bid of ${actor.accountId} is refused as ${code}`);
  }

  /** `later`: the events after it, in which the layers of a loss are told. */
  ended(event: EventOf<"AuctionEnded">, envelope: Envelope, later: readonly Event[]): void {
    const { auctionId: id, accountId: account, takenBy, paidMicros } = event;
    const auction = this.#auctions.get(id) ?? assert.fail(`${id} runs`);
    this.#auctions.delete(id);
    assert.equal(auction.account, account, `${id} is of ${account}`);
    const { legs, ask, most } = this.#asked(account);
    if (takenBy === null) {
      assert.deepEqual(legs, [], `${id} has no positions left`);
      return;
    }
    assert.equal(envelope.command.type, "CloseAuction");
    assert.equal(auction.closesAtMillis, envelope.timeMillis, `${id} closes at its time`);
    const [taker, price] = this.#winner(auction, envelope.timeMillis) ?? [FUND, most];
    assert.equal(takenBy, taker === FUND ? "fund" : "bidder", `${taker} takes ${id}`);
    assert.equal(paidMicros, price, `${taker} takes ${id} for what it asked`);
    this.#passOn(account, taker, legs, price);
    if (taker === FUND) {
      this.#owe(account, ask - most, later);
      this.#entrust(account, legs, ask, price);
    }
  }

  /** The fund holds the positions for the account, and has what it asked for them. */
  #entrust(account: string, legs: readonly Leg[], ask: bigint, price: bigint): void {
    const worths = legs.map(({ worth }) => worth);
    const all = worths.reduce((sum, one) => sum + one, 0n);
    const parts = shared(least(price, all), worths);
    const before = this.#trusts.get(account) ?? { left: 0n, shorts: [] };
    const taken = legs.map(({ market, short }, at) => ({
      ...{ market: market.id, short, paid: parts[at] ?? 0n },
    }));
    const trust = { left: before.left + ask, shorts: [...before.shorts, ...taken] };
    this.#trusts.set(account, trust);
  }

  /** The cost of the positions comes off; the rest is the account's as the last of them is over. */
  trustChanged(account: string, inTrust: Account["trust"]): void {
    const trust = this.#trusts.get(account);
    if (trust === undefined || trust.shorts.length === inTrust?.shorts.length) return;
    const isOver = (id: string): boolean => {
      const status = this.#markets.get(id)?.status;
      return status === "FINALIZED" || status === "CANCELLED";
    };
    let { left } = trust;
    for (const { market: id, short, paid } of trust.shorts) {
      if (!isOver(id)) continue;
      const { status, resolution } = this.#markets.get(id) ?? assert.fail(id);
      const payout = BigInt(resolution?.payoutMillionths ?? 0);
      left -= status === "CANCELLED" ? paid : ceilDiv(short * payout, 100n);
    }
    const shorts = trust.shorts.filter(({ market }) => !isOver(market));
    if (shorts.length > 0) {
      this.#trusts.set(account, { left, shorts });
      return;
    }
    this.#trusts.delete(account);
    const surplus = atLeastZero(left);
    const owed = this.#owed.get(account) ?? 0n;
    this.#owed.set(account, owed - least(owed, surplus));
    const spare = atLeastZero(this.#books.balance(FUND) - this.#fund.needs(() => true));
    const back = least(surplus - least(owed, surplus), spare);
    this.#books.move(FUND, cashOf(account), back);
    if (back > 0n) this.met.add("takeover-returned");
  }

  /** The least of the bids that hold, of equal ones the earlier. */
  #winner(auction: Auction, nowMillis: number): readonly [string, bigint] | undefined {
    const holding: (readonly [string, bigint])[] = [];
    for (const [bidder, price] of auction.bids) {
      const unfit = this.#unfit(auction, bidder, price, nowMillis);
      if (unfit === undefined) holding.push([bidder, price]);
      else this.met.add("bid passed over").add(`bid passed over: ${unfit}`);
    }
    const [first, ...others] = holding;
    if (first === undefined) {
      if (auction.bids.size > 0) this.met.add("no bid held");
      return undefined;
    }
    const winner = others.reduce((best, one) => (one[1] < best[1] ? one : best), first);
    const equal = holding.filter(([, price]) => price === winner[1]);
    this.met.add(others.length === 0 ? "the only bid won" : "the least of bids won");
    if (equal.length > 1) this.met.add("the earlier of equal bids won");
    return winner;
  }

  #unfit({ account }: Auction, bidder: string, price: bigint, nowMillis: number) {
    const { legs, most } = this.#asked(account);
    const take = (): void => this.#passOn(account, bidder, legs, least(price, most));
    const unfit = this.#bidders.unfit(bidder, account, nowMillis, take);
    const isWhoAsks = unfit === "standing" || unfit === "credit";
    return isWhoAsks || price <= most ? unfit : "price";
  }

  /** Shorts with known payouts go to the fund where all of the cash does not pay for them. */
  known(account: string, later: readonly Event[]): void {
    const legs = this.#legs(account, true);
    const owed = legs.reduce((sum, { worth }) => sum + worth, 0n);
    const cash = this.#books.balance(cashOf(account));
    assert.ok(cash < owed, `${account} cannot pay ${owed}`);
    this.#passOn(account, FUND, legs, cash);
    this.#owe(account, owed - cash, later);
  }

  /** `free`: its cash that nothing holds back. */
  paid({ posting }: EventOf<"Posted">, account: string, free: bigint): void {
    const owed = this.#owed.get(account) ?? 0n;
    const amount = least(owed, atLeastZero(free));
    assert.equal(posting.amountMicros, amount, `${account} pays the fund`);
    this.#books.move(posting.from, FUND, amount);
    this.#owed.set(account, owed - amount);
  }

  compareAll(state: State): void {
    assert.deepEqual([...state.auctions.keys()].sort(), [...this.#auctions.keys()].sort());
    for (const { id, inDefault, trust } of state.accounts.values()) {
      assert.equal(inDefault?.owesMicros ?? 0n, this.#owed.get(id) ?? 0n, `${id} owes the fund`);
      const { left = 0n, shorts = [] } = this.#trusts.get(id) ?? {};
      assert.equal(trust?.leftMicros ?? 0n, left, `what the fund holds for ${id}`);
      assert.equal(trust?.shorts.length ?? 0, shorts.length, `what it took over from ${id}`);
    }
  }

  /** The fund bears the loss, beyond what the account's own contribution pays. */
  #owe(account: string, loss: bigint, later: readonly Event[]): void {
    if (loss === 0n) return;
    const own = this.#fund.draw({ defaulter: account }, loss, later);
    this.#owed.set(account, (this.#owed.get(account) ?? 0n) + loss - own);
  }

  /** The price that the fund asks for all of it, and the most that there is. */
  #asked(account: string) {
    const legs = this.#legs(account, false);
    const parts = legs.reduce(
      (sum, { market, short }) =>
        sum + short * (4n * BigInt(market.markTick) + takeoverCharge(market)),
      0n,
    );
    const known = this.#legs(account, true).reduce((sum, { worth }) => sum + worth, 0n);
    const ask = ceilDiv(parts, 4n);
    const free = atLeastZero(this.#books.balance(cashOf(account)) - known);
    return { legs, ask, most: least(ask, free) };
  }

  /** The largest add-on first, equal ones by their market's id: so parts of a cent fall. */
  #legs(account: string, isKnown: boolean): readonly Leg[] {
    const legs: (Leg & { readonly addOn: bigint })[] = [];
    for (const market of this.#markets.values()) {
      const short = -this.#books.holding(market.id, account).held;
      const paidOut = market.resolution?.payoutMillionths;
      if (short <= 0n || (paidOut !== undefined) !== isKnown) continue;
      const worth =
        paidOut === undefined
          ? short * BigInt(market.markTick)
          : ceilDiv(short * BigInt(paidOut), 100n);
      const addOn = isKnown ? 0n : this.#cover.addOnOf(account, market, short);
      legs.push({ market, short, worth, addOn });
    }
    return legs.sort((a, b) => {
      if (a.addOn !== b.addOn) return a.addOn > b.addOn ? -1 : 1;
      return a.market.id < b.market.id ? -1 : 1;
    });
  }

  #passOn(from: string, to: string, legs: readonly Leg[], price: bigint): void {
    const worths = legs.map(({ worth }) => worth);
    const all = worths.reduce((sum, one) => sum + one, 0n);
    const parts = shared(least(price, all), worths);
    for (const [at, { market, short }] of legs.entries()) {
      this.#books.hold(market.id, from, short, -(parts[at] ?? 0n));
      this.#books.hold(market.id, to, -short, parts[at] ?? 0n);
    }
    this.#books.move(cashOf(from), cashOf(to), price);
  }
}

/** Refusals of a bid that say something of it, or of its bidder. */
const refusals: Readonly<Partial<Record<RejectionCode, Unfit | "price">>> = {
  ...{ AUCTION_OWN: "standing", KYC_REQUIRED: "standing", ACCREDITATION_REQUIRED: "standing" },
  ...{ ACCOUNT_HALTED: "standing", MARGIN_CALL: "standing", IN_DEFAULT: "standing" },
  ...{ PAYMENT_OVERDUE: "credit", INSUFFICIENT_BALANCE: "margin", POSITION_LIMIT: "limit" },
  BID_TOO_HIGH: "price",
};
