// The checks that a request, a quote and an accept pass before they change anything.
// Invariant: a guard reads and never writes.
import type { AccountId } from "#base/ids.ts";
import { isNegotiable } from "#contract/series.ts";
import { termsHash } from "#contract/terms.ts";
import { refuseUnpaidSale } from "../acceptance/financed.ts";
import { refuseSeries } from "../market/listing.ts";
import { isMatchingHeld } from "../market/matching.ts";
import { Beside } from "../order/beside.ts";
import { refuseClosed, refuseFundShort, refuseStripping } from "../order/checks.ts";
import type { Account, Order } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import type { Step } from "../step.ts";
import type { Rfq, RfqLeg } from "./record.ts";

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

/** Rules that hold for a side in every leg, whatever it has agreed to. */
export function refuseOrders(
  step: Step,
  account: Account,
  orders: readonly Order[],
): Rejection | undefined {
  const beside = new Beside(step.state.exposures, account.id);
  for (const [index, order] of orders.entries()) {
    const refused =
      refuseFundShort(step, order, { beside }) ??
      refuseStripping(step, order) ??
      refuseUnpaidSale(step, order, { isPaidNow: false });
    if (refused !== undefined) return { ...refused, details: { ...refused.details, index } };
  }
  return undefined;
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
