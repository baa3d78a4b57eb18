// The replay of a history, run and told; it asks no exchange, for it founds its own.
// Invariant: prints what it measured and nothing else; document and table tell the same.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { addMonths, formatMonth, type Month, monthOf, parseMonth } from "#base/month.ts";
import {
  type KnotsByYear,
  levelScale,
  type PricedIndex,
  type PricingLevel,
} from "#pricing/constants.ts";
import { firstYearOf } from "#pricing/horizon.ts";
import type { Plan } from "#replay/cohort.ts";
import { type ProviderHistory, stateOf } from "#replay/past.ts";
import { replayOnThreads } from "#replay/pool.ts";
import { reverseStress } from "#replay/reverse.ts";
import { outcomeOf } from "#replay/totals.ts";
import type { Arguments } from "../arguments.ts";
import type { Call } from "../command.ts";
import { UsageFault } from "../faults.ts";
import { readFitted } from "../fitted-constants.ts";
import { bpsOf } from "../percent.ts";
import { readerReport } from "./early-reader.ts";
import { readHistory } from "./file.ts";
import { documentOf, type HorizonResult, type Run, tableOf } from "./report.ts";

export async function runReplay({ args, screen }: Call): Promise<undefined> {
  const { index, level, from, to, every, horizons, ...common } = optionsOf(args);
  const history = await readable(() => readHistory(args.word("file"), index, level));
  refuseUnknownStates(history, common.states);
  const file = basename(args.word("file"));
  const path = args.option("constants");
  const fitted = path === undefined ? undefined : await readable(async () => fittedIn(path, from));
  if (args.flag("early-reader")) {
    if (args.flag("reverse")) throw new UsageFault("--early-reader goes without --reverse");
    const { fundBps: _fund, ...sold } = common;
    const plan = { ...sold, ...(fitted && { fitted }) };
    const months = cohortsOf(history, { from, to, every }, 1);
    return readable(async () => {
      const { document, table } = readerReport({ file, history, plan, horizons, months });
      tell(args, screen, document, table);
      return undefined;
    });
  }
  const results: HorizonResult[] = [];
  for (const months of horizons) {
    const plan: Plan = { months, ...common, ...(fitted && { fitted }) };
    const cohorts = cohortsOf(history, { from, to, every }, months);
    screen.note(`${cohorts.length} cohorts of ${months} months …`);
    const totals = await readable(() => replayOnThreads({ history, plan, months: cohorts }));
    const reverse = args.flag("reverse") ? reverseStress(history, plan) : undefined;
    results.push({ months, totals, outcome: outcomeOf(totals), reverse });
  }
  const constants = fitted === undefined ? "production" : "by year";
  const run: Run = { file, history, constants, from, to, every, ...common, results };
  await readable(async () => tell(args, screen, documentOf(run), tableOf(run)));
  return undefined;
}

function tell(args: Arguments, screen: Call["screen"], of: object, table: string): void {
  const document = `${JSON.stringify(of, null, 2)}\n`;
  const output = args.option("output");
  if (output !== undefined) writeFileSync(output, document);
  screen.print(screen.json ? document : table);
}

/** Constants that were known when the first cohort was sold. */
function fittedIn(path: string, from: Month): KnotsByYear {
  const fitted = readFitted(readFileSync(path, "utf8"));
  const firstYear = firstYearOf(fitted);
  if (from >= monthOf(firstYear, 1)) return fitted;
  throw new Error(`--constants: they begin in ${firstYear}, after --from ${formatMonth(from)}`);
}

function refuseUnknownStates({ rows }: ProviderHistory, states: readonly string[] = []): void {
  const known = new Set(rows.map((row) => stateOf(row)?.stateCode));
  const missing = states.find((code) => !known.has(code));
  if (missing !== undefined) throw new UsageFault(`--states: the file has no place of ${missing}`);
}

/** Cohorts of which the file has the months from the sale to the settling print. */
function cohortsOf(
  history: ProviderHistory,
  { from, to, every }: { readonly from: Month; readonly to: Month; readonly every: number },
  months: number,
): readonly Month[] {
  const printed = history.rows[0]?.values.length ?? 0;
  const last = Math.min(to, history.firstMonth + printed - 1 - months);
  const cohorts: Month[] = [];
  for (let month = from; month <= last; month = addMonths(month, every)) {
    if (month >= history.firstMonth) cohorts.push(month);
  }
  if (cohorts.length > 0) return cohorts;
  throw new UsageFault(`the file has no cohort of ${months} months from --from to --to`);
}

function optionsOf(args: Arguments) {
  const index = args.option("index") ?? "zhvi";
  const level = args.option("level");
  const tier = args.option("tier") ?? "institutional";
  const states = args.option("states")?.toUpperCase().split(",");
  if (!isIndex(index)) throw new UsageFault(`--index ${index}: zhvi or zori`);
  if (level !== undefined && !isLevel(level)) {
    throw new UsageFault(`--level ${level}: one of ${Object.keys(levelScale).join(", ")}`);
  }
  if (!isTier(tier)) throw new UsageFault(`--tier ${tier}: basic, enhanced or institutional`);
  if (states?.some((state) => !/^[A-Z]{2}$/.test(state)) === true) {
    throw new UsageFault("--states: two letters each with commas between, such as CA,FL");
  }
  const [from, to] = [monthNamed(args, "from"), monthNamed(args, "to")];
  if (to < from) throw new UsageFault("--to lies before --from");
  return {
    index,
    level,
    from,
    to,
    every: monthsOf(args.option("every") ?? "1"),
    horizons: horizonsOf(args.option("months") ?? "12,24,36"),
    payoff: payoffOf(args.option("layer") ?? "500-1500"),
    tier,
    fundBps: bpsOf(args.option("fund") ?? "3", "--fund"),
    ...(states === undefined ? {} : { states }),
  };
}

const isIndex = (text: string): text is PricedIndex => text === "zhvi" || text === "zori";
const isLevel = (text: string): text is PricingLevel => Object.hasOwn(levelScale, text);
const isTier = (text: string): text is Plan["tier"] =>
  text === "basic" || text === "enhanced" || text === "institutional";

function monthNamed(args: Arguments, name: string): Month {
  const text = args.option(name) ?? "";
  const month = parseMonth(text);
  if (month === undefined) throw new UsageFault(`--${name} ${text}: a month such as 2005-01`);
  return month;
}

function monthsOf(text: string): number {
  const months = Number(text);
  if (Number.isInteger(months) && months >= 1) return months;
  throw new UsageFault(`--every ${text}: a whole number of months from 1 on`);
}

function horizonsOf(text: string): readonly number[] {
  const horizons = text.split(",").map(Number);
  if (horizons.every((months) => Number.isInteger(months) && months >= 1 && months <= 60)) {
    return horizons;
  }
  throw new UsageFault(`--months ${text}: whole numbers from 1 to 60 with commas between`);
}

/** Only what the exchange lists can be sold in it. */
function payoffOf(text: string): Plan["payoff"] {
  const [attachBps = 0, exhaustBps = 0] = text.split("-").map(Number);
  const payoff = { kind: "layered", attachBps, exhaustBps } as const;
  if (standardLayers.includes(text)) return payoff;
  throw new UsageFault(`--layer ${text}: ${standardLayers.join(", ")} (basis points)`);
}

const standardLayers = ["200-1000", "500-1500", "800-2000"];

/** A file that cannot be read, or replayed, is the fault of who named it. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((fault: unknown) => {
    throw fault instanceof Error ? new UsageFault(fault.message) : fault;
  });
}
