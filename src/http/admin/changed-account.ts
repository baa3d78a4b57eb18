// The answer to a command that changes an account, or waits for a second person's word.
// Invariant: an account that waits is shown as it is.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Event } from "#core/event.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { AccountRecord, accountRecord } from "./account-record.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

export const ChangedOrWaiting = Type.Object({ ...AccountRecord.properties, ...Waiting });

export function changedOrWaiting(
  exchange: Pick<ExchangeView, "accounts">,
  id: string,
  events: readonly Event[],
) {
  const { proposal, status } = waitingIn(events);
  const changed = events.findLast((event) => event.type === "AccountChanged")?.account;
  const account = changed ?? exchange.accounts.get(accountId(id));
  invariant(account !== undefined, "a command about an account was accepted, so it is there");
  return { data: { ...accountRecord(account), ...proposal }, ...status };
}
