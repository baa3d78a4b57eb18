// A journal entry as everybody sees it: trades, levels, markets, marks, prints, halts.
// Invariant: a function of the entry alone, so that it reads the same live and years later; no
// account, order, key or free text but an operator's published reason is ever in it.
import type { ReleaseId } from "#base/ids.ts";
import { formatMicros } from "#base/money.ts";
import { formatMonth } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import { formatPrintValue, printNumber } from "#base/print-value.ts";
import { formatLots } from "#base/quantity.ts";
import type { BookLevel } from "#core/book/order.ts";
import type { CommandOf, Envelope, MarkUpdate } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import {
  holdsMatching,
  isAwaiting,
  type ReleaseWindow,
  windowEndsAtMillis,
} from "#core/market/window-times.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { AcceptedRelease, Fill, Market, Observation } from "#core/records.ts";
import { indicativeShown } from "./indicative.ts";

export const publicEventTypes = [
  "trade",
  "bust",
  "level",
  "indicative",
  "window",
  "market",
  "mark",
  "delisted",
  "release",
  "prints",
  "halt",
  "rfq",
] as const;
export type PublicEventType = (typeof publicEventTypes)[number];

interface PublicEvent {
  readonly type: PublicEventType;
  /** Absent where it is of no one market. */
  readonly marketId?: string;
}

/** The string that must stand by every value drawn from this release. */
export type AttributionOfRelease = (release: ReleaseId) => string;

export function publicEvents(entry: Entry, attribution: AttributionOfRelease): PublicEvent[] {
  if (isRejected(entry.outcome)) return [];
  const { events } = entry.outcome;
  const shown: PublicEvent[] = [];
  for (const event of events) {
    if (event.type === "Filled") shown.push(trade(event.fill));
    if (event.type === "FillBusted") shown.push({ ...trade(event.fill), type: "bust" });
    if (event.type === "LevelChanged") shown.push(level(event.level));
    if (event.type === "MatchingChanged") shown.push(indicative(event));
    if (event.type === "WindowChanged") shown.push(windowChange(event));
    if (event.type === "ReleaseAccepted") shown.push(release(event.release, attribution));
    if (event.type === "RfqAnnounced") shown.push(announced(event));
    if (event.type === "HaltChanged") shown.push(halt(event.halted, event.reason));
  }
  shown.push(...marketChanges(entry.envelope, events, attribution));
  shown.push(...printed(entry.envelope, events, attribution));
  for (const event of events) if (event.type === "MarketsForgotten") shown.push(...delisted(event));
  return shown;
}

/** A market that nobody traded is not listed any more; an order may list it again. */
const delisted = ({ marketIds }: EventOf<"MarketsForgotten">) =>
  marketIds.map((marketId) => ({ type: "delisted" as const, marketId }));

const trade = (fill: Fill) => ({
  type: "trade" as const,
  marketId: fill.marketId,
  ...tapeLine(fill),
});

/** A fill as the tape shows it: who took, not who it was. */
export const tapeLine = ({ id, yesTick, amountLots, takerBuysYes, rfqId }: Fill) => ({
  id,
  price: tickPrice(yesTick),
  amount: formatLots(amountLots),
  side: takerBuysYes ? ("BUY" as const) : ("SELL" as const),
  ...(rfqId === undefined ? {} : { block: rfqId }),
});

const level = ({ marketId, side, tick, openLots, orders }: BookLevel) => ({
  type: "level" as const,
  marketId,
  side,
  price: tickPrice(tick),
  amount: formatLots(openLots),
  orders,
});

/** Null: nothing would trade, or the auction is over. */
const indicative = ({ marketId, held }: EventOf<"MatchingChanged">) => ({
  type: "indicative" as const,
  marketId,
  indicative: held === null ? null : indicativeShown(held.indicative),
});

/** Of all markets of an index at once: an entry says it once, however many they are. */
function windowChange({ index, window }: EventOf<"WindowChanged">) {
  const type = "window" as const;
  if (window === null || !holdsMatching(window)) return { type, index, state: "over" as const };
  const endsAtMillis = windowEndsAtMillis(window);
  const endsAt = endsAtMillis === undefined ? null : new Date(endsAtMillis).toISOString();
  return { type, index, state: windowState(window), endsAt };
}

function windowState(window: ReleaseWindow): "awaiting" | "overdue" | "auction" | "thin_auction" {
  if (isAwaiting(window)) return "awaiting";
  if (window.isOverdue) return "overdue";
  return window.onlyThin ? "thin_auction" : "auction";
}

/** Of a request for quotes: nothing of its legs, its side, its prices or its names. */
const announced = ({ rfqId, indexes, states, size }: EventOf<"RfqAnnounced">) => ({
  type: "rfq" as const,
  rfqId,
  indexes,
  states,
  size,
});

const halt = (halted: boolean, reason: string) => ({ type: "halt" as const, halted, reason });

/**
 * The last record of each market that changed. A record that changed beside fills changed by them
 * alone (its last price, its fees): the trades say it. Marks are published by a command of theirs.
 */
function marketChanges(
  { command }: Envelope,
  events: readonly Event[],
  attribution: AttributionOfRelease,
): PublicEvent[] {
  const changed = new Map<string, Market>();
  for (const event of events) {
    if (event.type === "MarketChanged") changed.set(event.market.id, event.market);
  }
  if (command.type === "PublishMarks") return marks(command, events);
  for (const event of events) if (event.type === "Filled") changed.delete(event.fill.marketId);
  return [...changed.values()].map((market) => marketChange(market, attribution));
}

const marks = (command: CommandOf<"PublishMarks">, events: readonly Event[]): PublicEvent[] => {
  const changed = new Map<string, MarkUpdate>();
  for (const event of events) {
    if (event.type === "MarketMarked") changed.set(event.marketId, event);
  }
  return command.marks.flatMap(({ marketId }) => {
    const marked = changed.get(marketId);
    return marked === undefined ? [] : mark(marked);
  });
};

const mark = ({ marketId, markTick }: MarkUpdate) => ({
  type: "mark" as const,
  marketId,
  mark: tickPrice(markTick),
});

const marketChange = (market: Market, attribution: AttributionOfRelease) => ({
  type: "market" as const,
  marketId: market.id,
  frontendId: market.frontendId,
  geoNodeId: market.terms.nodeId,
  status: market.status,
  tradingClosed: market.tradingClosed,
  mark: tickPrice(market.markTick),
  reason: market.reason,
  shortfall: formatMicros(market.shortfallMicros),
  disputed: market.dispute !== null,
  resolution: resolutionOf(market, attribution),
});

function resolutionOf({ resolution, terms }: Market, attribution: AttributionOfRelease) {
  if (resolution === null) return null;
  const { payoutMillionths, finalizedAtMillis } = resolution;
  return {
    outcome: resolution.outcome,
    settledValue: printNumber(resolution.settledValueE15),
    comparisonValue: printNumber(resolution.comparisonValueE15),
    ...(terms.payoff.kind === "layered" ? { payoutFraction: payoutMillionths / 1_000_000 } : {}),
    releaseId: resolution.releaseId,
    resolvedAt: isoTime(resolution.resolvedAtMillis),
    disputeWindowEndsAt: isoTime(resolution.disputeWindowEndsAtMillis),
    finalizedAt: finalizedAtMillis === null ? null : isoTime(finalizedAtMillis),
    attribution: attribution(resolution.releaseId),
  };
}

const release = (accepted: AcceptedRelease, attribution: AttributionOfRelease) => ({
  type: "release" as const,
  releaseId: accepted.id,
  provider: accepted.provider,
  index: accepted.index,
  level: accepted.level,
  publishedAt: isoTime(accepted.publishedAtMillis),
  firstMonth: formatMonth(accepted.firstMonth),
  lastMonth: formatMonth(accepted.lastMonth),
  firstPrints: accepted.firstPrints,
  revisions: accepted.revisions,
  methodologyVersion: accepted.methodologyVersion,
  resolvedMarkets: accepted.resolvedMarkets,
  attribution: attribution(accepted.id),
});

/** The first prints it brought: of a place seen for the first time only the newest. */
function printed(
  { command }: Envelope,
  events: readonly Event[],
  attribution: AttributionOfRelease,
): PublicEvent[] {
  if (command.type === "AcceptRelease") {
    const { release: sent, observations } = command;
    // The exchange holds a file back whose sender has a stake in it.
    const isAccepted = events.some(({ type }) => type === "ReleaseAccepted");
    return isAccepted && observations.length > 0 ? [prints(sent, observations, attribution)] : [];
  }
  if (command.type === "ReleasePlace" || command.type === "RejectPlace") {
    return placePrints(command, events, attribution);
  }
  if (command.type !== "RereadReleases") return [];
  const { index, newest } = command;
  return command.releases.flatMap(({ releaseId: id }) => {
    const own = newest.filter(({ releaseId }) => releaseId === id);
    return own.length === 0 ? [] : [prints({ id, index }, own, attribution)];
  });
}

/** Of a place that was held: each under the release that carried it. */
function placePrints(
  { readings }: CommandOf<"ReleasePlace" | "RejectPlace">,
  events: readonly Event[],
  attribution: AttributionOfRelease,
): PublicEvent[] {
  const decided = events.find((event) => event.type === "HeldPlaceChanged");
  if (decided === undefined) return [];
  const { index } = decided.place;
  return readings.flatMap(({ releaseId: id, observations }) =>
    observations.length === 0 ? [] : [prints({ id, index }, observations, attribution)],
  );
}

const prints = (
  { id, index }: Pick<AcceptedRelease, "id" | "index">,
  observations: readonly Observation[],
  attribution: AttributionOfRelease,
) => ({
  type: "prints" as const,
  releaseId: id,
  index,
  prints: observations.map(({ nodeId, month, valueE15, backfill }) => ({
    nodeId,
    month: formatMonth(month),
    value: formatPrintValue(valueE15),
    backfill,
  })),
  attribution: attribution(id),
});

const isoTime = (millis: number): string => new Date(millis).toISOString();
