// POST /api/admin/accounts: a new account and its first key, which holds every trading permission
// and, of an operator's account, the operators' permissions that are asked for.
// Invariant: the address is drawn here, and is the account's for ever.
import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { adminPermissions } from "#core/records.ts";
import { invalidField, type Refused } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import type { NewSecret } from "../server/key-codec.ts";
import { KeyRecord, keyRecord } from "../trading/key-record.ts";
import { AccountRecord, accountRecord, OwnerName, RoleName } from "./account-record.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

export interface OpenAccountPorts {
  newSecret(): NewSecret;
  /** The rate of a first key: the highest a key may have. */
  readonly maxKeyRatePerMinute: number;
}

/** None unless they are named. */
export const OperatorPermissions = Type.Array(
  Type.Enum([...adminPermissions], { description: `one of ${adminPermissions.join(", ")}` }),
  { uniqueItems: true, description: "what the key of an operator's account may do as operator" },
);

export const notOperators = (): Refused =>
  invalidField("permissions", "are given to operators' accounts alone; leave them out");

const ADDRESS_BYTES = 20;

export const openAccount = (ports: OpenAccountPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts",
    access: "admin:accounts",
    summary:
      "Opens an account with its first key; an operator's, and one of another account's owner, " +
      "takes two people",
    refusals: ["KEY_ESCALATION", "ACCOUNT_NOT_FOUND", "PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    otherStatuses: [202],
    params: nothing,
    body: closed({
      name: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "text of 1 to 100 characters",
      }),
      role: RoleName,
      owner: Type.Optional(OwnerName),
      permissions: Type.Optional(OperatorPermissions),
    }),
    data: Type.Object({
      account: Type.Optional(AccountRecord),
      key: Type.Optional(KeyRecord),
      secret: Type.Optional(
        Type.String({
          description: "with an effectiveAt: of the key that it will have, shown once",
        }),
      ),
      ...Waiting,
    }),
    toCommand: ({ body }) => {
      const { secret, prefix, digest } = ports.newSecret();
      const key = {
        label: "first key",
        prefix,
        digest,
        permissions: body.permissions ?? [],
        ratePerMinute: ports.maxKeyRatePerMinute,
        expiresAtSeconds: null,
      };
      const address = `0x${randomBytes(ADDRESS_BYTES).toString("hex")}`;
      const { owner, permissions, ...named } = body;
      if (permissions !== undefined && body.role !== "operator") return notOperators();
      const shared = owner === undefined ? {} : { owner: accountId(owner) };
      return { command: { type: "OpenAccount", ...named, address, key, ...shared }, secret };
    },
    render: ({ events, secret }) => {
      const { proposal, status } = waitingIn(events);
      if (proposal.proposal !== undefined) {
        // Nobody is shown it later: the exchange itself carries this one out.
        const isFounding = proposal.proposal.effectiveAt !== undefined;
        const shown = isFounding && secret !== undefined ? { secret } : {};
        return { data: { ...proposal, ...shown }, ...status };
      }
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
