// POST /api/admin/accounts/:id/credit: the most an account's owner may owe for premiums.
// Invariant: a line is from 0 to a million million USD, or the tier's own.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { type Micros, MOST_MICROS, parseMicros } from "#base/money.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { ChangedOrWaiting, changedOrWaiting } from "./changed-account.ts";

interface CreditPorts {
  readonly exchange: ExchangeView;
}

export const setCredit = (ports: CreditPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/credit",
    access: "admin:funding",
    summary: "Sets the most an account's owner may owe for premiums; more takes two people",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      line: Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
        description: "a decimal string, or null for the line of the tier",
      }),
    }),
    data: ChangedOrWaiting,
    toCommand: ({ params, body }) => {
      const creditMicros = lineOf(body.line);
      return creditMicros === undefined
        ? invalidField(
            "line",
            'must be a decimal string such as "25000" with at most 6 decimals, from 0 to ' +
              "1000000000000, or null",
          )
        : { command: { type: "SetCredit", accountId: accountId(params.id), creditMicros } };
    },
    render: ({ events }, { params }) => changedOrWaiting(ports.exchange, params.id, events),
  });

function lineOf(line: string | null): Micros | null | undefined {
  if (line === null) return null;
  const amount = parseMicros(line);
  return amount === undefined || amount < 0n || amount > MOST_MICROS ? undefined : amount;
}
