// Calendar months as one integer: year·12 + (month − 1), so that differences are months.
// Invariant: parseMonth(formatMonth(m)) = m for years 1800…2999.

export type Month = number & { readonly month: unique symbol };

export const monthOf = (year: number, month1to12: number): Month =>
  (year * 12 + month1to12 - 1) as Month;

export const addMonths = (month: Month, count: number): Month => (month + count) as Month;

export function parseMonth(text: string): Month | undefined {
  const match = /^(1[89][0-9]{2}|2[0-9]{3})-(0[1-9]|1[0-2])$/.exec(text);
  return match === null ? undefined : monthOf(Number(match[1]), Number(match[2]));
}

export const formatMonth = (month: Month): string =>
  `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;

/** 1…12 */
export const calendarMonth = (month: Month): number => (month % 12) + 1;

/** The first instant after the month, UTC, in milliseconds since 1970. */
export const monthEndMillis = (month: Month): number =>
  Date.UTC(Math.floor((month + 1) / 12), (month + 1) % 12, 1);

/** The month an instant lies in, UTC. */
export function monthAt(millis: number): Month {
  const instant = new Date(millis);
  return monthOf(instant.getUTCFullYear(), instant.getUTCMonth() + 1);
}

/** The same day and time of day so many calendar months later; a shorter month gives its last. */
export function monthsLaterMillis(millis: number, count: number): number {
  const instant = new Date(millis);
  const month = addMonths(monthAt(millis), count);
  const firstMillis = monthEndMillis(addMonths(month, -1));
  const lastDay = new Date(monthEndMillis(month) - 1).getUTCDate();
  const dayMillis = 86_400_000;
  const day = Math.min(instant.getUTCDate(), lastDay);
  return firstMillis + (day - 1) * dayMillis + (millis % dayMillis);
}
