// Mass quotes, and batches judged order by order, as the audit trail tells them.
// Invariant: every quote that was sent is there, and which of them were refused by their place.
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { CommandOf } from "../command.ts";
import type { Event } from "../event.ts";
import { ordersRefusedIn, refusalsIn } from "./orders-in-events.ts";
import type { QuotedSide, SentQuotes } from "./quoted.ts";

export function quoteDetails(
  { quotes }: SentQuotes,
  events: readonly Event[],
): Record<string, unknown> {
  const refused = [...refusalsIn(events).values()].map(({ index, rejection }) => ({
    index,
    code: rejection.code,
  }));
  return {
    quotes: quotes.map(({ marketId, bid, ask, cancelOnRelease, group }) => ({
      marketId,
      bid: told(bid),
      ask: told(ask),
      ...(cancelOnRelease ? { cancelOnRelease } : {}),
      ...(group === undefined ? {} : { group }),
    })),
    ...(refused.length === 0 ? {} : { refused }),
  };
}

/** Of a batch whose orders were judged alone. */
export function eachDetails(
  { each }: CommandOf<"PlaceBatch">,
  events: readonly Event[],
): Record<string, unknown> {
  if (each === undefined) return {};
  const refused = ordersRefusedIn(events);
  return {
    mode: "each",
    refused: refused.map(({ index, rejection: { code } }) => ({ index, code })),
  };
}

const told = (side: QuotedSide | null) =>
  side === null
    ? null
    : {
        amount: formatLots(side.amountLots),
        price: side.priceTick === null ? null : tickPrice(side.priceTick),
      };
