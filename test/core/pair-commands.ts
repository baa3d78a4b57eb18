// The commands that fast-check draws for the core and its model: they can be read, taken away and
// made smaller, one by one.
// Invariant: a command names what it is about by its place ("the newest open order of B"), so that
// it still means something when commands before it are gone.
import fc from "fast-check";
import { type OrderId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { addMonths, formatMonth, monthEndMillis } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { parseLots } from "#base/quantity.ts";
import type { Actor, OrderInput } from "#core/command.ts";
import type { Side } from "#core/records.ts";
import { expectedMillis } from "./model-window.ts";
import type { Pair } from "./pair.ts";
import { busting, closing } from "./pair-busts.ts";
import { publishMarks } from "./publish-marks.ts";
import { amendment, order, root, system } from "./world.ts";

interface Asked {
  readonly words: string;
  readonly act: (pair: Pair) => void;
}

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

const DAY_SECONDS = 86_400;
/** KYC lasts a year: beyond that the model knows nothing. */
const LAST_MILLIS = Date.UTC(2025, 9, 1);

const names = ["A", "B", "C"] as const;
const markets = ["K", "L", "M"] as const;
const prices = ["0.5", "0.4999", "0.3333", "0.6667"] as const;
const amounts = ["1", "1", "1", "2", "0.5", "3.33", "0.01", "0.03"] as const;
/** Drawn unevenly; the usual comes first, so that shrinking ends at it. */
const mostly = <const T>(usual: T): readonly T[] => Array.from({ length: 14 }, () => usual);

function at<T>(all: readonly T[], place: number): T {
  const one = all[place];
  if (one === undefined) throw new Error(`there is none at ${place}`);
  return one;
}

type Name = (typeof names)[number];
const traderOf = ({ traders }: Pair, name: Name) => at(traders, names.indexOf(name));
const actorOf = (pair: Pair, name: Name): Actor => traderOf(pair, name).actor;
const marketOf = ({ listings }: Pair, name: (typeof markets)[number]) =>
  at(listings, markets.indexOf(name)).marketId;

const who = fc.constantFrom(...names);
const where = fc.constantFrom("K", "K", "K", "K", "L", "M");

/** An expiry so many seconds from now. */
const secondsAt = ({ world }: Pair, fromNow: number | "ever"): number =>
  fromNow === "ever" ? 0 : Math.floor(world.nowMillis / 1000) + fromNow;

const terms = fc.record({
  market: where,
  side: fc.constantFrom("BUY", "SELL"),
  outcome: fc.constantFrom("YES", "NO"),
  price: fc.constantFrom(...mostly(prices).flat(), "0.1", "0.9", "0.0001", "1"),
  amount: fc.constantFrom(...amounts),
  timeInForce: fc.constantFrom(...mostly("GTC"), "IOC", "FOK"),
  postOnly: fc.constantFrom(...mostly(false), true),
  reduceOnly: fc.constantFrom(...mostly(false), true),
  selfTradePrevention: fc.constantFrom("cancel_incoming", "cancel_resting", "cancel_both"),
  expiry: fc.constantFrom(...mostly("ever"), 60, 5 * DAY_SECONDS, 0),
});

function wordsOfTerms(drawn: Drawn<typeof terms>): string {
  const { side, outcome, amount, price, timeInForce, postOnly, reduceOnly, expiry } = drawn;
  const flags = [postOnly ? ["post-only"] : [], reduceOnly ? ["reduce-only"] : []].flat();
  const until = expiry === "ever" ? [] : [`for ${expiry} s`];
  const words = [side, amount, outcome, "at", price, "in", drawn.market, timeInForce];
  return [...words, ...flags, ...until, drawn.selfTradePrevention].join(" ");
}

function orderOf(pair: Pair, drawn: Drawn<typeof terms>): OrderInput {
  const { postOnly, reduceOnly, selfTradePrevention, timeInForce, expiry } = drawn;
  const isUntil = expiry !== "ever" && timeInForce === "GTC";
  const listing = { marketId: marketOf(pair, drawn.market) };
  return order(listing, drawn.side, drawn.amount, drawn.price, {
    outcomeIndex: drawn.outcome === "YES" ? 0 : 1,
    timeInForce: isUntil ? "GTD" : timeInForce,
    expirySeconds: secondsAt(pair, expiry),
    ...{ postOnly, reduceOnly, selfTradePrevention },
  });
}

const placement = fc.tuple(who, terms).map(([name, drawn]) => ({
  words: `${name} places ${wordsOfTerms(drawn)}`,
  act: (pair: Pair) =>
    pair.give(actorOf(pair, name), {
      type: "PlaceOrder",
      order: orderOf(pair, drawn),
      listing: null,
    }),
}));

const batch = fc
  .tuple(who, fc.array(terms, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([name, all, each]) => ({
    words: `${name} places ${each ? "each" : "at once"}: ${all.map(wordsOfTerms).join("; ")}`,
    act: (pair: Pair) =>
      pair.give(actorOf(pair, name), {
        type: "PlaceBatch",
        orders: all.map((drawn) => orderOf(pair, drawn)),
        listings: [],
        ...(each ? { each } : {}),
      }),
  }));

const side = fc.record({
  price: fc.constantFrom(...prices, ...prices, "0.1", "0.9", "1"),
  amount: fc.constantFrom(...amounts, "40"),
});
const quote = fc.record({
  market: where,
  bid: fc.option(side),
  ask: fc.option(side),
  expiry: fc.constantFrom<number | "ever">("ever", "ever", "ever", "ever", 60, -1),
});
const wordsOfSide = (drawn: Drawn<typeof side> | null): string =>
  drawn === null ? "nothing" : `${drawn.amount} at ${drawn.price}`;
const pricedSide = (pair: Pair, market: Drawn<typeof where>, drawn: Drawn<typeof side> | null) => {
  if (drawn === null) return null;
  const { priceTick, amountLots } = order(
    { marketId: marketOf(pair, market) },
    "BUY",
    drawn.amount,
    drawn.price,
  );
  return { priceTick, amountLots };
};

/** Now and then a market twice: the second quote stands beside the first. */
const massQuote = fc
  .tuple(who, fc.array(quote, { minLength: 1, maxLength: 4 }))
  .map(([name, all]) => ({
    words: `${name} quotes ${all
      .map(({ market, bid, ask }) => `${market} ${wordsOfSide(bid)} / ${wordsOfSide(ask)}`)
      .join("; ")}`,
    act: (pair: Pair) =>
      pair.give(actorOf(pair, name), {
        type: "MassQuote",
        quotes: all.map(({ market, bid, ask, expiry }) => ({
          marketId: marketOf(pair, market),
          bid: pricedSide(pair, market, bid),
          ask: pricedSide(pair, market, ask),
          expirySeconds: secondsAt(pair, expiry),
        })),
        listings: [],
      }),
  }));

/** One buys of another and sells back: whoever had the better prices has a gain to take away. */
const roundTrip = fc
  .tuple(who, who, where, fc.constantFrom(...prices), fc.constantFrom(...prices))
  .map(([one, other, market, first, second]) => ({
    words: `${one} buys 1 YES in ${market} of ${other} at ${first}, and sells it back at ${second}`,
    act: (pair: Pair) => {
      const listing = { marketId: marketOf(pair, market) };
      const place = (name: Name, side: "BUY" | "SELL", price: string): void => {
        const command = { type: "PlaceOrder", listing: null } as const;
        pair.give(actorOf(pair, name), { ...command, order: order(listing, side, "1", price) });
      };
      place(other, "SELL", first);
      place(one, "BUY", first);
      place(one, "SELL", second);
      place(other, "BUY", second);
    },
  }));

/** Mostly one's own, mostly one that is open. */
const chosen = fc.record({
  name: who,
  owner: fc.constantFrom("own", "own", "own", "own", "own", ...names),
  nth: fc.nat(3),
  isOpen: fc.constantFrom(true, true, true, true, false),
});

const wordsOfChosen = ({ owner, nth, isOpen }: Drawn<typeof chosen>): string =>
  `order ${nth} from the newest ${isOpen ? "open " : ""}of ${owner}`;

function chosenIn(pair: Pair, { name, owner, nth, isOpen }: Drawn<typeof chosen>): OrderId {
  const { id } = traderOf(pair, owner === "own" ? name : owner);
  const own = pair.model.orders.filter(({ accountId }) => accountId === id);
  return (isOpen ? pair.model.open(id) : own).at(-1 - nth)?.id ?? orderId("ord-0");
}

const cancel = chosen.map((which) => ({
  words: `${which.name} cancels ${wordsOfChosen(which)}`,
  act: (pair: Pair) =>
    pair.give(actorOf(pair, which.name), { type: "CancelOrder", orderId: chosenIn(pair, which) }),
}));

const amend = fc
  .tuple(
    chosen,
    fc.constantFrom(null, ...prices, "1"),
    fc.constantFrom(null, ...amounts),
    fc.constantFrom(null, null, null, "ever" as const, 60, 0),
  )
  .map(([which, price, amount, fromNow]) => ({
    words: `${which.name} amends ${wordsOfChosen(which)} to ${amount} at ${price} for ${fromNow}`,
    act: (pair: Pair) =>
      pair.give(
        actorOf(pair, which.name),
        amendment({
          orderId: chosenIn(pair, which),
          price: price === null ? null : { tick: parseTick(price) ?? null },
          amountLots: amount === null ? null : (parseLots(amount) ?? null),
          expirySeconds: fromNow === null ? null : secondsAt(pair, fromNow),
        }),
      ),
  }));

const cancelAll = fc.tuple(who, fc.constantFrom(null, ...markets)).map(([name, market]) => ({
  words: `${name} cancels all in ${market ?? "every market"}`,
  act: (pair: Pair) => {
    const marketId = market === null ? null : marketOf(pair, market);
    pair.give(actorOf(pair, name), { type: "CancelAll", marketId });
  },
}));

const cancelSome = fc
  .tuple(
    who,
    fc.option(fc.array(chosen, { maxLength: 3 })),
    fc.option(fc.constantFrom<Side>("BUY", "SELL")),
  )
  .map(([name, some, side]) => ({
    words: `${name} cancels ${side ?? "all"} of ${some?.map(wordsOfChosen).join(", ") ?? "all"}`,
    act: (pair: Pair) => {
      const orderIds = some?.map((which) => chosenIn(pair, which));
      pair.give(actorOf(pair, name), {
        type: "CancelAll",
        marketId: null,
        only: {
          ...(orderIds === undefined ? {} : { orderIds }),
          ...(side === null ? {} : { side }),
        },
      });
    },
  }));

const funding = fc
  .tuple(who, fc.constantFrom(5_000_000n, 5_000_000n, 1n, -1_000_000n))
  .map(([name, amount]) => ({
    words: `${name} is paid ${amount}`,
    act: (pair: Pair) => {
      const { id: accountId } = traderOf(pair, name);
      pair.give(root, { type: "FundAccount", accountId, amountMicros: micros(amount), memo: null });
    },
  }));

const emptying = who.map((name) => ({
  words: `${name} withdraws all that is free`,
  act: (pair: Pair) => withdrawAll(pair, name),
}));

const guarantee = fc.constantFrom(1n, 100_000n).map((amount) => ({
  words: `the fund is paid ${amount}`,
  act: (pair: Pair) =>
    pair.give(root, { type: "FundGuarantee", amountMicros: micros(amount), memo: null }),
}));

const control = fc
  .tuple(where, fc.constantFrom("PauseMarket", "ResumeMarket", "ResumeMarket"))
  .map(([market, type]) => ({
    words: `${type} ${market}`,
    act: (pair: Pair) =>
      pair.give(root, { type, marketId: marketOf(pair, market), reason: "drill" }),
  }));

const operators = ["root", "second"] as const;
type Operator = (typeof operators)[number];

const operatorOf = ({ operator }: Pair, name: Operator): Actor =>
  name === "root" ? root : operator.actor;

function voidOf(pair: Pair, market: (typeof markets)[number], by: Operator): void {
  const marketId = marketOf(pair, market);
  pair.give(operatorOf(pair, by), { type: "CancelMarket", marketId, reason: "drill" });
}

const voiding = fc.tuple(where, fc.constantFrom(...operators)).map(([market, by]) => ({
  words: `CancelMarket ${market} by ${by}`,
  act: (pair: Pair) => voidOf(pair, market, by),
}));

const withdrawal = where.map((market) => ({
  words: `WithdrawVoid ${market}`,
  act: (pair: Pair) => {
    const marketId = marketOf(pair, market);
    pair.give(root, { type: "WithdrawVoid", marketId, reason: "drill" });
  },
}));

const dispute = fc
  .tuple(where, fc.constantFrom<Name | Operator>(...names, ...operators))
  .map(([market, by]) => ({
    words: `${by} disputes ${market}`,
    act: (pair: Pair) => disputeOf(pair, market, by),
  }));

function disputeOf(pair: Pair, market: (typeof markets)[number], by: Name | Operator): void {
  const actor = by === "root" || by === "second" ? operatorOf(pair, by) : actorOf(pair, by);
  const marketId = marketOf(pair, market);
  pair.give(actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
}

const decided = fc
  .tuple(where, fc.constantFrom(...operators), fc.constantFrom(null, null, "268003", "240000"))
  .map(([market, by, value]) => ({
    words: `${by} would amend ${market} to ${value}`,
    act: (pair: Pair) => decisionOf(pair, market, by, value),
  }));

function decisionOf(
  pair: Pair,
  market: (typeof markets)[number],
  by: Operator,
  amended: string | null,
): void {
  pair.give(operatorOf(pair, by), {
    type: "DecideDispute",
    marketId: marketOf(pair, market),
    decision: amended === null ? "uphold" : "amend",
    valueE15: amended === null ? null : (parsePrintValue(amended) ?? null),
    evidence: null,
  });
}

function pass(pair: Pair, seconds: number): void {
  pair.waitTo(Math.min(LAST_MILLIS, pair.world.nowMillis + seconds * 1000));
}

const wait = fc
  .constantFrom(60, 3_600, 5 * DAY_SECONDS, 5 * DAY_SECONDS, 5 * DAY_SECONDS, 40 * DAY_SECONDS)
  .map((seconds) => ({
    words: `${seconds} s pass`,
    act: (pair: Pair) => pass(pair, seconds),
  }));

/** Of the next month; not before its day, where that is waited for. */
function printNext(pair: Pair, value: string, isWaitedFor: boolean): void {
  const { world } = pair;
  const newest = world.state.chainPoints.get("zhvi|state:tx");
  if (newest === undefined) throw new Error("the first print is there from the start");
  const month = addMonths(newest.month, 1);
  const due = Math.min(LAST_MILLIS, monthEndMillis(month) + 15 * DAY_SECONDS * 1000);
  if (isWaitedFor && due > world.nowMillis) pair.waitTo(due);
  pair.give(root, world.release(world.observe(formatMonth(month), value)));
}

/** The day of the next print, or one before or after it. */
const day = fc.constantFrom(0, 0, 0, -DAY_SECONDS, 3 * DAY_SECONDS).map((seconds) => ({
  words: `the day of the next print comes, and ${seconds} s`,
  act: (pair: Pair) => {
    const expected = expectedMillis(pair.model);
    const millis = Math.min(LAST_MILLIS, (expected ?? 0) + seconds * 1000);
    if (millis > pair.world.nowMillis) pair.waitTo(millis);
  },
}));

const marks = fc.constant({ words: "marks come", act: (pair: Pair) => marksCome(pair) });

const call = fc.constant({
  words: "root says that a print is out",
  act: (pair: Pair) => pair.give(root, { type: "OpenWindow", index: "zhvi", reason: "drill" }),
});

function marksCome(pair: Pair): void {
  pair.give(system, publishMarks([]));
  pair.waitTo(pair.world.nowMillis);
}

const value = fc.constantFrom("300000", "299999", "297000", "289470", "270000", "268003", "240000");

const print = fc.tuple(value, fc.constantFrom(true, true, true, true, false)).map((drawn) => ({
  words: `${drawn[1] ? "on its day " : ""}the next print is ${drawn[0]}`,
  act: (pair: Pair) => printNext(pair, ...drawn),
}));

function withdrawAll(pair: Pair, name: Name): void {
  const { id: accountId } = traderOf(pair, name);
  const amountMicros = micros(-pair.model.available(accountId));
  pair.give(root, { type: "FundAccount", accountId, amountMicros, memo: null });
}

/** How a run ends: as it is, or with every market void, paid or never printed. */
const end: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom("nothing", "void", "void", "payment", "payment", "dispute", "lapse"),
    fc.tuple(value, value, value),
    fc.subarray([...names]),
  )
  .map(([how, values, leaving]) => ({
    words: `the end: [${leaving.join(", ")}] withdraw all; ${how} ${values.join(" ")}`,
    act: (pair: Pair) => {
      for (const name of leaving) withdrawAll(pair, name);
      for (const by of how === "void" ? operators : []) {
        for (const market of markets) voidOf(pair, market, by);
      }
      if (how === "payment" || how === "dispute") {
        // The first market would be paid by the time of the third print.
        for (const one of values.slice(how === "dispute" ? 1 : 0)) printNext(pair, one, true);
      }
      if (how === "dispute") contest(pair);
      if (how === "payment") pass(pair, 5 * DAY_SECONDS);
      if (how === "lapse") pass(pair, 200 * DAY_SECONDS);
    },
  }));

/** K is upheld, amended and left undecided; root has no cash to dispute L with. */
function contest(pair: Pair): void {
  for (const name of names) {
    const { id: accountId } = traderOf(pair, name);
    const amountMicros = micros(250_000_000n);
    pair.give(root, { type: "FundAccount", accountId, amountMicros, memo: null });
  }
  const disputed = (): void => {
    for (const name of names) disputeOf(pair, "K", name);
  };
  disputed();
  for (const by of ["root", "root"] as const) decisionOf(pair, "K", by, null);
  for (const value of ["268003", null]) decisionOf(pair, "K", "second", value);
  disputed();
  for (const by of operators) decisionOf(pair, "K", by, "240000");
  disputed();
  disputeOf(pair, "L", "root");
  pass(pair, 30 * DAY_SECONDS);
}

const anything: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 64, arbitrary: placement },
  { weight: 6, arbitrary: batch },
  { weight: 5, arbitrary: massQuote },
  { weight: 3, arbitrary: roundTrip },
  { weight: 8, arbitrary: amend },
  { weight: 5, arbitrary: cancel },
  { weight: 1, arbitrary: cancelAll },
  { weight: 1, arbitrary: cancelSome },
  { weight: 4, arbitrary: funding },
  { weight: 2, arbitrary: emptying },
  { weight: 1, arbitrary: guarantee },
  { weight: 2, arbitrary: control },
  { weight: 3, arbitrary: voiding },
  { weight: 1, arbitrary: withdrawal },
  { weight: 2, arbitrary: dispute },
  { weight: 3, arbitrary: decided },
  { weight: 3, arbitrary: busting },
  { weight: 1, arbitrary: closing },
  { weight: 2, arbitrary: wait },
  { weight: 1, arbitrary: print },
  { weight: 1, arbitrary: day },
  { weight: 2, arbitrary: marks },
  { weight: 1, arbitrary: call },
);

class Given implements fc.Command<Pair, Pair> {
  readonly #asked: Asked;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Every command may come at any time. */
  check(): boolean {
    return true;
  }

  run(pair: Pair): void {
    pair.lines.push(this.#asked.words);
    this.#asked.act(pair);
  }

  toString(): string {
    return this.#asked.words;
  }

  [fc.toStringMethod](): string {
    return this.#asked.words;
  }
}

const given = (asked: Asked): Given => new Given(asked);

export const ending = end.map(given);

export const commandsUpTo = (maxCommands: number) =>
  fc.commands([anything.map(given)], { maxCommands, size: "max" });
