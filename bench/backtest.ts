// Reruns the out-of-sample test of the reference model on a provider's wide file:
//   node bench/backtest.ts <file> [--params file] [--json file] [--index zhvi|zori]
//     [--level metro|…] [--from year]
// Invariant: prints what it measured and nothing else; the JSON file holds the same at full length.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { formatMonth } from "#base/month.ts";
import {
  type HorizonConstants,
  levelScale,
  type PricedIndex,
  type PricingLevel,
} from "#pricing/constants.ts";
import { type Panel, readPanel } from "./backtest-panel.ts";
import { backtest, horizons, type Result, type YearConstants } from "./backtest-run.ts";
import type { Scores } from "./backtest-score.ts";

const usage =
  "node bench/backtest.ts <file> [--params file] [--json file] [--index zhvi|zori] " +
  "[--level nation|state|county|metro|city|zip|neighborhood] [--from year]";

const inSample = " (fitted on outcomes to 2025, so that older origins are in-sample)";

/** Years of history before the first origin, where neither --from nor --params says. */
const FIRST_YEARS = 4;

interface Fitted {
  readonly byYear: YearConstants;
  readonly firstYear: number;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNumbers = (value: unknown, length: number): value is readonly number[] =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** Reads constants by horizon and year: {"12|2004": {"b": [5], "g": [3], "tau": …}, …}. */
export function readFitted(text: string): Fitted {
  const parsed: unknown = JSON.parse(text);
  if (!isFields(parsed)) throw new Error("params: an object with keys like 12|2004 is due");
  const known = new Map<string, HorizonConstants>();
  let firstYear = Number.POSITIVE_INFINITY;
  for (const [key, value] of Object.entries(parsed)) {
    const year = Number(/^\d+\|(\d{4})$/.exec(key)?.[1]);
    const { b, g, tau } = isFields(value) ? value : {};
    if (!(year > 0 && isNumbers(b, 5) && isNumbers(g, 3) && typeof tau === "number" && tau > 0)) {
      throw new Error(`params: "${key}" needs b of 5 numbers, g of 3 and a positive tau`);
    }
    firstYear = Math.min(firstYear, year);
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0] = b;
    const [gamma = 0, delta = 0, eta = 0] = g;
    known.set(key, { b: [b0, b1, b2, b3, b4], gamma, delta, eta, tau });
  }
  return { byYear: (months, year) => known.get(`${months}|${year}`), firstYear };
}

const isIndex = (text: string): text is PricedIndex => text === "zhvi" || text === "zori";
const isLevel = (text: string): text is PricingLevel => Object.hasOwn(levelScale, text);

/** The table: a row for each model, means over the horizons; then the reference by horizon. */
export function tableOf(panel: Panel, result: Result): string {
  const { file, index, level, nodes } = panel;
  const span = `${formatMonth(panel.firstMonth)} to ${formatMonth(panel.lastMonth)}`;
  const origins = `${result.origins} origins from ${formatMonth(result.firstOrigin)}`;
  const title = `${file}: ${index} ${level}, ${nodes.length} nodes, ${span}, ${origins}`;
  const rows = result.results.map(({ model, mean }) => [model, ...cellsOf(mean)]);
  const reference = result.results.at(-1);
  const byHorizon = Object.entries(reference?.byHorizon ?? {}).map(([months, scores]) => [
    `${reference?.model}, ${months} months`,
    ...cellsOf(scores),
  ]);
  return [title, ...aligned([headings, ...rows, ...byHorizon])].join("\n");
}

const headings = [
  "model",
  "pairs",
  "CRPS %",
  "Brier",
  "log",
  "lMSE",
  "fair/payout 2-10 / 5-15 / 8-20",
  "PIT <1% <5% >95%",
];

function cellsOf(scores: Scores): string[] {
  const { pairs, crpsPercent, brier, log, layerError, premiumOverPayout, tails } = scores;
  const digits = (value: number, places: number): string =>
    Number.isFinite(value) ? value.toFixed(places) : "-";
  return [
    String(pairs),
    digits(crpsPercent, 3),
    digits(brier, 4),
    digits(log, 4),
    digits(layerError, 2),
    premiumOverPayout.map((ratio) => digits(ratio, 2)).join(" / "),
    tails.map((share) => digits(share, 3)).join(" "),
  ];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      params: { type: "string" },
      json: { type: "string" },
      index: { type: "string", default: "zhvi" },
      level: { type: "string" },
      from: { type: "string" },
    },
  });
  const [path] = positionals;
  const { index, level } = values;
  if (path === undefined || positionals.length > 1) throw new Error(usage);
  if (!isIndex(index)) throw new Error(`--index ${index}: zhvi or zori`);
  if (level !== undefined && !isLevel(level)) throw new Error(`--level ${level}: ${usage}`);
  if (values.from !== undefined && !/^\d{4}$/.test(values.from)) throw new Error(usage);

  const panel = await readPanel(path, index, level);
  const fitted =
    values.params === undefined ? undefined : readFitted(readFileSync(values.params, "utf8"));
  const earliest = fitted?.firstYear ?? Math.floor(panel.firstMonth / 12) + FIRST_YEARS;
  const fromYear = values.from === undefined ? earliest : Number(values.from);
  const result = backtest(panel, fromYear, fitted?.byYear);
  const constants = fitted === undefined ? "production" : "by year";
  console.log(tableOf(panel, result));
  console.log(`constants: ${constants}${fitted === undefined ? inSample : ""}`);
  if (values.json !== undefined) {
    writeFileSync(
      values.json,
      `${JSON.stringify(documentOf(panel, result, constants), null, 2)}\n`,
    );
  }
}

/** The JSON document: where the figures come from, then every model with every horizon. */
export function documentOf(panel: Panel, result: Result, constants: string) {
  const { file, index, level, stepMonths, nodes, firstMonth, lastMonth } = panel;
  return {
    file,
    index,
    level,
    stepMonths,
    nodes: nodes.length,
    firstMonth: formatMonth(firstMonth),
    lastMonth: formatMonth(lastMonth),
    constants,
    horizonsMonths: horizons,
    origins: result.origins,
    firstOrigin: formatMonth(result.firstOrigin),
    models: result.results,
  };
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
