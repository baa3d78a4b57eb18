// The exchange as lines of text, drawn once from the core's state and once from the model.
// Invariant: what is drawn of the one is drawn of the other; lines that differ are a fault of one.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import { windowEndsAtMillis } from "#core/market/window-times.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { Fill, Market } from "#core/records.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { ledgerTotal, type State } from "#core/state.ts";
import type { ModelFill } from "./model-ledger.ts";
import { left, type ModelOrder } from "./model-order.ts";
import { type ModelQuote, type ModelRequest, promised, reserveOf } from "./model-quotes.ts";
import { windowEndsMillis } from "./model-window-times.ts";
import type { ReferenceModel } from "./reference-model.ts";

export function comparePictures(state: State, model: ReferenceModel): void {
  const [core, other] = [pictureOfCore(state), pictureOfModel(model)];
  if (core === other) return;
  const theirs = other.split("\n");
  const lines = core.split("\n").map((line, at) => ({ line, other: theirs[at] }));
  const differing = lines.filter((one) => one.line !== one.other);
  assert.fail(differing.map((one) => `core: ${one.line}\nmodel: ${one.other}`).join("\n"));
}

/** The answer to one command, and what it filled. */
export function compareOutcomes(
  outcome: Outcome,
  expected: RejectionCode | undefined,
  expectedFills: readonly ModelFill[],
): void {
  const refused = isRejected(outcome) ? outcome.rejection.code : undefined;
  assert.equal(refused, expected, "the core's answer is the model's");
  const events = isRejected(outcome) ? [] : outcome.events;
  const fills = events.flatMap((event) => (event.type === "Filled" ? fillLine(event.fill) : []));
  assert.equal(fills.join("\n"), expectedFills.map(fillLine).join("\n"), "fills are the model's");
}

/** A line each: orders, markets with their queues, accounts, positions, the ledger. */
function pictureOfCore(state: State): string {
  const lines = [...state.orders.values()].sort(byNumber).map(orderLine);
  for (const [id, market] of state.markets) {
    const book = state.book(id);
    lines.push(marketLine(market, market), queueLine(book.against(true), book.against(false)));
    lines.push(feesLine(market.houseFeesMicros, market.fundFeesMicros, market.shortfallMicros));
    for (const account of state.accounts.keys()) {
      const { heldLots, flowMicros } = state.position(account, id) ?? {};
      lines.push(positionLine(account, heldLots ?? 0n, flowMicros ?? 0n));
    }
    lines.push(`clearing ${state.balance(`market:${id}`)}, ${market.dispute?.openedBy} disputes`);
  }
  for (const account of state.accounts.keys()) {
    const cash = state.balance(`cash:${account}`);
    lines.push(cashLine(account, cash, state.exposures.locked(account)));
  }
  for (const name of ["external", "fees", "guarantee", "bonds"] as const) {
    lines.push(`${name} ${state.balance(name)}`);
  }
  lines.push(waitingLine(state.heldMatching.keys()));
  for (const { marketId, indicative } of sorted(state.heldMatching.values())) {
    const { tick, volumeLots, surplusLots } = indicative;
    lines.push(`${marketId} would trade ${volumeLots} at ${tick}, ${surplusLots} over`);
  }
  for (const window of state.windows.values()) {
    const { openedAtMillis, isExpected, marksAfter, isOverdue, isDaily, calledAtMillis } = window;
    const ends = windowEndsAtMillis(window);
    lines.push(windowLine(openedAtMillis, isExpected, marksAfter !== null, isOverdue));
    lines.push(`called ${calledAtMillis}, daily ${isDaily === true}, ends ${ends}`);
  }
  for (const { id, by } of state.words.values()) lines.push(`${by} said ${id}`);
  const requests = [...state.rfqs.values()].map((one) => ({ doneMillis: null, ...one }));
  lines.push(...requests.sort(byNumber).map(requestLine));
  for (const one of [...state.rfqQuotes.values()].sort(byNumber)) {
    lines.push(quoteLine(one, one.reservedMicros));
  }
  for (const account of state.accounts.keys()) {
    lines.push(`${account} promises ${state.quotedLots.get(account) ?? 0n}`);
  }
  lines.push(`total ${ledgerTotal(state)}`);
  return lines.join("\n");
}

function pictureOfModel(model: ReferenceModel): string {
  const here = model.orders.filter(({ id }) => !model.gone.has(id));
  const byAge = here.toSorted(byNumber);
  const lines = byAge.map(orderLine);
  for (const market of model.markets) {
    const { id, payoutMillionths, shortfall } = market;
    const last = model.standing(id).at(-1)?.yesTick ?? null;
    const paid = payoutMillionths === null ? null : { payoutMillionths: Number(payoutMillionths) };
    lines.push(marketLine(market, { lastTick: last, resolution: paid }));
    lines.push(queueLine(model.queue(id, true), model.queue(id, false)));
    lines.push(feesLine(model.taken("fees", id), model.taken("guarantee", id), shortfall));
    for (const account of model.tiers.keys()) {
      const flow = model.flow(`cash:${account}`, id);
      lines.push(positionLine(account, model.held(account, id), flow));
    }
    lines.push(`clearing ${model.balance(`market:${id}`)}, ${market.dispute?.by} disputes`);
  }
  for (const account of model.tiers.keys()) {
    lines.push(cashLine(account, model.balance(`cash:${account}`), model.locked(account)));
  }
  for (const name of ["external", "fees", "guarantee", "bonds"])
    lines.push(`${name} ${model.balance(name)}`);
  lines.push(waitingLine(model.waiting));
  for (const { marketId } of sorted(model.waiting.map((id) => ({ marketId: id })))) {
    const best = model.bestPrice(marketId);
    lines.push(`${marketId} would trade ${best?.volume} at ${best?.price}, ${best?.surplus} over`);
  }
  for (const window of model.window ? [model.window] : []) {
    const { sinceMillis, forPrint, forMarks, isOverdue, isDaily, calledMillis } = window;
    lines.push(windowLine(sinceMillis, forPrint, forMarks, isOverdue));
    const ends = windowEndsMillis(window) ?? undefined;
    lines.push(`called ${calledMillis ?? undefined}, daily ${isDaily}, ends ${ends}`);
  }
  for (const { by, proposalId } of model.words) lines.push(`${by} said ${proposalId}`);
  lines.push(...model.requests.map(requestLine));
  lines.push(...model.quotes.map((one) => quoteLine(one, reserveOf(model, one))));
  for (const account of model.tiers.keys()) {
    lines.push(`${account} promises ${promised(model, account)}`);
  }
  lines.push("total 0");
  return lines.join("\n");
}

const numberOf = (id: string): number => Number(id.slice("ord-".length));

const byNumber = (a: { readonly id: string }, b: { readonly id: string }): number =>
  numberOf(a.id) - numberOf(b.id);

function orderLine(order: ModelOrder): string {
  const { id, accountId, marketId, side, outcomeIndex, priceTick, status, cancelReason } = order;
  const { amountLots, filledLots, expirySeconds, timeInForce, postOnly, reduceOnly } = order;
  return [
    ...[id, accountId, side, outcomeIndex === 0 ? "YES" : "NO", priceTick, marketId],
    ...["filled", filledLots, "of", amountLots, status, cancelReason, timeInForce, expirySeconds],
    ...[postOnly, reduceOnly, order.selfTradePrevention],
  ].join(" ");
}

const marketLine = (
  { id, status, tradingClosed }: Pick<Market, "id" | "status" | "tradingClosed">,
  { lastTick, resolution }: Pick<Market, "lastTick"> & { readonly resolution: Paid | null },
): string =>
  `${id} ${status} ${tradingClosed} last ${lastTick} pays ${resolution?.payoutMillionths}`;
type Paid = { readonly payoutMillionths: number };

const queueLine = (asks: Iterable<ModelOrder>, bids: Iterable<ModelOrder>): string => {
  const drawn = (orders: Iterable<ModelOrder>): string =>
    [...orders].map((order) => `${order.id}×${left(order)}`).join(" ");
  return `bids ${drawn(bids)} | asks ${drawn(asks)}`;
};

const feesLine = (house: bigint, fund: bigint, shortfall: bigint): string =>
  `fees ${house} + ${fund}, lacks ${shortfall}`;

const positionLine = (account: AccountId, held: bigint, flow: bigint): string =>
  `${account} holds ${held}, flow ${flow}`;

const sorted = <T extends { readonly marketId: string }>(all: Iterable<T>): readonly T[] =>
  [...all].sort((a, b) => (a.marketId < b.marketId ? -1 : 1));

const waitingLine = (markets: Iterable<string>): string =>
  `orders wait in ${[...markets].sort().join(" ")}`;

const windowLine = (
  sinceMillis: number,
  forPrint: boolean,
  forMarks: boolean,
  isOverdue: boolean,
): string =>
  `window since ${sinceMillis}: print ${forPrint}, marks ${forMarks}, overdue ${isOverdue}`;

const cashLine = (account: AccountId, cash: bigint, locked: bigint): string =>
  `${account} cash ${cash} locked ${locked}`;

const requestLine = (request: ModelRequest): string => {
  const { id, accountId, side, legs, audience, closesAtMillis, status, doneMillis } = request;
  const asked = legs.map(({ listing, amountLots }) => `${amountLots} of ${listing.marketId}`);
  return [id, accountId, side, asked, audience, closesAtMillis, status, doneMillis].join(" ");
};

const quoteLine = (quote: ModelQuote, reservedMicros: bigint): string => {
  const { id, rfqId, accountId, ticks, validUntilMillis, status } = quote;
  return [id, rfqId, accountId, ticks, validUntilMillis, status, reservedMicros].join(" ");
};

const fillLine = (fill: ModelFill | Fill): string =>
  [
    ...[fill.takerOrderId, "meets", fill.makerOrderId, "at", fill.yesTick, "×", fill.amountLots],
    ...[fill.buyer, "buys of", fill.seller, "in", fill.marketId],
  ].join(" ");
