// POST /api/admin/accounts/:id/owner: whose the account is, told by another account of that owner.
// Invariant: accounts of one owner never trade with each other, and share one credit line.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { OwnerName } from "./account-record.ts";
import { ChangedOrWaiting, changedOrWaiting } from "./changed-account.ts";

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
      "It takes two people",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({ owner: OwnerName }),
    data: ChangedOrWaiting,
    toCommand: ({ params, body }) => ({
      command: {
        type: "SetOwner",
        accountId: accountId(params.id),
        owner: accountId(body.owner),
      },
    }),
    render: ({ events }, { params }) => changedOrWaiting(ports.exchange, params.id, events),
  });
