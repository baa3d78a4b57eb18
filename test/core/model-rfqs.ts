// Requests for quotes as the reference model knows them: two lists, gone through from their start
// at each question. Written from decision 79; owners and addresses are told to the model.
// Invariant: nothing of src/core is called; cash and lots that quotes hold back are added up anew.
import { type AccountId, type MarketId, orderId, rfqId, rfqQuoteId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import type { CommandOf } from "#core/command.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { found, isTrading, sum } from "./model-ledger.ts";
import { furthest, type ModelOrder } from "./model-order.ts";
import {
  type ModelQuote,
  type ModelRequest,
  openOf,
  ordersOf,
  promised,
  quotedOrders,
  requestOf,
  reserved,
  type WithRequests,
} from "./model-quotes.ts";
import type { ReferenceModel } from "./reference-model.ts";

type Refusal = RejectionCode | undefined;

const HALF_MINUTE = 30_000;
const THREE_DAYS = 72 * 3_600_000;

export function ask(
  model: ReferenceModel,
  accountId: AccountId,
  { legs, side, audience, closesAtMillis }: CommandOf<"OpenRfq">,
): Refusal {
  if (!isBetween(closesAtMillis - model.nowMillis, HALF_MINUTE, THREE_DAYS)) return "RFQ_TIMES";
  const markets = legs.map(({ listing }) => listing.marketId);
  const areLegs = isBetween(legs.length, 1, 200) && new Set(markets).size === legs.length;
  if (!areLegs || legs.some(({ amountLots }) => amountLots <= 0n)) return "RFQ_LEGS";
  const stopped = refuseMarkets(model, markets);
  if (stopped !== undefined) return stopped;
  const mine = model.requests.filter((one) => one.accountId === accountId);
  if (mine.length >= 100 || mine.filter(isStanding).length >= 10) return "RFQ_CAP";
  const id = rfqId(`rfq-${model.requests.length + 1}`);
  const request = { id, accountId, legs, side, closesAtMillis, status: "open" } as const;
  const heard = audience?.map((one) => one.toLowerCase()) ?? null;
  model.requests = [...model.requests, { ...request, audience: heard, doneMillis: null }];
  return undefined;
}

/** For a request that it may see and that is not of its own owner; an owner has one. */
export function quote(
  model: ReferenceModel,
  accountId: AccountId,
  { rfqId: asked, ticks, validUntilMillis }: CommandOf<"QuoteRfq">,
): Refusal {
  const request = model.requests.find(({ id }) => id === asked);
  if (request === undefined || !hears(model, request, accountId)) return "RFQ_NOT_FOUND";
  const owner = ownerOf(model, accountId);
  if (ownerOf(model, request.accountId) === owner) return "RFQ_OWN";
  const own = { rfqId: asked, accountId, ticks: eachLeg(request, ticks), validUntilMillis };
  const refused = refuseTerms(model, request, own);
  if (refused !== undefined) return refused;
  const rivals = model.quotes.filter((one) => one.rfqId === asked);
  if (rivals.some((one) => one.status === "open" && ownerOf(model, one.accountId) === owner)) {
    return "RFQ_QUOTED";
  }
  if (rivals.length >= 50 || openOf(model, accountId).length >= 20) return "RFQ_CAP";
  const id = rfqQuoteId(`rqt-${model.quotes.length + 1}`);
  return take(model, [...model.quotes, { ...own, id, status: "open" }], accountId);
}

/** In no leg worse for the requester, in one better, and valid for as long. */
export function better(
  model: ReferenceModel,
  accountId: AccountId,
  { quoteId, ...command }: CommandOf<"ImproveQuote">,
): Refusal {
  const before = model.quotes.find(({ id }) => id === quoteId);
  if (before?.accountId !== accountId) return "RFQ_QUOTE_NOT_FOUND";
  if (before.status !== "open") return "RFQ_DONE";
  const request = requestOf(model, before);
  const validUntilMillis = command.validUntilMillis ?? before.validUntilMillis;
  const after = { ...before, ticks: eachLeg(request, command.ticks), validUntilMillis };
  const refused = refuseTerms(model, request, after);
  if (refused !== undefined) return refused;
  const [most, least] = request.side === "BUY" ? [before, after] : [after, before];
  const isWorse = most.ticks.some((tick, at) => tick < found(least.ticks[at]));
  const isSame = most.ticks.every((tick, at) => tick === least.ticks[at]);
  if (isWorse || isSame || validUntilMillis < before.validUntilMillis) return "RFQ_NOT_BETTER";
  const quotes = model.quotes.map((one) => (one === before ? after : one));
  return take(model, quotes, accountId);
}

/** All legs at the quote's prices, or nothing; only the requester can still be too weak for it. */
export function accept(
  model: ReferenceModel,
  accountId: AccountId,
  { rfqId: asked, quoteId }: CommandOf<"AcceptRfq">,
): Refusal {
  const request = model.requests.find(({ id }) => id === asked);
  const taken = model.quotes.find(({ id }) => id === quoteId);
  if (request?.accountId !== accountId) return "RFQ_NOT_FOUND";
  if (taken?.rfqId !== asked) return "RFQ_QUOTE_NOT_FOUND";
  if (!isStanding(request) || taken.status !== "open") return "RFQ_DONE";
  const markets = request.legs.map(({ listing }) => listing.marketId);
  const stopped = refuseMarkets(model, markets);
  if (stopped !== undefined) return stopped;
  const trial = listed(model, request);
  const orders = ordersOf(request, taken, accountId);
  const day = sum(orders, ({ amountLots }) => amountLots);
  if (day > trial.room(accountId)) return "POSITION_LIMIT";
  if (isBeyond(trial, model, accountId, orders)) return "POSITION_LIMIT";
  const needed = trial.locked(accountId, [...trial.open(accountId), ...orders]);
  const more = needed - trial.locked(accountId);
  if (more > 0n && more > trial.available(accountId)) return "INSUFFICIENT_BALANCE";

  finish(model, request, "filled", quoteId);
  model.markets = trial.markets;
  for (const [at, order] of ordersOf(request, taken, taken.accountId).entries()) {
    const next = model.orders.length + 1;
    const taker = { ...found(orders[at]), id: orderId(`ord-${next + 1}`) };
    model.block(taker, { ...order, id: orderId(`ord-${next}`) });
  }
  return undefined;
}

export function cancelRequest(
  model: ReferenceModel,
  accountId: AccountId,
  { rfqId: asked }: CommandOf<"CancelRfq">,
): Refusal {
  const request = model.requests.find(({ id }) => id === asked);
  if (request?.accountId !== accountId) return "RFQ_NOT_FOUND";
  if (!isStanding(request)) return "RFQ_DONE";
  finish(model, request, "cancelled");
  return undefined;
}

/** When requests close and quotes lapse. */
export function dueOfRequests({ requests, quotes }: WithRequests) {
  const closing = requests.flatMap(({ id, status, closesAtMillis: atMillis }) =>
    status === "open" ? { atMillis, command: { type: "CloseRfq", rfqId: id } as const } : [],
  );
  const lapsing = quotes.flatMap(({ id, status, validUntilMillis: atMillis }) =>
    status === "open" ? { atMillis, command: { type: "LapseQuote", quoteId: id } as const } : [],
  );
  return [...closing, ...lapsing];
}

export function closeRequest(model: ReferenceModel, id: ModelRequest["id"]): undefined {
  const request = found(model.requests.find((one) => one.id === id));
  if (standingFor(model, request).length === 0) finish(model, request, "expired");
  else change(model, { ...request, status: "closed" });
}

/** The last of a closed request takes it along. */
export function lapse(model: ReferenceModel, id: ModelQuote["id"]): undefined {
  const gone = found(model.quotes.find((one) => one.id === id));
  model.quotes = model.quotes.map((one) => (one === gone ? { ...one, status: "lapsed" } : one));
  const request = requestOf(model, gone);
  const isLast = request.status === "closed" && standingFor(model, request).length === 0;
  if (isLast) finish(model, request, "expired");
}

/** After each command: a leg that may not trade ends its request. */
export function endStopped(model: ReferenceModel): void {
  for (const request of model.requests.filter(isStanding)) {
    const here = model.markets.filter(({ id }) =>
      request.legs.some(({ listing }) => listing.marketId === id),
    );
    const isStopped = model.isInWindow() || here.some((market) => !isTrading(market));
    if (isStopped) finish(model, request, "lapsed");
  }
}

const isStanding = ({ doneMillis }: ModelRequest): boolean => doneMillis === null;

const standingFor = ({ quotes }: WithRequests, { id }: ModelRequest): readonly ModelQuote[] =>
  quotes.filter((one) => one.rfqId === id && one.status === "open");

const isBetween = (value: number, least: number, most: number): boolean =>
  value >= least && value <= most;

const ownerOf = ({ people }: ReferenceModel, id: AccountId): AccountId =>
  people.get(id)?.owner ?? id;

function hears({ people }: ReferenceModel, { audience, accountId }: ModelRequest, id: AccountId) {
  const address = people.get(id)?.address ?? "";
  return audience === null || id === accountId || audience.includes(address);
}

/** One price is that of every leg. */
const eachLeg = ({ legs }: ModelRequest, ticks: readonly Tick[]): readonly Tick[] =>
  ticks.length === 1 ? legs.flatMap(() => ticks) : ticks;

function refuseTerms(
  model: ReferenceModel,
  { status, legs, closesAtMillis }: ModelRequest,
  { ticks, validUntilMillis }: Pick<ModelQuote, "ticks" | "validUntilMillis">,
): Refusal {
  if (status !== "open") return "RFQ_DONE";
  if (!isBetween(validUntilMillis - closesAtMillis, HALF_MINUTE, THREE_DAYS)) return "RFQ_TIMES";
  if (ticks.length !== legs.length) return "RFQ_LEGS";
  return refuseMarkets(
    model,
    legs.map(({ listing }) => listing.marketId),
  );
}

/** One that nobody has listed yet is no obstacle. */
function refuseMarkets(model: ReferenceModel, markets: readonly MarketId[]): Refusal {
  for (const id of markets) {
    const market = model.markets.find((one) => one.id === id);
    if (model.isInWindow() || model.waiting.includes(id)) return "RFQ_WINDOW";
    if (market !== undefined && !isTrading(market)) return "MARKET_CLOSED";
  }
  return undefined;
}

/** The quotes as they would be, where the account's limits and its cash allow them. */
function take(model: ReferenceModel, quotes: readonly ModelQuote[], account: AccountId): Refusal {
  const after = model.copy();
  after.quotes = quotes;
  for (const one of openOf(after, account)) {
    after.markets = listed(after, requestOf(after, one)).markets;
  }
  const isDayOver = promised(after, account) - promised(model, account) > model.room(account);
  if (isDayOver || isBeyond(after, model, account, [])) return "POSITION_LIMIT";
  const more = reserved(after, account) - reserved(model, account);
  if (more > 0n && more > model.available(account)) return "INSUFFICIENT_BALANCE";
  model.quotes = quotes;
  return undefined;
}

/** A position could become larger than it may, and than before, if all of these were filled. */
function isBeyond(
  after: ReferenceModel,
  before: ReferenceModel,
  account: AccountId,
  more: readonly ModelOrder[],
): boolean {
  const couldHold = (model: ReferenceModel, id: MarketId, others: readonly ModelOrder[]) => {
    const all = [...model.open(account), ...quotedOrders(model, account), ...others];
    const held = model.markets.some((one) => one.id === id) ? model.held(account, id) : 0n;
    return furthest(
      held,
      all.filter(({ marketId }) => marketId === id),
    );
  };
  const allowed = found(after.tiers.get(account)).maxPositionMicros;
  return after.markets.some(({ id }) => {
    const then = couldHold(after, id, more);
    return then > allowed && then > couldHold(before, id, []);
  });
}

/** A model in which every leg has its market. */
function listed(model: ReferenceModel, { legs }: ModelRequest): ReferenceModel {
  const trial = model.copy();
  for (const { listing } of legs) {
    if (!trial.markets.some(({ id }) => id === listing.marketId)) trial.list(listing);
  }
  return trial;
}

function finish(
  model: ReferenceModel,
  request: ModelRequest,
  status: ModelRequest["status"],
  taken?: ModelQuote["id"],
): void {
  const ending = standingFor(model, request);
  model.quotes = model.quotes.map((one) => {
    if (!ending.includes(one)) return one;
    return { ...one, status: one.id === taken ? "filled" : "ended" };
  });
  change(model, { ...request, status, doneMillis: model.nowMillis });
}

function change(model: ReferenceModel, request: ModelRequest): void {
  model.requests = model.requests.map((one) => (one.id === request.id ? request : one));
}
