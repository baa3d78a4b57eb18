// Loaded into an exchange by a test (`--import`): its clock, its memory and its view go wrong as a
// file tells.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ExchangeView } from "#views/exchange.ts";
import "./set-clock.ts";

interface Faults {
  /** KiB of objects that are held, and counted by a full collection. */
  readonly ballast?: number;
  /** The next entry fails to be taken in by what is shown; each number once. */
  readonly viewFault?: number;
}

const path = process.env.TEST_FAULTS_FILE ?? "";
let ballast: object[] = [];
let failed = 0;

function faults(): Faults {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

setInterval(() => {
  const { ballast: wanted = 0 } = faults();
  if (wanted === ballast.length) return;
  ballast = Array.from({ length: wanted }, (_, at) => new Array(128).fill(at));
  collect();
}, 100).unref();

const fold = ExchangeView.prototype.fold;
ExchangeView.prototype.fold = function (this: ExchangeView, entry) {
  const { viewFault = 0 } = faults();
  if (viewFault > failed) {
    failed = viewFault;
    throw new Error("a fault of a test");
  }
  return fold.call(this, entry);
};
