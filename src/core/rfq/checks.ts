// The checks that a request, a quote and an accept pass before they change anything.
// Invariant: a guard reads and never writes.
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, MICROS_PER_LOT } from "#base/quantity.ts";
import { isNegotiable } from "#contract/series.ts";
import { termsHash } from "#contract/terms.ts";
import { maxDaily, takenToday } from "../account/caps.ts";
import { refuseBeyondLimits } from "../kyc/limits.ts";
import { accountTerms } from "../kyc/tiers.ts";
import type { Marked } from "../margin/risk.ts";
import { refuseSeries } from "../market/listing.ts";
import { isMatchingHeld } from "../market/matching.ts";
import { refuseClosed, refuseFundShort, refuseStripping } from "../order/checks.ts";
import { draft } from "../order/place.ts";
import type { Account, Order, Side } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import type { Step } from "../step.ts";
import type { Rfq, RfqLeg } from "./record.ts";

type Legs = Pick<Rfq, "legs" | "id">;

/** Each leg may trade now, on the terms it was asked for, or may be listed on them. */
export function refuseLegs(step: Step, legs: readonly RfqLeg[]): Rejection | undefined {
  for (const [index, { listing }] of legs.entries()) {
    const refused = refuseLeg(step, listing);
    if (refused !== undefined) return { ...refused, details: { ...refused.details, index } };
  }
  return undefined;
}

function refuseLeg({ state, nowMillis }: Step, listing: RfqLeg["listing"]): Rejection | undefined {
  const { marketId: id, terms } = listing;
  const market = state.markets.get(id);
  if (isMatchingHeld(state, market ?? { id, terms }))
    return reject("RFQ_WINDOW", undefined, "legs");
  if (market === undefined) return refuseSeries(state, listing, nowMillis, isNegotiable);
  const isSame = market.termsHash === termsHash(terms);
  return refuseClosed(market) ?? (isSame ? undefined : reject("LISTING_STALE"));
}

/** One whole order a leg, at the price of the leg; they are never open. */
export function ordersOf(
  step: Step,
  account: Account,
  side: Side,
  { legs, id }: Legs,
  ticks: readonly Tick[],
): readonly Order[] {
  return legs.flatMap(({ listing, amountLots }, at) => {
    const tick = ticks[at];
    if (tick === undefined) return [];
    const input = {
      marketId: listing.marketId,
      outcomeIndex: 0,
      side,
      priceTick: tick,
      amountLots,
      expirySeconds: 0,
      timeInForce: "FOK",
      postOnly: false,
      reduceOnly: false,
      clientOrderId: null,
      selfTradePrevention: "cancel_incoming",
    } as const;
    return { ...draft(step, account, input, tick, 0), rank: 0, rfqId: id };
  });
}

export const freshIn = ({ state }: Step, { legs }: Legs): ReadonlyMap<string, Marked> =>
  new Map(
    legs.flatMap(({ listing }) =>
      state.markets.has(listing.marketId) ? [] : [[listing.marketId, listing] as const],
    ),
  );

/** Rules that hold for a side in every leg, whatever it has agreed to. */
export function refuseOrders(
  step: Step,
  account: Account,
  orders: readonly Order[],
  fresh: ReadonlyMap<string, Marked>,
): Rejection | undefined {
  for (const [index, order] of orders.entries()) {
    const refused =
      refuseFundShort(step, account, { orders: [order], fresh }) ?? refuseStripping(step, order);
    if (refused !== undefined) return { ...refused, details: { ...refused.details, index } };
  }
  return undefined;
}

/**
 * The limits of the tier, with these orders open beside all others; as orders are judged. They take
 * their part of the day at once. `alreadyLots`: the part of them that open quotes have taken.
 */
export function refuseLimits(
  step: Step,
  account: Account,
  { orders, alreadyLots }: { readonly orders: readonly Order[]; readonly alreadyLots: Lots },
  fresh: ReadonlyMap<string, Marked>,
): Rejection | undefined {
  const { state } = step;
  const { id } = account;
  const { exposures, rules } = state;
  const after = exposures.totalsWith(id, orders, fresh);
  const before = exposures.totals(id);
  const taken = takenToday(step, id) * MICROS_PER_LOT;
  const wanted = orders.reduce((sum, { amountLots }) => sum + amountLots, -alreadyLots);
  return refuseBeyondLimits(accountTerms(rules, account), {
    ...{ before, after },
    positions: orders.map(({ marketId }) => ({
      before: exposures.coverageWith(id, marketId, []),
      after: exposures.coverageWith(id, marketId, orders),
    })),
    daily: {
      before: micros(taken),
      after: micros(taken + wanted * MICROS_PER_LOT),
      allowed: maxDaily(rules, account),
    },
  });
}

/** Every trader, or the accounts it names; its own requester too. */
export const isInAudience = (
  { accounts }: Pick<State, "accounts">,
  { audience, accountId }: Pick<Rfq, "audience" | "accountId">,
  id: AccountId,
): boolean => {
  const address = accounts.get(id)?.address.toLowerCase();
  return id === accountId || audience === null || audience.some((one) => one === address);
};
