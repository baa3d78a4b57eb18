// GET and POST /api/admin/financing: the pool that premiums are lent from, what it has lent, and an
// operator's deposits and withdrawals.
// Invariant: what is lent stays in the pool; only the rest can be taken out.
import { type Static, Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { formatMicros, MOST_MICROS, micros, parseMicros } from "#base/money.ts";
import { principalOwedOn } from "#core/acceptance/owed.ts";
import { unlentOf } from "#core/acceptance/pool.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

const Usd = (description: string) => Type.String({ description });

const FinancingRecord = Type.Object(
  {
    pool: Usd("USD: deposits less withdrawals and what was written off"),
    lent: Usd("USD of principal that buyers owe, not written off"),
    available: Usd("USD that can still be lent or taken out"),
    writtenOff: Usd("USD of principal written off and not recovered"),
    overdue: Usd("USD of principal of acceptances that are overdue or defaulted"),
  },
  { title: "FinancingPool" },
);

export const showFinancing = (ports: { readonly exchange: ExchangeView }): Route =>
  admin.read({
    url: "/api/admin/financing",
    access: "admin:read",
    summary: "The pool that premiums are lent from, and what it has lent",
    params: nothing,
    query: nothing,
    data: FinancingRecord,
    read: () => ({ data: financingRecord(ports.exchange) }),
  });

function financingRecord(exchange: ExchangeView): Static<typeof FinancingRecord> {
  const sums = { lent: 0n, writtenOff: 0n, overdue: 0n };
  const accounts = [...exchange.accounts.keys()];
  for (const { status, payments } of accounts.flatMap((id) => exchange.acceptancesOf(id))) {
    const owed = payments.reduce((sum, payment) => sum + principalOwedOn(payment), 0n);
    if (status === "written_off") sums.writtenOff += owed;
    else sums.lent += owed;
    if (status === "overdue" || status === "defaulted") sums.overdue += owed;
  }
  const available = unlentOf(exchange);
  return {
    pool: formatMicros(micros(available + sums.lent)),
    lent: formatMicros(micros(sums.lent)),
    available: formatMicros(available),
    writtenOff: formatMicros(micros(sums.writtenOff)),
    overdue: formatMicros(micros(sums.overdue)),
  };
}

export const fundFinancing = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/financing",
    access: "admin:funding",
    summary: "Puts cash into the pool that premiums are lent from, or takes out what is not lent",
    refusals: ["INSUFFICIENT_BALANCE", "PROPOSAL_SAME_OPERATOR", "PROPOSAL_LIMIT"],
    params: nothing,
    body: closed({
      amount: Type.String({ maxLength: 40, description: "a decimal string" }),
      memo: Type.Optional(
        Type.String({ maxLength: 200, description: "text of at most 200 characters" }),
      ),
    }),
    otherStatuses: [202],
    data: Type.Object({
      pool: Type.Optional(Usd("USD in it now, what is lent included; absent while it waits")),
      ...Waiting,
    }),
    toCommand: ({ body }) => {
      const amountMicros = parseMicros(body.amount);
      const isOff = amountMicros === undefined || amountMicros === 0n;
      if (isOff || amountMicros > MOST_MICROS || amountMicros < -MOST_MICROS) {
        return invalidField(
          "amount",
          'must be a decimal string such as "250000.00" with at most 6 decimals, ' +
            "negative to take it out, not zero, at most 1000000000000 either way",
        );
      }
      return { command: { type: "FundFinancing", amountMicros, memo: body.memo ?? null } };
    },
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      if (proposal.proposal !== undefined) return { data: proposal, ...status };
      const posted = events.find((event) => event.type === "Posted");
      invariant(posted !== undefined, "a funding moves an amount that is not zero");
      const { posting, fromMicros, toMicros } = posted;
      const pool = posting.from === "financing" ? fromMicros : toMicros;
      return { data: { pool: formatMicros(pool) } };
    },
  });
