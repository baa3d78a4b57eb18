// Amounts, months, percentages and chances as people write and read them.
// Invariant: what is typed goes on exactly or is refused; what is shown is rounded and says so by ≈
// or "about", or is exact.
import { formatDecimal, parseDecimal } from "#base/decimal.ts";
import {
  addMonths,
  calendarMonth,
  formatMonth,
  type Month,
  monthOf,
  parseMonth,
} from "#base/month.ts";
import { UsageFault } from "./faults.ts";

const monthNames = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/** `2027-10`, `Oct 2027` or `October 2027` → the month. */
export function monthOfText(text: string, name: string): Month {
  const plain = parseMonth(text);
  if (plain !== undefined) return plain;
  const [, word = "", year = ""] = /^([a-z]{3,9})\.? +(\d{4})$/i.exec(text.trim()) ?? [];
  const at = monthNames.findIndex((month) => {
    const [full, typed] = [month.toLowerCase(), word.toLowerCase()];
    return typed === full || typed === full.slice(0, 3);
  });
  const month = at < 0 ? undefined : parseMonth(formatMonth(monthOf(Number(year), at + 1)));
  if (month !== undefined) return month;
  throw new UsageFault(`${name} must be a month such as 2027-10 or "Oct 2027", not "${text}"`);
}

export const monthText = (text: string, name: string): string =>
  formatMonth(monthOfText(text, name));

/** `2027-10` → `October 2027`. */
export function monthName(value: unknown): string {
  const month = typeof value === "string" ? parseMonth(value) : undefined;
  if (month === undefined) return typeof value === "string" ? value : "-";
  const year = formatMonth(month).slice(0, 4);
  return `${monthNames[calendarMonth(month) - 1]} ${year}`;
}

export const monthsLater = (month: Month, count: number): string =>
  formatMonth(addMonths(month, count));

/** `$50,000` → `50000`; what is not grouped by thousands goes on as it was typed. */
export const amountText = (text: string): string =>
  /^-?\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(text) ? text.replaceAll(/[$,]/g, "") : text;

/** USD in cents. */
export function centsOf(text: string, name: string): bigint {
  const cents = parseDecimal(amountText(text), 2);
  if (cents !== undefined && cents > 0n) return cents;
  throw new UsageFault(`${name} must be an amount of USD such as 480000 or $480,000`);
}

export const usdText = (cents: bigint): string => formatDecimal(cents, 2);

/** With separators; cents only where there are some. */
export function dollars(value: unknown): string {
  const usd = Number(value);
  if (value === null || value === undefined || !Number.isFinite(usd)) return "-";
  const cents = Math.round(Math.abs(usd) * 100);
  const whole = grouped(Math.floor(cents / 100));
  const rest = cents % 100 === 0 ? "" : `.${String(cents % 100).padStart(2, "0")}`;
  return `${usd < 0 && cents > 0 ? "-" : ""}$${whole}${rest}`;
}

export const wholeDollars = (usd: number): string => dollars(Math.round(usd));

const grouped = (whole: number): string => String(whole).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");

/** A fraction as a percentage with one decimal. */
export function percent(fraction: unknown): string {
  if (typeof fraction !== "number" || !Number.isFinite(fraction)) return "-";
  return `${(fraction * 100).toFixed(1)} %`;
}

const FEW = 1 / 3;
const HARDLY = 1 / 10_000;

/** 0.0368 → `about 1 in 27 (3.7 %)`. */
export function chance(value: unknown): string {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) return "-";
  return `${chanceWords(value)} (${percent(value)})`;
}

function chanceWords(probability: number): string {
  if (probability < HARDLY) return "less than 1 in 10,000";
  if (probability <= FEW) return `about 1 in ${grouped(twoDigits(1 / probability))}`;
  const tenths = Math.round(probability * 10);
  if (tenths === 10) return "nearly certain";
  return tenths === 5 ? "about 1 in 2" : `about ${tenths} in 10`;
}

/** Nobody knows a chance to the last one of thousands. */
function twoDigits(value: number): number {
  const step = 10 ** Math.max(0, String(Math.floor(value)).length - 2);
  return Math.round(value / step) * step;
}
