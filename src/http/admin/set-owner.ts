// POST /api/admin/accounts/:id/owner: whose the account is, told by another account of that owner.
// Invariant: accounts of one owner never trade with each other, and share one credit line.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { AccountRecord, accountRecord, OwnerName } from "./account-record.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

interface OwnerPorts {
  readonly exchange: Pick<ExchangeView, "accounts">;
}

export const setOwner = (ports: OwnerPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/owner",
    access: "admin:accounts",
    summary:
      "Gives an account the owner of another one; its own id gives it back to itself. " +
      "Of an operator's account it takes two people",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({ owner: OwnerName }),
    data: Type.Object({ ...AccountRecord.properties, ...Waiting }),
    toCommand: ({ params, body }) => ({
      command: {
        type: "SetOwner",
        accountId: accountId(params.id),
        owner: accountId(body.owner),
      },
    }),
    render: ({ events }, { params }) => {
      const { proposal, status } = waitingIn(events);
      const changed = events.findLast((event) => event.type === "AccountChanged")?.account;
      const account = changed ?? ports.exchange.accounts.get(accountId(params.id));
      invariant(account !== undefined, "an owner is set on its account");
      return { data: { ...accountRecord(account), ...proposal }, ...status };
    },
  });
