// Mandates as the reference model knows them: a list, gone through from its start at each order.
// Invariant: nothing of src/core is called; what a mandate has traded is added up from its orders,
// and the lots that it gives are found by trying one less each time.

import type { MandateId } from "#base/ids.ts";
import { type AccountId, mandateId, orderId } from "#base/ids.ts";
import type { Month } from "#base/month.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import { isOver, type ModelLedger, sum } from "./model-ledger.ts";
import { buysYes, left, type ModelOrder, yesTick } from "./model-order.ts";

export interface ModelMandate extends MandateTerms {
  readonly id: MandateId;
  readonly accountId: AccountId;
}

/** The part of the model that mandates are asked of. */
interface WithMandates extends Pick<ModelLedger, "market"> {
  mandates: readonly ModelMandate[];
  mandatesEver: number;
  readonly orders: readonly ModelOrder[];
  /** The newest month with a print. */
  readonly newest: Month | null;
  /** Would the order pass all checks that one of the account's own has to? */
  couldPlace(order: ModelOrder): boolean;
}

/** A new one: the last in its price. */
export function setMandate(
  model: WithMandates,
  accountId: AccountId,
  { mandateId: named, terms }: CommandOf<"SetMandate">,
): undefined {
  if (named !== null) throw new Error("the model knows new mandates only");
  model.mandatesEver += 1;
  const id = mandateId(`mnd-${model.mandatesEver}`);
  model.mandates = [...model.mandates, { ...terms, id, accountId }];
}

export function cancelMandates(model: WithMandates, account: AccountId): undefined {
  model.mandates = model.mandates.filter(({ accountId }) => accountId !== account);
}

/** The order that the best mandate gives, where one comes before what rests. */
export function givenTo(
  model: WithMandates,
  order: ModelOrder,
  resting: ModelOrder | undefined,
  spent: Set<AccountId>,
): ModelOrder | undefined {
  const buys = buysYes(order);
  const nearest = buys ? 1 : -1;
  const offers = model.mandates
    .flatMap((mandate) => offerOf(model, mandate, order) ?? [])
    .toSorted((a, b) => nearest * (a.tick - b.tick));
  for (const { mandate, tick } of offers) {
    if (nearest * (tick - yesTick(order)) > 0) return undefined;
    if (resting !== undefined && nearest * (tick - yesTick(resting)) >= 0) return undefined;
    const { accountId } = mandate;
    if (accountId === order.accountId || spent.has(accountId)) continue;
    const most = roomOf(model, mandate, order);
    for (let quantity = most; quantity > 0n; quantity -= 1n) {
      const given = orderOf(model, mandate, order, tick, quantity);
      if (model.couldPlace(given)) return given;
    }
    if (most > 0n) spent.add(accountId);
  }
  return undefined;
}

function offerOf(
  model: WithMandates,
  mandate: ModelMandate,
  order: ModelOrder,
): { readonly mandate: ModelMandate; readonly tick: Tick } | undefined {
  const { terms, markTick } = model.market(order.marketId);
  const { scope, side, spreadTicks, spreadTicksPerYear } = mandate;
  const months = terms.measurementMonth - (model.newest ?? terms.measurementMonth);
  const isCovered =
    scope.places.includes(terms.nodeId) && months >= scope.minMonths && months <= scope.maxMonths;
  if (!isCovered || months < 1 || (side === "SELL") !== buysYes(order)) return undefined;
  const spread = spreadTicks + Math.ceil((spreadTicksPerYear * months) / 12);
  const tick = side === "SELL" ? markTick + spread : markTick - spread;
  return isTick(tick) ? { mandate, tick } : undefined;
}

/** The lots that the order wants, or the narrowest of the budgets; there is one state. */
function roomOf(model: WithMandates, mandate: ModelMandate, order: ModelOrder): bigint {
  const own = model.orders.filter(
    (one) => one.mandateId === mandate.id && !isOver(model.market(one.marketId)),
  );
  const inAll = sum(own, (one) => one.filledLots);
  const here = own.filter(({ marketId }) => marketId === order.marketId);
  const inMarket = sum(here, (one) => one.filledLots);
  return [
    left(order),
    mandate.mostInMarketLots - inMarket,
    mandate.mostInStateLots - inAll,
    mandate.mostInAllLots - inAll,
  ].reduce((fewest, one) => (one < fewest ? one : fewest));
}

const orderOf = (
  model: WithMandates,
  { id, accountId, side }: ModelMandate,
  { marketId }: ModelOrder,
  priceTick: Tick,
  quantity: bigint,
): ModelOrder => ({
  ...{ id: orderId(`ord-${model.orders.length + 1}`), accountId, marketId, side, priceTick },
  ...{ amountLots: lots(quantity), filledLots: lots(0n), status: "OPEN", cancelReason: null },
  ...{ outcomeIndex: 0, timeInForce: "IOC", postOnly: false, reduceOnly: false },
  ...{ selfTradePrevention: "cancel_incoming", expirySeconds: 0, mandateId: id },
});
