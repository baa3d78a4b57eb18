// When orders may not trade, by the auditor's own reckoning: days, files, marks.
// Invariant: nothing of the core is called; nothing trades while a release or its marks are
// awaited, nor in the ten days from a print's expected day on, unless it has come.
import assert from "node:assert/strict";
import { type IndexKind, periodMonths } from "#base/index-kind.ts";
import { addMonths, calendarMonth, type Month, monthEndMillis } from "#base/month.ts";
import type { Command, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { ReleaseWindow } from "#core/market/window-times.ts";
import type { Market } from "#core/records.ts";
import { TEN_DAYS_MILLIS } from "./people.ts";

export class Windows {
  readonly #windows = new Map<string, ReleaseWindow>();
  readonly #live = new Map<string, Market>();
  /** By index, and of weather by the month of the year too. */
  readonly #newest = new Map<string, Month>();
  /** Expected days that have opened a window. */
  readonly #days = new Set<string>();
  readonly #partly = new Set<string>();

  #isResuming = false;
  #isEndingCalls = false;

  begin({ type }: Command): void {
    this.#isResuming = type === "ResumeMatching";
    this.#isEndingCalls = type === "EndMarginCalls";
  }

  /** Was it filled in part before this entry, and waited since for its matching? */
  isRest(orderId: string): boolean {
    return this.#isResuming && this.#partly.has(orderId);
  }

  follow(envelope: Envelope, events: readonly Event[]): void {
    const { command, timeMillis } = envelope;
    if (command.type === "AwaitRelease" && command.releaseId === null) {
      this.#expect(command.index, timeMillis);
    }
    for (const window of this.#windows.values()) {
      const lasts = timeMillis - window.openedAtMillis;
      const isOver = window.isOverdue || !isWaiting(window);
      assert.ok(isOver || lasts <= TEN_DAYS_MILLIS, `${window.index} waits no longer`);
    }
    for (const event of events) this.#see(event, timeMillis);
    this.#assertOnePrice(command, events);
  }

  /** An auction has one price, and nobody gives more or takes less than it asked for. */
  #assertOnePrice({ type }: Command, events: readonly Event[]): void {
    if (type !== "ResumeMatching") return;
    const prices = new Set(
      events.flatMap((event) => (event.type === "Filled" ? event.fill.yesTick : [])),
    );
    assert.ok(prices.size <= 1, `an auction at ${[...prices].join(" and ")}`);
    const [price] = prices;
    for (const event of events) {
      if (event.type !== "OrderChanged" || event.order.filledLots === 0n) continue;
      const { id, side, outcomeIndex, priceTick, status } = event.order;
      if (price === undefined || status === "CANCELLED") continue;
      const limit = outcomeIndex === 0 ? priceTick : 10_000 - priceTick;
      const buys = (side === "BUY") === (outcomeIndex === 0);
      assert.ok(
        buys ? price <= limit : price >= limit,
        `${id} trades at ${price}, beyond ${limit}`,
      );
    }
  }

  #see(event: Event, timeMillis: number): void {
    if (event.type === "Filled") this.#assertOpen(event, timeMillis);
    if (event.type === "WindowChanged" && event.window !== null) {
      this.#windows.set(event.index, event.window);
    }
    if (event.type === "WindowChanged" && event.window === null) this.#windows.delete(event.index);
    if (event.type === "FrontierMoved") {
      const { index, month } = event.frontier;
      const name = seriesOf(index, month);
      if (month > (this.#newest.get(name) ?? 0)) this.#newest.set(name, month);
    }
    if (event.type === "MarketChanged") {
      const { id, status } = event.market;
      if (status === "ACTIVE" || status === "PAUSED") this.#live.set(id, event.market);
      else this.#end(id);
    }
    if (event.type === "MarketsForgotten") for (const id of event.marketIds) this.#end(id);
    if (event.type === "OrderChanged") {
      const { id, status } = event.order;
      if (status === "PARTIALLY_FILLED") this.#partly.add(id);
      else this.#partly.delete(id);
    }
  }

  /** Without a market nobody waits: the next to be listed may meet the same day. */
  #end(id: string): void {
    const index = this.#live.get(id)?.terms.index;
    this.#live.delete(id);
    if (index === undefined || this.#dayOf(index) !== undefined) return;
    for (const name of this.#days) if (name.startsWith(index)) this.#days.delete(name);
  }

  #assertOpen({ fill: { id, marketId } }: EventOf<"Filled">, timeMillis: number): void {
    const { terms, createdAtMillis } =
      this.#live.get(marketId) ?? assert.fail(`${marketId} is live`);
    const window = this.#windows.get(terms.index);
    const day = this.#dayOf(terms.index);
    // Margin calls whose last day ends as this one begins end before the window opens.
    const isBefore = timeMillis < (day ?? 0) || (this.#isEndingCalls && timeMillis === day);
    const isOver = day === undefined || isBefore || timeMillis >= day + TEN_DAYS_MILLIS;
    assert.ok(isOver, `${id}: the print of ${terms.index} is expected`);
    if (window === undefined) return;
    assert.ok(!isWaiting(window), `${id}: a release of ${terms.index} waits`);
    if (window.isOverdue) {
      assert.ok(!window.isDaily || this.#isResuming, `${id}: an auction a day`);
      return;
    }
    const { marksAtMillis } = window;
    if (marksAtMillis === undefined || createdAtMillis >= marksAtMillis) return;
    const lasts = timeMillis - marksAtMillis;
    assert.ok(lasts >= HALF_HOUR_MILLIS, `${id}: half an hour after the marks`);
    const nextDay = (Math.floor(marksAtMillis / DAY_MILLIS) + 1) * DAY_MILLIS;
    const isState = terms.nodeId.startsWith("state:");
    assert.ok(isState || timeMillis >= nextDay + SIXTEEN_MILLIS, `${id}: thin, on the next day`);
  }

  #expect(index: IndexKind, timeMillis: number): void {
    const day = this.#dayOf(index) ?? assert.fail(`somebody waits for ${index}`);
    assert.ok(day <= timeMillis, `the day of ${index} has come`);
    const name = `${index} ${day}`;
    assert.ok(!this.#days.has(name), `${name} opens one window`);
    this.#days.add(name);
  }

  /** Of all live markets, one after the other. */
  #dayOf(index: IndexKind): number | undefined {
    const days = [...this.#live.values()].flatMap(({ terms }) => {
      const newest = this.#newest.get(seriesOf(index, terms.measurementMonth));
      if (terms.index !== index || newest === undefined) return [];
      const lag = terms.expectedAtMillis - monthEndMillis(terms.measurementMonth);
      return [monthEndMillis(addMonths(newest, periodMonths[index])) + lag];
    });
    return days.length === 0 ? undefined : Math.min(...days);
  }
}

const DAY_MILLIS = 86_400_000;
const SIXTEEN_MILLIS = 16 * 3_600_000;
const HALF_HOUR_MILLIS = 1_800_000;

const isWaiting = ({
  isOverdue,
  isCalled,
  isExpected,
  files,
  marksAfter,
}: ReleaseWindow): boolean =>
  !isOverdue && (isCalled === true || isExpected || files.length > 0 || marksAfter !== null);

const seriesOf = (index: IndexKind, month: Month): string =>
  index === "weather" ? `${index} ${calendarMonth(month)}` : index;
