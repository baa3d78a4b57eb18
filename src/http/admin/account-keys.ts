// POST and DELETE /api/admin/accounts/:id/keys: for an account whose keys are lost or stolen.
// Invariant: the secret is shown once, to the second of two people; a revocation ends every key the
// account has.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { permissions } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { KeyRecord, keyRecord } from "../trading/key-record.ts";
import { notOperators, type OpenAccountPorts, OperatorPermissions } from "./open-account.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

interface AccountKeyPorts extends OpenAccountPorts {
  readonly exchange: Pick<ExchangeView, "accounts">;
}

const IdParams = Type.Object({ id: Type.String() });

/** As an account's first key: its permissions, the highest rate, no expiry. */
export const issueAccountKey = (ports: AccountKeyPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/keys",
    access: "admin:accounts",
    summary: "Gives an account a new key; it takes two people, and the second is shown it",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "KEY_ESCALATION",
      "KEY_LIMIT",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: IdParams,
    body: closed({
      label: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "text of 1 to 100 characters",
      }),
      permissions: Type.Optional(OperatorPermissions),
    }),
    data: Type.Object({ ...Type.Partial(KeyRecord).properties, ...Waiting }),
    toCommand: ({ params, body: { label, permissions: given = [] } }) => {
      const account = ports.exchange.accounts.get(accountId(params.id));
      if (given.length > 0 && account !== undefined && account.role !== "operator") {
        return notOperators();
      }
      const { secret, prefix, digest } = ports.newSecret();
      const { maxKeyRatePerMinute: ratePerMinute } = ports;
      const allowed = [...permissions, ...given];
      const drawn = { label, prefix, digest, ratePerMinute };
      const key = { ...drawn, permissions: allowed, expiresAtSeconds: null };
      return { command: { type: "IssueKey", accountId: accountId(params.id), key }, secret };
    },
    render: ({ events, secret }) => {
      const { proposal, status } = waitingIn(events);
      if (proposal.proposal !== undefined) return { data: proposal, ...status };
      const made = events.find((event) => event.type === "KeyChanged");
      invariant(made !== undefined, "a key was made");
      return {
        data: { ...keyRecord(made.key, null), ...(secret === undefined ? {} : { secret }) },
      };
    },
  });

export const revokeAccountKeys = (): Route =>
  admin.write({
    method: "DELETE",
    url: "/api/admin/accounts/:id/keys",
    access: "admin:accounts",
    summary: "Revokes every key of an account",
    refusals: ["CONFLICT_OF_INTEREST", "ACCOUNT_NOT_FOUND", "OPERATORS_MISSING"],
    params: IdParams,
    body: nothing,
    data: Type.Object({ revoked: Type.Integer() }),
    toCommand: ({ params }) => ({
      command: { type: "RevokeKeys", accountId: accountId(params.id) },
    }),
    render: ({ events }) => {
      const revoked = events.filter((event) => event.type === "KeyChanged").length;
      return { data: { revoked } };
    },
  });
