// The auditor's fees: what each order pays on its fills, and what a bust of one gives back.
// Invariant: nothing of the core is called; the parts of an order's fills are all it paid.
import assert from "node:assert/strict";
import type { Fill } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import { ceilDiv } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";

interface Charged {
  readonly fill: Fill;
  readonly mark: number;
  /** The sum that the order's fee is taken on: before this fill, and with it. */
  readonly before: bigint;
  readonly upTo: bigint;
}

interface Share {
  readonly house: bigint;
  readonly fund: bigint;
}

const HALF_AN_HOUR_MILLIS = 30 * 60_000;

export class Fees {
  readonly #books: Books;
  readonly #byMarket = new Map<string, Share>();
  /** Of this entry, by the taker's order. */
  readonly #fills = new Map<string, Charged[]>();
  /** Fills that may be busted, with the fee each brought. */
  readonly #strays = new Map<string, Charged & Share>();

  constructor(books: Books) {
    this.#books = books;
  }

  in(market: string): Share {
    return this.#byMarket.get(market) ?? { house: 0n, fund: 0n };
  }

  filled(fill: Fill, mark: number): void {
    const price = BigInt(fill.yesTick);
    const lower = price < 5_000n ? price : 10_000n - price;
    const fills = this.#fills.get(fill.takerOrderId) ?? [];
    const before = fills.at(-1)?.upTo ?? 0n;
    const upTo = before + (lower < 100n ? 100n : lower) * fill.amountLots;
    this.#fills.set(fill.takerOrderId, [...fills, { fill, mark, before, upTo }]);
  }

  /** Rounded up once an order, down for a rest; the fund has half of it, rounded down. */
  charge(bpsOf: (account: string) => number, isRest: (order: string) => boolean): void {
    for (const [order, fills] of this.#fills) {
      for (const one of fills) {
        const { buyer, seller, takerBuysYes } = one.fill;
        const bps = BigInt(bpsOf(takerBuysYes ? buyer : seller));
        const fee = (base: bigint): bigint =>
          isRest(order) ? (base * bps) / 10_000n : ceilDiv(base * bps, 10_000n);
        const [less, more] = [fee(one.before), fee(one.upTo)];
        const fund = more / 2n - less / 2n;
        const share = { house: more - less - fund, fund };
        this.#move(one.fill, share, 1n);
        this.#strays.set(one.fill.id, { ...one, ...share });
      }
    }
    this.#fills.clear();
  }

  /** Within the window, off the band of the rules, and everything back where it came from. */
  busted({ id }: Fill, { bust }: Rules, nowMillis: number): void {
    const stray = this.#strays.get(id) ?? assert.fail(`${id} was made, and not busted`);
    this.#strays.delete(id);
    const { fill, mark } = stray;
    const { bandTicks, windowMinutes } = bust ?? { bandTicks: 1_000, windowMinutes: 30 };
    assert.ok(Math.abs(fill.yesTick - mark) > bandTicks, `${id} was off the reference`);
    assert.ok(windowMinutes * 60_000 <= HALF_AN_HOUR_MILLIS, "nobody made the window longer");
    assert.ok(nowMillis - fill.timeMillis <= HALF_AN_HOUR_MILLIS, `${id} is busted in time`);
    const { marketId, buyer, seller, amountLots } = fill;
    const premium = BigInt(fill.yesTick) * amountLots;
    this.#books.move(cashOf(seller), cashOf(buyer), premium);
    this.#books.hold(marketId, buyer, -amountLots, premium);
    this.#books.hold(marketId, seller, amountLots, -premium);
    this.#move(fill, stray, -1n);
  }

  #move({ marketId, buyer, seller, takerBuysYes }: Fill, share: Share, sign: bigint): void {
    const [house, fund] = [sign * share.house, sign * share.fund];
    const account = takerBuysYes ? buyer : seller;
    this.#books.move(cashOf(account), "fees", house);
    this.#books.move(cashOf(account), FUND, fund);
    this.#books.hold(marketId, account, 0n, -house - fund);
    const before = this.in(marketId);
    this.#byMarket.set(marketId, { house: before.house + house, fund: before.fund + fund });
  }
}
