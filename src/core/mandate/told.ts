// A mandate's command as the audit trail shows it.
// Invariant: JSON-safe; a limit stands in contracts, as orders do.
import { formatLots } from "#base/quantity.ts";
import type { MandateCommand, MandateLimits } from "./record.ts";

export function mandateDetails(command: MandateCommand): Record<string, unknown> {
  switch (command.type) {
    case "SetMandate": {
      const { scope, side, spreadTicks, spreadTicksPerYear, ...rest } = command.terms;
      return {
        ...scope,
        side,
        spreadBps: spreadTicks,
        spreadBpsPerYear: spreadTicksPerYear,
        ...limitsShown(rest),
        expiry: rest.expirySeconds,
        collateral: rest.collateral,
      };
    }
    case "LowerMandate":
      return limitsShown(command);
    default:
      return {};
  }
}

const limitsShown = ({ mostInMarketLots, mostInStateLots, mostInAllLots }: MandateLimits) => ({
  maxPerMarket: formatLots(mostInMarketLots),
  maxPerState: formatLots(mostInStateLots),
  maxTotal: formatLots(mostInAllLots),
});
