// Volumes: of an account in a UTC day, which the daily limits count, and of a market.
// Invariant: of days only that of the last fill is kept; a fill counts once in its market.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, MarketId } from "#base/ids.ts";
import { type Lots, lots, noLots } from "#base/quantity.ts";
import type { Fill } from "./records.ts";

export interface DayVolume {
  readonly day: number;
  readonly filledLots: Lots;
}

/** Both sides of a fill have traded it. */
export function countVolume(volumes: Map<AccountId, DayVolume>, fill: Fill): void {
  const day = dayOf(fill.timeMillis);
  for (const account of [fill.buyer, fill.seller]) {
    const filledLots = lots(filledOn(volumes.get(account), day) + fill.amountLots);
    volumes.set(account, { day, filledLots });
  }
}

/** Of a fill that was busted, while its day still counts. */
export function uncountVolume(volumes: Map<AccountId, DayVolume>, fill: Fill): void {
  const day = dayOf(fill.timeMillis);
  for (const account of [fill.buyer, fill.seller]) {
    const volume = volumes.get(account);
    if (volume?.day !== day) continue;
    volumes.set(account, { day, filledLots: lots(volume.filledLots - fill.amountLots) });
  }
}

export function countTraded(volumes: Map<MarketId, Lots>, { marketId, amountLots }: Fill): void {
  volumes.set(marketId, lots((volumes.get(marketId) ?? noLots) + amountLots));
}

/** A position has changed; both sides of a contract are one. */
export function countHeld(
  openInterest: Map<MarketId, Lots>,
  marketId: MarketId,
  { before, now }: { readonly before: Lots; readonly now: Lots },
): void {
  const held = (openInterest.get(marketId) ?? noLots) + longOf(now) - longOf(before);
  if (held === noLots) openInterest.delete(marketId);
  else openInterest.set(marketId, lots(held));
}

const longOf = (heldLots: Lots): Lots => (heldLots > noLots ? heldLots : noLots);

export const filledToday = (volume: DayVolume | undefined, nowMillis: number): Lots =>
  filledOn(volume, dayOf(nowMillis));

const filledOn = (volume: DayVolume | undefined, day: number): Lots =>
  volume?.day === day ? volume.filledLots : noLots;

const dayOf = (millis: number): number => Math.floor(millis / DAY_MILLIS);
