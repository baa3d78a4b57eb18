// GET /api/audit/logs: a page of the audit trail, newest first.
// Invariant: the filters of a query narrow what its caller may see, they never widen it.
import { type Static, type TObject, Type } from "typebox";
import type { AuditFilter, ChainedEntry } from "#engine/engine.ts";
import type { Refused } from "../route/errors.ts";
import { closed, type KeyCaller, nothing, type Route, trading } from "../route/route.ts";
import {
  AuditEntry,
  accountScope,
  auditEntry,
  ownScopeOf,
  rangeOf,
  scopeOf,
  TimeRange,
} from "./audit-entry.ts";
import type { TradingPorts } from "./ports.ts";

const DEFAULT_LIMIT = 50;
const MOST_ENTRIES = 1_000;

/** Beyond any journal; what a database counts rows with ends not far above. */
const MOST_OFFSET = 1_000_000_000_000;

/** The database refuses some characters of other texts, and no name has any. */
const Name = Type.String({
  pattern: "^[\\x20-\\x7e]{1,64}$",
  description: "text of 1 to 64 printable ASCII characters",
});

/** The resource of a refused attempt is a path, and a series id is longer than a name. */
const Resource = Type.String({
  pattern: "^[\\x20-\\x7e]{1,200}$",
  description: "text of 1 to 200 printable ASCII characters: such as an order's or a market's id",
});

export const auditFilters = {
  userId: Type.Optional(Name),
  account: Type.Optional(Name),
  action: Type.Optional(Name),
  resource: Type.Optional(Resource),
  ...TimeRange,
  severity: Type.Optional(
    Type.Enum(["info", "warning", "critical"], { description: "info, warning or critical" }),
  ),
};

type AuditQuery = Static<TObject<typeof auditFilters>>;

const Query = closed({
  ...auditFilters,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ENTRIES,
      default: DEFAULT_LIMIT,
      description: `a whole number from 1 to ${MOST_ENTRIES}`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MOST_OFFSET,
      default: 0,
      description: `a whole number of entries to pass over, at most ${MOST_OFFSET}`,
    }),
  ),
});

export const auditLogs = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/audit/logs",
    access: "read:portfolio",
    summary: "A page of the audit trail, newest first",
    refusals: ["OVERLOADED"],
    costsBytes: true,
    params: nothing,
    query: Query,
    data: Type.Array(AuditEntry),
    read: ({ caller, query }) => {
      const { limit = DEFAULT_LIMIT, offset = 0 } = query;
      const filter = filterOf(caller, query, ports);
      if (filter === undefined) return { data: [] };
      if ("refused" in filter) return filter;
      return { items: shown(ports.engine.history.newest(filter, limit, offset), caller, ports) };
    },
  });

/** Undefined where the caller may see nothing of what is asked for. */
export function filterOf(
  caller: KeyCaller,
  query: AuditQuery,
  ports: TradingPorts,
): AuditFilter | Refused | undefined {
  const range = rangeOf(query);
  if ("refused" in range) return range;
  const account = accountScope(caller, query.account, ports);
  if (account === undefined) return undefined;
  const scope = scopeOfPage(caller, query.userId);
  return { ...range, ...wanted(query, ports), ...account, ...scope };
}

async function* shown(
  entries: AsyncIterable<ChainedEntry>,
  caller: KeyCaller,
  ports: TradingPorts,
): AsyncGenerator<Static<typeof AuditEntry>> {
  for await (const entry of entries) yield auditEntry(entry, caller, ports);
}

/**
 * A trader's page has what was done to it in entries of others, too. Asked by an actor, only the
 * exchange itself may be that actor: nobody finds out this way whom it has traded with.
 */
function scopeOfPage(caller: KeyCaller, userId: string | undefined): AuditFilter {
  const isOpen = userId === undefined || userId === "root" || userId === "system";
  return isOpen ? scopeOf(caller) : ownScopeOf(caller);
}

/** Addresses are matched without regard to case; `root` and `system` are nobody's address. */
function wanted(query: AuditQuery, { view }: TradingPorts): AuditFilter {
  const { userId, action, severity, resource } = query;
  return {
    ...(userId === undefined ? {} : { userId: view.accountByAddress(userId)?.address ?? userId }),
    ...(action === undefined ? {} : { action }),
    ...(severity === undefined ? {} : { severity }),
    ...(resource === undefined ? {} : { resource }),
  };
}
