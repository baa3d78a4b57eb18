// A webhook's command as the audit trail shows it.
// Invariant: of an address only where it leads, for its path and query may hold a secret; no salt.
import type { WebhookCommand } from "./record.ts";

export function webhookDetails(command: WebhookCommand): Record<string, unknown> {
  switch (command.type) {
    case "SetWebhook":
      return {
        origin: originOf(command.url),
        ...(command.scope === undefined ? {} : { scope: command.scope }),
        types: command.types,
      };
    case "ReplayWebhook":
      return { fromSequence: command.afterSequence + 1 };
    case "SuspendWebhook":
      return { cause: command.cause, fault: command.fault };
    default:
      return {};
  }
}

/** Scheme, host and port: the text up to the first slash, question mark or number sign after. */
const originOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
