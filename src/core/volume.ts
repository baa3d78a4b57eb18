// Coverage filled in a UTC day, an account at a time: what the daily limits count.
// Invariant: only the day of the last fill is kept; an older one counts for nothing.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId } from "#base/ids.ts";
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

export const filledToday = (volume: DayVolume | undefined, nowMillis: number): Lots =>
  filledOn(volume, dayOf(nowMillis));

const filledOn = (volume: DayVolume | undefined, day: number): Lots =>
  volume?.day === day ? volume.filledLots : noLots;

const dayOf = (millis: number): number => Math.floor(millis / DAY_MILLIS);
