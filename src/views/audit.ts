// An entry of the journal as an entry of the audit trail.
// Invariant: nothing is invented: every field is read from the entry, its place in the chain, or
// the address of the account that acted.
import type { AccountId } from "#base/ids.ts";
import { auditFacts } from "#core/audit.ts";
import type { Entry } from "#core/outcome.ts";

/** An entry as the chain keeps it. */
export interface SealedEntry {
  readonly entry: Entry;
  readonly hash: string;
  readonly previousHash: string;
  /** As stored and hashed. */
  readonly bytes: Uint8Array;
}

export interface AuditProjection {
  readonly id: string;
  readonly action: string;
  /** The address of the account that acted, or `root`, `system`. */
  readonly userId: string;
  readonly severity: "info" | "warning" | "critical";
  readonly resource: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly success: boolean;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly hash: string;
  readonly previousHash: string;
}

/** With what anybody needs to compute the hash again. */
export interface ExportedAudit extends AuditProjection {
  readonly sequence: number;
  /** Base64 of the stored bytes. */
  readonly bytes: string;
}

export type AddressOf = (account: AccountId) => string | undefined;

export function projectAudit(sealed: SealedEntry, addressOf: AddressOf): AuditProjection {
  const { entry, hash, previousHash } = sealed;
  const facts = auditFacts(entry);
  return {
    id: `aud-${entry.sequence}`,
    action: facts.action,
    userId: userIdOf(facts.actor, addressOf),
    severity: facts.severity,
    resource: facts.resource,
    details: facts.details,
    success: facts.success,
    timestamp: Math.floor(entry.envelope.timeMillis / 1000),
    hash,
    previousHash,
  };
}

export const exportAudit = (sealed: SealedEntry, addressOf: AddressOf): ExportedAudit => ({
  ...projectAudit(sealed, addressOf),
  sequence: sealed.entry.sequence,
  bytes: Buffer.from(sealed.bytes).toString("base64"),
});

const userIdOf = (actor: AccountId | "root" | "system", addressOf: AddressOf): string =>
  actor === "root" || actor === "system" ? actor : (addressOf(actor) ?? actor);
