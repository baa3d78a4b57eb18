// GET /api/admin/accounts and GET /api/admin/accounts/:id: who trades here, and with what.
// Invariant: only what is durable is shown.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { refuse } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { AccountDetail, accountDetail } from "./account-record.ts";

interface AccountPorts {
  readonly exchange: ExchangeView;
}

/** In the order they were opened. */
export const listAccounts = (ports: AccountPorts): Route =>
  admin.read({
    url: "/api/admin/accounts",
    access: "admin:read",
    summary: "Accounts, in the order they were opened",
    params: nothing,
    query: closed(pageQuery),
    data: Type.Array(AccountDetail),
    siblings: pageSiblings,
    read: ({ query }) => {
      const { items, siblings } = pageOf([...ports.exchange.accounts.values()], query);
      return { data: items.map((account) => accountDetail(ports.exchange, account)), siblings };
    },
  });

export const showAccount = (ports: AccountPorts): Route =>
  admin.read({
    url: "/api/admin/accounts/:id",
    access: "admin:read",
    summary: "One account with its KYC record and its cash",
    refusals: ["ACCOUNT_NOT_FOUND"],
    params: Type.Object({ id: Type.String() }),
    query: nothing,
    data: AccountDetail,
    read: ({ params }) => {
      const account = ports.exchange.accounts.get(accountId(params.id));
      if (account === undefined) return refuse("ACCOUNT_NOT_FOUND");
      return { data: accountDetail(ports.exchange, account) };
    },
  });
