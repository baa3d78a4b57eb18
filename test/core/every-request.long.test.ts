// Every sequence of a few requests for quotes, quotes, accepts and orders in a small world, on the
// core and on its reference model.
//
//   FIRSTPRINT_LONGER=1 node --test test/core/every-request.long.test.ts
//
// Invariant: as of every sequence of orders: each is lived through from its first command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rfqId, rfqQuoteId } from "#base/ids.ts";
import { parseLots } from "#base/quantity.ts";
import type { Command } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import type { ModelQuote, ModelRequest } from "./model-quotes.ts";
import { Pair } from "./pair.ts";
import type { ReferenceModel } from "./reference-model.ts";
import { watchRequests } from "./rfq-watch.ts";
import { type Choice, Walk } from "./walk.ts";
import { order, root, type Trader, tick } from "./world.ts";

const LONGER = sizeOfRun("FIRSTPRINT_LONGER", 0);
const MINUTE = 60_000;

/** Three accounts with so much cash each, one market, and a bespoke one that nobody has listed. */
function stage(cash: string) {
  const pair = new Pair({ traders: 3, markets: 1, cash });
  const [requester, maker, rival] = pair.traders;
  const [market] = pair.listings;
  assert.ok(market !== undefined);
  assert.ok(requester !== undefined && maker !== undefined && rival !== undefined);
  const fresh = pair.world.listing("2025-01", {
    ...{ kind: "layered", attachBps: 300, exhaustBps: 1100 },
  });
  for (const { id } of pair.traders) own(pair, id, id);
  return { pair, requester, maker, rival, market, fresh };
}

function own({ world, model }: Pair, id: Trader["id"], owner: Trader["id"]): void {
  const address = world.state.account(id).address.toLowerCase();
  model.people = new Map([...model.people, [id, { owner, address }]]);
}

type ModelOf = Pick<ReferenceModel, "requests" | "quotes" | "nowMillis">;

const choice = (
  { id, actor }: Trader,
  words: string,
  command: (model: ModelOf) => Command,
): Choice => ({ words: `${id} ${words}`, actor, command });

/** `ahead`: seconds for which it takes quotes. */
const asks = (
  trader: Trader,
  side: ModelRequest["side"],
  legs: readonly (readonly [Listing, string])[],
  { audience = null, ahead = 60 }: { audience?: readonly string[] | null; ahead?: number } = {},
): Choice =>
  choice(trader, `asks to ${side} ${legs.map(([, amount]) => amount)}, ${ahead} s`, (model) => ({
    type: "OpenRfq",
    legs: legs.map(([listing, amount]) => ({
      listing,
      amountLots: parseLots(amount) ?? assert.fail(amount),
    })),
    ...{ side, audience, closesAtMillis: model.nowMillis + ahead * 1000 },
  }));

/** For the newest request, unless it is said for which one. */
const quotes = (trader: Trader, prices: readonly string[], after = 60, at = -1): Choice =>
  choice(trader, `quotes ${prices} for request ${at}, ${after} s`, (model) => {
    const request = model.requests.at(at);
    return {
      type: "QuoteRfq",
      rfqId: request?.id ?? rfqId("rfq-0"),
      ticks: prices.map(tick),
      validUntilMillis: (request?.closesAtMillis ?? 0) + after * 1000,
    };
  });

const newestOf = ({ quotes: all }: ModelOf, { id }: Trader): ModelQuote["id"] =>
  all.findLast(({ accountId }) => accountId === id)?.id ?? rfqQuoteId("rqt-0");

/** Its newest quote. */
const betters = (trader: Trader, prices: readonly string[], moreMillis: number | null): Choice =>
  choice(trader, `changes its quote to ${prices}, ${moreMillis} ms`, (model) => {
    const quoteId = newestOf(model, trader);
    const until = model.quotes.find(({ id }) => id === quoteId)?.validUntilMillis ?? 0;
    const validUntilMillis = moreMillis === null ? null : until + moreMillis;
    return { type: "ImproveQuote", quoteId, ticks: prices.map(tick), validUntilMillis };
  });

/** The newest quote of a maker, for the request that it was given for. */
const accepts = (trader: Trader, of: Trader): Choice =>
  choice(trader, `accepts the newest quote of ${of.id}`, (model) => {
    const quoteId = newestOf(model, of);
    const asked = model.quotes.find(({ id }) => id === quoteId)?.rfqId;
    return {
      type: "AcceptRfq",
      rfqId: asked ?? model.requests.at(-1)?.id ?? rfqId("rfq-0"),
      quoteId,
    };
  });

const cancels = (trader: Trader): Choice =>
  choice(trader, "cancels the newest request", (model) => ({
    type: "CancelRfq",
    rfqId: model.requests.at(-1)?.id ?? rfqId("rfq-0"),
  }));

const places = (
  trader: Trader,
  listing: Listing,
  ...[side, amount, price]: readonly ["BUY" | "SELL", string, string]
): Choice =>
  choice(trader, `orders ${side} ${amount} at ${price}`, () => ({
    type: "PlaceOrder",
    order: order(listing, side, amount, price),
    listing: null,
  }));

const passes = (minutes: number): Choice => ({
  words: `${minutes} minutes pass`,
  actor: root,
  command: () => ({ type: "Wait", millis: minutes * MINUTE }),
});

interface Scope {
  readonly name: string;
  readonly pair: Pair;
  /** Every sequence begins with these. */
  readonly first: readonly Choice[];
  readonly choices: readonly Choice[];
  readonly wanted: readonly string[];
}

/** Of one leg and two, from nothing; cash for one quote and a half. */
function fromNothing(): Scope {
  const { pair, requester, maker, rival, market, fresh } = stage("3");
  const [one, both] = [
    [[market, "2"]] as const,
    [
      [market, "1"],
      [fresh, "1"],
    ] as const,
  ];
  return {
    ...{ name: "from nothing", pair, first: [] },
    choices: [
      asks(requester, "BUY", one),
      asks(requester, "SELL", both, { audience: ["0xENHANCED"] }),
      asks(maker, "BUY", one),
      asks(requester, "BUY", both, { ahead: 29 }),
      quotes(maker, ["0.05"]),
      quotes(rival, ["0.08"], 120),
      quotes(maker, ["0.05", "0.06"], 29),
      betters(maker, ["0.04"], null),
      accepts(requester, maker),
      accepts(requester, rival),
      cancels(requester),
      places(maker, market, "SELL", "2", "0.05"),
      passes(1),
    ],
    wanted: [
      "quoted",
      "listed",
      "quote lapsed",
      "request filled",
      "request cancelled",
      "request closed",
      "request expired",
      "FILLED",
      "OpenRfq RFQ_TIMES",
      "QuoteRfq RFQ_TIMES",
      "QuoteRfq RFQ_NOT_FOUND",
      "QuoteRfq RFQ_OWN",
      "QuoteRfq RFQ_QUOTED",
      "QuoteRfq RFQ_DONE",
      "QuoteRfq INSUFFICIENT_BALANCE",
      "ImproveQuote RFQ_QUOTE_NOT_FOUND",
      "ImproveQuote RFQ_NOT_BETTER",
      "ImproveQuote RFQ_DONE",
      "AcceptRfq RFQ_NOT_FOUND",
      "AcceptRfq RFQ_QUOTE_NOT_FOUND",
      "AcceptRfq RFQ_DONE",
      "CancelRfq RFQ_NOT_FOUND",
      "CancelRfq RFQ_DONE",
      "PlaceOrder INSUFFICIENT_BALANCE",
    ],
  };
}

/** A request of two legs with a near quote and a far one, and all that can become of them. */
function quoted(): Scope {
  const { pair, requester, maker, rival, market, fresh } = stage("3");
  const both = [
    [market, "1"],
    [fresh, "1"],
  ] as const;
  return {
    ...{ name: "quoted by two", pair },
    first: [
      asks(requester, "BUY", both),
      quotes(maker, ["0.08", "0.07"]),
      quotes(rival, ["0.06"], 150),
    ],
    choices: [
      betters(maker, ["0.06", "0.07"], null),
      betters(maker, ["0.05", "0.08"], null),
      betters(rival, ["0.05"], MINUTE),
      betters(rival, ["0.04"], -1),
      accepts(requester, maker),
      accepts(requester, rival),
      accepts(maker, rival),
      cancels(requester),
      quotes(maker, ["0.05", "0.05", "0.05"]),
      places(maker, market, "SELL", "1.2", "0.05"),
      places(requester, market, "BUY", "3", "0.97"),
      pauses(market),
      passes(1),
      passes(3),
    ],
    wanted: [
      "quoted",
      "listed",
      "quote lapsed",
      "request filled",
      "request cancelled",
      "request closed",
      "request expired",
      "request lapsed",
      "FILLED",
      "QuoteRfq RFQ_LEGS",
      "QuoteRfq RFQ_DONE",
      "ImproveQuote RFQ_NOT_BETTER",
      "ImproveQuote RFQ_DONE",
      "ImproveQuote INSUFFICIENT_BALANCE",
      "AcceptRfq RFQ_NOT_FOUND",
      "AcceptRfq RFQ_DONE",
      "AcceptRfq INSUFFICIENT_BALANCE",
      "PlaceOrder INSUFFICIENT_BALANCE",
      "PlaceOrder MARKET_CLOSED",
    ],
  };
}

const pauses = ({ marketId }: Listing): Choice => ({
  words: "an operator pauses the market",
  actor: root,
  command: () => ({ type: "PauseMarket", marketId, reason: "" }),
});

/** Requests of 2 contracts and of 2.5; one maker may hold 4, the other trade 3 a day. */
function limited(): Scope {
  const { pair, requester, maker, rival, market } = stage("7");
  const one = [[market, "2"]] as const;
  return {
    ...{ name: "limits", pair },
    first: [
      asks(requester, "BUY", one),
      asks(requester, "BUY", one),
      asks(maker, "SELL", [[market, "2.5"]]),
      quotes(requester, ["0.04"]),
    ],
    choices: [
      asks(rival, "BUY", one),
      quotes(maker, ["0.05"], 60, 0),
      quotes(maker, ["0.07"], 60, 1),
      quotes(maker, ["0.06"], 60, -1),
      quotes(rival, ["0.06"], 60, 0),
      quotes(rival, ["0.06"], 60, 1),
      accepts(requester, maker),
      accepts(requester, rival),
      accepts(rival, maker),
      accepts(maker, requester),
      places(maker, market, "SELL", "1.5", "0.05"),
      places(rival, market, "SELL", "1.5", "0.06"),
      places(requester, market, "BUY", "1.5", "0.06"),
    ],
    wanted: [
      "quoted",
      "request filled",
      "FILLED",
      "DAILY_LIMIT",
      "QuoteRfq POSITION_LIMIT",
      "AcceptRfq POSITION_LIMIT",
      "PlaceOrder POSITION_LIMIT",
    ],
  };
}

/** Two accounts of one owner, who do not meet. */
function ofOneOwner(): Scope {
  const { pair, requester, maker, rival, market } = stage("3");
  pair.world.join(rival, maker);
  own(pair, rival.id, maker.id);
  const one = [[market, "1"]] as const;
  return {
    ...{ name: "one owner", pair, first: [] },
    choices: [
      asks(requester, "BUY", one),
      asks(requester, "BUY", [...one, ...one]),
      asks(maker, "SELL", one),
      asks(rival, "BUY", one, { audience: ["0xInstitutional"] }),
      quotes(requester, ["0.05"]),
      quotes(maker, ["0.06"]),
      quotes(rival, ["0.07"]),
      accepts(requester, maker),
      accepts(requester, rival),
      accepts(rival, requester),
      cancels(maker),
      pauses(market),
      passes(3),
    ],
    wanted: [
      "quoted",
      "request filled",
      "request expired",
      "request lapsed",
      "QuoteRfq RFQ_OWN",
      "QuoteRfq RFQ_QUOTED",
      "QuoteRfq RFQ_NOT_FOUND",
      "OpenRfq RFQ_LEGS",
      "OpenRfq MARKET_CLOSED",
    ],
  };
}

for (const { name, pair, first, choices, wanted } of [
  fromNothing(),
  quoted(),
  limited(),
  ofOneOwner(),
]) {
  test(`every sequence of requests and quotes (${name}): the core is as its model`, (t) => {
    const walk = new Walk(pair, choices, watchRequests);
    const longest = 4 + LONGER;
    walk.upTo(longest, first);
    // Of a refusal both are counted, with its command and without.
    const words = [...walk.seen.keys()];
    const exact = words.filter((word) => !words.some((other) => other.endsWith(` ${word}`)));
    const counts = exact.map((word) => `${word} ${walk.seen.get(word)}`).join(", ");
    t.diagnostic(
      `${walk.sequences} sequences: ${first.length}, then up to ${longest} of ${choices.length}`,
    );
    t.diagnostic(`at their ends ${counts}`);
    const missing = walk.missing(wanted);
    assert.deepEqual(missing, [], "they met everything they are meant to meet");
  });
}
