// Listing a market: by its first order (a protection series) or by an operator (any level).
// Invariant: a market's id follows from its terms; a decline starts from the newest first print.
import type { AccountId, MarketId } from "#base/ids.ts";
import { noMoney } from "#base/money.ts";
import { formatSeriesId, isSeries } from "#contract/series.ts";
import { type Baseline, type Terms, termsHash } from "#contract/terms.ts";
import type { CommandOf } from "../command.ts";
import { chainPointName } from "../names.ts";
import type { ChainPoint, Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import { tradingEndsAtMillis } from "./life.ts";
import type { Listing } from "./listing-record.ts";

/** The one id of these terms. */
export const marketIdOf = (terms: Terms): MarketId =>
  formatSeriesId({ ...terms, baselineMonth: terms.baseline?.month ?? null });

/** May a series with these terms start trading now? */
export function refuseSeries(
  state: State,
  { marketId: id, terms }: Listing,
  nowMillis: number,
  mayBeListed: typeof isSeries = isSeries,
): Rejection | undefined {
  if (!mayBeListed(terms) || !fitsPayoff(terms) || !hasSuccessor(state, terms))
    return reject("MARKET_NOT_FOUND");
  if (marketIdOf(terms) !== id) return reject("MARKET_NOT_FOUND");
  const point = state.chainPoints.get(
    chainPointName(terms.index, terms.nodeId, terms.measurementMonth),
  );
  if (point === undefined) return reject("MARKET_NOT_FOUND");
  // A printed month has ended, so a month that is not over lies beyond the newest point.
  const liesAhead = tradingEndsAtMillis(terms) > nowMillis;
  return liesAhead && startsAt(terms.baseline, point) ? undefined : reject("LISTING_STALE");
}

/** A decline starts from a baseline, a level from nothing; only a decline has a successor. */
const fitsPayoff = ({ payoff, baseline, successor }: Terms): boolean =>
  (payoff.kind === "level") === (baseline === null) && (successor === null || baseline !== null);

/** A successor is another place with prints of the same index. */
const hasSuccessor = (state: State, { index, nodeId, measurementMonth, successor }: Terms) =>
  successor === null ||
  (successor !== nodeId &&
    state.chainPoints.has(chainPointName(index, successor, measurementMonth)));

/** The baseline, where there is one, is the newest first print. */
const startsAt = (baseline: Baseline | null, point: ChainPoint): boolean =>
  baseline === null ||
  (point.month === baseline.month &&
    point.valueE15 === baseline.valueE15 &&
    point.levelE12 === baseline.levelE12 &&
    point.releaseId === baseline.releaseId);

/** By an account's order: until it is traded, the market is one of those the account may list. */
export function listByOrder(step: Step, listing: Listing, accountId: AccountId): void {
  enterMarket(step, listing, null);
  emit(step, { type: "MarketListed", marketId: listing.marketId, accountId });
}

/** Enters a market whose listing has been found good. */
function enterMarket(step: Step, listing: Listing, frontendId: string | null): void {
  const id = frontendId ?? nextFrontendId(step.state);
  emit(step, { type: "MarketChanged", market: freshMarket(listing, id, step.nowMillis) });
}

/** The record of a market at its first moment. */
export function freshMarket(listing: Listing, frontendId: string, nowMillis: number): Market {
  const { marketId, terms, markTick, stressedTick, riskTicks, within } = listing;
  return {
    id: marketId,
    frontendId,
    terms,
    termsHash: termsHash(terms),
    status: "ACTIVE",
    tradingClosed: false,
    markTick,
    stressedTick,
    riskTicks,
    within,
    lastTick: null,
    houseFeesMicros: noMoney,
    fundFeesMicros: noMoney,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis,
    reason: null,
    shortfallMicros: noMoney,
    resolution: null,
    dispute: null,
  };
}

function nextFrontendId(state: State): string {
  const last = Math.max(state.markets.size, state.retiredNumber);
  for (let number = last + 1; ; number += 1) {
    const id = `mkt-${String(number).padStart(3, "0")}`;
    if (!state.marketsByFrontendId.has(id)) return id;
  }
}

export function listMarket(step: Step, command: CommandOf<"ListMarket">): Rejection | undefined {
  const { listing, frontendId } = command;
  const { terms } = listing;
  const { state } = step;
  if (state.markets.has(listing.marketId)) return reject("MARKET_EXISTS");
  if (frontendId !== null && state.marketsByFrontendId.has(frontendId)) {
    return reject("MARKET_EXISTS", undefined, "frontendId");
  }
  const isLevel = terms.payoff.kind === "level" && fitsPayoff(terms);
  if (!isLevel || marketIdOf(terms) !== listing.marketId) {
    return reject("MARKET_NOT_FOUND");
  }
  const ahead = tradingEndsAtMillis(terms) > step.nowMillis;
  if (
    !ahead ||
    !state.chainPoints.has(chainPointName(terms.index, terms.nodeId, terms.measurementMonth))
  ) {
    return reject("LISTING_STALE", undefined, ahead ? "geoNodeId" : "measurementMonth");
  }

  enterMarket(step, listing, frontendId);
  return undefined;
}
