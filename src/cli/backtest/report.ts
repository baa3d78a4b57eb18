// The result of a backtest, as text for a person and as JSON for a program.
// Invariant: both are drawn from the same result; the document has every figure at full length.
import { formatMonth } from "#base/month.ts";
import type { Panel } from "#pricing/backtest/panel.ts";
import { type BacktestResult, horizons } from "#pricing/backtest/run.ts";
import type { Scores } from "#pricing/backtest/score.ts";
import { aligned } from "../table.ts";

/** The table: a row for each model, means over the horizons; then the references by horizon. */
export function tableOf(panel: Panel, result: BacktestResult): string {
  const { file, index, level, nodes } = panel;
  const span = `${formatMonth(panel.firstMonth)} to ${formatMonth(panel.lastMonth)}`;
  const origins = `${result.origins} origins from ${formatMonth(result.firstOrigin)}`;
  const title = `${file}: ${index} ${level}, ${nodes.length} nodes, ${span}, ${origins}`;
  const rows = result.results.map(({ model, mean }) => [model, ...cellsOf(mean)]);
  const byHorizon = result.results
    .filter(({ isReference }) => isReference)
    .flatMap(({ model, byHorizon: scores }) =>
      Object.entries(scores).map(([months, one]) => [
        `${model}, ${months} months`,
        ...cellsOf(one),
      ]),
    );
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
  "price/payout",
  "PIT <1% <5% >95%",
];

function cellsOf(scores: Scores): string[] {
  const { pairs, crpsPercent, brier, log, layerError, premiumOverPayout, tails } = scores;
  const { priceOverPayout } = scores;
  const digits = (value: number, places: number): string =>
    Number.isFinite(value) ? value.toFixed(places) : "-";
  return [
    String(pairs),
    digits(crpsPercent, 3),
    digits(brier, 4),
    digits(log, 4),
    digits(layerError, 2),
    premiumOverPayout.map((ratio) => digits(ratio, 2)).join(" / "),
    priceOverPayout.length === 0
      ? "-"
      : priceOverPayout.map((ratio) => digits(ratio, 2)).join(" / "),
    tails.map((share) => digits(share, 3)).join(" "),
  ];
}

/** The JSON document: where the figures come from, then every model with every horizon. */
export function documentOf(
  panel: Panel,
  result: BacktestResult,
  constants: string,
  outcomes: string | null,
) {
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
    outcomes,
    horizonsMonths: horizons,
    origins: result.origins,
    firstOrigin: formatMonth(result.firstOrigin),
    models: result.results,
  };
}
