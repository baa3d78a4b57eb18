// What fast-check draws for the core and its twin: commands that can be read, taken away and made
// smaller, one by one.
// Invariant: a command says what it is about by place ("the newest order of B"), so that it still
// means something when commands before it are gone.
import fc from "fast-check";
import { orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { addMonths, formatMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { parseLots } from "#base/quantity.ts";
import type { Actor, Command, Listing, OrderInput } from "#core/command.ts";
import type { Pair } from "./pair.ts";
import { amendment, order, root, type Trader } from "./world.ts";

/** What is asked, and of whom; a wait asks nothing. */
interface Asked {
  readonly words: string;
  readonly act: (pair: Pair) => readonly [Actor, Command] | number;
}

export const names = ["A", "B", "C"] as const;
const markets = ["K", "L", "M"] as const;
const prices = ["0.5", "0.4999", "0.3333", "0.6667", "0.1", "0.9", "0.0001", "1"] as const;
const amounts = ["1", "2", "0.01", "0.5", "3.33", "0.03"] as const;
const DAY_SECONDS = 86_400;
const nowSeconds = ({ world }: Pair): number => Math.floor(world.nowMillis / 1000);

const trader = (pair: Pair, name: (typeof names)[number]): Trader =>
  at(pair.traders, names.indexOf(name));
const market = (pair: Pair, name: (typeof markets)[number]): Listing =>
  at(pair.listings, markets.indexOf(name));

function at<T>(all: readonly T[], place: number): T {
  const one = all[place];
  if (one === undefined) throw new Error(`there is none at ${place}`);
  return one;
}

const who = fc.constantFrom(...names);
const where = fc.constantFrom("K", "L", "K", "L", "M" as const);
const never = [false, false, false, false, false, false, false] as const;
/** Seconds from now; 0 = until cancelled. */
const expiry = fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 60, 5 * DAY_SECONDS, -1);

const terms = fc.record({
  market: where,
  side: fc.constantFrom("BUY", "SELL"),
  outcome: fc.constantFrom("YES", "NO"),
  price: fc.constantFrom(...prices.slice(0, 4), ...prices),
  amount: fc.constantFrom(...amounts),
  timeInForce: fc.constantFrom("GTC", "GTC", "GTC", "GTC", "IOC", "FOK"),
  postOnly: fc.constantFrom(...never, true),
  reduceOnly: fc.constantFrom(...never.slice(3), true),
  selfTradePrevention: fc.constantFrom("cancel_incoming", "cancel_resting", "cancel_both"),
  expiry,
});
type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

function termWords(drawn: Terms): string {
  const { side, outcome, amount, price, timeInForce, postOnly, reduceOnly } = drawn;
  return [
    ...[side, amount, outcome, "at", price, "in", drawn.market, timeInForce],
    ...[postOnly ? "post-only" : [], reduceOnly ? "reduce-only" : [], drawn.selfTradePrevention],
    ...(drawn.expiry === 0 ? [] : [`for ${drawn.expiry} s`]),
  ]
    .flat()
    .join(" ");
}

function input(pair: Pair, drawn: Terms): OrderInput {
  const { postOnly, reduceOnly, selfTradePrevention } = drawn;
  const expirySeconds = drawn.expiry === 0 ? 0 : nowSeconds(pair) + drawn.expiry;
  const isUntil = expirySeconds !== 0 && drawn.timeInForce === "GTC";
  return order(market(pair, drawn.market), drawn.side, drawn.amount, drawn.price, {
    outcomeIndex: drawn.outcome === "YES" ? 0 : 1,
    timeInForce: isUntil ? "GTD" : drawn.timeInForce,
    ...{ postOnly, reduceOnly, selfTradePrevention, expirySeconds },
  });
}

const placement: fc.Arbitrary<Asked> = fc.tuple(who, terms).map(([name, drawn]) => ({
  words: `${name} places ${termWords(drawn)}`,
  act: (pair) => [
    trader(pair, name).actor,
    { type: "PlaceOrder", order: input(pair, drawn), listing: null },
  ],
}));

const batch: fc.Arbitrary<Asked> = fc
  .tuple(who, fc.array(terms, { minLength: 2, maxLength: 3 }))
  .map(([name, all]) => ({
    words: `${name} places at once ${all.map(termWords).join("; ")}`,
    act: (pair) => [
      trader(pair, name).actor,
      { type: "PlaceBatch", orders: all.map((drawn) => input(pair, drawn)), listings: [] },
    ],
  }));

/** Mostly one's own, mostly one that is open. */
const chosen = fc.record({
  name: who,
  owner: fc.constantFrom("own", "own", "own", "own", "own", ...names),
  nth: fc.nat(3),
  isOpen: fc.constantFrom(true, true, true, true, false),
});
type Chosen = typeof chosen extends fc.Arbitrary<infer T> ? T : never;

const chosenWords = ({ owner, nth, isOpen }: Chosen): string =>
  `order ${nth} from the newest ${isOpen ? "open " : ""}of ${owner}`;

function chosenOrder({ world, ...pair }: Pair, { name, owner, nth, isOpen }: Chosen) {
  const { id } = at(pair.traders, names.indexOf(owner === "own" ? name : owner));
  const own = [...world.state.orders.values()].filter(({ accountId }) => accountId === id);
  const open = own.filter(({ status }) => status === "OPEN" || status === "PARTIALLY_FILLED");
  return (isOpen ? open : own).at(-1 - nth)?.id ?? orderId("ord-999999");
}

const cancel: fc.Arbitrary<Asked> = chosen.map((which) => ({
  words: `${which.name} cancels ${chosenWords(which)}`,
  act: (pair) => [
    trader(pair, which.name).actor,
    { type: "CancelOrder", orderId: chosenOrder(pair, which) },
  ],
}));

const amend: fc.Arbitrary<Asked> = fc
  .tuple(
    chosen,
    fc.constantFrom(null, ...prices),
    fc.constantFrom(null, ...amounts),
    fc.constantFrom(null, null, null, 0, 60, -1),
  )
  .map(([which, price, amount, until]) => ({
    words: `${which.name} amends ${chosenWords(which)} to ${amount} at ${price} for ${until} s`,
    act: (pair) => [
      trader(pair, which.name).actor,
      amendment({
        orderId: chosenOrder(pair, which),
        price: price === null ? null : { tick: parseTick(price) ?? null },
        amountLots: amount === null ? null : (parseLots(amount) ?? null),
        expirySeconds: until === null || until === 0 ? until : nowSeconds(pair) + until,
      }),
    ],
  }));

const cancelAll: fc.Arbitrary<Asked> = fc
  .tuple(who, fc.constantFrom(null, ...markets))
  .map(([name, of]) => ({
    words: `${name} cancels all of ${of ?? "every market"}`,
    act: (pair) => [
      trader(pair, name).actor,
      { type: "CancelAll", marketId: of === null ? null : market(pair, of).marketId },
    ],
  }));

const funding: fc.Arbitrary<Asked> = fc
  .tuple(who, fc.constantFrom(null, 1n, 1_000_000n, -1_000_000n, -5_000_000n))
  .map(([name, amount]) => ({
    words: `${name} is paid ${amount === null ? "back all that is free" : amount}`,
    act: ({ world, traders }) => {
      const one = at(traders, names.indexOf(name));
      const amountMicros = micros(amount ?? -world.available(one));
      return [root, { type: "FundAccount", accountId: one.id, amountMicros, memo: null }];
    },
  }));

const guarantee: fc.Arbitrary<Asked> = fc.constantFrom(1n, 100_000n).map((amount) => ({
  words: `the fund is paid ${amount}`,
  act: () => [root, { type: "FundGuarantee", amountMicros: micros(amount), memo: null }],
}));

const control: fc.Arbitrary<Asked> = fc
  .tuple(where, fc.constantFrom("PauseMarket", "ResumeMarket", "ResumeMarket"))
  .map(([name, type]) => ({
    words: `${type} ${name}`,
    act: (pair) => [root, { type, marketId: market(pair, name).marketId, reason: "drill" }],
  }));

const voiding: fc.Arbitrary<Asked> = where.map((name) => ({
  words: `CancelMarket ${name}`,
  act: (pair) => [
    root,
    { type: "CancelMarket", marketId: market(pair, name).marketId, reason: "drill" },
  ],
}));

const wait: fc.Arbitrary<Asked> = fc
  .constantFrom(60, 3_600, 5 * DAY_SECONDS, 30 * DAY_SECONDS, 80 * DAY_SECONDS)
  .map((seconds) => ({
    words: `${seconds} s pass`,
    act: ({ world }) => world.nowMillis + seconds * 1000,
  }));

/** The next month's, whether or not it is over. */
const print: fc.Arbitrary<Asked> = fc
  .constantFrom("300000", "299999", "297000", "289470", "270000", "268003", "240000")
  .map((value) => ({
    words: `the next print is ${value}`,
    act: ({ world }) => {
      const newest = world.state.frontiers.get("zhvi|state:tx")?.month;
      const month = newest === undefined ? "2024-11" : formatMonth(addMonths(newest, 1));
      return [root, world.release(world.observe(month, value))];
    },
  }));

/** Time to the next month's print, and the print. */
const all = fc.oneof(
  { weight: 60, arbitrary: placement },
  { weight: 6, arbitrary: batch },
  { weight: 8, arbitrary: amend },
  { weight: 5, arbitrary: cancel },
  { weight: 1, arbitrary: cancelAll },
  { weight: 6, arbitrary: funding },
  { weight: 1, arbitrary: guarantee },
  { weight: 2, arbitrary: control },
  { weight: 1, arbitrary: voiding },
  { weight: 3, arbitrary: wait },
  { weight: 3, arbitrary: print },
);

/** KYC lasts a year: beyond that the twin knows nothing. */
const LAST_MILLIS = Date.UTC(2025, 9, 1);

export type Told = (command: Command) => Command;

/** Gives what was drawn to both; what the twin is told may be bent, to see that it is noticed. */
class GivenToBoth implements fc.Command<Pair, Pair> {
  readonly #asked: Asked;
  readonly #told: Told;

  constructor(asked: Asked, told: Told) {
    this.#asked = asked;
    this.#told = told;
  }

  check(pair: Pair): boolean {
    const asked = this.#asked.act(pair);
    return typeof asked !== "number" || asked < LAST_MILLIS;
  }

  run(pair: Pair): void {
    const asked = this.#asked.act(pair);
    pair.lines.push(this.toString());
    if (typeof asked === "number") pair.waitTo(asked);
    else pair.give(...asked, this.#told(asked[1]));
  }

  toString(): string {
    return this.#asked.words;
  }
}

export const commandsFor = (maxCommands: number, told: Told = (command) => command) =>
  fc.commands([all.map((asked) => new GivenToBoth(asked, told))], { maxCommands, size: "max" });
