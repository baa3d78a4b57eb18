// A position as its holder sees it: what is held, what it cost, what it is worth and gained.
// Invariant: unrealised + realised − fees is the whole gain, to the micro-dollar.
import { type Static, Type } from "typebox";
import { formatMicros, type Micros, micros } from "#base/money.ts";
import { tickPrice } from "#base/price.ts";
import { formatLots } from "#base/quantity.ts";
import { divHalfUp, floorDiv } from "#base/rounding.ts";
import { feesOf } from "#core/account/position.ts";
import type { MarginTerms } from "#core/margin/columns.ts";
import { lotWorthOf, microsUp, PARTS_PER_MICRO } from "#core/margin/requirement.ts";
import { coverOf } from "#core/margin/sums.ts";
import type { Market, Position } from "#core/records.ts";

/** The fields of a position that the journal gives at any moment. */
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

/** The position's value by the print, before it is paid. */
export const ExpectedRecord = {
  expectedPayout: Type.Union([Type.String(), Type.Null()], {
    description: "USD: what will come in, below zero go out; null unless the market is RESOLVED",
  }),
  payableAt: Type.Union([Type.Integer(), Type.Null()], {
    description: "when it is paid; null as expectedPayout is, and while a dispute stops the clock",
  }),
};

export const PositionRecord = Type.Object(
  {
    ...HeldRecord.properties,
    ...ExpectedRecord,
    mark: Type.Number({ description: "YES price by which it is valued" }),
    priceBasis: Type.Enum(["mark", "payout"], {
      description: "mark: of the reference model; payout: known since the resolution",
    }),
    unrealised: Type.String({ description: "USD: amount × mark − cost" }),
    collateral: Type.String({ description: "USD of cash that covers the position" }),
    received: Type.String({
      description:
        "USD: cash had from the market less cash paid there, fees included; what is above zero " +
        "stays locked until the market is final",
    }),
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
  terms: MarginTerms,
): Static<typeof PositionRecord> => ({
  ...heldRecord(position),
  ...expectedRecord(position, market),
  ...valueRecord(market),
  unrealised: formatMicros(micros(worthOf(position, market) - position.costMicros)),
  collateral: formatMicros(coverOf(position.heldLots, market, terms)),
  received: formatMicros(position.flowMicros),
});

export function expectedRecord(
  position: Position,
  market: Market | undefined,
): { readonly expectedPayout: string | null; readonly payableAt: number | null } {
  if (market?.status !== "RESOLVED" || market.resolution === null)
    return { expectedPayout: null, payableAt: null };
  const { dispute, resolution } = market;
  const atMillis = resolution.disputeWindowEndsAtMillis;
  return {
    expectedPayout: formatMicros(worthOf(position, market)),
    payableAt: dispute === null ? Math.ceil(atMillis / 1000) : null,
  };
}

const valueRecord = ({ resolution, markTick }: Market) =>
  resolution === null
    ? { mark: tickPrice(markTick), priceBasis: "mark" as const }
    : { mark: resolution.payoutMillionths / 1_000_000, priceBasis: "payout" as const };

/** Above zero what YES is worth, below zero what NO still owes: at the payout once it is known. */
export function worthOf({ heldLots }: Position, market: Market): Micros {
  const mark = lotWorthOf(market);
  if (heldLots < 0n) return micros(-microsUp(-heldLots * mark));
  return micros(floorDiv(heldLots * mark, PARTS_PER_MICRO));
}

const LOTS_A_CONTRACT = 100n;

/** To the micro-dollar a contract, ties away from zero. */
function averageCost({ heldLots, costMicros }: Position): string | null {
  if (heldLots === 0n) return null;
  const [held, cost] = heldLots < 0n ? [-heldLots, -costMicros] : [heldLots, costMicros];
  return formatMicros(micros(divHalfUp(cost * LOTS_A_CONTRACT, held)));
}
