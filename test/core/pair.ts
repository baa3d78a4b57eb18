// The core and its reference model side by side: each command is given to both, and all that can be
// seen of them must be the same afterwards.
// Invariant: the model answers first and from the command alone; it is told when something falls
// due, and that nothing is overdue is asked of it.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { monthEndMillis, parseMonth } from "#base/month.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { KycTier } from "#core/records.ts";
import type { TierRules } from "#core/rules.ts";
import { decide } from "./model-decide.ts";
import { isTrading } from "./model-ledger.ts";
import { compareOutcomes, comparePictures } from "./model-picture.ts";
import { expectedMillis } from "./model-window.ts";
import { windowEndsMillis } from "./model-window-times.ts";
import { nameWord } from "./model-words.ts";
import { ReferenceModel } from "./reference-model.ts";
import { order, root, system, type Trader, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;

const tiers = ["institutional", "enhanced", "basic"] as const;

interface Setting {
  readonly traders: number;
  readonly markets: number;
  /** Each trader's, in USD. */
  readonly cash: string;
  /** Makes the model: a faulty one, to see that it is noticed. */
  readonly born?: (tiers: ReadonlyMap<AccountId, TierRules>) => ReferenceModel;
}

export class Pair {
  readonly world = new World();
  readonly model: ReferenceModel;
  readonly traders: readonly Trader[];
  readonly listings: readonly Listing[];
  /** The commands given so far, to be read. */
  readonly lines: string[] = [];
  readonly refusals = new Set<string>();
  /** The second person, beside root. */
  readonly operator: Trader;

  /**
   * Every seller posts in full; the second trader may hold no more than 4 contracts, the third may
   * trade 3 a day.
   */
  constructor({ traders, markets, cash, born = (own) => new ReferenceModel(own) }: Setting) {
    const { world } = this;
    world.judgesRefusals = false;
    world.print("2024-10", "300000");
    const printedMillis = world.nowMillis;
    world.runTo(printedMillis + 60_000);
    world.requireInFull();
    const { rules } = world.state;
    const enhanced = { ...rules.tiers.enhanced, maxPositionMicros: micros(4_000_000n) };
    const basic = { ...rules.tiers.basic, maxDailyMicros: micros(3_000_000n) };
    world.do(root, { type: "SetRules", rules: { tiers: { enhanced, basic } } });
    this.traders = tiers.slice(0, traders).map((tier: KycTier) => world.trader(tier, cash, tier));
    const own = new Map<AccountId, TierRules>();
    for (const [at, { id }] of this.traders.entries()) {
      own.set(id, world.state.rules.tiers[tiers[at] ?? "basic"]);
    }
    this.operator = world.open("operator", "operator");
    own.set(this.operator.id, world.state.rules.tiers.basic);
    this.model = born(own);
    this.model.lastPrintMillis = printedMillis;
    this.model.newest = parseMonth("2024-10") ?? null;
    this.model.traders = this.traders.map(({ id }) => id);
    for (const trader of this.traders) {
      this.model.move("external", `cash:${trader.id}`, world.cash(trader));
    }
    this.listings = [
      world.listing("2024-12", { kind: "binary", strikeBps: 100 }),
      world.listing("2024-12", { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
      world.listing("2025-01", { kind: "layered", attachBps: 800, exhaustBps: 2000 }),
    ].slice(0, markets);
    this.#list();
  }

  /** A market is there from its first order on. */
  #list(): void {
    const { world, model } = this;
    const [first] = this.traders;
    assert.ok(first !== undefined);
    for (const listing of this.listings) {
      model.list(listing);
      const input = order(listing, "BUY", "0.01", "0.01");
      const { id } = world.order(input, first, listing);
      decide(model, first.actor, { type: "PlaceOrder", order: input, listing }, world.nowMillis);
      this.give(first.actor, { type: "CancelOrder", orderId: id });
    }
  }

  give(actor: Actor, command: Command): void {
    const { world, model } = this;
    const before = model.fills.length;
    const expected = decide(model, actor, command, world.nowMillis);
    const outcome = world.try(actor, command);
    compareOutcomes(outcome, expected, model.fills.slice(before));
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      const isWord = event.type === "WordChanged" && event.status === "open";
      if (isWord) nameWord(model, event.word.id);
    }
    if (expected !== undefined) this.refusals.add(expected);
    comparePictures(world.state, model);
  }

  waitTo(millis: number): void {
    const { world, model } = this;
    world.runTo(millis, (command, events) => {
      const before = model.fills.length;
      assert.equal(decide(model, system, command, world.nowMillis), undefined);
      compareOutcomes({ events }, undefined, model.fills.slice(before));
      comparePictures(world.state, model);
    });
    this.#checkWindow(millis);
    for (const { untilMillis } of model.words) {
      assert.ok(untilMillis > millis, "a word has lapsed");
    }
    for (const { id, expirySeconds } of model.open(null)) {
      assert.ok(expirySeconds === 0 || expirySeconds * 1000 > millis, `${id} has expired`);
    }
    for (const [id, atMillis] of [...model.done, ...model.idle]) {
      assert.ok(atMillis + DAY_MILLIS + 60_000 > millis, `${id} is to be forgotten`);
    }
    for (const { id, terms, tradingClosed, dispute } of model.markets) {
      assert.ok(dispute === null || dispute.untilMillis > millis, `${id}: a dispute has lapsed`);
      const ends = monthEndMillis(terms.measurementMonth);
      assert.equal(tradingClosed || ends > millis, true, `${id} has closed`);
    }
  }
  /** Its days have been said, and what may trade does not wait. */
  #checkWindow(millis: number): void {
    const { model } = this;
    const { window } = model;
    const isSaid = window?.forPrint === true || (expectedMillis(model) ?? Infinity) > millis;
    assert.ok(isSaid, "a print is expected");
    if (window !== null) {
      const ends = windowEndsMillis(window) ?? Number.POSITIVE_INFINITY;
      assert.ok(ends > millis, "the window has ended");
    }
    if (model.isInWindow()) return;
    for (const id of model.waiting) {
      const market = model.markets.find((one) => one.id === id);
      assert.ok(market === undefined || !isTrading(market), `what waits in ${id} may trade`);
    }
  }
}
