// A stage for losses of the guarantee fund: sellers of one market, one of them too weak.
// Invariant: a loss is what the fund asks less what the defaulter has; deposits set it exactly.
import assert from "node:assert/strict";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import type { Event, LedgerName } from "#core/event.ts";
import { contributionTo } from "#core/margin/contribution.ts";
import type { DrawnLoss } from "#core/margin/fund-record.ts";
import { drawFor } from "#core/margin/waterfall.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import { beginStep } from "#core/step.ts";
import { endAuctions, endCalls } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import { setRules } from "./set-rules.ts";
import { order, root, system, type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

export interface Sold {
  readonly contracts: number;
  readonly cash: string;
}

interface Staged {
  readonly target: string;
  /** In the exchange's own layer. */
  readonly layer?: string;
  /** The first of them is the one that fails. */
  readonly sold: readonly Sold[];
}

export const lossesIn = (events: readonly Event[]): readonly DrawnLoss[] =>
  events.flatMap((event) => (event.type === "LossDrawn" ? event.loss : []));

export const fundOf = (world: World, one: Trader | undefined): bigint =>
  one === undefined ? assert.fail() : world.state.balance(contributionTo(one.id));

export function stageOf({ target, layer: deposit = "0", sold }: Staged) {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const setTarget = (text: string) => setRules(world, { fund: { targetMicros: usd(text) } });
  setTarget(target);
  if (usd(deposit) > 0n) {
    const into = { type: "FundGuarantee", layer: "exchange", memo: null } as const;
    world.do(root, { ...into, amountMicros: usd(deposit) });
  }
  const listing = world.listing("2025-04", layer);
  const maker = world.trader("maker", "100000");
  const sellers = sold.map(({ contracts, cash }, at) => {
    const seller = world.trader(`s${at}`, cash, "enhanced");
    const sell = order(listing, "SELL", String(contracts), "0.05");
    world.order(sell, seller, at === 0 ? listing : null);
    world.order(order(listing, "BUY", String(contracts), "0.05"), maker);
    return seller;
  });
  const [weak = assert.fail()] = sellers;
  const mark = (price: string, stressed = price): readonly Event[] => {
    const marks = { markTick: tick(price), stressedTick: tick(stressed) };
    return world.do(system, publishMarks([{ marketId: listing.marketId, ...marks }]));
  };
  /** The fund asks the mark, 0.02 and a cent of each contract. */
  const fail = (wanted: Micros): ReadonlyMap<LedgerName, Micros> => {
    mark("0.6");
    endCalls(world);
    assert.ok(world.state.account(weak.id).inDefault?.auctionId !== undefined, "it is auctioned");
    const asks = 630_000n * BigInt(sold[0]?.contracts ?? 0);
    const more = asks - world.cash(weak) - wanted;
    assert.ok(more >= 0n, `its loss of ${wanted} is one that it can have`);
    if (more > 0n) world.fund(weak, micros(more));
    return new Map(world.state.ledger);
  };

  return {
    world,
    sellers,
    mark,
    setTarget,
    withdrawFree: (trader: Trader): void => {
      const amountMicros = micros(-world.available(trader));
      const taken = { type: "FundAccount", accountId: trader.id, memo: null } as const;
      world.do(root, { ...taken, amountMicros });
    },
    /** The weak seller defaults, and the fund bears exactly so much. */
    defaultWith: (wanted: Micros, meanwhile: () => void = () => {}) => {
      const before = fail(wanted);
      meanwhile();
      const [loss = assert.fail("a loss is drawn")] = lossesIn(endAuctions(world));
      return { loss, before };
    },
    /** On a copy in which the fund lacks cash for what it took over, losses of these amounts. */
    losses: (...amounts: readonly Micros[]): readonly DrawnLoss[] => {
      fail(usd("0"));
      endAuctions(world);
      mark("0.9");
      const state = decodeState(encodeState(world.state));
      const envelope = { actor: system, timeMillis: world.nowMillis, requestId: null };
      const command = { type: "EndMarginCalls" } as const;
      const step = beginStep(state, { ...envelope, idempotency: null, command }, 1);
      for (const amountMicros of amounts) drawFor(step, { defaulter: weak.id, amountMicros });
      return lossesIn(step.events);
    },
    /** It leaves the fund without a loss; the print then pays a cent more than that asked. */
    settleAbove: () => {
      fail(usd("0"));
      endAuctions(world);
      world.runTo(Date.UTC(2025, 4, 20));
      world.do(root, world.release(world.observe("2025-04", "278640")));
      const events: Event[] = [];
      world.runTo(world.nowMillis + 4 * 86_400_000, (_, told) => events.push(...told));
      return events;
    },
  };
}
