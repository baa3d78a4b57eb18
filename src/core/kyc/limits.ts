// The limits of a tier where many positions are taken at once: the legs of a request for quotes, or
// the shorts of a default auction.
// Invariant: a value above its limit is refused only where it rises: the way back under it is free.
import { least } from "#base/least.ts";
import type { Micros } from "#base/money.ts";
import type { Totals } from "../margin/sums.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { TierRules } from "../rules.ts";

interface LimitedValue {
  readonly before: Micros;
  readonly after: Micros;
}

type LimitedTotals = Pick<Totals, "coverageMicros" | "openPositions">;

interface TakenAtOnce {
  readonly before: LimitedTotals;
  readonly after: LimitedTotals;
  /** Coverage in each market of it. */
  readonly positions: readonly LimitedValue[];
  /** Coverage filled and promised in a day; absent where nothing trades. */
  readonly daily?: LimitedValue & { readonly allowed: Micros };
}

export function refuseBeyondLimits(
  terms: TierRules,
  { before, after, positions, daily }: TakenAtOnce,
): Rejection | undefined {
  const beyond = (limit: string, { before: from, after: to }: LimitedValue, allowed: Micros) =>
    to > allowed && to > from
      ? reject("POSITION_LIMIT", { limit, requiredMicros: to, allowedMicros: allowed })
      : undefined;
  const ofOne = least(terms.maxPositionMicros, terms.maxPositionSizeMicros);
  for (const position of positions) {
    const refused = beyond("maxPosition", position, ofOne);
    if (refused !== undefined) return refused;
  }
  const total = { before: before.coverageMicros, after: after.coverageMicros };
  const refused =
    (daily === undefined ? undefined : beyond("maxDaily", daily, daily.allowed)) ??
    beyond("maxTotal", total, terms.maxTotalMicros);
  if (refused !== undefined) return refused;
  return after.openPositions > terms.maxOpenPositions && after.openPositions > before.openPositions
    ? reject("POSITION_LIMIT", { limit: "maxOpenPositions" })
    : undefined;
}
