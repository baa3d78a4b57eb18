// POST /api/admin/accounts/:id/caps: what one account may trade in a day, and leave open.
// Invariant: a limit is lowered at once, and raised only by a second person's word.
import { type Static, Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { MOST_MICROS, parseMicros } from "#base/money.ts";
import { MOST_OPEN_ORDERS } from "#core/account/caps.ts";
import type { CapsCommand } from "#core/account/caps-record.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { invalidField, type Refused } from "../route/errors.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { ChangedOrWaiting, changedOrWaiting } from "./changed-account.ts";

interface CapsPorts {
  readonly exchange: Pick<ExchangeView, "accounts">;
}

const CapsBody = closed({
  maxDaily: Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description:
        "USD of coverage it may trade in a UTC day, as a decimal string; null for its tier's limit",
    }),
  ),
  maxOpenOrders: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: MOST_OPEN_ORDERS }), Type.Null()], {
      description: `a whole number from 0 to ${MOST_OPEN_ORDERS}; null for that of every account`,
    }),
  ),
});

export const setCaps = (ports: CapsPorts): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/accounts/:id/caps",
    access: "admin:accounts",
    summary:
      "Sets what an account may trade in a day and how many orders it may have open; " +
      "it takes two people to raise either",
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: CapsBody,
    data: ChangedOrWaiting,
    toCommand: ({ params, body }) => {
      const caps = capsOf(body);
      if ("refused" in caps) return caps;
      return { command: { type: "SetCaps", accountId: accountId(params.id), ...caps } };
    },
    render: ({ events }, { params }) => changedOrWaiting(ports.exchange, params.id, events),
  });

function capsOf({
  maxDaily,
  maxOpenOrders,
}: Static<typeof CapsBody>): Refused | Omit<CapsCommand, "type" | "accountId"> {
  if (maxDaily === undefined && maxOpenOrders === undefined) {
    return invalidField("maxDaily", "or maxOpenOrders has to be there", {
      fields: ["maxDaily", "maxOpenOrders"],
    });
  }
  const open = maxOpenOrders === undefined ? {} : { maxOpenOrders };
  if (maxDaily == null) return maxDaily === null ? { maxDailyMicros: null, ...open } : open;
  const amount = parseMicros(maxDaily);
  return amount === undefined || amount < 0n || amount > MOST_MICROS
    ? invalidField(
        "maxDaily",
        'must be a decimal string such as "25000" with at most 6 decimals, from 0 to ' +
          "1000000000000, or null",
      )
    : { maxDailyMicros: amount, ...open };
}
