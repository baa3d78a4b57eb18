// Percentages on the command line, as the basis points the exchange takes.
// Invariant: exact; a percentage finer than a basis point is refused.
import { parseDecimal } from "#base/decimal.ts";
import { UsageFault } from "./faults.ts";

/** `2` or `2.5%` → 200, 250; `name` stands in the message of a refusal. */
export function bpsOf(text: string, name: string): number {
  const bps = parseDecimal(text.replace(/%$/, ""), 2);
  if (bps === undefined || bps < 0n || bps > 10_000n) {
    throw new UsageFault(`${name} must be a percentage from 0 to 100 with at most 2 decimals`);
  }
  return Number(bps);
}

/** `2-10` → 200 and 1000. */
export function layerOf(text: string): { readonly attachBps: number; readonly exhaustBps: number } {
  const [attach = "", exhaust = "", ...more] = text.split("-");
  if (attach === "" || exhaust === "" || more.length > 0) {
    throw new UsageFault("--layer must be two percentages, such as 2-10");
  }
  return { attachBps: bpsOf(attach, "--layer"), exhaustBps: bpsOf(exhaust, "--layer") };
}
