// Requests for quotes as a seed draws them: opened, quoted, bettered, taken and called off, by
// accounts that may and by some that may not.
// Invariant: nothing but the dice and the state decides.
import { type RfqId, type RfqQuoteId, rfqId, rfqQuoteId } from "#base/ids.ts";
import type { Tick } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { Command } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Rfq } from "#core/rfq/record.ts";
import type { State } from "#core/state.ts";
import type { Dice } from "./dice.ts";
import type { Trader } from "./world.ts";

const HOUR_MILLIS = 3_600_000;
const lasting = [60_000, HOUR_MILLIS, 72 * HOUR_MILLIS, 72 * HOUR_MILLIS];
const standing = [30_000, HOUR_MILLIS, 72 * HOUR_MILLIS, 72 * HOUR_MILLIS];
const sides = ["BUY", "SELL"] as const;
const sizes: readonly Lots[] = [1n, 500n, 1_000n, 1_000n, 2_500n].map(lots);

interface Drawn {
  readonly state: State;
  readonly nowMillis: number;
  readonly dice: Dice;
  readonly traders: readonly Trader[];
  readonly listings: readonly Listing[];
  /** A price of those that orders have. */
  readonly tick: () => Tick;
}

/** Of whom, and what: a request's own account mostly takes its quotes. */
export function randomRfq(drawn: Drawn): readonly [Trader, Command] {
  const { state, dice, traders } = drawn;
  const trader = dice.pick(traders);
  const open = [...state.openRfqs];
  const id = open.length === 0 ? rfqId("rfq-1") : dice.pick(open);
  const quotes = [...(state.quotesForRfq.get(id) ?? [])];
  const kind = dice.below(100);
  if (open.length === 0 || kind < 12) return [trader, opening(drawn)];
  const rfq = state.rfqs.get(id);
  if (rfq === undefined || quotes.length === 0 || kind < 45) {
    return [trader, quoteFor(drawn, rfq, id)];
  }
  const quoteId = dice.chance(95) ? dice.pick(quotes) : rfqQuoteId("rqt-1");
  const quoter = whose(traders, state.rfqQuotes.get(quoteId)?.accountId) ?? trader;
  if (kind < 65) return [quoter, bettering(drawn, rfq, quoteId)];
  const asker = dice.chance(90) ? (whose(traders, rfq.accountId) ?? trader) : trader;
  if (kind < 96) return [asker, { type: "AcceptRfq", rfqId: id, quoteId }];
  return [asker, { type: "CancelRfq", rfqId: id }];
}

const whose = (traders: readonly Trader[], id: string | undefined): Trader | undefined =>
  traders.find((one) => one.id === id);

function opening({ dice, listings, nowMillis, state, traders }: Drawn): Command {
  const [one, other] = [dice.pick(listings), dice.pick(listings)];
  const isTwice = one.marketId === other.marketId && dice.chance(95);
  const legs = (isTwice || dice.chance(40) ? [one] : [one, other]).map((listing) => ({
    ...{ listing, amountLots: dice.pick(sizes) },
  }));
  const named = state.account(dice.pick(traders).id).address;
  return {
    ...{ type: "OpenRfq", legs, side: dice.pick(sides) },
    audience: dice.chance(90) ? null : [named],
    closesAtMillis: nowMillis + (dice.chance(3) ? 1 : dice.pick(lasting)),
  };
}

function quoteFor({ dice, nowMillis, tick }: Drawn, rfq: Rfq | undefined, id: RfqId): Command {
  const ticks = dice.chance(30) ? [tick()] : (rfq?.legs ?? [0]).map(() => tick());
  const closes = rfq?.closesAtMillis ?? nowMillis;
  const validUntilMillis = closes + (dice.chance(5) ? 0 : dice.pick(standing));
  return { type: "QuoteRfq", rfqId: id, ticks, validUntilMillis };
}

function bettering({ dice, tick }: Drawn, { legs }: Rfq, quoteId: RfqQuoteId): Command {
  const ticks = legs.map(() => tick());
  const validUntilMillis = dice.chance(90) ? null : 0;
  return { type: "ImproveQuote", quoteId, ticks, validUntilMillis };
}
