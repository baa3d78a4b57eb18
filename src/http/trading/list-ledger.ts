// GET /api/trading/ledger: every movement of the account's cash, newest first, with its balance.
// Invariant: read from the postings of durable entries; a filter hides lines and changes none.
import { Type } from "typebox";
import type { Entry } from "#core/outcome.ts";
import { ownPostings } from "#views/own-entries.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { downEntries, listQuery, listSiblings, ownScope, pageOf, startOf } from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";
import { PostingRecord, postingRecord, ReasonName } from "./posting-record.ts";

export const listLedger = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/ledger",
    access: "read:portfolio",
    summary: "Every movement of the account's cash, newest first, with the balance it left",
    refusals: ["OVERLOADED"],
    params: nothing,
    query: closed({ reason: Type.Optional(ReasonName), ...listQuery }),
    data: Type.Array(PostingRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const account = caller.account.id;
      const scope = ownScope("ledger", caller, query.reason);
      const start = startOf(scope, query);
      if ("refused" in start) return start;

      const linesOf = (entry: Entry) =>
        ownPostings(entry, account).map((own, line) => {
          const isWanted = query.reason === undefined || own.reason === query.reason;
          return isWanted ? postingRecord(entry, own, line) : undefined;
        });
      const down = downEntries(ports, { account, market: undefined }, start.place, linesOf);
      const { items, siblings } = await pageOf(scope, query, down);
      return { data: items, siblings };
    },
  });
