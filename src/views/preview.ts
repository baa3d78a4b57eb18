// The preview of an order or an acceptance: the core's own deciding, on a layer over the durable
// state.
// Invariant: what is written stays in the layer, so a preview leaves no trace; what it tells is
// what placing the orders on the same records would have done.
import type { AccountId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { noLots } from "#base/quantity.ts";
import { decided } from "#core/apply.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { putKey } from "#core/keys/put-key.ts";
import { needOf } from "#core/order/checks.ts";
import { isRejected } from "#core/outcome.ts";
import { type Order, permissions } from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import { available } from "#core/step.ts";
import type { ExchangeView } from "./exchange.ts";

export interface CommandPreview {
  readonly events: readonly Event[];
  /** Held back at the worst of it, beyond what is held back now: what the balance is asked for. */
  readonly requiredMicros: Micros;
  readonly availableMicros: Micros;
  readonly availableAfterMicros: Micros;
}

type Placement = CommandOf<"PlaceOrder"> | CommandOf<"PlaceBatch"> | CommandOf<"AcceptQuote">;
type KeyActor = Extract<Actor, { type: "key" }>;

export function previewCommand(
  view: ExchangeView,
  actor: KeyActor,
  command: Placement,
  timeMillis: number,
): CommandPreview | { readonly rejection: Rejection } {
  const state = view.over();
  const key = state.keys.get(actor.keyId);
  // Whether the key may is asked at admission: a preview asks what its account may do.
  if (key !== undefined) putKey(state, { ...key, permissions });
  const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
  const outcome = decided(state, envelope, (view.sequence ?? 0) + 1);
  if (isRejected(outcome)) return outcome;

  const { accountId } = actor;
  const judged = outcome.events.flatMap((event) => ordersIn(event, accountId));
  const placed = new Map(judged.map((order) => [order.id, order]));
  const listings = listingsOf(command);
  const proposal = {
    orders: [...placed.values()].filter(({ rank }) => rank > view.marks.lastRank),
    fresh: new Map(listings.map((listing) => [listing.marketId, listing])),
  };
  const need = needOf(view.exposures, accountId, view.cash(accountId), proposal);
  const requiredMicros = micros(need.requiredMicros - advanceIn(outcome.events));
  return {
    events: outcome.events,
    ...need,
    requiredMicros,
    availableAfterMicros: available(state, accountId),
  };
}

/** The part of an acceptance's highest price that is lent: its balance is not asked for it. */
function advanceIn(events: readonly Event[]): bigint {
  const lent = events.find(
    (event) => event.type === "Posted" && event.posting.reason === "advance",
  );
  return lent?.type === "Posted" ? lent.posting.amountMicros : 0n;
}

function listingsOf(command: Placement) {
  if (command.type === "PlaceBatch") return command.listings;
  return command.listing === null ? [] : [command.listing];
}

/** One of the account's orders as its balance was asked for it: whole, before it met the book. */
function ordersIn(event: Event, account: AccountId): readonly Order[] {
  if (event.type !== "OrderChanged" || event.order.accountId !== account) return [];
  const { order } = event;
  if (order.cancelReason === "REDUCE_ONLY" && order.filledLots === 0n) return [];
  return [{ ...order, filledLots: noLots, status: "OPEN", cancelReason: null }];
}
