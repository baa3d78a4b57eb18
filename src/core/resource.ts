// The subject of an entry in the audit trail: the id its command names or made, else a word for it.
// Invariant: every command has a resource, also one that was refused and made nothing.
import { invariant } from "#base/invariant.ts";
import type { Command, CommandOf } from "./command.ts";
import { commands } from "./command-table.ts";
import type { Event } from "./event.ts";
import { ordersIn } from "./order/orders-in-events.ts";

export function resourceOf(command: Command, events: readonly Event[]): string {
  const { resource } = commands[command.type];
  if (resource !== undefined) return resource;
  if ("nodeId" in command) return command.nodeId;
  if ("auctionId" in command) return command.auctionId;
  if ("proposalId" in command) return command.proposalId;
  if ("acceptanceId" in command) return command.acceptanceId;
  if ("orderId" in command) return command.orderId;
  if ("fillId" in command) return command.fillId;
  if ("webhookId" in command) return command.webhookId;
  if ("quoteId" in command) return command.quoteId;
  if ("rfqId" in command) return command.rfqId;
  if ("mandateId" in command) return command.mandateId ?? mandateIn(events);
  switch (command.type) {
    case "OpenAccount":
    case "CreateKey":
    case "IssueKey":
    case "IssuePublicKey":
    case "PlaceOrder":
    case "AcceptQuote":
    case "OpenRfq":
      return madeIn(command, events);
    case "ListMarket":
      return command.listing.marketId;
    case "AcceptRelease":
    case "QuarantineRelease":
      return command.release.id;
    case "ApproveRelease":
    case "RejectRelease":
      return command.releaseId;
    case "RereadReleases":
      return `${command.index} ${command.level} ${command.variable ?? ""}`.trimEnd();
    case "RecordRefusal":
      return command.operation;
    // Named by its account's own reference: the one that was touched, of several the newest. It may
    // be one that went with it; stored entries are filed so, and `verify` looks for them there.
    case "AmendOrder":
    case "CancelOrder":
      return ordersIn(events).at(-1)?.id ?? "orders";
    case "CancelAll":
    case "SetCancelAfter":
    case "FireCancelAfter":
      return command.marketId ?? "orders";
    case "RevokeKey":
      return command.keyId;
    case "RevokePublicKey":
      return command.publicKeyId;
    default:
      if ("index" in command) return ("releaseId" in command && command.releaseId) || command.index;
      if ("marketId" in command) return command.marketId;
      invariant("accountId" in command, `${command.type} names nothing, and its row no resource`);
      return command.accountId;
  }
}

type Making = CommandOf<
  | "OpenAccount"
  | "CreateKey"
  | "IssueKey"
  | "IssuePublicKey"
  | "PlaceOrder"
  | "AcceptQuote"
  | "OpenRfq"
>;

/** Ids made by the command itself are read from its events. */
function madeIn(command: Making, events: readonly Event[]): string {
  switch (command.type) {
    case "OpenAccount":
      return named(events, "AccountChanged") ?? "account";
    case "CreateKey":
    case "IssueKey":
      return named(events, "KeyChanged") ?? "key";
    case "IssuePublicKey":
      return named(events, "PublicKeyChanged") ?? "public key";
    case "PlaceOrder":
      return ordersIn(events).at(-1)?.id ?? command.order.marketId;
    case "OpenRfq":
      return events.find((event) => event.type === "RfqOpened")?.rfq.id ?? "rfq";
    case "AcceptQuote":
      return events.find((event) => event.type === "AcceptanceChanged")?.acceptance.id ?? "quote";
  }
}

/** The last of its kind. */
function named(events: readonly Event[], type: Event["type"]): string | undefined {
  const event = events.findLast((candidate) => candidate.type === type);
  if (event?.type === "AccountChanged") return event.account.id;
  if (event?.type === "KeyChanged" || event?.type === "PublicKeyChanged") return event.key.id;
  return undefined;
}

/** The one that was set; of a cancellation all there were. */
function mandateIn(events: readonly Event[]): string {
  const changed = events.filter((event) => event.type === "MandateChanged");
  const [first] = changed;
  return first?.status === "set" ? first.mandate.id : "mandates";
}
