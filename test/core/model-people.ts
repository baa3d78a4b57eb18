// Decisions of two people, in the reference model: the void of a market, and a dispute.
// Invariant: nothing of src/core is called; two words of one name are one person's.
import type { MarketId } from "#base/ids.ts";
import type { CommandOf } from "#core/command.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { ceilDiv, payoutMillionths } from "#test/simulation/arithmetic.ts";
import { undo } from "./model-end.ts";
import { isLive } from "./model-ledger.ts";
import { FACE_MICROS } from "./model-order.ts";
import { disputeOf, endWords, say, takeBack, voidOf } from "./model-words.ts";
import type { ReferenceModel } from "./reference-model.ts";

type Refusal = RejectionCode | undefined;

const TEN_DAYS_MILLIS = 10 * 86_400_000;

/** Of a market that was not printed yet: two who say so undo it. */
export function voteVoid(model: ReferenceModel, by: string, id: MarketId): Refusal {
  const market = model.market(id);
  if (!isLive(market)) return "MARKET_STATE";
  const { baseline } = market.terms;
  if (baseline !== null && (model.newest ?? 0) > baseline.month) return "VOID_AFTER_PRINT";
  const said = say(model, { by, subject: voidOf(id), choice: "void" }, "VOID_SAME_OPERATOR");
  if (said !== "decided") return said;
  undo(model, id);
  return undefined;
}

/** Withdrawn by whoever gave it. */
export function dropVoid(model: ReferenceModel, by: string, id: MarketId): Refusal {
  if (!isLive(model.market(id))) return "MARKET_STATE";
  return takeBack(model, by, voidOf(id)) ? undefined : "VOID_NOT_PROPOSED";
}

/** Operators have neither positions nor cash here; a trader gives 1 %, or 100 USD. */
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
  const bond = part > 100_000_000n ? part : 100_000_000n;
  if (trader === undefined || bond > model.available(trader)) return "INSUFFICIENT_BALANCE";
  model.move(`cash:${by}`, "bonds", bond);
  const untilMillis = nowMillis + TEN_DAYS_MILLIS;
  model.change(id, {
    dispute: { by, bond, untilMillis },
    disputedBy: [...disputedBy, by],
  });
  return undefined;
}

/** Two that are not the opener say the same: a value to amend to, or none; and the evidence. */
export function decideDispute(
  model: ReferenceModel,
  by: string,
  { marketId: id, valueE15, evidence }: CommandOf<"DecideDispute">,
): Refusal {
  const { dispute, terms, link } = model.market(id);
  if (dispute === null) return "DISPUTE_NONE";
  const word = { by, subject: disputeOf(id), choice: `${valueE15} ${evidence}` };
  const said = say(model, word, "DISPUTE_SAME_OPERATOR");
  if (said !== "decided") return said;
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
  endWords(model, disputeOf(id));
  model.change(id, { dispute: null });
}
