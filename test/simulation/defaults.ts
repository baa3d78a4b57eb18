// The auditor's own record of defaults: auctions, bids, what is paid for positions, and what the
// accounts in default owe the guarantee fund.
// Invariant: nothing of the core is called; of an auction's end only its taker is taken as told.
import assert from "node:assert/strict";
import type { Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { Market } from "#core/records.ts";
import type { State } from "#core/state.ts";
import { atLeastZero, ceilDiv, least, shared, takeoverCharge } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";
import type { Fund } from "./fund.ts";

interface Auction {
  readonly account: string;
  readonly openedAtMillis: number;
  readonly closesAtMillis: number;
  readonly bids: Map<string, bigint>;
}

interface Leg {
  readonly market: Market;
  readonly short: bigint;
  readonly worth: bigint;
}

export class Defaults {
  readonly #books: Books;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #fund: Fund;
  readonly #auctions = new Map<string, Auction>();
  readonly #owed = new Map<string, bigint>();

  constructor(books: Books, markets: ReadonlyMap<string, Market>, fund: Fund) {
    this.#books = books;
    this.#markets = markets;
    this.#fund = fund;
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

  bid({ bid, status }: EventOf<"BidChanged">): void {
    const auction = this.#auctions.get(bid.auctionId) ?? assert.fail(`${bid.auctionId} runs`);
    assert.notEqual(bid.accountId, auction.account, "nobody bids for its own");
    if (status === "withdrawn") {
      assert.ok(auction.bids.delete(bid.accountId), `${bid.accountId} has bid`);
      return;
    }
    const { most } = this.#asked(auction.account);
    assert.ok(bid.amountMicros <= most, `${bid.accountId} asks for no more than ${most}`);
    auction.bids.set(bid.accountId, bid.amountMicros);
  }

  /** `later`: the events after it, which name the legs in their order. */
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
    const taker = takenBy === "fund" ? FUND : takerIn(later, account);
    const price = takenBy === "fund" ? most : (auction.bids.get(taker) ?? assert.fail(taker));
    assert.equal(paidMicros, price, `${taker} takes ${id} for what it asked`);
    assert.ok(price <= most, `nobody takes ${id} for more than the fund`);
    this.#passOn(account, taker, inOrder(legs, later, account), price);
    if (takenBy === "fund") this.#owe(account, ask - most, later);
  }

  /** Shorts with known payouts go to the fund where all of the cash does not pay for them. */
  known(account: string, later: readonly Event[]): void {
    const legs = this.#legs(account, true);
    const owed = legs.reduce((sum, { worth }) => sum + worth, 0n);
    const cash = this.#books.balance(cashOf(account));
    assert.ok(cash < owed, `${account} cannot pay ${owed}`);
    this.#passOn(account, FUND, inOrder(legs, later, account), cash);
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
    for (const { id, inDefault } of state.accounts.values()) {
      assert.equal(inDefault?.owesMicros ?? 0n, this.#owed.get(id) ?? 0n, `${id} owes the fund`);
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

  #legs(account: string, isKnown: boolean): readonly Leg[] {
    const legs: Leg[] = [];
    for (const market of this.#markets.values()) {
      const short = -this.#books.holding(market.id, account).held;
      const paidOut = market.resolution?.payoutMillionths;
      if (short <= 0n || (paidOut !== undefined) !== isKnown) continue;
      const worth =
        paidOut === undefined
          ? short * BigInt(market.markTick)
          : ceilDiv(short * BigInt(paidOut), 100n);
      legs.push({ market, short, worth });
    }
    return legs;
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

/** The order in which the account is rid of them. */
function inOrder(legs: readonly Leg[], later: readonly Event[], account: string): readonly Leg[] {
  const told = later.flatMap((event) =>
    event.type === "PositionChanged" && event.position.accountId === account
      ? [event.position.marketId]
      : [],
  );
  const place = ({ market }: Leg): number => {
    const at = told.indexOf(market.id);
    assert.ok(at >= 0, `${account} is rid of ${market.id}`);
    return at;
  };
  return legs.toSorted((a, b) => place(a) - place(b));
}

function takerIn(later: readonly Event[], account: string): string {
  for (const event of later) {
    if (event.type === "PositionChanged" && event.position.accountId !== account) {
      return event.position.accountId;
    }
  }
  return assert.fail("somebody took it");
}
