// The end of a market in the reference model: the print settles it, positions are paid, or all of
// it is undone. Written from the rules.
// Invariant: nothing of src/core is called; what leaves one ledger account enters another.
import type { MarketId } from "#base/ids.ts";
import type { Observation } from "#core/records.ts";
import { payoutMillionths, shared } from "#test/simulation/arithmetic.ts";
import { isLive, sum } from "./model-ledger.ts";
import { FACE_MICROS } from "./model-order.ts";
import { endWords, voidOf } from "./model-words.ts";
import type { ReferenceModel } from "./reference-model.ts";

/** A first print resolves every market that waits for its month. */
export function resolve(model: ReferenceModel, { month, valueE15, link }: Observation): void {
  for (const market of model.markets) {
    const { id, terms } = market;
    if (terms.measurementMonth !== month || !isLive(market)) continue;
    const paid = payoutMillionths(terms, { link, settledValueE15: valueE15 });
    const resolved = { status: "RESOLVED", tradingClosed: true } as const;
    endWords(model, voidOf(id));
    model.change(id, { ...resolved, link, payoutMillionths: paid });
  }
}

/** Longs get their part of the face, rounded down; shorts give the sum of it in proportion. */
export function pay(model: ReferenceModel, market: MarketId): void {
  const paid = model.market(market).payoutMillionths ?? 0n;
  const holdings = holders(model, market).map((id) => ({ id, held: model.held(id, market) }));
  const longs = holdings.filter(({ held }) => held > 0n);
  const shorts = holdings.filter(({ held }) => held < 0n);
  const due = longs.map(({ held }) => (held * FACE_MICROS * paid) / 1_000_000n);
  const weights = shorts.map(({ held }) => -held);
  const parts = shared(
    sum(due, (one) => one),
    weights,
  );
  for (const [at, { id }] of shorts.entries()) {
    model.move(`cash:${id}`, `market:${market}`, parts[at] ?? 0n, market);
  }
  for (const [at, { id }] of longs.entries()) {
    model.move(`market:${market}`, `cash:${id}`, due[at] ?? 0n, market);
  }
  model.change(market, { status: "FINALIZED" });
}

/** Every flow is reversed: out of what gainers have free, then the fund, then in proportion. */
export function undo(model: ReferenceModel, market: MarketId): void {
  const clearing = `market:${market}`;
  const take = (from: string, wanted: bigint, free: bigint): bigint => {
    const taken = wanted < free ? wanted : free;
    model.move(from, clearing, taken, market);
    return wanted - taken;
  };
  model.end(model.open(null, market), "MARKET_VOID");
  const flows = holders(model, market).map((id) => ({
    id,
    flow: model.flow(`cash:${id}`, market),
  }));
  const undone = { status: "CANCELLED", tradingClosed: true } as const;
  endWords(model, voidOf(market));
  model.change(market, { ...undone, payoutMillionths: null });
  for (const name of ["fees", "guarantee"] as const) {
    take(name, model.taken(name, market), model.balance(name));
  }
  for (const { id, flow } of flows) {
    if (flow <= 0n) continue;
    const covers = sum(model.markets, (one) => model.covered(id, one.id));
    const missing = take(`cash:${id}`, flow, model.balance(`cash:${id}`) - covers);
    take("guarantee", missing, model.balance("guarantee"));
  }
  const payers = flows.filter(({ flow }) => flow < 0n);
  const collected = model.balance(clearing);
  const weights = payers.map(({ flow }) => -flow);
  for (const [at, part] of shared(collected, weights).entries()) {
    model.move(clearing, `cash:${payers[at]?.id}`, part, market);
  }
  model.change(market, { shortfall: sum(weights, (one) => one) - collected });
}

/** In the order they came to the market; of a trade the buyer first. */
function holders(model: ReferenceModel, market: MarketId) {
  const trades = model.fills.filter(({ marketId }) => marketId === market);
  return [...new Set(trades.flatMap(({ buyer, seller }) => [buyer, seller]))];
}
