// A position as its holder sees it: what is held, what it cost, what it is worth and gained.
// Invariant: unrealised + realised − fees is the whole gain, to the micro-dollar.
import { type Static, Type } from "typebox";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import { divHalfUp } from "#base/rounding.ts";
import { feesOf } from "#core/account/position.ts";
import { coverOf } from "#core/margin/requirement.ts";
import type { Market, Position } from "#core/records.ts";

/** What the journal itself says of a position, at any moment. */
export const HeldRecord = Type.Object(
  {
    marketId: Type.String(),
    amount: Type.String({ description: "contracts: above zero YES, below zero NO" }),
    averageCost: Type.Union([Type.String(), Type.Null()], {
      description: "YES price at which what is held was bought, or sold; null when flat",
    }),
    cost: Type.String({ description: "USD: paid when YES is held, below zero received for NO" }),
    realised: Type.String({ description: "USD gained by closing and settlement, before fees" }),
    fees: Type.String({ description: "USD paid in taker fees" }),
  },
  { title: "HeldPosition" },
);

export const PositionRecord = Type.Object(
  {
    ...HeldRecord.properties,
    mark: Type.Number({ description: "YES price of the reference model" }),
    unrealised: Type.String({ description: "USD: amount × mark − cost" }),
    collateral: Type.String({ description: "USD of cash that the position holds back" }),
  },
  { title: "Position" },
);

export const heldRecord = (position: Position): Static<typeof HeldRecord> => ({
  marketId: position.marketId,
  amount: formatLots(position.heldLots),
  averageCost: averageCost(position),
  cost: formatMicros(position.costMicros),
  realised: formatMicros(position.realisedMicros),
  fees: formatMicros(feesOf(position)),
});

export const positionRecord = (
  position: Position,
  market: Market,
  requirementBps: number,
): Static<typeof PositionRecord> => ({
  ...heldRecord(position),
  mark: tickPrice(market.markTick),
  unrealised: formatMicros(micros(worthOf(position, market) - position.costMicros)),
  collateral: formatMicros(coverOf(position.heldLots, market, requirementBps)),
});

/** Above zero what YES is worth, below zero what NO still owes, at the mark. */
export const worthOf = ({ heldLots }: Position, { markTick }: Market): Micros =>
  micros(heldLots * BigInt(markTick));

const LOTS_A_CONTRACT = 100n;

/** To the micro-dollar a contract, ties away from zero. */
function averageCost({ heldLots, costMicros }: Position): string | null {
  if (heldLots === 0n) return null;
  const [held, cost] = heldLots < 0n ? [-heldLots, -costMicros] : [heldLots, costMicros];
  return formatMicros(micros(divHalfUp(cost * LOTS_A_CONTRACT, held)));
}
