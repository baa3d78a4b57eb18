// GET /api/audit/search: the audit trail by its filters, a stretch at a time, newest first.
// Invariant: a request costs no more however long the trail is, and says how far it got.
import { Type } from "typebox";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { AuditEntry, auditEntry } from "./audit-entry.ts";
import { auditFilters, filterOf } from "./audit-logs.ts";
import { cursorOf, DEFAULT_ITEMS, listQuery, listSiblings, ownScope, startOf } from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";

export const searchAudit = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/search",
    access: "read:portfolio",
    summary: "Searches a stretch of the audit trail, newest first",
    refusals: ["OVERLOADED"],
    cost: 5,
    costsBytes: true,
    params: nothing,
    query: closed({ ...auditFilters, ...listQuery }),
    data: Type.Array(AuditEntry),
    siblings: {
      ...listSiblings,
      searchedTo: Type.Union([Type.Integer(), Type.Null()], {
        description:
          "the oldest entry looked at, by its sequence; null where the caller can see nothing",
      }),
    },
    read: async ({ caller, query }) => {
      const { cursor: _, limit = DEFAULT_ITEMS, ...filters } = query;
      const scope = ownScope("audit", caller, JSON.stringify(filters));
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const filter = filterOf(caller, query, ports);
      if (filter === undefined) {
        return { data: [], siblings: { nextCursor: null, searchedTo: null } };
      }
      if ("refused" in filter) return filter;
      const { place } = start;
      const range = { limit, ...(place === undefined ? {} : { before: Number(place) }) };
      const { entries, from, next } = await ports.engine.history.search(filter, range);
      const nextCursor = next === undefined ? null : cursorOf(scope, String(next));
      return {
        data: entries.map((entry) => auditEntry(entry, caller, ports)),
        siblings: { nextCursor, searchedTo: from },
      };
    },
  });
