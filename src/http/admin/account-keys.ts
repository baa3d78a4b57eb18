// POST and DELETE /api/admin/accounts/:id/keys: for an account whose keys are lost or stolen.
// Invariant: the secret is shown once; a revocation ends every key the account has.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { permissions } from "#core/records.ts";
import { admin, closed, nothing, type Route } from "../route.ts";
import { KeyRecord, keyRecord } from "../trading/key-record.ts";
import type { OpenAccountPorts } from "./open-account.ts";

const IdParams = Type.Object({ id: Type.String() });

/** As an account's first key: every permission, the highest rate, no expiry. */
export const issueAccountKey = (ports: OpenAccountPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/keys",
    access: "operator",
    summary: "Gives an account a new key with every permission",
    refusals: ["CONFLICT_OF_INTEREST", "ROOT_ONLY", "ACCOUNT_NOT_FOUND", "KEY_LIMIT"],
    params: IdParams,
    body: closed({
      label: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "text of 1 to 100 characters",
      }),
    }),
    data: KeyRecord,
    toCommand: ({ params, body: { label } }) => {
      const { secret, prefix, digest } = ports.newSecret();
      const { maxKeyRatePerMinute: ratePerMinute } = ports;
      const key = { label, prefix, digest, permissions, ratePerMinute, expiresAtSeconds: null };
      return { command: { type: "IssueKey", accountId: accountId(params.id), key }, secret };
    },
    render: ({ events, secret }) => {
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
    access: "operator",
    summary: "Revokes every key of an account",
    refusals: ["ACCOUNT_NOT_FOUND"],
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
