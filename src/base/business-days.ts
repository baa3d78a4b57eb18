// The days on which banks of the United States work, by rule: no weekend, and no federal holiday.
// Invariant: a day is a UTC day; the rules of 2021 hold for every year, so no table runs out.

const DAY_MILLIS = 86_400_000;
const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];

/** Months from 0, as everywhere in this file. */
const fixedHolidays: ReadonlySet<string> = new Set(["0-1", "5-19", "6-4", "10-11", "11-25"]);

/** The n-th such day of its month; 5 = the last one. */
const floatingHolidays: readonly (readonly [month: number, weekday: number, nth: number])[] = [
  [0, MONDAY, 3],
  [1, MONDAY, 3],
  [4, MONDAY, 5],
  [8, MONDAY, 1],
  [9, MONDAY, 2],
  [10, THURSDAY, 4],
];

export function isBusinessDay(millis: number): boolean {
  const day = new Date(millis);
  const weekday = day.getUTCDay();
  if (weekday === SATURDAY || weekday === SUNDAY) return false;
  return !isFixed(day) && !isObserved(day, weekday) && !isFloating(day, weekday);
}

const isFixed = (day: Date): boolean =>
  fixedHolidays.has(`${day.getUTCMonth()}-${day.getUTCDate()}`);

/** A holiday on a Saturday is kept on the Friday before it, one on a Sunday on the Monday after. */
function isObserved(day: Date, weekday: number): boolean {
  const shift = weekday === 5 ? DAY_MILLIS : weekday === MONDAY ? -DAY_MILLIS : 0;
  return shift !== 0 && isFixed(new Date(day.getTime() + shift));
}

function isFloating(day: Date, weekday: number): boolean {
  const date = day.getUTCDate();
  return floatingHolidays.some(([month, on, nth]) => {
    if (month !== day.getUTCMonth() || on !== weekday) return false;
    const isLast = new Date(day.getTime() + 7 * DAY_MILLIS).getUTCMonth() !== month;
    return nth === 5 ? isLast : Math.ceil(date / 7) === nth;
  });
}

/**
 * A day later, with a business day in between: the day begins at once on a business day, else with
 * the next one, and where it would end on another day than a business day it ends on the next one.
 */
export function afterBusinessDay(millis: number): number {
  let at = isBusinessDay(millis) ? millis : nextBusinessDay(millis);
  do at += DAY_MILLIS;
  while (!isBusinessDay(at));
  return at;
}

/** Its first instant. */
function nextBusinessDay(millis: number): number {
  let at = millis - (millis % DAY_MILLIS);
  do at += DAY_MILLIS;
  while (!isBusinessDay(at));
  return at;
}
