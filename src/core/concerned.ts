// The account an entry is about: the account a command names or made, or else its sender.
// Invariant: a function of the entry alone, so that it is the same whenever it is asked.
import type { AccountId } from "#base/ids.ts";
import type { Actor, Command } from "./command.ts";
import type { Event } from "./event.ts";
import { wordIn } from "./words/told.ts";

export function concernedAccount(
  actor: Actor,
  command: Command,
  events: readonly Event[],
): AccountId | null {
  const isAgreed = command.type === "ConfirmProposal" || command.type === "CarryOutWord";
  const agreed = isAgreed ? wordIn("confirmed", events)?.command : undefined;
  if (agreed !== undefined) return concernedAccount(actor, agreed, events);
  if ("accountId" in command) return command.accountId;
  if (command.type === "CollectPayment" || command.type === "DefaultAcceptance") {
    const changed = events.find((event) => event.type === "AcceptanceChanged");
    return changed?.acceptance.accountId ?? null;
  }
  if (command.type === "CloseRfq" || command.type === "LapseQuote") {
    const ended = events.find(({ type }) => type === "RfqEnded" || type === "RfqQuoteEnded");
    return ended !== undefined && "accountId" in ended ? ended.accountId : null;
  }
  if (command.type === "CloseAuction") {
    return events.find((event) => event.type === "AuctionEnded")?.accountId ?? null;
  }
  if (command.type === "OpenAccount" || command.type === "ExpireOrder") {
    for (const event of events) {
      if (event.type === "AccountChanged") return event.account.id;
      if (event.type === "OrderChanged") return event.order.accountId;
    }
  }
  return actor.type === "key" ? actor.accountId : null;
}
