// Placing orders, one or a batch: every guard in its order of precedence, then the matching.
// Invariant: a refused order or batch has changed nothing; an accepted one can always be paid.
import type { AccountId } from "#base/ids.ts";
import { orderId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import { execute } from "../book/match.ts";
import type { CommandOf, Listing, OrderInput } from "../command.ts";
import { isApproved } from "../kyc/kyc.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { enterMarket, refuseSeries } from "../market/listing.ts";
import type { Account, Order } from "../records.ts";
import { type Rejection, type RejectionDetails, reject } from "../rejection.ts";
import { actingAccount, cashOf, type Step } from "../step.ts";
import { filledToday } from "../volume.ts";

export const MAX_OPEN_ORDERS = 1_000;

export function placeOrder(
  step: Step,
  { order, listing }: CommandOf<"PlaceOrder">,
): Rejection | undefined {
  return placeOrders(step, [order], listing === null ? [] : [listing], false);
}

export function placeBatch(
  step: Step,
  { orders, listings }: CommandOf<"PlaceBatch">,
): Rejection | undefined {
  return placeOrders(step, orders, listings, true);
}

/** A batch is judged whole: each order on its own first, then the margin on their net result. */
function placeOrders(
  step: Step,
  inputs: readonly OrderInput[],
  listings: readonly Listing[],
  isBatch: boolean,
): Rejection | undefined {
  const account = step.state.account(actingAccount(step));
  const accepted: Order[] = [];
  const fresh = new Map<string, Listing>();
  for (const [index, input] of inputs.entries()) {
    const place: RejectionDetails = isBatch ? { index } : {};
    const listing = listings.find((candidate) => candidate.marketId === input.marketId);
    const judged = judge(step, account, input, listing, accepted, fresh);
    if ("code" in judged) return { ...judged, details: { ...judged.details, ...place } };
    accepted.push(judged);
  }
  const unpaid = refuseBalance(step, account.id, accepted, fresh);
  if (unpaid !== undefined) {
    const place = isBatch ? { index: firstUnpaid(step, account.id, accepted, fresh) } : {};
    return { ...unpaid, details: { ...unpaid.details, ...place } };
  }

  for (const listing of fresh.values()) enterMarket(step, listing, null);
  for (const order of accepted) execute(step, order);
  return undefined;
}

function judge(
  step: Step,
  account: Account,
  input: OrderInput,
  listing: Listing | undefined,
  before: readonly Order[],
  fresh: Map<string, Listing>,
): Order | Rejection {
  const standing = refuseStanding(step, account);
  if (standing !== undefined) return standing;
  const market = refuseMarket(step, input, listing);
  if (market !== undefined) return market;
  if (input.priceTick === null) return reject("INVALID_PRICE", undefined, "price");
  if (input.expirySeconds !== 0 && input.expirySeconds <= step.nowSeconds) {
    return reject("EXPIRY_PAST", undefined, "expiry");
  }
  if (listing !== undefined && !step.state.markets.has(input.marketId)) {
    fresh.set(listing.marketId, listing);
  }
  const order = draft(step, account, input, input.priceTick, before.length);
  return (
    refuseSize(step, account, [...before, order], fresh) ??
    refuseRepeat(step, order, before) ??
    order
  );
}

function refuseStanding(step: Step, account: Account): Rejection | undefined {
  if (!isApproved(account.kyc, step.nowSeconds)) {
    return reject("KYC_REQUIRED", { status: account.kyc.status });
  }
  if (account.halted) return reject("ACCOUNT_HALTED");
  return step.state.exchange?.halted === true ? reject("EXCHANGE_HALTED") : undefined;
}

function refuseMarket(
  step: Step,
  input: OrderInput,
  listing: Listing | undefined,
): Rejection | undefined {
  const market = step.state.markets.get(input.marketId);
  if (market !== undefined) {
    return market.status === "ACTIVE" && !market.tradingClosed
      ? undefined
      : reject("MARKET_CLOSED", { status: market.status });
  }
  if (listing === undefined) return reject("MARKET_NOT_FOUND", undefined, "marketId");
  return refuseSeries(step.state, listing, step.nowMillis);
}

function draft(
  step: Step,
  account: Account,
  input: OrderInput,
  priceTick: Tick,
  offset: number,
): Order {
  const rank = step.state.orders.size + offset + 1;
  return {
    id: orderId(`ord-${rank}`),
    accountId: account.id,
    marketId: input.marketId,
    clientOrderId: input.clientOrderId,
    outcomeIndex: input.outcomeIndex,
    side: input.side,
    priceTick,
    amountLots: input.amountLots,
    filledLots: noLots,
    status: "OPEN",
    cancelReason: null,
    timeInForce: input.timeInForce,
    postOnly: input.postOnly,
    selfTradePrevention: input.selfTradePrevention,
    expirySeconds: input.expirySeconds,
    createdAtMillis: step.nowMillis,
    rank,
  };
}

/**
 * Limits of the tier, then the cap on open orders; both with the orders of the batch so far.
 * An order that does not raise what is already above a limit may pass: it is the way back under it.
 */
function refuseSize(
  step: Step,
  account: Account,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Listing>,
): Rejection | undefined {
  const newest = orders.at(-1);
  if (newest === undefined) return undefined;
  const sizes = sizesWith(step, account, newest, orders, fresh);
  const over = sizes.find(({ value, allowed }) => value > allowed);
  if (over !== undefined) {
    const before = sizesWith(step, account, newest, orders.slice(0, -1), fresh);
    const raised = sizes.find(
      ({ value, allowed }, at) => value > allowed && value > (before[at]?.value ?? 0n),
    );
    if (raised !== undefined) return reject("POSITION_LIMIT", raised.details, raised.field);
  }
  const { openOrders } = step.state.exposures.totalsWith(account.id, orders, fresh);
  return openOrders > MAX_OPEN_ORDERS ? reject("OPEN_ORDER_CAP") : undefined;
}

/** What each limit of the tier measures, if these orders were open too. */
function sizesWith(
  step: Step,
  account: Account,
  newest: Order,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Listing>,
) {
  const { exposures } = step.state;
  const terms = accountTerms(step.state.rules, account);
  const totals = exposures.totalsWith(account.id, orders, fresh);
  const position = exposures.coverageWith(account.id, newest.marketId, orders);
  const filled = filledToday(step.state.dayVolumes.get(account.id), step.nowMillis);
  const daily = micros(filled * MICROS_PER_LOT + totals.openMicros);
  const usd = (limit: string, value: Micros, allowed: Micros) => ({
    value,
    allowed,
    field: "amount",
    details: { limit, requiredMicros: value, allowedMicros: allowed },
  });
  return [
    usd("maxPosition", position, terms.maxPositionMicros),
    usd("maxDaily", daily, terms.maxDailyMicros),
    usd("maxPositionSize", position, terms.maxPositionSizeMicros),
    usd("maxDailyVolume", daily, terms.maxDailyVolumeMicros),
    usd("maxTotal", totals.coverageMicros, terms.maxTotalMicros),
    {
      value: BigInt(totals.openPositions),
      allowed: BigInt(terms.maxOpenPositions),
      field: "marketId",
      details: { limit: "maxOpenPositions" },
    },
  ];
}

function refuseRepeat(step: Step, order: Order, before: readonly Order[]): Rejection | undefined {
  const { clientOrderId } = order;
  if (clientOrderId === null) return undefined;
  const used =
    step.state.clientOrderIds.has(`${order.accountId}|${clientOrderId}`) ||
    before.some((other) => other.clientOrderId === clientOrderId);
  return used ? reject("CLIENT_ORDER_ID_USED", undefined, "clientOrderId") : undefined;
}

function refuseBalance(
  step: Step,
  account: AccountId,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Listing>,
): Rejection | undefined {
  const { state } = step;
  const cash = state.balance(cashOf(account));
  const lockedNow = state.exposures.locked(account);
  const lockedThen = state.exposures.totalsWith(account, orders, fresh).lockedMicros;
  if (lockedThen <= cash || lockedThen <= lockedNow) return undefined;
  return reject("INSUFFICIENT_BALANCE", {
    requiredMicros: micros(lockedThen - lockedNow),
    availableMicros: micros(cash - lockedNow),
  });
}

/** The first order of a batch that, with those before it, is more than the account can pay for. */
function firstUnpaid(
  step: Step,
  account: AccountId,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Listing>,
): number {
  return orders.findIndex(
    (_, at) => refuseBalance(step, account, orders.slice(0, at + 1), fresh) !== undefined,
  );
}
