// POST /api/admin/accounts: a new account and its first key, which holds every permission.
// Invariant: the address is drawn here, and is the account's for ever.
import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { permissions } from "#core/records.ts";
import type { NewSecret } from "../key-codec.ts";
import { admin, closed, nothing, type Route } from "../route.ts";
import { KeyRecord, keyRecord } from "../trading/key-record.ts";
import { AccountRecord, accountRecord, OwnerName, RoleName } from "./account-record.ts";

export interface OpenAccountPorts {
  newSecret(): NewSecret;
  /** What a first key is given: the most a key may have. */
  readonly maxKeyRatePerMinute: number;
}

const ADDRESS_BYTES = 20;

export const openAccount = (ports: OpenAccountPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts",
    access: "operator",
    summary: "Opens an account with its first key",
    refusals: ["ACCOUNT_NOT_FOUND"],
    params: nothing,
    body: closed({
      name: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "text of 1 to 100 characters",
      }),
      role: RoleName,
      owner: Type.Optional(OwnerName),
    }),
    data: Type.Object({ account: AccountRecord, key: KeyRecord }),
    toCommand: ({ body }) => {
      const { secret, prefix, digest } = ports.newSecret();
      const key = {
        label: "first key",
        prefix,
        digest,
        permissions,
        ratePerMinute: ports.maxKeyRatePerMinute,
        expiresAtSeconds: null,
      };
      const address = `0x${randomBytes(ADDRESS_BYTES).toString("hex")}`;
      const { owner, ...named } = body;
      const shared = owner === undefined ? {} : { owner: accountId(owner) };
      return { command: { type: "OpenAccount", ...named, address, key, ...shared }, secret };
    },
    render: ({ events, secret }) => {
      const opened = events.find((event) => event.type === "AccountChanged");
      const made = events.find((event) => event.type === "KeyChanged");
      invariant(opened !== undefined && made !== undefined, "an account comes with a key");
      const shown = secret === undefined ? {} : { secret };
      return {
        data: {
          account: accountRecord(opened.account),
          key: { ...keyRecord(made.key, null), ...shown },
        },
      };
    },
  });
