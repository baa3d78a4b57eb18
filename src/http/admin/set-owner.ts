// POST /api/admin/accounts/:id/owner: whose the account is, told by another account of that owner.
// Invariant: accounts of one owner never trade with each other, and share one credit line.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { admin, closed, type Route } from "../route.ts";
import { AccountRecord, accountRecord, OwnerName } from "./account-record.ts";

export const setOwner = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/owner",
    access: "operator",
    summary: "Gives an account the owner of another one; its own id gives it back to itself",
    refusals: ["ACCOUNT_NOT_FOUND"],
    params: Type.Object({ id: Type.String() }),
    body: closed({ owner: OwnerName }),
    data: AccountRecord,
    toCommand: ({ params, body }) => ({
      command: {
        type: "SetOwner",
        accountId: accountId(params.id),
        owner: accountId(body.owner),
      },
    }),
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, "an owner is set on its account");
      return { data: accountRecord(changed.account) };
    },
  });
