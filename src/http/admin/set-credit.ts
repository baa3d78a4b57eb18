// POST /api/admin/accounts/:id/credit: the most an account's owner may owe for premiums.
// Invariant: a line is from 0 to a million million USD, or the tier's own.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, MOST_MICROS, parseMicros } from "#base/money.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { AccountRecord, accountRecord } from "./account-record.ts";

export const setCredit = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/credit",
    access: "admin:funding",
    summary: "Sets the most an account's owner may owe for premiums",
    refusals: ["ACCOUNT_NOT_FOUND"],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      line: Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
        description: "a decimal string, or null for the line of the tier",
      }),
    }),
    data: AccountRecord,
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
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, "a line is set on its account");
      return { data: accountRecord(changed.account) };
    },
  });

function lineOf(line: string | null): Micros | null | undefined {
  if (line === null) return null;
  const amount = parseMicros(line);
  return amount === undefined || amount < 0n || amount > MOST_MICROS ? undefined : amount;
}
