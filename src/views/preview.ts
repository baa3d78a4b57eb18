// The preview of an order: the core's own placing, on a small copy of the durable records that it
// could touch.
// Invariant: the copy shares nothing that changes, so a rehearsal leaves no trace; what it tells of
// the orders is what placing them on the same records would have done.
import type { AccountId, MarketId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import { noLots } from "#base/quantity.ts";
import { sameOwner } from "#core/account/owner.ts";
import { apply } from "#core/apply.ts";
import { buysYes, isOpen, remaining, yesTick } from "#core/book/order.ts";
import type { Actor, CommandOf, Listing, OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import {
  putAcceptance,
  putAccount,
  putBalance,
  putChainPoint,
  putKey,
  putMakerProtection,
  putMarket,
  putOrder,
  putPosition,
} from "#core/fold.ts";
import { putListing } from "#core/leaving.ts";
import { putMatching, putWindow } from "#core/market/put-window.ts";
import { clientOrderName } from "#core/names.ts";
import { needOf } from "#core/order/checks.ts";
import { isRejected } from "#core/outcome.ts";
import { type Order, permissions } from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import { State } from "#core/state.ts";
import { available, cashOf } from "#core/step.ts";
import type { ExchangeView } from "./exchange.ts";

export interface CommandPreview {
  readonly events: readonly Event[];
  /** Held back at the worst of it, beyond what is held back now: what the balance is asked for. */
  readonly requiredMicros: Micros;
  readonly availableMicros: Micros;
  readonly availableAfterMicros: Micros;
}

type Placement = CommandOf<"PlaceOrder"> | CommandOf<"PlaceBatch">;
type KeyActor = Extract<Actor, { type: "key" }>;

export function previewCommand(
  view: ExchangeView,
  actor: KeyActor,
  command: Placement,
  timeMillis: number,
): CommandPreview | { readonly rejection: Rejection } {
  const [orders, listings] =
    command.type === "PlaceBatch"
      ? [command.orders, command.listings]
      : [[command.order], command.listing === null ? [] : [command.listing]];
  const state = copyFor(view, actor, orders, listings);
  const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
  const outcome = apply(state, envelope, 1);
  if (isRejected(outcome)) return outcome;

  const { accountId } = actor;
  const judged = outcome.events.flatMap((event) => ordersIn(event, accountId));
  const placed = new Map(judged.map((order) => [order.id, order]));
  const proposal = {
    orders: [...placed.values()].filter(({ rank }) => rank > view.marks.lastRank),
    fresh: new Map(listings.map((listing) => [listing.marketId, listing])),
  };
  const need = needOf(view.exposures, accountId, view.cash(accountId), proposal);
  return { events: outcome.events, ...need, availableAfterMicros: available(state, accountId) };
}

/** One of the account's orders as its balance was asked for it: whole, before it met the book. */
function ordersIn(event: Event, account: AccountId): readonly Order[] {
  if (event.type !== "OrderChanged" || event.order.accountId !== account) return [];
  const { order } = event;
  if (order.cancelReason === "REDUCE_ONLY" && order.filledLots === 0n) return [];
  return [{ ...order, filledLots: noLots, status: "OPEN", cancelReason: null }];
}

/** The ledgers placing may post to: fees, and premium debts once there is cash again. */
const ledgerNames = ["fees", "guarantee", "lent", "interest", "financing"] as const;

function copyFor(
  view: ExchangeView,
  { accountId, keyId }: KeyActor,
  orders: readonly OrderInput[],
  listings: readonly Listing[],
): State {
  const state = new State();
  state.rules = view.rules;
  state.deciderVersion = view.deciderVersion;
  state.exchange = { ...view.facts, clockMillis: 0 };
  const key = view.keys.get(keyId);
  // Whether the key may is asked at the door: a rehearsal asks what its account may do.
  if (key !== undefined) putKey(state, { ...key, permissions });
  for (const name of ledgerNames) putBalance(state, name, view.balance(name));
  for (const [index, window] of view.waiting.windows) putWindow(state, { index, window });
  for (const [id, held] of view.waiting.heldMatching) putMatching(state, { marketId: id, held });
  copyAccount(view, state, accountId);
  const named = new Set(orders.map(({ marketId }) => marketId));
  const own = ownOrders(view, accountId, orders);
  const positions = view.positionsOf(accountId);
  const touched = [
    ...named,
    ...own.map((one) => one.marketId),
    ...positions.map((one) => one.marketId),
  ];
  for (const id of new Set(touched)) {
    const market = view.markets.get(id);
    if (market !== undefined) putMarket(state, market);
  }
  for (const position of positions) putPosition(state, position);
  for (const order of own) putOrder(state, order);
  for (const id of view.listingsOf(accountId)) putListing(state, id, accountId);
  for (const { clientOrderId } of orders) {
    const name = clientOrderName(accountId, clientOrderId ?? "");
    const since = view.ordersBy.spentIds.get(name);
    if (since !== undefined) state.spentIds.set(name, since);
  }
  for (const id of named) {
    for (const order of reachable(view, id, accountId, orders)) {
      if (!state.accounts.has(order.accountId)) copyAccount(view, state, order.accountId);
      const position = view.position(order.accountId, id);
      if (position !== undefined) putPosition(state, position);
      putOrder(state, order);
    }
  }
  for (const { terms } of listings) {
    const frontier = view.chainPointFor(terms.index, terms.nodeId, terms.measurementMonth);
    if (frontier !== undefined) putChainPoint(state, frontier);
  }
  const { orderCount, fillCount, lastRank } = view.marks;
  return Object.assign(state, { orderCount, fillCount, lastRank });
}

function copyAccount(view: ExchangeView, state: State, id: AccountId): void {
  const account = view.accounts.get(id);
  if (account !== undefined) putAccount(state, account);
  const protection = view.makerProtection(id);
  if (protection !== undefined) putMakerProtection(state, protection);
  for (const acceptance of view.acceptancesOf(id)) putAcceptance(state, acceptance);
  const volume = view.dayVolume(id);
  if (volume !== undefined) state.dayVolumes.set(id, volume);
  putBalance(state, cashOf(id), view.cash(id));
}

/** The open orders, and any order that has used a reference of these. */
function ownOrders(
  view: ExchangeView,
  account: AccountId,
  orders: readonly OrderInput[],
): readonly Order[] {
  const named = orders.flatMap(({ clientOrderId }) => {
    const order = view.ordersBy.byClientId(account, clientOrderId ?? "");
    return order === undefined || isOpen(order) ? [] : order;
  });
  return [...view.ordersBy.openOf(account), ...named];
}

/** Others' resting orders in one market that these could meet, on both sides of the book. */
function reachable(
  view: ExchangeView,
  market: MarketId,
  account: AccountId,
  orders: readonly OrderInput[],
): readonly Order[] {
  if (!view.markets.has(market)) return [];
  const incoming = orders.flatMap(({ priceTick, ...order }) =>
    priceTick === null || order.marketId !== market ? [] : { ...order, priceTick },
  );
  return [true, false].flatMap((buying) => {
    const side = incoming.filter((order) => buysYes(order) === buying);
    const ticks = side.map(yesTick);
    const limit = buying ? Math.max(...ticks) : Math.min(...ticks);
    let wanted = side.reduce((sum, { amountLots }) => sum + amountLots, 0n);
    const met: Order[] = [];
    for (const resting of view.book(market).against(buying)) {
      const beyond = buying ? yesTick(resting) > limit : yesTick(resting) < limit;
      if (beyond || wanted <= 0n) break;
      if (resting.accountId === account) continue;
      met.push(resting);
      // An order that may be cut or taken back on the way is there, and not counted on.
      const isSure =
        !resting.reduceOnly &&
        view.makerProtection(resting.accountId) === undefined &&
        !sameOwner(view, resting.accountId, account);
      if (isSure) wanted -= remaining(resting);
    }
    return met;
  });
}
