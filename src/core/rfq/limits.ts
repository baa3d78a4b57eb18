// The limits of a tier for all legs of a request at once, beside everything else that is open.
// Invariant: each leg is judged by the lots of its own market, so that work grows with the legs.
import type { MarketId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { MICROS_PER_LOT } from "#base/quantity.ts";
import { maxDaily, takenToday } from "../account/caps.ts";
import { refuseBeyondLimits } from "../kyc/limits.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { type OpenLots, withPromised, worstLots } from "../margin/one-market.ts";
import { Beside } from "../order/beside.ts";
import type { Account, Order } from "../records.ts";
import type { Rejection } from "../rejection.ts";
import type { Step } from "../step.ts";
import { promisedIn } from "./promises.ts";

/**
 * With these orders open beside all others, and beside all that the account's quotes promise; as
 * orders are judged. They take their part of the day at once.
 */
export function refuseLimits(
  step: Step,
  account: Account,
  orders: readonly Order[],
): Rejection | undefined {
  const { id } = account;
  const { state } = step;
  const { exposures, rules } = state;
  const before = promisedTotals(step, account);
  const beside = new Beside(exposures, id);
  for (const order of orders) beside.add(order);
  const markets = [...new Set(orders.map(({ marketId }) => marketId))];
  const positions = markets.map((market) => {
    const promised = promisedIn(state, id, market);
    return {
      before: coverageOf(withPromised(exposures.lotsIn(id, market), promised)),
      after: coverageOf(withPromised(beside.before(market).here, promised)),
    };
  });
  const taken = takenToday(step, id) * MICROS_PER_LOT;
  const more = lotsOf(orders) * MICROS_PER_LOT;
  return refuseBeyondLimits(accountTerms(rules, account), {
    before,
    after: totalsAfter(before, positions),
    positions,
    daily: {
      before: micros(taken),
      after: micros(taken + more),
      allowed: maxDaily(rules, account),
    },
  });
}

interface CoverageTotals {
  readonly coverageMicros: Micros;
  readonly openPositions: number;
}

interface CoverageChange {
  readonly before: Micros;
  readonly after: Micros;
}

/** Were all that its quotes promise open as orders. */
function promisedTotals({ state }: Step, { id }: Account): CoverageTotals {
  const { exposures, promisedLots } = state;
  const coverage = (market: MarketId) => ({
    before: exposures.coverageIn(id, market),
    after: coverageOf(withPromised(exposures.lotsIn(id, market), promisedIn(state, id, market))),
  });
  const changes = [...(promisedLots.get(id)?.keys() ?? [])].map(coverage);
  return totalsAfter(exposures.totals(id), changes);
}

function totalsAfter(
  { coverageMicros, openPositions }: CoverageTotals,
  changes: readonly CoverageChange[],
): CoverageTotals {
  let [coverage, positions]: [bigint, number] = [coverageMicros, openPositions];
  for (const { before, after } of changes) {
    coverage += after - before;
    positions += (after === 0n ? 0 : 1) - (before === 0n ? 0 : 1);
  }
  return { coverageMicros: micros(coverage), openPositions: positions };
}

const coverageOf = (lots: OpenLots): Micros => micros(worstLots(lots) * MICROS_PER_LOT);

const lotsOf = (orders: readonly Order[]): bigint =>
  orders.reduce((sum, { amountLots }) => sum + amountLots, 0n);
