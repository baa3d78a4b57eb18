// The result of a replay, as text for a person and as JSON for a program.
// Invariant: both are drawn from the same result; the document has every cohort.
import { formatMicros, micros } from "#base/money.ts";
import { formatMonth, type Month } from "#base/month.ts";
import type { Plan } from "#replay/cohort.ts";
import type { ProviderHistory } from "#replay/past.ts";
import type { ReverseStress } from "#replay/reverse.ts";
import type { CohortTotals, ReplayOutcome } from "#replay/totals.ts";
import { aligned } from "../table.ts";

export interface HorizonResult {
  readonly months: number;
  readonly totals: readonly CohortTotals[];
  readonly outcome: ReplayOutcome;
  /** Present where it was asked for. */
  readonly reverse: ReverseStress | undefined;
}

export interface Run extends Omit<Plan, "months" | "fitted"> {
  /** The name alone. */
  readonly file: string;
  readonly history: ProviderHistory;
  /** Of the model: fitted on all outcomes there are, or on those before each year. */
  readonly constants: "production" | "by year";
  readonly from: Month;
  readonly to: Month;
  /** Months from one cohort to the next. */
  readonly every: number;
  readonly results: readonly HorizonResult[];
}

const headings = [
  "months",
  "contracts",
  "claims/coverage",
  "paid",
  "own margin",
  "fund",
  "worst cohort",
  "seller cash",
  "called",
  "lost more",
  "fund used",
];

/** A row a horizon; beneath, the cohorts that were short and the reverse stress. */
export function tableOf(run: Run): string {
  const { file, history, constants, from, to, every, tier, fundBps, states, results } = run;
  const where = states === undefined ? "" : ` in ${states.join(" ")}`;
  const title =
    `${file}: ${history.index} ${history.level}${where}, ` +
    `cohorts ${formatMonth(from)} to ${formatMonth(to)}${often(every)}, ` +
    `layer ${layerText(run)}, tier ${tier}, fund ${percent(fundBps / 10_000)} of coverage, ` +
    `constants ${constants}`;
  const rows = results.map(({ months, outcome }) => [String(months), ...cellsOf(outcome)]);
  const remarks = results.flatMap(({ months, outcome, reverse }) => [
    ...shortText(months, outcome),
    ...(reverse === undefined ? [] : [reverseText(months, reverse)]),
  ]);
  return [title, ...aligned([headings, ...rows]), ...remarks].join("\n");
}

const often = (every: number): string => (every === 1 ? "" : ` every ${every} months`);

const layerText = ({ payoff }: Run): string =>
  payoff.kind === "layered" ? `${payoff.attachBps}-${payoff.exhaustBps}` : `${payoff.strikeBps}`;

const percent = (share: number | null): string =>
  share === null ? "-" : `${(100 * share).toFixed(1)} %`;

function cellsOf(outcome: ReplayOutcome): readonly string[] {
  const { worst } = outcome;
  return [
    String(outcome.contracts),
    percent(outcome.due),
    percent(outcome.paid),
    percent(outcome.paidFromOwnMargin),
    percent(outcome.paidFromFund),
    worst === null ? "-" : `${percent(worst.paid)} ${worst.month}`,
    percent(outcome.sellerCash),
    percent(outcome.called),
    percent(outcome.lostMoreThanOwed),
    percent(outcome.fundUsed),
  ];
}

const shortText = (months: number, { short, cohorts }: ReplayOutcome): readonly string[] =>
  short.length === 0
    ? []
    : [`${months} months: ${short.length} of ${cohorts} cohorts were short, first ${short[0]}`];

function reverseText(
  months: number,
  { month, fallPercent, deepestPercent }: ReverseStress,
): string {
  const sold = `${months} months sold in ${formatMonth(month)}`;
  return fallPercent === null
    ? `${sold}: a fall of ${deepestPercent} % of all places in a year leaves every claim paid`
    : `${sold}: a fall of ${fallPercent} % of all places in a year leaves a claim unpaid`;
}

/** The JSON document: where the figures come from, then each horizon with every cohort in USD. */
export function documentOf(run: Run) {
  const { file, history, constants, from, to, every, tier, fundBps, states, results } = run;
  return {
    file,
    index: history.index,
    level: history.level,
    places: history.rows.filter(({ isNation }) => !isNation).length,
    states: states ?? null,
    from: formatMonth(from),
    to: formatMonth(to),
    every,
    layer: layerText(run),
    tier,
    fund: fundBps / 10_000,
    constants,
    horizons: results.map(({ months, totals, outcome, reverse }) => ({
      months,
      ...outcome,
      reverse: reverse === undefined ? null : reverseShown(reverse),
      byCohort: totals.map(totalsShown),
    })),
  };
}

const reverseShown = ({ month, fallPercent, deepestPercent, totals }: ReverseStress) => ({
  month: formatMonth(month),
  fallPercent,
  deepestPercent,
  totals: totals === undefined ? null : totalsShown(totals),
});

const totalsShown = ({ month, contracts, unprinted, called, lostMore, ...sums }: CohortTotals) => ({
  month: formatMonth(month),
  contracts,
  unprinted,
  called,
  lostMore,
  coverage: usd(sums.coverage),
  sellerCash: usd(sums.sellerCash),
  premium: usd(sums.premium),
  due: usd(sums.due),
  paid: usd(sums.paid),
  own: usd(sums.own),
  lost: usd(sums.lostMicros),
  fundStart: usd(sums.fundStart),
  fundLow: usd(sums.fundLow),
  fundEnd: usd(sums.fundEnd),
});

const usd = (amount: bigint): string => formatMicros(micros(amount));
