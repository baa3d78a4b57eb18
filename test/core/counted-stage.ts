// A stage on which the steps of commands are counted: accounts with cash, a place with prints, and
// as many series of it as a test asks for.
// Invariant: what a command needs is there before it is counted; only the command is.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { nodeId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { apply } from "#core/apply.ts";
import { isOpen } from "#core/book/order.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { carriedOut, commands } from "#core/command-table.ts";
import type { Event } from "#core/event.ts";
import { caps } from "#core/full.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { Order } from "#core/records.ts";
import { countSteps } from "../support/counted-steps.ts";
import { contracts, HOUR } from "./rfq-stage.ts";
import { decision, openingOf, order, root, type Trader, tick, World } from "./world.ts";

/** Of a mandate that stands by at the place of all markets, and never trades. */
export const ownTerms: MandateTerms = {
  scope: {
    ...({ index: "zhvi", places: [nodeId("state:tx")], levels: null, payoffs: null } as const),
    ...{ minMonths: 1, maxMonths: 36 },
  },
  ...({ side: "SELL", spreadTicks: 9_000, spreadTicksPerYear: 0 } as const),
  ...{ mostInMarketLots: contracts("1"), mostInStateLots: contracts("1") },
  ...({ mostInAllLots: contracts("1"), expirySeconds: 0, collateral: "margin" } as const),
};

interface Counted {
  readonly steps: number;
  readonly ended: number;
  readonly events: readonly Event[];
}

/** How many records it tells the end of: orders, positions, quotes, mandates, and what leaves. */
function endedBy(event: Event): number {
  switch (event.type) {
    case "OrderChanged":
      return isOpen(event.order) ? 0 : 1;
    case "PositionChanged":
      return event.position.heldLots === 0n ? 1 : 0;
    case "MandateChanged":
      return event.status === "set" ? 0 : 1;
    case "RfqQuoteChanged":
      return event.quote.status === "open" ? 0 : 1;
    case "RfqQuoteEnded":
    case "RfqEnded":
    case "AuctionEnded":
      return 1;
    case "OrdersForgotten":
      return event.orderIds.length;
    case "MarketsForgotten":
      return event.marketIds.length;
    case "RfqsForgotten":
      return event.rfqIds.length;
    default:
      return 0;
  }
}

export class CountedStage {
  readonly world: World;

  /** On a world that has its prints, or on one of its own. */
  constructor(world?: World) {
    this.world = world ?? new World();
    this.world.judgesRefusals = false;
    if (world === undefined) this.world.print("2024-10", "300000");
  }

  /** Bespoke layers of one place, each a series of its own. */
  listings(count: number, end = "2025-10"): readonly Listing[] {
    return Array.from({ length: count }, (_, at) =>
      this.world.listing(end, { kind: "layered", attachBps: 100 + at, exhaustBps: 1_000 + at }),
    );
  }

  /** As many markets, which two accounts have traded a contract in. */
  listed(maker: Trader, taker: Trader, count: number): readonly Listing[] {
    const listings = this.listings(count);
    const legs = listings.map((listing) => ({ listing, amountLots: contracts("1") }));
    const times = { closesAtMillis: this.world.nowMillis + HOUR };
    const asked = { legs, side: "BUY", audience: null, ...times } as const;
    const [opened] = this.act(taker.actor, { type: "OpenRfq", ...asked });
    const id = opened?.type === "RfqOpened" ? opened.rfq.id : assert.fail();
    const [given] = this.act(maker.actor, {
      type: "QuoteRfq",
      rfqId: id,
      ticks: [tick("0.05")],
      validUntilMillis: this.world.nowMillis + 2 * HOUR,
    });
    const quoteId = given?.type === "RfqQuoteChanged" ? given.quote.id : assert.fail();
    this.act(taker.actor, { type: "AcceptRfq", rfqId: id, quoteId });
    return listings;
  }

  /** A listed series of the exchange's own. */
  market(by: Trader): Listing {
    const listing = this.world.listing("2025-10", {
      kind: "layered",
      attachBps: 500,
      exhaustBps: 1_500,
    });
    this.act(by.actor, { type: "PlaceOrder", order: order(listing, "SELL", "1", "0.9"), listing });
    return listing;
  }

  /** Without the checks that a world makes after each command. */
  try(actor: Actor, command: Command): Outcome {
    const { world } = this;
    world.sequence += 1;
    const timeMillis = world.nowMillis;
    const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
    return apply(world.state, envelope, world.sequence);
  }

  act(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.try(actor, command);
    if (isRejected(outcome)) assert.fail(`${command.type}: ${inspect(outcome.rejection)}`);
    return outcome.events;
  }

  steps(actor: Actor, command: Command): number {
    let outcome: Outcome | undefined;
    const steps = countSteps(() => {
      outcome = this.try(actor, command);
    });
    assert.ok(outcome !== undefined);
    if (isRejected(outcome)) assert.fail(`${command.type}: ${inspect(outcome.rejection)}`);
    return steps;
  }

  /** And the records of before that it ended: they were paid for when they were made. */
  counted(actor: Actor, command: Command): Counted {
    let outcome: Outcome | undefined;
    const { state } = this.world;
    const known = state.orderCount;
    const { by, adds } = commands[carriedOut(state, command).type];
    const held = caps.map(({ table }) => state[table].size);
    const steps = countSteps(() => {
      outcome = this.try(actor, command);
    });
    assert.ok(outcome !== undefined);
    if (isRejected(outcome)) assert.fail(`${command.type}: ${inspect(outcome.rejection)}`);
    // The clock adds without a cap: nothing that falls due is refused.
    for (const [at, { adds: kind, table }] of by === "system" ? [] : caps.entries()) {
      const isDeclared = adds === kind || state[table].size <= (held[at] ?? 0);
      assert.ok(isDeclared, `${command.type} adds to ${table}, and its row does not say so`);
    }
    const { events } = outcome;
    const isKnown = ({ id }: Order): boolean => Number(id.slice("ord-".length)) <= known;
    const ended = events.reduce(
      (sum, event) =>
        event.type === "OrderChanged" && !isKnown(event.order) ? sum : sum + endedBy(event),
      0,
    );
    return { steps, ended, events };
  }

  /** An account with a position and an order in a market, a mandate, and a request of its own. */
  another(name: string, market: Pick<Listing, "marketId">, sold: Listing): void {
    const { world } = this;
    const opened = this.act(root, openingOf(name, "trader", []));
    const key = opened.find((event) => event.type === "KeyChanged");
    assert.ok(key?.type === "KeyChanged");
    const { accountId: id, id: keyId } = key.key;
    const actor: Actor = { type: "key", accountId: id, keyId };
    this.act(root, decision(id, "approve", "institutional", true));
    const amountMicros = micros(100_000_000n);
    this.act(root, { type: "FundAccount", accountId: id, amountMicros, memo: null });
    const place = (input: OrderInput) =>
      this.act(actor, { type: "PlaceOrder", order: input, listing: null });
    place(order(market, "BUY", "1", "0.01"));
    place(order(sold, "BUY", "1", "0.5"));
    this.act(actor, { type: "SetMandate", mandateId: null, terms: ownTerms });
    const legs = [{ listing: sold, amountLots: contracts("1") }];
    const closesAtMillis = world.nowMillis + HOUR;
    this.act(actor, { type: "OpenRfq", legs, side: "BUY", audience: null, closesAtMillis });
  }

  /** The steps of a plain order that rests: a unit. */
  unit(by: Trader, listing: Pick<Listing, "marketId">): number {
    return this.steps(by.actor, {
      type: "PlaceOrder",
      order: order(listing, "BUY", "1", "0.01"),
      listing: null,
    });
  }
}
