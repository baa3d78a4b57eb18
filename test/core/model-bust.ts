// Busts in the reference model: a fill far off the mark is undone by two people, in half an hour,
// or not at all. Written from decision 61; nobody here has a stake, and no premium is lent.
// Invariant: nothing of src/core is called; cash, fees and lots go back where they came from.
import { type AccountId, type FillId, fillId, type ProposalId } from "#base/ids.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { found, isLive, type ModelFill, sum } from "./model-ledger.ts";
import { buysYes, type ModelOrder, paidFor } from "./model-order.ts";
import { waits } from "./model-window-times.ts";
import { bustOf, say } from "./model-words.ts";
import type { ReferenceModel } from "./reference-model.ts";

type Refusal = RejectionCode | undefined;

const BAND_TICKS = 1_000;
const WINDOW_MILLIS = 30 * 60_000;
const MOST_WORDS = 20;

export function wordToBust(model: ReferenceModel, by: string, id: FillId): Refusal {
  const fill = fillOf(model, id);
  if (fill === undefined) return "BUST_NOT_OPEN";
  const refused = refuseBust(model, fill);
  if (refused !== undefined) return refused;
  const word = { by, subject: bustOf(id), choice: "bust" };
  const said = say(model, word, "PROPOSAL_SAME_OPERATOR", MOST_WORDS);
  if (said !== "decided") return said;
  bust(model, fill);
  const { buyer, seller, marketId } = fill;
  for (const party of [buyer, seller]) model.fit(party, marketId);
  for (const party of [buyer, seller]) giveWay(model, party);
  return undefined;
}

const fillOf = (model: ReferenceModel, id: FillId): ModelFill | undefined =>
  model.fills[Number(id.slice("fil-".length)) - 1];

/** The second word is judged as the first one was. */
export function bustBySecond(model: ReferenceModel, by: string, id: ProposalId): Refusal {
  const word = model.words.find(({ proposalId }) => proposalId === id);
  if (word === undefined) return "PROPOSAL_NOT_FOUND";
  if (word.by === by) return "PROPOSAL_SAME_OPERATOR";
  return wordToBust(model, by, fillId(word.subject.slice("bust ".length)));
}

function refuseBust(model: ReferenceModel, fill: ModelFill): Refusal {
  const { marketId, yesTick, timeMillis, buyer, seller, amountLots, stood } = fill;
  const market = model.markets.find(({ id }) => id === marketId);
  if (market === undefined || model.busted.has(fill)) return "BUST_NOT_OPEN";
  const isOff = Math.abs(yesTick - market.markTick) > BAND_TICKS;
  if (!isOff || model.nowMillis > timeMillis + WINDOW_MILLIS) return "BUST_NOT_OPEN";
  if (!isLive(market)) return "MARKET_STATE";
  const { window, lastPrintMillis } = model;
  const isExpected = window !== null && (waits(window) || window.isDaily);
  if (isExpected || lastPrintMillis >= timeMillis) return "BUST_AFTER_PRINT";
  // Going back, nobody ends on a side, or further out on it, where it never stood.
  const bought = model.held(buyer, marketId) - amountLots;
  const sold = -model.held(seller, marketId) - amountLots;
  const isSoldOn = bought < 0n && bought < stood.buyer;
  if (isSoldOn || (sold < 0n && sold < -stood.seller)) return "BUST_SOLD_ON";
  return isCovered(model, fill) ? undefined : "BUST_NOT_COVERED";
}

/** With no order open, nobody lacks cash afterwards, or more of it than before. */
function isCovered(model: ReferenceModel, fill: ModelFill): boolean {
  const { house, fund } = found(model.charges.get(fill));
  if (model.balance("fees") < house || model.balance("guarantee") < fund) return false;
  const after = model.copy();
  bust(after, fill);
  const free = (one: ReferenceModel, id: AccountId): bigint =>
    one.balance(`cash:${id}`) - one.locked(id, []);
  return [fill.buyer, fill.seller].every(
    (id) => free(after, id) >= 0n || free(after, id) >= free(model, id),
  );
}

function bust(model: ReferenceModel, fill: ModelFill): void {
  const { buyer, seller, amountLots, yesTick, marketId } = fill;
  const { payer, house, fund } = found(model.charges.get(fill));
  model.move(`cash:${seller}`, `cash:${buyer}`, amountLots * BigInt(yesTick), marketId);
  model.move("fees", `cash:${payer}`, house, marketId);
  model.move("guarantee", `cash:${payer}`, fund, marketId);
  model.busted = new Set([...model.busted, fill]);
}

/**
 * Where cash is lacking, the newest order goes without which less would have to be covered; then,
 * the newest first, purchases that all together cost more than there is.
 */
function giveWay(model: ReferenceModel, account: AccountId): void {
  const feeBps = found(model.tiers.get(account)).feeBps;
  const newest = (isMeant: (order: ModelOrder) => boolean): ModelOrder | undefined =>
    model.open(account).toSorted(byNumber).findLast(isMeant);
  const without = (gone: ModelOrder): readonly ModelOrder[] =>
    model.open(account).filter((one) => one !== gone);
  const isInTheWay = (order: ModelOrder): boolean =>
    model.cover(account) > model.cover(account, without(order));
  const isDear = (): boolean => {
    const costs = model.open(account).map((order) => paidFor(order, feeBps));
    return sum(costs, (cost) => (cost > 0n ? cost : 0n)) > model.balance(`cash:${account}`);
  };
  for (let before = -1; before !== model.open(account).length; ) {
    before = model.open(account).length;
    while (model.available(account) < 0n) {
      const order = newest(isInTheWay);
      if (order === undefined) break;
      model.end([order], "MARGIN");
    }
    while (model.available(account) < 0n && isDear()) {
      const order = newest(buysYes);
      if (order === undefined) break;
      model.end([order], "MARGIN");
    }
  }
}

const byNumber = (a: ModelOrder, b: ModelOrder): number => numberOf(a) - numberOf(b);

const numberOf = ({ id }: ModelOrder): number => Number(id.slice("ord-".length));
