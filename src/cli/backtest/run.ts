// The out-of-sample test of the reference model on a provider's file, run and told; it asks no
// exchange.
// Invariant: prints what it measured and nothing else; document and table tell the same.
import { readFileSync, writeFileSync } from "node:fs";
import { backtest, backtestVintage } from "#pricing/backtest/run.ts";
import { levelScale, type PricedIndex, type PricingLevel } from "#pricing/constants.ts";
import { firstYearOf } from "#pricing/horizon.ts";
import type { Arguments } from "../arguments.ts";
import type { Call } from "../command.ts";
import { UsageFault } from "../faults.ts";
import { readFitted } from "../fitted-constants.ts";
import { readPanel } from "./file.ts";
import { documentOf, tableOf } from "./report.ts";

const inSample = " (fitted on outcomes to 2025, so that older origins are in-sample)";

/** Years of history before the first origin, where neither --from nor --constants says. */
const FIRST_YEARS = 4;

const isIndex = (text: string): text is PricedIndex => text === "zhvi" || text === "zori";
const isLevel = (text: string): text is PricingLevel => Object.hasOwn(levelScale, text);

export async function runBacktest({ args, screen }: Call): Promise<undefined> {
  const { index, level, from } = optionsOf(args);
  const panel = await readable(() => readPanel(args.word("file"), index, level));
  const path = args.option("constants");
  const fitted =
    path === undefined
      ? undefined
      : await readable(async () => readFitted(readFileSync(path, "utf8")));
  const earliest =
    (fitted && firstYearOf(fitted)) ?? Math.floor(panel.firstMonth / 12) + FIRST_YEARS;
  const laterPath = args.option("outcomes");
  const later =
    laterPath === undefined ? undefined : await readable(() => readPanel(laterPath, index, level));
  const result = await readable(async () =>
    later === undefined
      ? backtest(panel, from ?? earliest, fitted)
      : backtestVintage(panel, later, fitted),
  );
  const constants = fitted === undefined ? "production" : "by year";
  const content = documentOf(panel, result, constants, later?.file ?? null);
  const document = `${JSON.stringify(content, null, 2)}\n`;
  const output = args.option("output");
  if (output !== undefined) await readable(async () => writeFileSync(output, document));
  const remark = fitted === undefined ? inSample : "";
  const text = `${tableOf(panel, result)}\nconstants: ${constants}${remark}`;
  screen.print(screen.json ? document : text);
  return undefined;
}

function optionsOf(args: Arguments) {
  const index = args.option("index") ?? "zhvi";
  const level = args.option("level");
  const from = args.option("from");
  if (!isIndex(index)) throw new UsageFault(`--index ${index}: zhvi or zori`);
  if (level !== undefined && !isLevel(level)) {
    throw new UsageFault(`--level ${level}: one of ${Object.keys(levelScale).join(", ")}`);
  }
  if (from !== undefined && !/^\d{4}$/.test(from)) throw new UsageFault(`--from ${from}: a year`);
  return { index, level, from: from === undefined ? undefined : Number(from) };
}

/** A file that cannot be read, or scored, is the fault of who named it. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((fault: unknown) => {
    throw fault instanceof Error ? new UsageFault(fault.message) : fault;
  });
}
