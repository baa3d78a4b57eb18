// Draws what happened and what is: events, the book as a table, balances with their total.
// Invariant: what is drawn is read from events and records only, each in the words of a scenario.

import { formatDecimal } from "#base/decimal.ts";
import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import { formatMonth } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import { formatPrintValue } from "#base/print-value.ts";
import { formatLots, lots } from "#base/quantity.ts";
import type { MakerProtection } from "#core/account/protection-record.ts";
import type { Depth } from "#core/book/book.ts";
import type { Event, EventOf } from "#core/event.ts";
import { healthSteps } from "#core/margin/health.ts";
import { microsUp } from "#core/margin/requirement.ts";
import type { Account, Market, Order, QuarantinedRelease } from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import type { Rules } from "#core/rules.ts";
import { ledgerTotal, type State } from "#core/state.ts";

/** Names of a scenario for the ids of the exchange. */
type Naming = (text: string) => string;

export interface Before {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly markets: ReadonlyMap<string, Market>;
}

/** A line, or nothing for what a scenario need not see. */
export function drawEvent(event: Event, before: Before, name: Naming): string | undefined {
  switch (event.type) {
    case "AccountChanged":
      return drawAccount(event.account, before.accounts.get(event.account.id), name);
    case "KeyChanged": {
      const { id, accountId, permissions, ratePerMinute, revokedAtSeconds } = event.key;
      if (revokedAtSeconds !== null) return `${id} of ${name(accountId)} is revoked`;
      return `${id} of ${name(accountId)}: ${permissions.join(" ")}, ${ratePerMinute} a minute`;
    }
    case "Posted": {
      const { from, to, amountMicros, reason } = event.posting;
      return `${formatMicros(amountMicros)} from ${name(from)} to ${name(to)} (${reason})`;
    }
    case "MarketChanged":
      return drawMarketChange(event.market, before.markets.get(event.market.id), name);
    case "OrderChanged":
      return drawOrder(event.order, name);
    case "Filled": {
      const { id, amountLots, yesTick, buyer, seller } = event.fill;
      const price = tickPrice(yesTick);
      return `${id}: ${formatLots(amountLots)} at ${price}, ${name(seller)} to ${name(buyer)}`;
    }
    case "MatchingChanged": {
      if (event.held === null) return `${name(event.marketId)}: nothing would trade`;
      const { tick, volumeLots, surplusLots } = event.held.indicative;
      const what = `${formatLots(volumeLots)} at ${tickPrice(tick)}`;
      return `${name(event.marketId)}: ${what} would trade, ${formatLots(surplusLots)} left over`;
    }
    case "AuctionOpened": {
      const { id, accountId, closesAtMillis } = event.auction;
      return `${id}: the shorts of ${name(accountId)}, until ${instant(closesAtMillis)}`;
    }
    case "AuctionEnded":
      return `${event.auctionId}: taken by ${event.takenBy} for ${formatMicros(event.paidMicros)}`;
    case "BidChanged": {
      const { accountId, auctionId, amountMicros } = event.bid;
      return `${name(accountId)}, ${auctionId}: ${formatMicros(amountMicros)}, ${event.status}`;
    }
    case "FrontierMoved": {
      const { month, valueE15, levelE12, gaps } = event.frontier;
      const chain = levelE12 === null ? "no chain" : `chain ${Number(levelE12) / 1e12}`;
      const missing = gaps.length === 0 ? "" : `, without ${gaps.map(formatMonth).join(" ")}`;
      return `newest print ${formatMonth(month)} ${formatPrintValue(valueE15)}, ${chain}${missing}`;
    }
    case "QuarantineChanged":
      return drawHeld(event.release, name);
    case "AlertRaised": {
      const { type, accountId, message } = event.alert;
      return `${type} for ${name(accountId)}: ${message}`;
    }
    case "CancelAfterChanged":
      return drawSwitch(event, name);
    case "ProtectionChanged":
      return drawProtection(event.protection, name);
    case "RulesAnnounced": {
      const { announcement, status } = event;
      return `${announcement.id} is ${status}, for ${instant(announcement.effectiveAtMillis)}`;
    }
    case "RulesChanged":
      return drawRules(event.rules);
    case "WordChanged": {
      const { id, command, by } = event.word;
      return `${id}, ${command.type} of ${name(by)}: ${event.status}`;
    }
    case "FillBusted":
      return `${event.fill.id} is busted`;
    case "HaltChanged":
      return `the exchange is ${event.halted ? "halted" : "open"}`;
    default:
      return undefined;
  }
}

/** Only what stories change. */
function drawRules(rules: Rules): string {
  const tiers = Object.entries(rules.tiers).map(
    ([tier, { feeBps, requirementBps }]) => `${tier} ${feeBps} and ${requirementBps} bps`,
  );
  const { bandTicks, windowMinutes } = rules.bust;
  return `rules: ${tiers.join(", ")}; busts beyond ${bandTicks} ticks in ${windowMinutes} minutes`;
}

function drawSwitch(armed: EventOf<"CancelAfterChanged">, name: Naming): string {
  const { accountId, marketId, atSeconds } = armed;
  const where = marketId === null ? "all" : `all in ${name(marketId)}`;
  return atSeconds === null
    ? `${name(accountId)} no longer cancels ${where} by the clock`
    : `${name(accountId)} cancels ${where} at ${instant(atSeconds * 1000)}`;
}

function drawProtection(protection: MakerProtection, name: Naming): string {
  const { accountId, withinSeconds, maxLots, maxFills, windowLots, windowFills } = protection;
  const most = [
    ...(maxLots === null ? [] : [`${formatLots(windowLots)} of ${formatLots(maxLots)} contracts`]),
    ...(maxFills === null ? [] : [`${windowFills} of ${maxFills} fills`]),
  ];
  const terms = withinSeconds === 0 ? "off" : `${most.join(", ")} in ${withinSeconds} s`;
  const tripped = protection.trippedAtMillis === null ? "" : ", tripped";
  return `protection of ${name(accountId)}: ${terms}${tripped}`;
}

function drawHeld(release: QuarantinedRelease, name: Naming): string {
  const { id, status, reasons, rejection } = release;
  const why = reasons.map(({ code, message }) => `${code} ${message}`).join(", ");
  const rejected = rejection === null ? "" : ` by ${name(rejection.by)}`;
  return `release ${name(id)} is ${status}${rejected}: ${why}`;
}

function drawAccount(after: Account, before: Account | undefined, name: Naming): string {
  const { status, tier, requestedTier } = after.kyc;
  const asked = requestedTier === null ? "" : `, ${requestedTier} asked for`;
  const halted = after.halted ? ", halted" : before?.halted === true ? ", no longer halted" : "";
  const bad = after.inDefault;
  const owes = bad === undefined || bad.owesMicros === 0n ? "" : ` ${formatMicros(bad.owesMicros)}`;
  if (owes !== "") return `${name(after.id)} owes the fund${owes}`;
  if (before?.inDefault !== undefined && bad === undefined) {
    return `${name(after.id)} is in default no more`;
  }
  const margin = after.marginStatus === (before?.marginStatus ?? "healthy");
  if (!margin) return `margin of ${name(after.id)}: ${after.marginStatus}`;
  return `${name(after.id)} (${after.id}): ${status} ${tier}${asked}${halted}`;
}

export function drawOrder(order: Order, name: Naming): string {
  const { id, accountId, side, outcomeIndex, priceTick, filledLots, amountLots } = order;
  const reason = order.cancelReason === null ? "" : ` ${order.cancelReason}`;
  const asked = `${side} ${outcomeIndex === 0 ? "YES" : "NO"} at ${tickPrice(priceTick)}`;
  const done = `${formatLots(filledLots)} of ${formatLots(amountLots)}`;
  return `${id} ${name(accountId)} ${asked}: ${done}, ${order.status}${reason}`;
}

/**
 * Only what a scenario tells of: not marks, last trades or fees, which trades and balances show.
 */
function drawMarketChange(
  after: Market,
  before: Market | undefined,
  name: Naming,
): string | undefined {
  const line = drawMarket(after, name);
  return before !== undefined && line === drawMarket(before, name) ? undefined : line;
}

export function drawMarket(market: Market, name: Naming): string {
  const { status, resolution, dispute, shortfallMicros } = market;
  const facts: string[] = [status];
  if (market.tradingClosed && (status === "ACTIVE" || status === "PAUSED")) facts.push("closed");
  if (resolution !== null) {
    const { outcome, payoutMillionths, comparisonValueE15, disputeWindowEndsAtMillis } = resolution;
    facts.push(`${outcome}, pays ${payoutMillionths / 1e6}`);
    facts.push(`compared with ${formatPrintValue(comparisonValueE15)}`);
    if (status === "RESOLVED") facts.push(`window to ${instant(disputeWindowEndsAtMillis)}`);
  }
  if (dispute !== null) {
    const { openedBy, remainingMillis } = dispute;
    facts.push(`disputed by ${name(openedBy)} with ${remainingMillis / 1000} s left`);
  }
  const paid = status === "FINALIZED" ? "payouts" : "refunds";
  if (shortfallMicros > 0n) facts.push(`${paid} lack ${formatMicros(shortfallMicros)}`);
  return `market ${name(market.id)}: ${facts.join("; ")}`;
}

export const instant = (millis: number): string =>
  new Date(millis).toISOString().slice(0, 19).replace("T", " ");

export function drawRejection({ code, field, details }: Rejection): string {
  const facts = Object.entries(details ?? {}).map(([key, value]) => {
    if (typeof value !== "bigint") return `${key} ${value}`;
    if (key.endsWith("Lots")) return `${key.replace("Lots", "")} ${formatLots(lots(value))}`;
    return `${key.replace("Micros", "")} ${formatMicros(micros(value))}`;
  });
  const where = field === undefined ? [] : [`field ${field}`];
  const all = [...where, ...facts].join(", ");
  return all === "" ? `refused ${code}` : `refused ${code}: ${all}`;
}

export function drawMargin(state: State, id: AccountId, name: Naming): string {
  const totals = state.exposures.shortTotals(id);
  const cash = state.balance(`cash:${id}`);
  const { marginStatus, halted } = state.account(id);
  const figures = [
    `cash ${formatMicros(cash)}`,
    `liabilities ${formatMicros(microsUp(totals.liabilityParts))}`,
    `maintenance ${formatMicros(microsUp(totals.maintenanceParts))}`,
    `health ${formatDecimal(healthSteps(cash, totals), 4)}`,
  ];
  const frozen = halted ? ", frozen" : "";
  return `margin of ${name(id)}: ${marginStatus}${frozen}; ${figures.join(", ")}`;
}

/** Asks above, bids below, best prices in the middle; in YES prices. */
export function drawBook(bids: readonly Depth[], asks: readonly Depth[]): readonly string[] {
  const cell = ({ lots, orders }: Depth): string => `${formatLots(lots)} (${orders})`;
  const rows = [
    ...asks.toReversed().map((level) => ["", tickPrice(level.tick).toFixed(4), cell(level)]),
    ...bids.map((level) => [cell(level), tickPrice(level.tick).toFixed(4), ""]),
  ];
  return rows.length === 0 ? ["the book is empty"] : table([["bids", "YES", "asks"], ...rows]);
}

/** Cash, what is locked, and positions of everybody; then the exchange's own accounts. */
export function drawBalances(state: State, name: Naming): readonly string[] {
  const rows = [...state.accounts.keys()].map((id) => {
    const cash = state.balance(`cash:${id}`);
    const locked = state.exposures.locked(id);
    const held = [...state.positions.values()]
      .filter((position) => position.accountId === id && position.heldLots !== 0n)
      .map(({ marketId, heldLots }) => `${formatLots(heldLots)} ${name(marketId)}`);
    return [name(id), money(cash), money(locked), money(micros(cash - locked)), held.join(", ")];
  });
  const own = [...state.ledger]
    .filter(([account, balance]) => !account.startsWith("cash:") && balance !== 0n)
    .map(([account, balance]) => [name(account), money(balance), "", "", ""]);
  const total = ["total", money(ledgerTotal(state)), "", "", ""];
  return table([["", "cash", "locked", "available", "holds"], ...rows, ...own, total]);
}

const money = (amount: Micros): string => formatMicros(amount);

/** Columns side by side; figures to the right, words to the left. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const isFigure = (at: number): boolean =>
    rows.slice(1).every((row) => /^$|^[-\d.]+( \(\d+\))?$/.test(row[at] ?? ""));
  return rows.map((row) =>
    row
      .map((text, at) =>
        isFigure(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
