// Audit entries as the trading surface shows them, and whose a caller may see.
// Invariant: a trader's filter always names the trader's own account; no query can take it away.
import { type Static, Type } from "typebox";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMicros, micros } from "#base/money.ts";
import { auditFacts, auditFactsFor, isSealed, SEALED } from "#core/audit.ts";
import { ownerOfPart } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Account, Position } from "#core/records.ts";
import type { AuditFilter, ChainedEntry } from "#engine/engine.ts";
import { ownAlerts, ownFills, ownPositions, ownPostings } from "#views/own-entries.ts";
import { Inclusion } from "../records/inclusion.ts";
import { invalidField, type Refused } from "../route/errors.ts";
import type { KeyCaller } from "../route/route.ts";
import { fillRecord } from "./fill-record.ts";
import type { TradingPorts } from "./ports.ts";
import { heldRecord } from "./position-record.ts";

export const AuditEntry = Type.Object(
  {
    id: Type.String(),
    action: Type.String(),
    actions: Type.Array(Type.String()),
    userId: Type.String(),
    userName: Type.Optional(Type.String()),
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
    bytes: Type.String({ description: "base64 of what the hash covers" }),
    parts: Type.Array(
      Type.Object({
        salt: Type.String(),
        bytes: Type.String({
          description: "base64; hashed with the salt it is in the entry's bytes",
        }),
      }),
      { description: "those of the entry's parts that its reader may see" },
    ),
    inclusion: Type.Union([Inclusion, Type.Null()], {
      description: "of its hash in the transparency log; null where no head covers it yet",
    }),
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

/** A trader sees nothing of others' orders in it; auditors and operators see names, too. */
export const auditEntry = (
  { entry, hash, previousHash }: ChainedEntry,
  { account }: KeyCaller,
  { view }: Pick<TradingPorts, "view">,
): Static<typeof AuditEntry> => ({ ...recorded(entry, account, view), hash, previousHash });

/** The `data` of a webhook's message of the trail. Its hash is in the export. */
export function trailData(
  entry: Entry,
  reader: AccountId,
  view: Pick<TradingPorts["view"], "accounts">,
): Uint8Array {
  const account = view.accounts.get(reader);
  invariant(account !== undefined, "a webhook is of an account");
  return Buffer.from(
    JSON.stringify({ sequence: entry.sequence, ...recorded(entry, account, view) }),
  );
}

function recorded(
  entry: Entry,
  account: Pick<Account, "id" | "role">,
  view: Pick<TradingPorts["view"], "accounts">,
): Omit<Static<typeof AuditEntry>, "hash" | "previousHash"> {
  const isTrader = account.role === "trader";
  const facts = isTrader ? auditFactsFor(account.id, entry) : auditFacts(entry);
  const { action, actions, actor, severity, resource, details, success } = facts;
  const isNamed = actor !== "root" && actor !== "system" && actor !== SEALED;
  const known = isNamed ? view.accounts.get(actor) : undefined;
  const shown = isTrader
    ? shownToTrader(entry, facts, account.id, known)
    : { userId: known?.address ?? actor, resource, details };
  return {
    id: `aud-${entry.sequence}`,
    action,
    actions: [...actions],
    ...(isTrader || known === undefined ? {} : { userName: known.name }),
    severity,
    ...shown,
    success,
    timestamp: Math.floor(entry.envelope.timeMillis / 1000),
  };
}

/** A trader is given the open part and its own; the hashes of the others stand in the bytes. */
export function exportedEntry(
  chained: ChainedEntry,
  caller: KeyCaller,
  ports: Pick<TradingPorts, "view">,
): Omit<Static<typeof ExportedEntry>, "inclusion"> {
  const { bytes, closed } = chained.disclose();
  const { account } = caller;
  const isOthers = account.role !== "trader" && !isSealedWhole(chained.entry);
  const shown = closed.filter((part) => isOthers || ownerOfPart(part.bytes) === account.id);
  return {
    ...auditEntry(chained, caller, ports),
    sequence: chained.entry.sequence,
    bytes: Buffer.from(bytes).toString("base64"),
    parts: shown.map((part) => ({
      salt: part.salt,
      bytes: Buffer.from(part.bytes).toString("base64"),
    })),
  };
}

/** The parts are their owners' alone: a refused accept tells a price that was not traded. */
export const isSealedWhole = ({ envelope: { command }, outcome }: Entry): boolean =>
  isSealed(command) || (command.type === "AcceptRfq" && isRejected(outcome));

type Facts = ReturnType<typeof auditFacts>;

/**
 * A trader's own part of an entry: its commands with their details, of those of others only what
 * they did to it. Another trader who gave the command is not named.
 */
function shownToTrader(entry: Entry, facts: Facts, id: AccountId, actor: Account | undefined) {
  // Its own orders and alerts are all that these facts hold of anybody's, but for who owns it, and
  // which operator gave the first of two words.
  const { alerts: _, alertCount: __, owner: ___, proposedBy: ____, ...details } = facts.details;
  const { orderIds, orderCount } = details;
  const isForeign = facts.concerns !== null && facts.concerns !== id;
  const orders = orderIds === undefined ? {} : { orderIds, orderCount };
  const own = ownPart(entry, id);
  const isOthers = actor?.role === "trader" && actor.id !== id;
  return {
    userId: isOthers ? COUNTERPARTY : (actor?.address ?? facts.actor),
    resource: isOthers ? (own.positions.at(0)?.marketId ?? COUNTERPARTY) : facts.resource,
    details: {
      ...(isForeign ? orders : details),
      ...Object.fromEntries(Object.entries(own).filter(([, part]) => part.length > 0)),
    },
  };
}

/** Stands for any other account that gave the command. */
const COUNTERPARTY = "counterparty";

/** An entry's effect on the account, as its own lists show it. */
const ownPart = (entry: Entry, id: AccountId) => ({
  postings: ownPostings(entry, id).map(({ reason, reference, amountMicros, balanceMicros }) => ({
    reason,
    reference,
    amount: formatMicros(amountMicros),
    balance: formatMicros(balanceMicros),
  })),
  fills: ownFills(entry, id).map((fill) => fillRecord(fill, entry.sequence)),
  positions: ownPositions(entry, id).map((position) => ({
    ...heldRecord(position),
    ...lackingRecord(position),
  })),
  alerts: ownAlerts(entry, id).map(({ type, message }) => ({ type, message })),
});

/** Of a payout that was cut. */
const lackingRecord = ({ claim }: Position) =>
  claim === undefined ? {} : { lacks: formatMicros(micros(claim.dueMicros - claim.paidMicros)) };

/** Everything for auditors and operators; for a trader, what it is a party to. */
export const scopeOf = ({ account }: KeyCaller): AuditFilter =>
  account.role === "trader" ? { party: account.id } : {};

/** Of a trader what it has done, and what was done to it by the exchange. */
export const ownScopeOf = ({ account }: KeyCaller): AuditFilter =>
  account.role === "trader" ? { concerns: account.id } : {};

/** `account`: an id or an address. Undefined where the caller may see nothing of it. */
export function accountScope(
  { account }: KeyCaller,
  asked: string | undefined,
  { view }: TradingPorts,
): AuditFilter | undefined {
  if (asked === undefined) return {};
  const named =
    view.accountByAddress(asked) ?? [...view.accounts.values()].find(({ id }) => id === asked);
  if (named === undefined) return undefined;
  if (account.role === "trader") return named.id === account.id ? { party: named.id } : undefined;
  return { party: named.id, withoutSealed: true };
}

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
