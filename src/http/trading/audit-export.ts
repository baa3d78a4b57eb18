// GET /api/audit/export: the audit trail as a stream, oldest first, with the bytes that are hashed.
// Invariant: anybody can recompute each entry's hash from the `bytes` it carries, and nobody is
// given a part of an entry that is another's.
import { Type } from "typebox";
import type { AuditFilter } from "#engine/engine.ts";
import { inclusionShown } from "../records/inclusion.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route/route.ts";
import { linesType } from "../stream/item-stream.ts";
import { ExportedEntry, exportedEntry, rangeOf, scopeOf, TimeRange } from "./audit-entry.ts";
import type { TradingPorts } from "./ports.ts";

export const auditExport = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/export",
    access: "read:portfolio",
    summary: "The audit trail as a stream, oldest first, with the bytes that are hashed",
    refusals: ["OVERLOADED"],
    costsBytes: true,
    params: nothing,
    query: closed(TimeRange),
    data: Type.Array(ExportedEntry),
    otherTypes: [linesType],
    read: ({ caller, query, accept }) => {
      const range = rangeOf(query);
      if ("refused" in range) return range;
      const items = exported({ ...range, ...scopeOf(caller) }, caller, ports);
      return wantsLines(accept) ? { items, asLines: true } : { items };
    },
  });

const wantsLines = (accept: string): boolean =>
  accept
    .split(",")
    .some((range) => /^application\/x-ndjson(?:;(?!q=0(?:\.0*)?$).*)?$/i.test(range.trim()));

async function* exported(
  filter: AuditFilter,
  caller: KeyCaller,
  ports: TradingPorts,
): AsyncGenerator<object> {
  // One head for the whole export: whoever checks it needs one note.
  const log = ports.engine.history.log();
  const head = log?.witnessed ?? log?.newest;
  for await (const chained of ports.engine.history.export(filter)) {
    const { sequence } = chained.entry;
    const isCovered = log !== undefined && head !== undefined && sequence <= head.size;
    const inclusion = isCovered ? await log.inclusion(sequence, head.size) : null;
    yield {
      ...exportedEntry(chained, caller, ports),
      inclusion: inclusion && inclusionShown(inclusion),
    };
  }
}
