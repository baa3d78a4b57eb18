// An account as an operator sees it.
// Invariant: `available` never counts what the account's shorts and open orders hold back.
import { type Static, Type } from "typebox";
import { formatMicros } from "#base/money.ts";
import { openerOf } from "#core/person.ts";
import { type Account, roles } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { KycRecord, kycRecord } from "../trading/kyc-record.ts";

export const RoleName = Type.Enum([...roles], { description: `one of ${roles.join(", ")}` });

export const OwnerName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "the id of an account of the same owner",
});

export const AccountRecord = Type.Object(
  {
    id: Type.String(),
    address: Type.String(),
    name: Type.String(),
    role: RoleName,
    owner: Type.String({ description: "the account its owner is named after: itself, as a rule" }),
    createdAt: Type.String(),
    creditLine: Type.Optional(
      Type.String({ description: "USD its owner may owe for premiums, where set for the account" }),
    ),
    maxDaily: Type.Optional(
      Type.String({ description: "USD of coverage in a UTC day, where set for the account" }),
    ),
    maxOpenOrders: Type.Optional(
      Type.Integer({ description: "where set for the account; else as GET /api/limits says" }),
    ),
  },
  { title: "Account" },
);

export const accountRecord = (account: Account): Static<typeof AccountRecord> => ({
  id: account.id,
  address: account.address,
  name: account.name,
  role: account.role,
  owner: account.owner ?? account.id,
  createdAt: new Date(account.createdAtMillis).toISOString(),
  ...(account.creditMicros === null ? {} : { creditLine: formatMicros(account.creditMicros) }),
  ...capsShown(account),
});

function capsShown({ caps = {} }: Account): { maxDaily?: string; maxOpenOrders?: number } {
  const { maxDailyMicros, maxOpenOrders } = caps;
  return {
    ...(maxDailyMicros === undefined ? {} : { maxDaily: formatMicros(maxDailyMicros) }),
    ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }),
  };
}

/** USD as decimal strings. */
export const CashRecord = Type.Object({ cash: Type.String(), available: Type.String() });

const cashRecord = (exchange: ExchangeView, id: Account["id"]): Static<typeof CashRecord> => ({
  cash: formatMicros(exchange.cash(id)),
  available: formatMicros(exchange.available(id)),
});

export const AccountDetail = Type.Object(
  {
    ...AccountRecord.properties,
    openedBy: Type.String({ description: "the operator's account, or root" }),
    vouchedBy: Type.Array(Type.String(), {
      description: "operators who agreed to an operator's account, or were shown a key of it",
    }),
    halted: Type.Boolean(),
    kyc: KycRecord,
    ...CashRecord.properties,
  },
  { title: "AccountDetail" },
);

export const accountDetail = (
  exchange: ExchangeView,
  account: Account,
): Static<typeof AccountDetail> => ({
  ...accountRecord(account),
  openedBy: openerOf(account),
  vouchedBy: [...(account.vouchedBy ?? [])],
  halted: account.halted,
  kyc: kycRecord(account, exchange.rules),
  ...cashRecord(exchange, account.id),
});
