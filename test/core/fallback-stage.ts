// A market whose print does not come, on a stage: two operators, the steps they may take, and the
// prints of the place and its successor, kept as a step names them.
// Invariant: nothing here touches the state but commands.
import assert from "node:assert/strict";
import { type MarketId, type NodeId, nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Baseline } from "#contract/terms.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import { groundOf } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import type { State } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import type { Word } from "#core/words/word.ts";
import { order, type Trader, World } from "./world.ts";

export const zip = nodeId("zip:77001");
export const county = nodeId("county:48201");
export const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
/** 60 days after the 20th of September 2025. */
export const DUE = Date.UTC(2025, 8, 20) + 60 * 86_400_000;

/** The step as the exchange draws it, on the prints there are. */
export function settling(
  state: State,
  marketId: MarketId,
  taken: FallbackTaken,
  reason = "no print",
): CommandOf<"SettleByFallback"> {
  const ground = groundOf(state, state.market(marketId));
  return { type: "SettleByFallback", marketId, reason, taken, ground };
}

/** Anna has sold Bela ten on a zip, October 2024 to August 2025; the county is its successor. */
export class Stage extends World {
  readonly anna: Trader;
  readonly bela: Trader;
  readonly olga: Trader;
  readonly otto: Trader;
  readonly prints = new Map<string, Baseline>();
  readonly marketId;

  constructor(successor: NodeId | null = county) {
    super();
    this.successor = successor;
    for (const [place, value] of [
      [county, "500000"],
      [zip, "300000"],
    ] as const) {
      this.at(place, "2024-10", value);
    }
    [this.anna, this.bela] = [this.trader("anna", "100"), this.trader("bela", "100")];
    [this.olga, this.otto] = [this.open("olga", "operator"), this.open("otto", "operator")];
    const listing = this.listing("2025-08", layer);
    this.marketId = listing.marketId;
    this.order(order(listing, "SELL", "10", "0.05"), this.anna, listing);
    this.order(order(listing, "BUY", "10", "0.05"), this.bela);
  }

  /** A print of a place, kept as a step names it. */
  at(place: NodeId, monthText: string, value: string, link?: string | null): void {
    this.place = place;
    this.print(monthText, value, link);
    this.keep(place, monthText);
  }

  /** The newest print of a place, whatever it came by. */
  keep(place: NodeId, monthText: string): void {
    const newest = this.state.chainPoints.get(`zhvi|${place}`);
    if (newest === undefined || newest.levelE12 === null) return;
    const { month: printed, valueE15, levelE12, releaseId } = newest;
    this.prints.set(`${place} ${monthText}`, { month: printed, valueE15, levelE12, releaseId });
  }

  of(place: NodeId, monthText: string): Baseline {
    return this.prints.get(`${place} ${monthText}`) ?? assert.fail(`${place} ${monthText}`);
  }

  /** Of the zip everything up to a month, falling to `value` in the last two; of the county too. */
  printTo(last: string, value: string): void {
    this.runTo(Math.max(this.nowMillis, Date.UTC(2025, 8, 25)));
    if (last !== "2024-10") this.at(zip, last, value);
  }

  step(taken: FallbackTaken): CommandOf<"SettleByFallback"> {
    return settling(this.state, this.marketId, taken);
  }

  /** By Olga, and waiting for a second word. */
  proposed(taken: FallbackTaken): Word {
    const waiting = wordIn("open", this.do(this.olga.actor, this.step(taken)));
    return waiting ?? assert.fail("a first word waits");
  }

  /** By Olga and Otto. */
  takeInTwo(taken: FallbackTaken) {
    const waiting = this.proposed(taken);
    assert.equal(this.market.status, "ACTIVE", "a first word settles nothing");
    return this.agree(this.otto.actor, waiting);
  }

  refusedStep(taken: FallbackTaken, by: Actor = this.olga.actor): string {
    return this.refused(by, this.step(taken)).code;
  }

  /** By Anna, of how the market was settled. */
  dispute(): void {
    const { marketId } = this;
    this.fund(this.anna, micros(100_000_000n));
    this.do(this.anna.actor, { type: "OpenDispute", marketId, reason: "why", evidence: null });
  }

  /** Olga and Otto agree that the step does not stand. */
  undo(): void {
    const decided = { decision: "amend", valueE15: null, evidence: null } as const;
    for (const { actor } of [this.olga, this.otto])
      this.do(actor, { type: "DecideDispute", marketId: this.marketId, ...decided });
  }

  get market() {
    return this.state.market(this.marketId);
  }
}
