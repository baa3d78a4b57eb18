// A market whose prints stopped half way, sellers of another one who may mark it, and two operators.
// Invariant: nothing here touches the state but commands.
import assert from "node:assert/strict";
import type { Baseline, Payoff } from "#contract/terms.ts";
import { wordIn } from "#core/words/told.ts";
import { settling } from "./fallback-stage.ts";
import { publishMarks } from "./publish-marks.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

export const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
export const DAY = 86_400_000;
export const DUE = Date.UTC(2025, 8, 20) + 60 * DAY;

/** A market whose prints stopped half way, 60 days late; five sellers of another one. */
export class Stage extends World {
  readonly anna: Trader;
  readonly bela: Trader;
  readonly olga: Trader;
  readonly otto: Trader;
  readonly sellers: readonly Trader[];
  readonly marketId;
  /** Of one that the newest print has settled. */
  readonly earlyId;
  /** The one that the sellers have sold. */
  readonly otherId;
  /** Of another one on the same missing print. */
  readonly secondId;

  /** `isTraded` is false of a market that has an order, is paused, and nobody holds. */
  constructor(
    isTraded = true,
    payoff: Payoff = layer,
    sold: readonly string[] = Array(5).fill("20000"),
  ) {
    super();
    this.judgesRefusals = false;
    this.successor = null;
    this.print("2024-10", "300000");
    [this.anna, this.bela] = [this.trader("anna", "100"), this.trader("bela", "10000")];
    [this.olga, this.otto] = [this.open("olga", "operator"), this.open("otto", "operator")];
    this.sellers = sold.map((_, at) => this.trader("cdefg".charAt(at), "25000"));
    const listing = this.listing("2025-08", payoff);
    this.marketId = listing.marketId;
    // An operator lists a level, an order anything else.
    const isLevel = payoff.kind === "level";
    if (isLevel) this.do(root, { type: "ListMarket", listing, frontendId: null });
    this.order(order(listing, "SELL", "10", "0.05"), this.anna, isLevel ? null : listing);
    if (isTraded) this.order(order(listing, "BUY", "10", "0.05"), this.bela);
    else this.do(root, { type: "PauseMarket", marketId: this.marketId, reason: "drill" });
    const other = this.listing("2026-12", layer);
    this.otherId = other.marketId;
    for (const [at, seller] of this.sellers.entries()) {
      this.order(
        order(other, "SELL", sold[at] ?? "0", "0.05"),
        seller,
        at === 0 ? other : undefined,
      );
    }
    this.order(order(other, "BUY", "100000", "0.05"), this.bela);
    const second = this.listing("2025-08", { kind: "binary", strikeBps: 500 });
    this.secondId = second.marketId;
    this.order(order(second, "SELL", "1", "0.05"), this.anna, second);
    this.order(order(second, "BUY", "1", "0.05"), this.bela);
    const early = this.listing("2025-03", layer);
    this.earlyId = early.marketId;
    this.order(order(early, "SELL", "1", "0.05"), this.anna, early);
    this.order(order(early, "BUY", "1", "0.05"), this.bela);
    this.runTo(Date.UTC(2025, 3, 20));
    this.print("2025-03", "285000");
    this.runTo(DUE);
    // Approvals of a year ago have expired.
    for (const trader of [this.bela, ...this.sellers]) this.approve(trader, "institutional");
    this.judgesRefusals = true;
  }

  get market() {
    return this.state.market(this.marketId);
  }

  /** The newest print, as a step names it. */
  get last(): Baseline {
    const newest = this.state.chainPoints.get("zhvi|state:tx") ?? assert.fail();
    const { month: printed, valueE15, levelE12, releaseId } = newest;
    return { month: printed, valueE15, levelE12: levelE12 ?? assert.fail(), releaseId };
  }

  call(marketId = this.marketId): void {
    const { last } = this;
    const market = this.state.market(marketId);
    const taken = { step: "cash", last: market.terms.baseline === null ? null : last } as const;
    const step = settling(this.state, marketId, taken);
    const waiting = wordIn("open", this.do(this.olga.actor, step));
    assert.equal(market.markRound, undefined, "one person calls for nothing");
    this.agree(this.otto.actor, waiting ?? assert.fail());
    assert.equal(this.refused(this.olga.actor, step).code, "FALLBACK_STEP", "one round at a time");
  }

  mark(seller: Trader | undefined, valueTicks: number) {
    const command = { type: "GiveMark", marketId: this.marketId, valueTicks } as const;
    return { by: seller?.actor ?? assert.fail(), command };
  }

  give(at: number, valueTicks: number, marketId = this.marketId): void {
    const { by, command } = this.mark(this.sellers[at], valueTicks);
    this.do(by, { ...command, marketId });
  }

  /** The code that this trader's mark is refused with. */
  refusedMark(trader: Trader | undefined): string {
    const { by, command } = this.mark(trader, 5_000);
    return this.refused(by, command).code;
  }

  modelSays(price: string, stressed = "0.9"): void {
    const mark = { marketId: this.marketId, markTick: tick(price), stressedTick: tick(stressed) };
    this.do(system, publishMarks([mark]));
  }

  /** Of the newest print, in which nothing matches. */
  endWindow(): void {
    this.do(system, publishMarks([]));
    this.runTo(this.nowMillis + DAY);
  }

  close(): void {
    this.runTo((this.market.markRound ?? assert.fail()).closesAtMillis);
  }
}
