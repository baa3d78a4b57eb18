// Numbers and months as people read them.
// Invariant: money has separators, a percentage one decimal, a month its name, a minus its sign.

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const minus = (text: string): string => text.replace("-", "\u2212");

/** `2027-10` as "October 2027". */
export function monthWords(month: string): string {
  const [year = "", number = ""] = month.split("-");
  return `${months[Number(number) - 1] ?? number} ${year}`;
}

/** `2027-10` as "Oct 2027", where there is little room. */
export function shortMonth(month: string): string {
  const [name = "", year = ""] = monthWords(month).split(" ");
  return `${name.slice(0, 3)} ${year}`;
}

export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const at = year * 12 + number - 1 + count;
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`;
}

/** Months from one to the other. */
export function monthsBetween(from: string, to: string): number {
  const [a = 0, b = 0] = [from, to].map((month) => {
    const [year = 0, number = 0] = month.split("-").map(Number);
    return year * 12 + number;
  });
  return b - a;
}

const wholeDollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 0,
});
const dollarsAndCents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** "$480,000" */
export const dollars = (amount: number): string => minus(wholeDollars.format(amount));

/** "$1,234.50" */
export const cents = (amount: number): string => minus(dollarsAndCents.format(amount));

const decimals = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** Of a number in percent: "4.2%". */
export const percent = (value: number): string => `${minus(decimals.format(value))}%`;

/** With its sign: "+4.2%". */
export function change(value: number): string {
  const text = percent(value);
  if (/^\u2212?0\.0%$/.test(text)) return percent(0);
  return value > 0 ? `+${text}` : text;
}

/** As many as an order has: "1,250" or "0.25". */
export const amount = (value: number | string): string =>
  new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 }).format(Number(value));

/** A price of 1 of coverage, at the tick's four decimals. */
export const price = (value: number): string => value.toFixed(4);

/** A chance of 0.048 as "about 1 in 21". */
export function chanceWords(chance: number): string {
  if (chance < 0.001) return "less than 1 in 1,000";
  if (chance > 0.95) return "almost certain";
  if (chance > 0.45) return `about ${Math.round(chance * 10)} in 10`;
  const one = 1 / chance;
  return `about 1 in ${amount(one < 3.5 ? Math.round(one * 2) / 2 : Math.round(one))}`;
}

const days = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const minutes = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
});

const instant = (at: string | number): Date => new Date(typeof at === "number" ? at * 1000 : at);

/** A day in UTC: "May 4, 2027". Takes ISO 8601 or Unix seconds. */
export const day = (at: string | number): string => days.format(instant(at));

/** A time in UTC: "May 4, 13:05". */
export const time = (at: string | number): string => minutes.format(instant(at));

const layers = /^L(\d{4})-(\d{4})$/;

/** Percents of decline where a layer begins and is full, of a series' id. */
export function layerOf(seriesId: string): readonly [number, number] | undefined {
  const [, from, to] = layers.exec(seriesId.split(".").at(-1) ?? "") ?? [];
  return from === undefined ? undefined : [Number(from) / 100, Number(to) / 100];
}
