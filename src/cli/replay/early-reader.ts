// A reader of each file ahead of the exchange, run and told: a row a case and length of contracts.
// Invariant: document and table tell the same figures.
import { formatMonth, type Month } from "#base/month.ts";
import {
  type ReaderCase,
  type ReaderPlan,
  readerCases,
  readerTotals,
} from "#replay/early-reader.ts";
import { type ProviderHistory, pastOf } from "#replay/past.ts";
import { readEarly } from "#replay/replay.ts";
import { aligned } from "../table.ts";

interface ReaderRun {
  readonly file: string;
  readonly history: ProviderHistory;
  readonly plan: Omit<ReaderPlan, "months">;
  /** How long contracts run. */
  readonly horizons: readonly number[];
  /** Those whose next file is read ahead. */
  readonly months: readonly Month[];
}

const words: Readonly<Record<ReaderCase["name"], string>> = {
  continuous: "before the window: orders match at once",
  auction: "auction, makers quote anew on the marks",
  withdrawn: "auction, makers' orders have cancelOnRelease",
  asleep: "auction, makers asleep, bids the new mark",
  rival: "auction, makers asleep, somebody else bids",
  alone: "auction, makers asleep, nobody else bids",
};

const headings = ["months", "case", "markets", "cents a dollar", "p95", "fee"];

/** The document of `--json`, and the table. */
export function readerReport({ file, history, plan, horizons, months: read }: ReaderRun) {
  const past = pastOf(history);
  const [from = "", to = ""] = [read.at(0), read.at(-1)].map(
    (month) => month && formatMonth(month),
  );
  const results = horizons.map((months) => ({
    months,
    cases: readEarly(past, { ...plan, months }, read).flatMap((taken, at) => {
      const one = readerCases[at];
      return one === undefined ? [] : [{ case: one.name, ...readerTotals(taken) }];
    }),
  }));
  const rows = results.flatMap(({ months, cases }) =>
    cases.map(({ case: name, markets, meanCents, p95Cents, feeCents }) => [
      String(months),
      words[name],
      String(markets),
      ...[meanCents, p95Cents, feeCents].map((cents) => cents.toFixed(2)),
    ]),
  );
  const title =
    `${file}: ${history.index} ${history.level}, orders of ${from} to ${to}, each with the next ` +
    "month's file read ahead: cents taken per dollar of coverage that rests on a side, and the fee";
  const about = { file, index: history.index, level: history.level, from, to };
  return {
    document: { ...about, horizons: results },
    table: [title, ...aligned([headings, ...rows])].join("\n"),
  };
}
