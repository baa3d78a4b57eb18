// A state grown to a size by commands: accounts, markets, and orders that rest in their books.
// Invariant: every record of it was decided by `apply`; the same size gives the same state.
import { accountId, type MarketId, nodeId, type OrderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { addMonths, monthEndMillis, parseMonth } from "#base/month.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { apply } from "#core/apply.ts";
import { encode } from "#core/codec.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { flatRisk } from "#test/core/publish-marks.ts";
import { decision, order, root, tick } from "#test/core/world.ts";
import { between, randomFrom } from "#test/ingest/wide-file.ts";

export interface Size {
  readonly orders: number;
  readonly markets: number;
}

/** A million orders drawn among them leave each far below the cap; the same at every size. */
const TRADERS = 1_250;
/** The books that the resting orders are spread over, so that more markets thin out none. */
export const BUSY_MARKETS = 100;
const CASH_MICROS = micros(10_000_000_000_000n);
export const AMOUNT = "0.10";
/** Buyers stand at these prices and below, sellers at these and above; USD. */
const BID_FROM = 0.2;
const ASK_FROM = 0.6;
const LEVELS = 200;

interface Resting {
  readonly id: OrderId;
  readonly owner: Actor;
}

export class GrownExchange {
  readonly state: State;
  readonly markets: MarketId[] = [];
  readonly resting: Resting[] = [];
  readonly #nowMillis: number;
  readonly #random = randomFrom(11);
  #traders: Actor[] = [];
  #sequence: number;

  /** `state`: founded, with a first print of Texas. */
  constructor(state: State, sequence: number, nowMillis: number) {
    this.state = state;
    this.#sequence = sequence;
    this.#nowMillis = nowMillis;
  }

  /** Records of an earlier growth count. */
  growTo({ orders, markets }: Size): void {
    if (this.#traders.length === 0) this.#traders = this.#findTraders();
    while (this.#traders.length < TRADERS) this.#traders.push(this.#openTrader());
    this.markets.push(...this.#listed(markets));
    for (let missing = orders - this.#open(); missing > 0; missing -= 1) this.rest(this.quote());
  }

  /** Given as a surface would give it. */
  do(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.try(actor, command);
    if (isRejected(outcome)) throw new Error(`${command.type}: ${encode(outcome.rejection)}`);
    return outcome.events;
  }

  try(actor: Actor, command: Command) {
    const timeMillis = this.#nowMillis;
    const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
    this.#sequence += 1;
    return apply(this.state, envelope, this.#sequence);
  }

  trader(): Actor {
    return this.#pick(this.#traders);
  }

  /** One that meets nobody, in one of the busy books. */
  quote(): OrderInput {
    if (this.#random() < 0.5) return this.seller(this.#busy());
    return order({ marketId: this.#busy() }, "BUY", AMOUNT, this.#priceFrom(BID_FROM));
  }

  seller(marketId: MarketId): OrderInput {
    return order({ marketId }, "SELL", AMOUNT, this.#priceFrom(ASK_FROM));
  }

  /** One that takes the first seller of a busy book. */
  taker(): OrderInput {
    return order({ marketId: this.#busy() }, "BUY", AMOUNT, "0.99", { timeInForce: "IOC" });
  }

  rest(input: OrderInput, owner = this.trader()): void {
    const events = this.do(owner, { type: "PlaceOrder", order: input, listing: null });
    for (const event of events) {
      if (event.type === "OrderChanged") this.resting.push({ id: event.order.id, owner });
    }
  }

  /** One of those that rest, drawn from all of them; it is no longer among `resting`. */
  drawResting(): Resting {
    for (;;) {
      const at = between(this.#random, 0, this.resting.length);
      const [drawn, last] = [this.resting[at], this.resting.pop()];
      if (drawn === undefined || last === undefined) throw new Error("nothing rests");
      if (drawn !== last) this.resting[at] = last;
      const { status } = this.state.order(drawn.id);
      if (status === "OPEN") return drawn;
    }
  }

  #busy(): MarketId {
    const market = this.markets[between(this.#random, 0, BUSY_MARKETS)];
    if (market === undefined) throw new Error("there are more markets than busy ones");
    return market;
  }

  #priceFrom(usd: number): string {
    return (usd + between(this.#random, 0, LEVELS) / 1_000).toFixed(4);
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[between(this.#random, 0, from.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }

  #open(): number {
    let open = 0;
    for (const ids of this.state.openOrders.values()) open += ids.size;
    return open;
  }

  #findTraders(): Actor[] {
    const traders = [...this.state.keys.values()].filter(({ label }) => label === "grown");
    return traders.map(({ accountId: id, id: keyId }) => ({ type: "key", accountId: id, keyId }));
  }

  #openTrader(): Actor {
    const name = `grown${this.#traders.length}`;
    const key = {
      label: "grown",
      prefix: "fp_test_aaaa",
      digest: name,
      permissions: [],
      ratePerMinute: 6_000,
      expiresAtSeconds: null,
    };
    const address = `0x${name}`;
    const events = this.do(root, { type: "OpenAccount", name, role: "trader", address, key });
    const opened = events.find((event) => event.type === "KeyChanged");
    if (opened?.type !== "KeyChanged") throw new Error("an account has a first key");
    const { accountId: id, id: keyId } = opened.key;
    this.do(root, decision(id, "approve", "institutional", true));
    const funding = { accountId: accountId(id), amountMicros: CASH_MICROS, memo: null };
    this.do(root, { type: "FundAccount", ...funding });
    return { type: "key", accountId: id, keyId };
  }

  /** Those missing up to `count`, each on another level or month of Texas; returns them all. */
  #listed(count: number): readonly MarketId[] {
    const ids: MarketId[] = [];
    for (let at = this.markets.length; at < count; at += 1) {
      const listing = this.#listing(at);
      ids.push(listing.marketId);
      if (this.state.markets.has(listing.marketId)) continue;
      this.do(root, { type: "ListMarket", listing, frontendId: null });
    }
    return ids;
  }

  #listing(at: number): Listing {
    const now = parseMonth(new Date(this.#nowMillis).toISOString().slice(0, 7));
    const thresholdE15 = parsePrintValue(String(200_000 + Math.floor(at / 12)));
    if (now === undefined || thresholdE15 === undefined) throw new Error("a month and a level");
    const measurementMonth = addMonths(now, 2 + (at % 12));
    const mark = tick("0.5");
    const terms: Listing["terms"] = {
      index: "zhvi",
      nodeId: nodeId("state:tx"),
      measurementMonth,
      payoff: { kind: "level", comparator: "gte", thresholdE15 },
      baseline: null,
      rounding: "payout-millionths-down",
      fallback: "fallbacks-1",
      successor: null,
      methodologyVersion: "1",
      expectedAtMillis: monthEndMillis(measurementMonth) + 19 * 86_400_000,
    };
    const marks = { markTick: mark, stressedTick: mark, riskTicks: flatRisk(mark) };
    return { marketId: marketIdOf(terms), terms, ...marks, within: [] };
  }
}
