// What two people decide together, in the naive twin: the void of a market.
// Invariant: nothing of src/core is called; two words of one name are one person's.
import type { MarketId } from "#base/ids.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { Twin } from "./twin.ts";
import { undo } from "./twin-end.ts";
import { isLive } from "./twin-ledger.ts";

type Refusal = RejectionCode | undefined;

const TEN_DAYS_MILLIS = 10 * 86_400_000;

/** The first word is kept for ten days; the second one, of somebody else, undoes the market. */
export function voteVoid(twin: Twin, by: string, id: MarketId, nowMillis: number): Refusal {
  const market = twin.market(id);
  if (!isLive(market)) return "MARKET_STATE";
  if (market.voidWord === null) {
    twin.change(id, { voidWord: { by, untilMillis: nowMillis + TEN_DAYS_MILLIS } });
    return undefined;
  }
  if (market.voidWord.by === by) return "VOID_SAME_OPERATOR";
  undo(twin, id);
  return undefined;
}

/** Withdrawn by anybody who may, or lapsed by itself. */
export function dropVoid(twin: Twin, id: MarketId): Refusal {
  const market = twin.market(id);
  if (!isLive(market)) return "MARKET_STATE";
  if (market.voidWord === null) return "VOID_NOT_PROPOSED";
  twin.change(id, { voidWord: null });
  return undefined;
}
