// Audit entries as the trading surface shows them, and whose a caller may see.
// Invariant: a trader's filter always names the trader's own account; no query can take it away.
import { type Static, Type } from "typebox";
import { auditFacts } from "#core/audit.ts";
import type { AuditFilter, ChainedEntry } from "#engine/engine.ts";
import { invalidField, type Refused } from "../errors.ts";
import type { KeyCaller } from "../route.ts";
import type { TradingPorts } from "./ports.ts";

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    action: Type.String(),
    userId: Type.String(),
    severity: Type.Enum(["info", "warning", "critical"]),
    resource: Type.String(),
    details: Type.Record(Type.String(), Type.Unknown()),
    success: Type.Boolean(),
    timestamp: Type.Integer(),
    hash: Type.String(),
    previousHash: Type.String(),
  },
  { title: "AuditEntry" },
);

/** With what it takes to recompute its hash. */
export const ExportedEntry = Type.Object(
  {
    ...AuditEntry.properties,
    sequence: Type.Integer(),
    bytes: Type.String(),
  },
  { title: "ExportedAuditEntry" },
);

const Seconds = Type.Integer({
  minimum: 0,
  maximum: 99_999_999_999,
  description: "whole Unix seconds, below 100000000000: more looks like milliseconds",
});

export const TimeRange = {
  startTime: Type.Optional(Seconds),
  endTime: Type.Optional(Seconds),
};

export function auditEntry(
  { entry, hash, previousHash }: ChainedEntry,
  { view }: TradingPorts,
): Static<typeof AuditEntry> {
  const { action, actor, severity, resource, details, success } = auditFacts(entry);
  const known = actor === "root" || actor === "system" ? undefined : view.accounts.get(actor);
  return {
    id: `aud-${entry.sequence}`,
    action,
    userId: known?.address ?? actor,
    severity,
    resource,
    details,
    success,
    timestamp: Math.floor(entry.envelope.timeMillis / 1000),
    hash,
    previousHash,
  };
}

/** Everything for auditors and operators; for a trader, what concerns its own account. */
export const scopeOf = ({ account }: KeyCaller): AuditFilter =>
  account.role === "trader" ? { concerns: account.id } : {};

/** Both ends are included. */
export function rangeOf(query: {
  readonly startTime?: number;
  readonly endTime?: number;
}): AuditFilter | Refused {
  const { startTime, endTime } = query;
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    return invalidField("startTime", "must not be after endTime");
  }
  return {
    ...(startTime === undefined ? {} : { fromSeconds: startTime }),
    ...(endTime === undefined ? {} : { toSeconds: endTime }),
  };
}
