// The lots an account is short in all markets together, and the fewest it was in the last 30 days.
// Invariant: `before` has at most an entry a day of the last 31, older and smaller ones first, each
// of fewer lots than the account is short now; an account that is short nowhere has no record.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId } from "#base/ids.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { Position } from "../records.ts";

export interface ShortLots {
  readonly accountId: AccountId;
  readonly shortLots: Lots;
  /** Fewer lots than now, each up to a day: UTC days since 1970. */
  readonly before: readonly FewerLots[];
}

interface FewerLots {
  readonly untilDay: number;
  readonly shortLots: Lots;
}

/** So many whole days the lots must have been short to weigh. */
const DAYS = 30;

type ShortOnes = Map<AccountId, ShortLots>;

/** Of a position that held `heldBefore`. */
export function noteShort(
  all: ShortOnes,
  { accountId, heldLots }: Pick<Position, "accountId" | "heldLots">,
  heldBefore: Lots,
  timeMillis: number,
): void {
  const change = shortOf(heldLots) - shortOf(heldBefore);
  if (change === 0n) return;
  const known = all.get(accountId);
  const { shortLots: had, before } = known ?? { shortLots: noLots, before: [] };
  const shortLots = lots(had + change);
  if (shortLots === noLots) {
    all.delete(accountId);
    return;
  }
  const today = dayOf(timeMillis);
  const fewer = before.filter((one) => one.shortLots < shortLots && isRecent(one, today));
  // Of one day the fewest alone: what it was in between never weighs.
  const isFewest = had < shortLots && fewer.at(-1)?.untilDay !== today;
  if (isFewest) fewer.push({ untilDay: today, shortLots: had });
  all.set(accountId, { accountId, shortLots, before: fewer });
}

/** The fewest lots that the account was short at any time of the last 30 whole days. */
export function heldShort(
  all: ReadonlyMap<AccountId, ShortLots>,
  id: AccountId,
  nowMillis: number,
): Lots {
  const known = all.get(id);
  if (known === undefined) return noLots;
  const today = dayOf(nowMillis);
  const fewest = known.before.find((one) => isRecent(one, today));
  return (fewest ?? known).shortLots;
}

const shortOf = (heldLots: Lots): bigint => (heldLots < noLots ? -heldLots : 0n);
const dayOf = (millis: number): number => Math.floor(millis / DAY_MILLIS);
const isRecent = ({ untilDay }: FewerLots, today: number): boolean => untilDay >= today - DAYS;
