// POST /api/admin/accounts/:id/funding: cash into an account, or out of it.
// Invariant: an amount is read from its text, exactly, and is never zero.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMicros, MOST_MICROS, parseMicros } from "#base/money.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { CashRecord } from "./account-record.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

export const fundAccount = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/funding",
    access: "admin:funding",
    summary: "Puts cash into an account, or takes it out; above a limit it takes two people",
    refusals: [
      "ROLE_NOT_TRADER",
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "KYC_REQUIRED",
      "ACCREDITATION_REQUIRED",
      "MARGIN_CALL",
      "IN_DEFAULT",
      "INSUFFICIENT_BALANCE",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({
      amount: Type.String({ maxLength: 40, description: "a decimal string" }),
      memo: Type.Optional(
        Type.String({ maxLength: 200, description: "text of at most 200 characters" }),
      ),
    }),
    data: Type.Object({ ...CashRecord.properties, ...Waiting }),
    toCommand: ({ params, body }) => {
      const amountMicros = parseMicros(body.amount);
      if (amountMicros === undefined || amountMicros === 0n) {
        return invalidField(
          "amount",
          'must be a decimal string such as "250000.00" with at most 6 decimals, ' +
            "negative for a withdrawal, not zero",
        );
      }
      if (amountMicros > MOST_MICROS || amountMicros < -MOST_MICROS) {
        return invalidField("amount", "must be at most 1000000000000 either way");
      }
      const id = accountId(params.id);
      const memo = body.memo ?? null;
      return { command: { type: "FundAccount", accountId: id, amountMicros, memo } };
    },
    render: ({ events }) => {
      const funded = events.find((event) => event.type === "Funded");
      invariant(funded !== undefined, "an accepted funding says what it left");
      const { cashMicros, availableMicros } = funded;
      const { proposal, status } = waitingIn(events);
      const cash = { cash: formatMicros(cashMicros), available: formatMicros(availableMicros) };
      return { data: { ...cash, ...proposal }, ...status };
    },
  });
