// GET /api/audit/stats: how many entries there are, by action and by severity.
// Invariant: the counts of either kind add up to the total.
import { Type } from "typebox";
import type { AuditCount } from "#engine/engine.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { rangeOf, scopeOf, TimeRange } from "./audit-entry.ts";
import type { TradingPorts } from "./ports.ts";

const counts = Type.Record(Type.String(), Type.Integer());

export const auditStats = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/stats",
    access: "read:portfolio",
    summary: "Entries of the audit trail, counted by action and severity",
    refusals: ["OVERLOADED"],
    params: nothing,
    query: closed(TimeRange),
    data: Type.Object({
      totalEvents: Type.Integer(),
      byAction: counts,
      bySeverity: counts,
      timeRange: Type.Object({ start: Type.Integer(), end: Type.Integer() }),
    }),
    read: async ({ caller, query }) => {
      const range = rangeOf(query);
      if ("refused" in range) return range;
      const found = await ports.engine.history.counts({ ...range, ...scopeOf(caller) });
      const { startTime = 0, endTime = startTime } = query;
      const empty = found.length === 0;
      return {
        data: {
          totalEvents: found.reduce((total, { count }) => total + count, 0),
          byAction: sums(found, ({ action }) => action),
          bySeverity: sums(found, ({ severity }) => severity),
          timeRange: {
            start: empty ? startTime : Math.min(...found.map((one) => one.firstSeconds)),
            end: empty ? endTime : Math.max(...found.map((one) => one.lastSeconds)),
          },
        },
      };
    },
  });

function sums(
  found: readonly AuditCount[],
  nameOf: (count: AuditCount) => string,
): Record<string, number> {
  const totals = new Map<string, number>();
  for (const one of found) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0) + one.count);
  return Object.fromEntries(totals);
}
