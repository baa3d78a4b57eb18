// Placing orders, one or a batch: every guard in its order of precedence, then the matching.
// Invariant: a refused order or batch has changed nothing; an accepted one can always be paid.
import type { AccountId } from "#base/ids.ts";
import { orderId } from "#base/ids.ts";
import { type Micros, noMoney } from "#base/money.ts";
import { endsQuarter, isStandardSeries } from "#contract/series.ts";
import { refuseUnpaidSale } from "../acceptance/financed.ts";
import { refuseGroup } from "../account/order-groups.ts";
import { execute } from "../book/match.ts";
import { cutToPosition } from "../book/reduce-only.ts";
import type { CommandOf, OrderInput } from "../command.ts";
import { isSpent, MOST_OTHER_LISTINGS, MOST_UNFILLED_LISTINGS } from "../leaving.ts";
import { listByOrder, refuseSeries } from "../market/listing.ts";
import type { Listing } from "../market/listing-record.ts";
import { isMatchingHeld } from "../market/matching.ts";
import { clientOrderName } from "../names.ts";
import type { Account, Order } from "../records.ts";
import { type Rejection, type RejectionDetails, reject } from "../rejection.ts";
import { actingAccount, available, emit, type Step } from "../step.ts";
import { Beside } from "./beside.ts";
import {
  refuseBalance,
  refuseClosed,
  refuseExpiry,
  refuseFundShort,
  refuseSize,
  refuseStanding,
  refuseStripping,
} from "./checks.ts";
import { draft } from "./draft.ts";

export function placeOrder(
  step: Step,
  { order, listing }: CommandOf<"PlaceOrder">,
): Rejection | undefined {
  return placeOrders(step, [order], listing === null ? [] : [listing], {});
}

export function placeBatch(
  step: Step,
  { orders, listings, each }: CommandOf<"PlaceBatch">,
): Rejection | undefined {
  if (each === true) return placeEach(step, orders, listings);
  return placeOrders(step, orders, listings, { isBatch: true });
}

/** Each on what the ones before it have left. */
function placeEach(
  step: Step,
  inputs: readonly OrderInput[],
  listings: readonly Listing[],
): undefined {
  for (const [index, input] of inputs.entries()) {
    const rejection = placeOrders(step, [input], listings, {});
    if (rejection !== undefined) emit(step, { type: "OrderRefused", index, rejection });
  }
}

interface Placing {
  /** Refusals then name the order's place. */
  readonly isBatch?: true;
  /** Cash that is lent for these orders once they are accepted. */
  readonly advanceMicros?: Micros;
}

function placeOrders(
  step: Step,
  inputs: readonly OrderInput[],
  listings: readonly Listing[],
  placing: Placing,
): Rejection | undefined {
  const judged = judgeOrders(step, inputs, listings, placing);
  if ("code" in judged) return judged;

  enterOrders(step, judged);
  return undefined;
}

/** Orders that passed every guard, and the markets they list. */
interface CheckedOrders {
  readonly orders: readonly Order[];
  readonly fresh: ReadonlyMap<string, Listing>;
}

/** A batch is judged whole: each order on its own first, then the margin on their net result. */
export function judgeOrders(
  step: Step,
  inputs: readonly OrderInput[],
  listings: readonly Listing[],
  { isBatch, advanceMicros = noMoney }: Placing,
): CheckedOrders | Rejection {
  const account = step.state.account(actingAccount(step));
  const orders: Order[] = [];
  const fresh = new Map<string, Listing>();
  const offered = new Map(listings.map((listing) => [listing.marketId, listing]));
  const beside = new Beside(step.state.exposures, account.id);
  for (const [index, input] of inputs.entries()) {
    const place: RejectionDetails = isBatch ? { index } : {};
    const others = { listing: offered.get(input.marketId), isAlone: inputs.length === 1, beside };
    const judged = judge(step, account, input, others, orders, fresh);
    if ("code" in judged) return { ...judged, details: { ...judged.details, ...place } };
    orders.push(judged);
    beside.add(judged);
  }
  const unpaid = refuseBalance(step, account.id, { orders, fresh }, advanceMicros);
  if (unpaid === undefined) return { orders, fresh };
  const place = isBatch ? { index: firstUnpaid(step, account.id, orders, fresh) } : {};
  return { ...unpaid, details: { ...unpaid.details, ...place } };
}

export function enterOrders(step: Step, { orders, fresh }: CheckedOrders): void {
  for (const listing of fresh.values()) listByOrder(step, listing, actingAccount(step));
  for (const order of orders) execute(step, numbered(step, order));
}

/** Orders of mandates that the ones before it met have taken the numbers between. */
function numbered({ state }: Step, order: Order): Order {
  const id = orderId(`ord-${state.orderCount + 1}`);
  return id === order.id ? order : { ...order, id };
}

interface Others {
  readonly listing: Listing | undefined;
  /** No other order of its command could take the cash that it needs. */
  readonly isAlone: boolean;
  readonly beside: Beside;
}

/** Filled now or never; in a window even these wait. */
function isImmediate({ state }: Step, { marketId, timeInForce }: Order): boolean {
  const market = state.markets.get(marketId);
  const isNow = timeInForce === "IOC" || timeInForce === "FOK";
  return isNow && market !== undefined && !isMatchingHeld(state, market);
}

function judge(
  step: Step,
  account: Account,
  input: OrderInput,
  { listing, isAlone, beside }: Others,
  before: readonly Order[],
  fresh: Map<string, Listing>,
): Order | Rejection {
  const standing = refuseStanding(step, account, input.reduceOnly);
  if (standing !== undefined) return standing;
  const market =
    refuseMarket(step, input, listing) ?? refuseListings(step, account.id, listing, fresh);
  if (market !== undefined) return market;
  if (input.priceTick === null) return reject("INVALID_PRICE", undefined, "price");
  const past = refuseExpiry(step, input.expirySeconds);
  if (past !== undefined) return past;
  if (listing !== undefined && !step.state.markets.has(input.marketId)) {
    fresh.set(listing.marketId, listing);
  }
  const order = cutToPosition(step, draft(step, account, input, input.priceTick, before.length));
  return (
    refuseFundShort(step, order, { beside }) ??
    refuseSize(step, account, order, { beside }) ??
    refuseGroup(step.state, account.id, order, before) ??
    refuseRepeat(step, order, before) ??
    refuseStripping(step, order) ??
    refuseUnpaidSale(step, order, { isPaidNow: isAlone && isImmediate(step, order) }) ??
    order
  );
}

function refuseMarket(
  step: Step,
  input: OrderInput,
  listing: Listing | undefined,
): Rejection | undefined {
  const market = step.state.markets.get(input.marketId);
  if (market !== undefined) return refuseClosed(market);
  if (listing === undefined) return reject("MARKET_NOT_FOUND", undefined, "marketId");
  return refuseSeries(step.state, listing, step.nowMillis);
}

/**
 * Listing is free: each account has so many markets that wait for their first trade, and only few
 * of them are no standard series.
 */
function refuseListings(
  { state }: Step,
  account: AccountId,
  listing: Listing | undefined,
  fresh: ReadonlyMap<string, Listing>,
): Rejection | undefined {
  if (listing === undefined) return undefined;
  if (state.markets.has(listing.marketId) || fresh.has(listing.marketId)) return undefined;
  const mine = state.listingsOf.get(account) ?? new Set();
  if (mine.size + fresh.size >= MOST_UNFILLED_LISTINGS) {
    return reject("LISTING_CAP", { allowed: MOST_UNFILLED_LISTINGS }, "marketId");
  }
  if (!isOther(listing)) return undefined;
  const listed = [...mine].flatMap((id) => state.markets.get(id) ?? []);
  const others = [...listed, ...fresh.values()].filter(isOther);
  return others.length < MOST_OTHER_LISTINGS
    ? undefined
    : reject("SERIES_NOT_STANDARD", { allowed: MOST_OTHER_LISTINGS }, "marketId");
}

/** No standard series, where one could be listed in its stead. */
function isOther({ terms }: Pick<Listing, "terms">): boolean {
  const baselineMonth = terms.baseline?.month ?? null;
  if (baselineMonth === null || !endsQuarter(baselineMonth)) return false;
  return !isStandardSeries({ ...terms, baselineMonth });
}

function refuseRepeat(step: Step, order: Order, before: readonly Order[]): Rejection | undefined {
  const { clientOrderId } = order;
  if (clientOrderId === null) return undefined;
  const name = clientOrderName(order.accountId, clientOrderId);
  const used =
    step.state.clientOrderIds.has(name) ||
    isSpent(step.state, name, step.nowMillis) ||
    before.some((other) => other.clientOrderId === clientOrderId);
  return used ? reject("CLIENT_ORDER_ID_USED", undefined, "clientOrderId") : undefined;
}

/** The first order of a batch that, with those before it, is more than the account can pay for. */
function firstUnpaid(
  step: Step,
  account: AccountId,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Listing>,
): number {
  const { state } = step;
  const free = available(state, account);
  if (free >= 0n) {
    const now = state.exposures.locked(account);
    let at = 0;
    for (const locked of state.exposures.lockedInTurn(account, orders, fresh)) {
      if (locked - now > free) return at;
      at += 1;
    }
  }
  return orders.findIndex(
    (_, at) =>
      refuseBalance(step, account, { orders: orders.slice(0, at + 1), fresh }) !== undefined,
  );
}
