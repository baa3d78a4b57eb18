// A stage for requests for quotes: two places, a requester, makers, and the words to act with.

import assert from "node:assert/strict";
import { nodeId, rfqId, rfqQuoteId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { parseLots } from "#base/quantity.ts";
import type { CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { type Trader, tick, World } from "./world.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
/** A layer that no series of the exchange's own list has. */
export const bespoke = { kind: "layered", attachBps: 300, exhaustBps: 1100 } as const;
export const contracts = (text: string) => parseLots(text) ?? assert.fail(text);
export const HOUR = 3_600_000;
export const RFQ = rfqId("rfq-1");
export const FIRST = rfqQuoteId("rqt-1");
export const SECOND = rfqQuoteId("rqt-2");

export function rfqStage(cash = "100000") {
  const world = new World();
  const listings: Listing[] = [];
  for (const place of ["zip:78701", "zip:85001"]) {
    world.place = nodeId(place);
    world.print("2024-10", "300000");
    const within = [nodeId(place === "zip:78701" ? "state:tx" : "state:az")];
    listings.push({ ...world.listing("2025-10", layer), within });
  }
  const [buyer, maker, rival] = [
    world.trader("buyer", "100000"),
    world.trader("maker", cash),
    world.trader("rival", cash),
  ];
  const legs = (amount: string) =>
    listings.map((listing) => ({ listing, amountLots: contracts(amount) }));
  const open = (more: Partial<CommandOf<"OpenRfq">> = {}, who: Trader = buyer) =>
    world.try(who.actor, {
      type: "OpenRfq",
      legs: legs("1000"),
      side: "BUY",
      audience: null,
      closesAtMillis: world.nowMillis + HOUR,
      ...more,
    });
  const quote = (prices: readonly string[], who: Trader = maker, id = RFQ) =>
    world.try(who.actor, {
      type: "QuoteRfq",
      rfqId: id,
      ticks: prices.map((price): Tick => tick(price)),
      validUntilMillis: world.nowMillis + 2 * HOUR,
    });
  const improve = (prices: readonly string[], who: Trader = maker, quoteId = FIRST) =>
    world.try(who.actor, {
      type: "ImproveQuote",
      quoteId,
      ticks: prices.map((price): Tick => tick(price)),
      validUntilMillis: null,
    });
  const accept = (quoteId = FIRST, who: Trader = buyer) =>
    world.try(who.actor, { type: "AcceptRfq", rfqId: RFQ, quoteId });
  const held = ({ id }: Trader, at = 0): bigint =>
    world.state.position(id, listings[at]?.marketId ?? assert.fail())?.heldLots ?? 0n;
  const newest = (): readonly Event[] => {
    const outcome = world.journal.at(-1)?.outcome;
    return outcome !== undefined && "events" in outcome ? outcome.events : [];
  };
  const statusOf = (id = FIRST) => world.state.rfqQuotes.get(id)?.status;
  const rfqStatus = () => world.state.rfqs.get(RFQ)?.status;
  const actions = { open, quote, improve, accept };
  return {
    world,
    listings,
    buyer,
    maker,
    rival,
    legs,
    held,
    newest,
    statusOf,
    rfqStatus,
    ...actions,
  };
}

export const rejectionIn = (outcome: ReturnType<World["try"]>) =>
  "rejection" in outcome ? outcome.rejection : undefined;

export const refusalIn = (outcome: ReturnType<World["try"]>): string | undefined =>
  rejectionIn(outcome)?.code;
