// The checks an order passes before it changes anything: one guard a question, shared by placing
// and amending.
// Invariant: a guard reads and never writes; the caller asks them in their order of precedence.
import type { AccountId, MarketId } from "#base/ids.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { MICROS_PER_LOT } from "#base/quantity.ts";
import { maxOpenOrders, takenToday } from "../account/caps.ts";
import { buysYes, isOpen, remaining, yesTick } from "../book/order.ts";
import { mayReduce, refuseUncleared } from "../kyc/standing.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { refuseCalled } from "../margin/call.ts";
import { isBelowInitial, lowersHealth, priceThatPasses } from "../margin/closing.ts";
import type { Exposures } from "../margin/exposure.ts";
import { withPromised, worstLots } from "../margin/one-market.ts";
import type { Marked } from "../margin/risk.ts";
import { tradingEndsAtMillis } from "../market/life.ts";
import type { Account, Market, Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { promisedIn } from "../rfq/promises.ts";
import type { State } from "../state.ts";
import { cashOf, type Moment, type Step } from "../step.ts";
import type { Beside, Sizes } from "./beside.ts";

/** The orders an account would have open: these, beside or in place of those it has. */
export interface ProposedOrders {
  readonly orders: readonly Order[];
  /** First marks of markets that the orders would list. */
  readonly fresh: ReadonlyMap<string, Marked>;
  /** The open order that an amended one takes the place of. */
  readonly replaced?: Order;
}

/** An order is judged beside this: the orders of its batch so far, or the one it replaces. */
export interface Judged {
  readonly beside: Beside;
  readonly replaced?: Order;
}

/** `reduceOnly`: the order can only bring a position nearer to flat. */
export function refuseStanding(step: Moment, account: Account, reduceOnly: boolean) {
  const { state } = step;
  const uncleared =
    reduceOnly && mayReduce(account.kyc) ? undefined : refuseUncleared(step, account);
  if (uncleared !== undefined) return uncleared;
  if (account.halted) return reject("ACCOUNT_HALTED");
  if (state.exchange?.halted === true) return reject("EXCHANGE_HALTED");
  if (state.debts.isBehind(account.id)) return reject("PAYMENT_OVERDUE");
  const called = reduceOnly ? undefined : refuseCalled(account);
  if (called !== undefined) return called;
  const tripped = state.makerProtections.get(account.id)?.trippedAtMillis ?? null;
  return tripped === null ? undefined : reject("PROTECTION_TRIPPED");
}

/**
 * A position that premiums are owed for is what the pool has behind them: it is not sold for less
 * than it is worth, where somebody else could wait for it.
 */
export function refuseStripping({ state }: Step, order: Order): Rejection | undefined {
  if (buysYes(order)) return undefined;
  if (state.debts.openOf(order.accountId, order.marketId).length === 0) return undefined;
  const { markTick } = state.market(order.marketId);
  return yesTick(order) < markTick
    ? reject("FINANCING_PRICE", { allowedTick: markTick }, "price")
    : undefined;
}

export function refuseClosed({ status, tradingClosed, terms }: Market): Rejection | undefined {
  if (status === "ACTIVE" && !tradingClosed) return undefined;
  // A void ends trading before its time.
  const isOver = tradingClosed && status !== "CANCELLED";
  const closed = isOver ? { closedAtMillis: tradingEndsAtMillis(terms) } : {};
  return reject("MARKET_CLOSED", { status, ...closed });
}

export const refuseExpiry = (step: Step, expirySeconds: number): Rejection | undefined =>
  expirySeconds !== 0 && expirySeconds <= step.nowSeconds
    ? reject("EXPIRY_PAST", undefined, "expiry")
    : undefined;

/** While the fund cannot carry its weakest owners no order adds a short; what closes one may. */
export function refuseFundShort(
  { state }: Pick<Moment, "state">,
  order: Order,
  { beside, replaced }: Judged,
): Rejection | undefined {
  const lacking = state.exchange?.fundShortMicros;
  if (lacking === undefined || buysYes(order) || order.reduceOnly) return undefined;
  const shortIn = ({ here }: Sizes): bigint => here.sellLots - here.heldLots;
  const after = shortIn(beside.with(order, replaced));
  const isRaised = after > 0n && after > shortIn(beside.before(order.marketId));
  return isRaised ? reject("FUND_SHORT", { requiredMicros: lacking }) : undefined;
}

/**
 * Limits of the tier, which count open quotes for requests as orders; then the cap on open orders.
 * Both with the orders of the batch so far.
 * An order that does not raise what is already above a limit may pass: it is the way back under it.
 */
export function refuseSize(
  step: Moment,
  account: Account,
  order: Order,
  { beside, replaced }: Judged,
): Rejection | undefined {
  const { marketId } = order;
  const after = beside.with(order, replaced);
  const sizes = sizesOf(step, account, marketId, after, order);
  const over = sizes.find(({ value, allowed }) => value > allowed);
  if (over !== undefined) {
    const before = sizesOf(step, account, marketId, beside.before(marketId), replaced);
    const raised = sizes.find(
      ({ value, allowed }, at) => value > allowed && value > (before[at]?.value ?? 0n),
    );
    if (raised !== undefined) return reject("POSITION_LIMIT", raised.details, raised.field);
  }
  const { openOrders } = after;
  const allowed = maxOpenOrders(account);
  const isOver =
    openOrders > allowed && openOrders > step.state.exposures.totals(account.id).openOrders;
  return isOver ? reject("OPEN_ORDER_CAP", { allowed }) : undefined;
}

/**
 * The measure of each limit of the tier. Of the day an order takes nothing while it rests: `own`
 * alone has to fit what is left of it. Of the total all lots that quotes promise are taken,
 * whatever the account holds: no order has to go through all their legs.
 */
function sizesOf(
  step: Moment,
  account: Account,
  marketId: MarketId,
  { here, coverageMicros, openPositions }: Sizes,
  own: Order | undefined,
) {
  const { state } = step;
  const terms = accountTerms(state.rules, account);
  const quoted = promisedIn(state, account.id, marketId);
  const position = micros(worstLots(withPromised(here, quoted)) * MICROS_PER_LOT);
  const promised = (state.quotedLots.get(account.id) ?? 0n) * MICROS_PER_LOT;
  const wanted = own !== undefined && isOpen(own) ? remaining(own) : 0n;
  const daily = micros((takenToday(step, account.id) + wanted) * MICROS_PER_LOT);
  const cap = account.caps?.maxDailyMicros;
  const usd = (limit: string, value: Micros, allowed: Micros) => ({
    value,
    allowed,
    field: "amount",
    details: { limit, requiredMicros: value, allowedMicros: allowed },
  });
  return [
    usd("maxPosition", position, terms.maxPositionMicros),
    usd("maxDaily", daily, cap ?? terms.maxDailyMicros),
    usd("maxPositionSize", position, terms.maxPositionSizeMicros),
    usd("maxDailyVolume", daily, cap ?? terms.maxDailyVolumeMicros),
    usd("maxTotal", micros(coverageMicros + promised), terms.maxTotalMicros),
    {
      value: BigInt(openPositions),
      allowed: BigInt(terms.maxOpenPositions),
      field: "marketId",
      details: { limit: "maxOpenPositions" },
    },
  ];
}

export function refuseBalance(
  { state }: Pick<Moment, "state">,
  account: AccountId,
  proposal: ProposedOrders,
  advanceMicros: Micros = noMoney,
): Rejection | undefined {
  const cash = micros(state.balance(cashOf(account)) + advanceMicros);
  const { requiredMicros, availableMicros } = needOf(state.exposures, account, cash, proposal);
  if (requiredMicros > 0n && requiredMicros > availableMicros) {
    return reject("INSUFFICIENT_BALANCE", { requiredMicros, availableMicros });
  }
  if (availableMicros >= 0n) return undefined;
  return refuseOpening(state, account, cash, proposal) ?? refuseHarm(state, account, proposal);
}

/** An account short of cash may still close a short, with orders that its cash pays for. */
function refuseOpening(
  { exposures }: State,
  account: AccountId,
  cash: Micros,
  { orders, fresh, replaced }: ProposedOrders,
): Rejection | undefined {
  const now = exposures.totals(account);
  const { outlayMicros } = exposures.totalsWith(account, orders, fresh, replaced);
  const raised = exposures.coverRaised(account, cash, orders, fresh, replaced);
  if (raised === 0n && outlayMicros <= cash) return undefined;
  return reject("INSUFFICIENT_BALANCE", {
    requiredMicros: raised > 0n ? raised : micros(outlayMicros - now.outlayMicros),
    availableMicros: micros(cash - (raised > 0n ? now.lockedMicros : now.outlayMicros)),
  });
}

/** Below initial margin it closes at no price that leaves less for each lot still short. */
function refuseHarm(
  state: State,
  account: AccountId,
  { orders, fresh, replaced }: ProposedOrders,
): Rejection | undefined {
  const cash = state.balance(cashOf(account));
  const totals = state.exposures.shortTotals(account);
  if (!isBelowInitial(cash, totals)) return undefined;
  const before = new Map<MarketId, Order[]>();
  for (const order of orders) {
    const { marketId } = order;
    const here = before.get(marketId) ?? [];
    const standing = state.exposures.standingWith(account, marketId, here, fresh, replaced);
    before.set(marketId, [...here, order]);
    const lowersAt = (one: Order): boolean => lowersHealth(cash, totals, one, standing);
    if (!lowersAt(order)) continue;
    const allowedTick = priceThatPasses(order, lowersAt);
    return reject(
      "CLOSING_PRICE",
      allowedTick === undefined ? undefined : { allowedTick },
      "price",
    );
  }
  return undefined;
}

/**
 * The amount the orders would hold back at their worst, beyond that held now, and the amount that
 * is free.
 */
export function needOf(
  exposures: Pick<Exposures, "locked" | "totalsWith">,
  account: AccountId,
  cash: Micros,
  { orders, fresh, replaced }: ProposedOrders,
): { readonly requiredMicros: Micros; readonly availableMicros: Micros } {
  const lockedNow = exposures.locked(account);
  const lockedThen = exposures.totalsWith(account, orders, fresh, replaced).lockedMicros;
  return {
    requiredMicros: micros(lockedThen - lockedNow),
    availableMicros: micros(cash - lockedNow),
  };
}
