// Amending an open order: its price, its amount or its expiry, under the id it has.
// Invariant: a smaller amount or another expiry keeps the order's place; a new price or a larger
// amount takes a new one, and is judged and matched like a new order of what is left.
import { noLots } from "#base/quantity.ts";
import { refuseUnpaidSale } from "../acceptance/financed.ts";
import { execute } from "../book/match.ts";
import { isOpen, remaining } from "../book/order.ts";
import { cutToPosition } from "../book/reduce-only.ts";
import type { CommandOf } from "../command.ts";
import type { Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";
import { Beside } from "./beside.ts";
import {
  type ProposedOrders,
  refuseBalance,
  refuseClosed,
  refuseExpiry,
  refuseFundShort,
  refuseSize,
  refuseStanding,
  refuseStripping,
} from "./checks.ts";
import { orderNamed } from "./selection.ts";

export function amendOrder(step: Step, command: CommandOf<"AmendOrder">): Rejection | undefined {
  const { state } = step;
  const account = state.account(actingAccount(step));
  const order = orderNamed(step, account.id, command);
  const isReducing = !("code" in order) && order.reduceOnly;
  const standing = refuseStanding(step, account, isReducing);
  if (standing !== undefined) return standing;
  if ("code" in order) return order;
  if (!isOpen(order)) return reject("ORDER_DONE", { status: order.status });
  const refused = refuseClosed(state.market(order.marketId)) ?? refuseChange(step, order, command);
  if (refused !== undefined) return refused;
  const amended = cutToPosition(step, changed(order, command));
  const keepsPlace = keepsPlaceOf(order, amended);
  const judged = keepsPlace ? amended : asNew(amended);
  const proposal: ProposedOrders = { orders: [judged], fresh: new Map(), replaced: order };
  const judgedBeside = { beside: new Beside(state.exposures, account.id), replaced: order };
  const unfit =
    refuseFundShort(step, judged, judgedBeside) ??
    refuseSize(step, account, judged, judgedBeside) ??
    refuseStripping(step, judged) ??
    refuseUnpaidSale(step, judged, { isPaidNow: false }) ??
    refuseBalance(step, account.id, proposal);
  if (unfit !== undefined) return unfit;

  if (keepsPlace) emit(step, { type: "OrderChanged", order: amended });
  else execute(step, { ...amended, rank: state.lastRank + 1 });
  return undefined;
}

function refuseChange(
  step: Step,
  { filledLots }: Order,
  { price, amountLots, expirySeconds }: CommandOf<"AmendOrder">,
): Rejection | undefined {
  if (price?.tick === null) return reject("INVALID_PRICE", undefined, "price");
  const past = refuseExpiry(step, expirySeconds ?? 0);
  if (past !== undefined) return past;
  return amountLots !== null && amountLots < filledLots
    ? reject("AMOUNT_BELOW_FILLED", { filledLots }, "amount")
    : undefined;
}

/** An amount that is no more than what is filled leaves nothing to fill: the order is done. */
function changed(
  order: Order,
  { price, amountLots, expirySeconds }: CommandOf<"AmendOrder">,
): Order {
  const amount = amountLots ?? order.amountLots;
  const expiry = expirySeconds ?? order.expirySeconds;
  return {
    ...order,
    priceTick: price?.tick ?? order.priceTick,
    amountLots: amount,
    status: amount === order.filledLots ? "FILLED" : order.status,
    expirySeconds: expiry,
    timeInForce: expiry === 0 ? "GTC" : "GTD",
  };
}

const keepsPlaceOf = (before: Order, after: Order): boolean =>
  !isOpen(after) || (after.priceTick === before.priceTick && after.amountLots <= before.amountLots);

/** The rest may trade at once and pay a fee of its own, rounded like that of a new order. */
const asNew = (order: Order): Order => ({
  ...order,
  amountLots: remaining(order),
  filledLots: noLots,
});
