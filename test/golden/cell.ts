// One cell of the matrix: says what it runs on, then what the goldens come to there.
// Invariant: what it says of itself is read from the running Node, never from what it was told.
import { digests } from "./digests.ts";

const { locale, timeZone, numberingSystem } = new Intl.DateTimeFormat().resolvedOptions();
const place = {
  version: process.version,
  execArgv: process.execArgv,
  locale,
  timeZone,
  numberingSystem,
  /** The values a program that asks for these would see. */
  offsetMinutes: new Date(Date.UTC(2025, 0, 1)).getTimezoneOffset(),
  number: (1_234.5).toLocaleString(),
  sorted: ["z", "ı", "i", "ä"].sort((a, b) => a.localeCompare(b)).join(""),
};
process.stdout.write(`${JSON.stringify({ place, digests: await digests() })}\n`);
