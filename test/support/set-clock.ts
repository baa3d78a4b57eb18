// Loaded into an exchange by a test (`--import`): its machine's clock as a file says it is set.
import { readFileSync } from "node:fs";

const path = process.env.TEST_CLOCK_FILE ?? "";
const real = Date.now.bind(Date);

/** Milliseconds that the clock is ahead. */
function ahead(): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return 0;
  }
}

Date.now = () => real() + ahead();
