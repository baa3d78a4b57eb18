// The commands of requests for quotes as the audit trail shows them.
// Invariant: JSON-safe; the entry of a quote is sealed, and is shown to its maker alone.
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import type { Command, CommandType } from "../command.ts";
import type { RfqCommand } from "./record.ts";

const types: ReadonlySet<CommandType> = new Set<RfqCommand["type"]>([
  "OpenRfq",
  "QuoteRfq",
  "ImproveQuote",
  "AcceptRfq",
  "CancelRfq",
  "CloseRfq",
  "LapseQuote",
]);

export const isOfRfq = (command: Command): command is RfqCommand => types.has(command.type);

export function rfqDetails(command: RfqCommand): Record<string, unknown> {
  switch (command.type) {
    case "OpenRfq":
      return {
        side: command.side,
        legs: command.legs.map(({ listing, amountLots }) => ({
          marketId: listing.marketId,
          amount: formatLots(amountLots),
        })),
        audience: command.audience,
        closesAt: Math.floor(command.closesAtMillis / 1000),
      };
    case "QuoteRfq":
    case "ImproveQuote":
      return { prices: command.ticks.map(tickPrice) };
    case "AcceptRfq":
      return { rfqId: command.rfqId };
    default:
      return {};
  }
}
