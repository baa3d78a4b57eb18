// The exchange's text of a market's terms, with its months, days and numbers as people read them.
// Invariant: no digit is added or lost.
import { amount, day, monthWords } from "../words.ts";

/** "2027-10" is "October 2027", and "582229.1354" is "582,229.1354". */
export const termsWords = (description: string): string =>
  description
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (date) => day(date))
    .replaceAll(/\b\d{4}-\d{2}\b/g, (month) => monthWords(month))
    .replaceAll(/\b\d{4,}(?=\.\d)/g, (whole) => amount(whole));
