// How the sample's accounts trade: makers quote both sides around the model, others take; in the
// end each maker stands behind one side of every contract.
// Invariant: a maker's quotes never cross; whoever takes pays a price that a maker offered.
import { type MarketId, marketId } from "#base/ids.ts";
import { nearestTick, TICKS_PER_USD, type Tick } from "#base/price.ts";
import { type Lots, lots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import type { Side } from "#core/records.ts";
import { builtInStates } from "#geo/states.ts";
import type { Cast } from "./cast.ts";
import { type Random, wholeBetween } from "./random.ts";
import { actorOf, type Player, type Stage } from "./stage.ts";

/** Of the price, around the mark; mandates stand nearer to it. */
const HALF_SPREAD = 0.08;
const LEAST_HALF_SPREAD_TICKS = 15;
/** Each maker's spread against the narrowest. */
const spreads = [1, 1.5];
/** Price levels a maker quotes on each side. */
const depth = [1, 2];

/** A quote's loads are 20 ticks and more above the mark, so that a mandate sells at its price. */
const MANDATE_SPREAD_TICKS = 15;
const MANDATE_SPREAD_TICKS_PER_YEAR = 15;
/** No contract runs longer. */
const MANDATE_MONTHS = 36;
const IN_MARKET_USD = 500_000;
const IN_STATE_USD = 1_000_000;

/** A market as the makers see it, prices in ticks. */
interface Center {
  readonly marketId: MarketId;
  readonly middle: number;
  readonly halfSpread: number;
}

/** Undefined where the model says nothing (any more). */
export function centerOf(stage: Stage, seriesId: string): Center | undefined {
  const listing = stage.ports.listingFor(seriesId);
  return listing === undefined ? undefined : centerAround(listing);
}

function centerAround({ marketId: id, markTick: middle }: Listing): Center {
  const spread = HALF_SPREAD * Math.min(middle, TICKS_PER_USD - middle);
  return { marketId: id, middle, halfSpread: Math.max(LEAST_HALF_SPREAD_TICKS, spread) };
}

const priceAt = ({ middle, halfSpread }: Center, steps: number): Tick =>
  nearestTick((middle + steps * halfSpread) / TICKS_PER_USD);

/** The first order names the series, and so lists it. @throws where it cannot be listed */
export async function list(
  stage: Stage,
  cast: Cast,
  seriesId: string,
  random: Random,
): Promise<void> {
  const listing = stage.ports.listingFor(seriesId);
  if (listing === undefined) throw new Error(`The sample cannot list ${seriesId}.`);
  await quote(stage, cast, centerAround(listing), random, listing);
}

/** Takes the makers' old quotes away before the new ones come, so that they never meet. */
export async function requote(
  stage: Stage,
  cast: Cast,
  center: Center,
  random: Random,
): Promise<void> {
  for (const maker of cast.makers) {
    await stage.give(actorOf(maker), { type: "CancelAll", marketId: center.marketId });
  }
  await quote(stage, cast, center, random, undefined);
}

async function quote(
  stage: Stage,
  { makers }: Cast,
  center: Center,
  random: Random,
  listing: Listing | undefined,
): Promise<void> {
  for (const [at, maker] of makers.entries()) {
    const spread = spreads[at] ?? 1;
    const orders = depth.flatMap((level) => {
      const contracts = level * 100 * wholeBetween(random, 15, 30);
      return [
        resting(center.marketId, "BUY", priceAt(center, -spread * level), contracts),
        resting(center.marketId, "SELL", priceAt(center, spread * level), contracts),
      ];
    });
    const listings = listing === undefined || at > 0 ? [] : [listing];
    await stage.give(actorOf(maker), { type: "PlaceBatch", orders, listings });
  }
}

const resting = (id: MarketId, side: Side, priceTick: Tick, contracts: number): OrderInput => ({
  ...plain(id, side, priceTick, contracts),
  postOnly: true,
});

const lotsOf = (contracts: number): Lots => lots(BigInt(contracts) * 100n);

const plain = (id: MarketId, side: Side, priceTick: Tick, contracts: number): OrderInput => ({
  marketId: marketId(id),
  outcomeIndex: 0,
  side,
  priceTick,
  amountLots: lotsOf(contracts),
  expirySeconds: 0,
  timeInForce: "GTC",
  postOnly: false,
  reduceOnly: false,
  clientOrderId: null,
  selfTradePrevention: "cancel_incoming",
});

/** Takes up to `contracts` of what the makers offer; what they do not have is not waited for. */
export async function take(
  stage: Stage,
  player: Player,
  center: Center,
  side: Side,
  contracts: number,
): Promise<void> {
  const furthest = Math.max(...spreads) * depth.length;
  const limit = priceAt(center, side === "BUY" ? furthest : -furthest);
  const order = plain(center.marketId, side, limit, contracts);
  await stage.give(actorOf(player), {
    type: "PlaceOrder",
    order: { ...order, timeInForce: "IOC" },
    listing: null,
  });
}

/** A bid between the makers' best ones, left in the book. */
export async function leaveBid(
  stage: Stage,
  player: Player,
  center: Center,
  contracts: number,
): Promise<void> {
  const order = resting(center.marketId, "BUY", priceAt(center, -0.5), contracts);
  await stage.give(actorOf(player), { type: "PlaceOrder", order, listing: null });
}

/** The first maker sells every contract at the mark and a spread, the second buys. */
export async function stand(stage: Stage, { makers }: Cast): Promise<void> {
  for (const [at, maker] of makers.entries()) {
    for (const index of ["zhvi", "zori"] as const) {
      const terms: MandateTerms = {
        scope: {
          index,
          places: builtInStates.map(({ id }) => id),
          levels: null,
          payoffs: null,
          minMonths: 1,
          maxMonths: MANDATE_MONTHS,
        },
        side: at === 0 ? "SELL" : "BUY",
        spreadTicks: MANDATE_SPREAD_TICKS,
        spreadTicksPerYear: MANDATE_SPREAD_TICKS_PER_YEAR,
        mostInMarketLots: lotsOf(IN_MARKET_USD),
        mostInStateLots: lotsOf(IN_STATE_USD),
        mostInAllLots: lotsOf(IN_STATE_USD),
        expirySeconds: 0,
        collateral: "margin",
      };
      await stage.give(actorOf(maker), { type: "SetMandate", mandateId: null, terms });
    }
  }
}
