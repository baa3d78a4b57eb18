// GET /api/audit/export: the audit trail as a stream, oldest first, with the bytes that are hashed.
// Invariant: anybody can recompute each entry's hash from the `bytes` it carries.
import { Type } from "typebox";
import type { AuditFilter } from "#engine/engine.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route.ts";
import { auditEntry, ExportedEntry, rangeOf, scopeOf, TimeRange } from "./audit-entry.ts";
import type { TradingPorts } from "./ports.ts";

export const auditExport = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/export",
    access: "read:portfolio",
    summary: "The audit trail as a stream, oldest first, with the bytes that are hashed",
    refusals: ["OVERLOADED"],
    params: nothing,
    query: closed(TimeRange),
    data: Type.Array(ExportedEntry),
    read: ({ caller, query }) => {
      const range = rangeOf(query);
      if ("refused" in range) return range;
      return { items: exported({ ...range, ...scopeOf(caller) }, ports, caller) };
    },
  });

async function* exported(
  filter: AuditFilter,
  ports: TradingPorts,
  caller: KeyCaller,
): AsyncGenerator<object> {
  for await (const chained of ports.engine.history.export(filter)) {
    yield {
      ...auditEntry(chained, ports, caller),
      sequence: chained.entry.sequence,
      bytes: Buffer.from(chained.bytes).toString("base64"),
    };
  }
}
