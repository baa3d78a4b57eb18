// The journal as it was exported, as the checker reads it: what each entry made so.
// Invariant: names and values are those that `answers.ts` draws from answers.

import type { Event } from "#core/event.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { entryShown } from "#test/support/disclosed.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import type { Row } from "./history.ts";

/** Of an export's items, `data`. */
export const rowsOf = (exported: unknown): readonly Row[] =>
  listAt(exported, "data").map((item) =>
    rowOf(entryShown(item), textAt(item, "hash"), at(item, "sequence")),
  );

function rowOf(entry: Entry, hash: string, filedAs: unknown): Row {
  const { envelope, outcome, sequence } = entry;
  if (filedAs !== sequence) throw new Error(`entry ${sequence} is exported as ${filedAs}`);
  const changes = new Map([[`hash:${sequence}`, hash]]);
  const events = isRejected(outcome) ? [] : outcome.events;
  const cancelled = new Set<string>();
  for (const event of events) {
    for (const [name, value] of changesOf(event)) changes.set(name, value);
    if (event.type === "OrderChanged" && event.order.status === "CANCELLED") {
      cancelled.add(event.order.id);
    }
  }
  if (envelope.command.type === "CancelAll") changes.set("cancelled", String(cancelled.size));
  return {
    sequence,
    timeMillis: envelope.timeMillis,
    key: envelope.idempotency?.key ?? null,
    isAccepted: !isRejected(outcome),
    changes,
  };
}

function changesOf(event: Event): readonly (readonly [string, string])[] {
  switch (event.type) {
    case "Posted": {
      const { posting, fromMicros, toMicros } = event;
      return [
        [`ledger:${posting.from}`, String(fromMicros)],
        [`ledger:${posting.to}`, String(toMicros)],
      ];
    }
    case "OrderChanged": {
      const { id, status, filledLots, amountLots, priceTick } = event.order;
      return [
        [`status:${id}`, status],
        [`filled:${id}`, String(filledLots)],
        [`terms:${id}`, `${amountLots} at ${priceTick}`],
      ];
    }
    case "PositionChanged": {
      const { accountId, heldLots } = event.position;
      return [[`held:${accountId}`, String(heldLots)]];
    }
    case "LevelChanged": {
      const { side, tick, openLots, orders } = event.level;
      return [[`level:${side}:${tick}`, openLots === 0n ? "none" : `${openLots} in ${orders}`]];
    }
    default:
      return [];
  }
}
