// Decisions of two people, in the reference model: the void of a market, and a dispute.
// Invariant: nothing of src/core is called; two words of one name are one person's.
import type { MarketId } from "#base/ids.ts";
import type { CommandOf } from "#core/command.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { ceilDiv, payoutMillionths } from "#test/simulation/arithmetic.ts";
import { undo } from "./model-end.ts";
import { isLive } from "./model-ledger.ts";
import { FACE_MICROS } from "./model-order.ts";
import type { ReferenceModel } from "./reference-model.ts";

type Refusal = RejectionCode | undefined;

const TEN_DAYS_MILLIS = 10 * 86_400_000;

/**
 * Of a market that was not printed yet. The first word is kept for ten days; the second one, of
 * somebody else, undoes it.
 */
export function voteVoid(
  model: ReferenceModel,
  by: string,
  id: MarketId,
  nowMillis: number,
): Refusal {
  const market = model.market(id);
  if (!isLive(market)) return "MARKET_STATE";
  const { baseline } = market.terms;
  if (baseline !== null && (model.newest ?? 0) > baseline.month) return "VOID_AFTER_PRINT";
  if (market.voidWord === null) {
    model.change(id, { voidWord: { by, untilMillis: nowMillis + TEN_DAYS_MILLIS } });
    return undefined;
  }
  if (market.voidWord.by === by) return "VOID_SAME_OPERATOR";
  undo(model, id);
  return undefined;
}

/** Withdrawn by anybody who may, or lapsed by itself. */
export function dropVoid(model: ReferenceModel, id: MarketId): Refusal {
  const market = model.market(id);
  if (!isLive(market)) return "MARKET_STATE";
  if (market.voidWord === null) return "VOID_NOT_PROPOSED";
  model.change(id, { voidWord: null });
  return undefined;
}

/** Operators have none of a market here, and give no bond; a trader gives 1 %, or 100 USD. */
export function openDispute(
  model: ReferenceModel,
  by: string,
  id: MarketId,
  nowMillis: number,
): Refusal {
  const { status, dispute, disputedBy } = model.market(id);
  if (status !== "RESOLVED") return "DISPUTE_WINDOW_CLOSED";
  if (dispute !== null) return "DISPUTE_OPEN";
  const trader = model.traders.find((one) => one === by);
  const held = trader === undefined ? 0n : model.held(trader, id);
  if (trader !== undefined && held === 0n) return "DISPUTE_NO_POSITION";
  if (disputedBy.includes(by)) return "DISPUTE_REPEATED";
  const part = ceilDiv((held < 0n ? -held : held) * FACE_MICROS, 100n);
  const bond = trader === undefined ? 0n : part > 100_000_000n ? part : 100_000_000n;
  if (trader !== undefined && bond > model.available(trader)) return "INSUFFICIENT_BALANCE";
  model.move(`cash:${by}`, "bonds", bond);
  const untilMillis = nowMillis + TEN_DAYS_MILLIS;
  model.change(id, {
    dispute: { by, bond, untilMillis, word: null },
    disputedBy: [...disputedBy, by],
  });
  return undefined;
}

/** Two that are not the opener say the same: a value to amend to, or none. */
export function decideDispute(
  model: ReferenceModel,
  by: string,
  { marketId: id, valueE15 }: CommandOf<"DecideDispute">,
): Refusal {
  const { dispute, terms, link } = model.market(id);
  if (dispute === null) return "DISPUTE_NONE";
  if (dispute.by === by) return "CONFLICT_OF_INTEREST";
  const { word } = dispute;
  const isSame = word !== null && word.valueE15 === valueE15;
  if (isSame && word.by === by) return "DISPUTE_SAME_OPERATOR";
  if (word !== null && !isSame && word.by !== by) return "DISPUTE_DISAGREES";
  if (!isSame) {
    model.change(id, { dispute: { ...dispute, word: { by, valueE15 } } });
    return undefined;
  }
  if (valueE15 === null) {
    upholdDispute(model, id);
    return undefined;
  }
  const paid = payoutMillionths(terms, { link, settledValueE15: valueE15 });
  model.change(id, { dispute: null, disputedBy: [], payoutMillionths: paid });
  model.move("bonds", `cash:${dispute.by}`, dispute.bond);
  return undefined;
}

/** The bond is the fund's. */
export function upholdDispute(model: ReferenceModel, id: MarketId): void {
  model.move("bonds", "guarantee", model.market(id).dispute?.bond ?? 0n);
  model.change(id, { dispute: null });
}
