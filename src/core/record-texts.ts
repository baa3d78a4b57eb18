// The texts of the records that an order's entry has a dozen of: what `Told` knows is left out.
// Invariant: the bytes are those that `without` and `Told` give, which the reader puts back.

import type { BookLevel } from "./book/order.ts";
import { endText, member, memberText } from "./codec.ts";
import type { OrderInput } from "./command.ts";
import type { EventOf } from "./event.ts";
import type { Fill, Order, Position } from "./records.ts";
import { type Fields, fieldsOf, plainInput, type Told, untouched } from "./small.ts";

const MARKET = '"marketId":';

/** One more member, unless it is known. */
const unlike = (members: string, name: string, field: unknown, known: unknown): string =>
  field === known ? members : member(members, name, field);

/** And the members that were not compared, in the record's own order. */
function rest(
  members: string,
  record: object,
  compared: ReadonlySet<string>,
  isMarketCompared: boolean,
): string {
  const fields = fieldsOf(record);
  let text = members;
  for (const name in fields) {
    const isCompared = name === "marketId" ? isMarketCompared : compared.has(name);
    if (!isCompared) text = memberText(text, name, fields[name]);
  }
  return endText(text);
}

const inOrder = new Set(Object.keys(plainInput));

/** An order as it was sent. */
export function inputText(input: OrderInput, { marketId }: Told): string {
  const isNamed = marketId !== undefined;
  const start = isNamed ? unlike("", MARKET, input.marketId, marketId) : "";
  return rest(sentText(start, input, plainInput), input, inOrder, isNamed);
}

type PlainFields = Pick<Order, keyof typeof plainInput>;

function sentText(members: string, sent: PlainFields, known: Fields): string {
  let text = unlike(members, '"expirySeconds":', sent.expirySeconds, known.expirySeconds);
  text = unlike(text, '"timeInForce":', sent.timeInForce, known.timeInForce);
  text = unlike(text, '"postOnly":', sent.postOnly, known.postOnly);
  text = unlike(text, '"reduceOnly":', sent.reduceOnly, known.reduceOnly);
  text = unlike(text, '"clientOrderId":', sent.clientOrderId, known.clientOrderId);
  const { selfTradePrevention } = known;
  return unlike(text, '"selfTradePrevention":', sent.selfTradePrevention, selfTradePrevention);
}

const inUnasked = new Set(["accountId", ...inOrder, ...Object.keys(untouched), "createdAtMillis"]);
const inAsked = new Set([...inUnasked, "outcomeIndex", "side", "priceTick", "amountLots"]);

/** Its part says whose it is. */
export function orderText(order: Order, told: Told): string {
  const { marketId, timeMillis } = told;
  const asked = told.asked(order.accountId);
  const isNamed = marketId !== undefined;
  const knownMarket = asked === undefined ? marketId : asked.marketId;
  let text = isNamed ? unlike("", MARKET, order.marketId, knownMarket) : "";
  text = sentText(text, order, asked ?? plainInput);
  text = unlike(text, '"filledLots":', order.filledLots, untouched.filledLots);
  text = unlike(text, '"status":', order.status, untouched.status);
  text = unlike(text, '"cancelReason":', order.cancelReason, untouched.cancelReason);
  text = unlike(text, '"createdAtMillis":', order.createdAtMillis, timeMillis);
  if (asked === undefined) return rest(text, order, inUnasked, isNamed);
  if (!isNamed) text = unlike(text, MARKET, order.marketId, knownMarket);
  text = unlike(text, '"outcomeIndex":', order.outcomeIndex, asked.outcomeIndex);
  text = unlike(text, '"side":', order.side, asked.side);
  text = unlike(text, '"priceTick":', order.priceTick, asked.priceTick);
  text = unlike(text, '"amountLots":', order.amountLots, asked.amountLots);
  return rest(text, order, inAsked, true);
}

const inPosition = new Set(["accountId", "heldLots", "costMicros", "realisedMicros", "flowMicros"]);

/** Its part says whose it is. */
export function positionText(position: Position, told: Told): string {
  const known = told.held(fieldsOf(position));
  const isNamed = told.marketId !== undefined;
  let text = isNamed ? unlike("", MARKET, position.marketId, told.marketId) : "";
  text = unlike(text, '"heldLots":', position.heldLots, known.heldLots);
  text = unlike(text, '"costMicros":', position.costMicros, known.costMicros);
  text = unlike(text, '"realisedMicros":', position.realisedMicros, known.realisedMicros);
  text = unlike(text, '"flowMicros":', position.flowMicros, known.flowMicros);
  return rest(text, position, inPosition, isNamed);
}

// The records below are made with the entry, so that their members stand in one order.

/** As each side sees it: not where to, or where from. */
export function postingText(posting: EventOf<"Posted">["posting"], { premium }: Told): string {
  let text = unlike("", '"amountMicros":', posting.amountMicros, premium.amountMicros);
  text = unlike(text, '"reason":', posting.reason, premium.reason);
  return endText(unlike(text, '"reference":', posting.reference, premium.reference));
}

/** Without its sides. `isNamed`: an event before it has named the first market. */
export function fillText(fill: Fill, told: Told, isNamed: boolean): string {
  let text = isNamed ? unlike("", MARKET, fill.marketId, told.marketId) : "";
  text = unlike(text, '"timeMillis":', fill.timeMillis, told.timeMillis);
  text = member(text, '"id":', fill.id);
  if (!isNamed) text = member(text, MARKET, fill.marketId);
  text = member(text, '"yesTick":', fill.yesTick);
  text = member(text, '"amountLots":', fill.amountLots);
  text = member(text, '"takerBuysYes":', fill.takerBuysYes);
  return endText(member(text, '"rfqId":', fill.rfqId));
}

export function levelText(level: BookLevel, told: Told, isNamed: boolean): string {
  let text = unlike("", MARKET, level.marketId, isNamed ? told.marketId : undefined);
  text = member(text, '"side":', level.side);
  text = member(text, '"tick":', level.tick);
  text = member(text, '"openLots":', level.openLots);
  return endText(member(text, '"orders":', level.orders));
}

export function tradedText(traded: EventOf<"MarketTraded">, told: Told): string {
  const isNamed = told.marketId !== undefined;
  let text = isNamed ? unlike("", MARKET, traded.marketId, told.marketId) : "";
  text = unlike(text, '"lastTick":', traded.lastTick, told.lastTick);
  if (!isNamed) text = member(text, MARKET, traded.marketId);
  text = member(text, '"houseFeesMicros":', traded.houseFeesMicros);
  return endText(member(text, '"fundFeesMicros":', traded.fundFeesMicros));
}
