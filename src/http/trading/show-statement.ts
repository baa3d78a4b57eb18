// GET /api/trading/statement?month=YYYY-MM: a month of the account, as JSON or as CSV.
// Invariant: both forms say the same, and a final one says the same for ever.
import { Type } from "typebox";
import { parseMonth } from "#base/month.ts";
import { jsonType } from "../route/envelope.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import {
  type StatementPorts,
  StatementRecord,
  statementCsv,
  statementJson,
  statementOf,
} from "./statement.ts";

const CSV = "text/csv";
const COST = 10;

export const showStatement = (ports: StatementPorts): Route =>
  trading.read({
    url: "/api/trading/statement",
    access: "read:portfolio",
    summary: "A month of the account: balances, postings, fills, positions, and their digest",
    refusals: ["OVERLOADED"],
    cost: COST,
    costsBytes: true,
    params: nothing,
    query: closed({
      month: Type.String({ pattern: "^[0-9]{4}-[0-9]{2}$", description: "YYYY-MM, in UTC" }),
      format: Type.Optional(
        Type.Enum(["json", "csv"], {
          description: "json or csv; when left out, what the Accept header asks for",
        }),
      ),
    }),
    data: StatementRecord,
    otherTypes: [CSV],
    read: async ({ caller, query, accept }) => {
      const month = parseMonth(query.month);
      if (month === undefined) return invalidField("month", "must be a month, YYYY-MM");
      const statement = await statementOf(ports, caller.account, month);
      if (statement === undefined) return invalidField("month", "must not lie in the future");
      const { format = asksForCsv(accept) ? "csv" : "json" } = query;
      if (format === "json") {
        return { contentType: jsonType, pieces: statementJson(ports, statement), headers: {} };
      }
      const name = `statement-${caller.account.id}-${query.month}.csv`;
      return {
        contentType: `${CSV}; charset=utf-8`,
        pieces: statementCsv(ports, statement),
        headers: { "content-disposition": `attachment; filename="${name}"` },
      };
    },
  });

/** Named, and not refused by `q=0`. */
const asksForCsv = (accept: string): boolean =>
  accept
    .split(",")
    .some((range) => /^\s*text\/csv\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(range));
