// The auditor's fees and volumes: what each order pays on its fills, what a bust of one gives back.
// Invariant: nothing of the core is called; the parts of an order's fills are all it paid.
import assert from "node:assert/strict";
import type { Command } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Fill } from "#core/records.ts";
import type { BustRules } from "#core/rules.ts";
import type { State } from "#core/state.ts";
import { atLeastZero, ceilDiv } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";

interface Charged {
  readonly fill: Fill;
  /** Further from the mark than the band of the moment. */
  readonly isOff: boolean;
  /** The sum that the order's fee is taken on: before this fill, and with it. */
  readonly before: bigint;
  readonly upTo: bigint;
}

interface Share {
  readonly house: bigint;
  readonly fund: bigint;
}

export class Fees {
  readonly #books: Books;
  readonly #byMarket = new Map<string, Share>();
  /** Of this entry, by the taker's order. */
  readonly #fills = new Map<string, Charged[]>();
  /** Fills off the band, with the fee each brought. */
  readonly #strays = new Map<string, Charged & Share>();
  /** Of this entry. */
  #newStrays: string[] = [];
  /** Lots that traded, by market. */
  readonly #traded = new Map<string, bigint>();

  constructor(books: Books) {
    this.#books = books;
  }

  in(market: string): Share {
    return this.#byMarket.get(market) ?? { house: 0n, fund: 0n };
  }

  filled(fill: Fill, mark: number, bandTicks: number): void {
    this.#trade(fill, 1n);
    const price = BigInt(fill.yesTick);
    const lower = price < 5_000n ? price : 10_000n - price;
    const fills = this.#fills.get(fill.takerOrderId) ?? [];
    const before = fills.at(-1)?.upTo ?? 0n;
    const upTo = before + (lower < 100n ? 100n : lower) * fill.amountLots;
    const isOff = Math.abs(fill.yesTick - mark) > bandTicks;
    this.#fills.set(fill.takerOrderId, [...fills, { fill, isOff, before, upTo }]);
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
        if (!one.isOff) continue;
        this.#strays.set(one.fill.id, { ...one, ...share });
        this.#newStrays.push(one.fill.id);
      }
    }
    this.#fills.clear();
  }

  /** All of an entry's fills off the band are told, with the fees they brought. */
  assertStrays(events: readonly Event[]): void {
    const told = events.flatMap((event) =>
      event.type === "FillStrayed" ? [shown(event.stray.fill.id, event.stray)] : [],
    );
    const mine = this.#newStrays.map((id) => {
      const { house, fund } = this.#strays.get(id) ?? assert.fail(id);
      return shown(id, { houseFeesMicros: house, fundFeesMicros: fund });
    });
    assert.deepEqual(told.sort(), mine.sort(), "fills off the band");
    this.#newStrays = [];
  }

  /** Before the positions are told, which show it undone. */
  bust(
    done: Command | undefined,
    nowMillis: number,
    events: readonly Event[],
    is: BustRules,
  ): void {
    const busted = events.flatMap((event) => (event.type === "FillBusted" ? [event.fill.id] : []));
    const meant = done?.type === "BustFill" ? [done.fillId] : [];
    assert.deepEqual(busted, meant, "the fill two people bust, and no other");
    for (const id of busted) this.#undo(id, nowMillis - is.windowMinutes * 60_000);
  }

  compareAll({ marketVolumes, openInterest }: State): void {
    const markets = new Set([...this.#traded.keys(), ...marketVolumes.keys()]);
    for (const id of markets) {
      const volume = [...marketVolumes].find(([market]) => market === id)?.[1] ?? 0n;
      assert.equal(volume, this.#traded.get(id) ?? 0n, `what traded in ${id}`);
    }
    const held = new Map<string, bigint>();
    for (const [id, holdings] of this.#books.holdings) {
      const longs = [...holdings.values()].reduce((sum, one) => sum + atLeastZero(one.held), 0n);
      if (longs > 0n) held.set(id, longs);
    }
    assert.deepEqual(new Map<string, bigint>(openInterest), held, "the contracts held");
  }

  /** In time, off the band, and everything back where it came from. */
  #undo(id: string, notBeforeMillis: number): void {
    const stray = this.#strays.get(id) ?? assert.fail(`${id} was off the band, and stands`);
    this.#strays.delete(id);
    const { fill } = stray;
    assert.ok(fill.timeMillis >= notBeforeMillis, `${id} is busted in time`);
    const { marketId, buyer, seller, amountLots } = fill;
    const premium = BigInt(fill.yesTick) * amountLots;
    this.#books.move(cashOf(seller), cashOf(buyer), premium);
    this.#books.hold(marketId, buyer, -amountLots, premium);
    this.#books.hold(marketId, seller, amountLots, -premium);
    this.#move(fill, stray, -1n);
    this.#trade(fill, -1n);
  }

  #trade({ marketId, amountLots }: Fill, sign: bigint): void {
    this.#traded.set(marketId, (this.#traded.get(marketId) ?? 0n) + sign * amountLots);
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

const shown = (id: string, fees: { houseFeesMicros: bigint; fundFeesMicros: bigint }): string =>
  `${id}: ${fees.houseFeesMicros} and ${fees.fundFeesMicros}`;
