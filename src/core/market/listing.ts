// Listing a market: by its first order (a protection series) or by an operator (a level market).
// Invariant: a market's id follows from its terms, and its terms start from the newest first print.
import { type MarketId, marketId } from "#base/ids.ts";
import { noMoney } from "#base/money.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatSeriesId, isStandard } from "#contract/series.ts";
import { type Terms, termsHash } from "#contract/terms.ts";
import type { CommandOf, Listing } from "../command.ts";
import { type Rejection, reject } from "../rejection.ts";
import { frontierName, type State } from "../state.ts";
import { emit, type Step } from "../step.ts";
import { tradingEndsAtMillis } from "./life.ts";

/** The one id of these terms: a series id, or `lvl.zhvi.state-tx.e2025-04.gte-300000`. */
export function marketIdOf(terms: Terms): MarketId {
  const { payoff, baseline, index, nodeId, measurementMonth } = terms;
  if (payoff.kind === "level") {
    const threshold = formatPrintValue(payoff.thresholdE15);
    const end = formatMonth(measurementMonth);
    return marketId(
      `lvl.${index}.${nodeId.replace(":", "-")}.e${end}.${payoff.comparator}-${threshold}`,
    );
  }
  const baselineMonth = baseline?.month ?? measurementMonth;
  return formatSeriesId({ index, nodeId, baselineMonth, measurementMonth, payoff });
}

/** May a series with these terms start trading now? */
export function refuseSeries(
  state: State,
  { marketId: id, terms }: Listing,
  nowMillis: number,
): Rejection | undefined {
  const { payoff, baseline } = terms;
  if (payoff.kind === "level" || baseline === null || !isStandard(payoff)) {
    return reject("MARKET_NOT_FOUND");
  }
  if (marketIdOf(terms) !== id) return reject("MARKET_NOT_FOUND");
  const frontier = state.frontiers.get(
    frontierName(terms.index, terms.nodeId, terms.measurementMonth),
  );
  if (frontier === undefined) return reject("MARKET_NOT_FOUND");
  const isCurrent =
    frontier.month === baseline.month &&
    frontier.valueE15 === baseline.valueE15 &&
    frontier.levelE12 === baseline.levelE12 &&
    frontier.releaseId === baseline.releaseId;
  const liesAhead =
    terms.measurementMonth > baseline.month && tradingEndsAtMillis(terms) > nowMillis;
  return isCurrent && liesAhead ? undefined : reject("LISTING_STALE");
}

/** Enters a market whose listing has been found good. */
export function enterMarket(step: Step, listing: Listing, frontendId: string | null): void {
  const { terms, markTick, stressedTick } = listing;
  emit(step, {
    type: "MarketChanged",
    market: {
      id: listing.marketId,
      frontendId: frontendId ?? nextFrontendId(step.state),
      terms,
      termsHash: termsHash(terms),
      status: "ACTIVE",
      tradingClosed: false,
      markTick,
      stressedTick,
      lastTick: null,
      houseFeesMicros: noMoney,
      fundFeesMicros: noMoney,
      createdAtMillis: step.nowMillis,
      updatedAtMillis: step.nowMillis,
      reason: null,
      shortfallMicros: noMoney,
      resolution: null,
      dispute: null,
    },
  });
}

function nextFrontendId(state: State): string {
  for (let number = state.markets.size + 1; ; number += 1) {
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
  if (marketIdOf(terms) !== listing.marketId || terms.payoff.kind !== "level") {
    return reject("MARKET_NOT_FOUND");
  }
  const ahead = tradingEndsAtMillis(terms) > step.nowMillis;
  if (
    !ahead ||
    !state.frontiers.has(frontierName(terms.index, terms.nodeId, terms.measurementMonth))
  ) {
    return reject("LISTING_STALE", undefined, ahead ? "geoNodeId" : "measurementMonth");
  }

  enterMarket(step, listing, frontendId);
  return undefined;
}
