// A lender's file of loans: a line each with zip, balance and loan-to-value ratio.
// Invariant: a line counts whole or not at all; one that does not is told by its number and field.

export interface Loan {
  readonly zip: string;
  /** Still owed, in dollars. */
  readonly balance: number;
  /** Of the home's worth, in percent. */
  readonly ltv: number;
}

export interface BadLine {
  /** As editors count: the heading is line 1. */
  readonly line: number;
  readonly field: Column | undefined;
  readonly words: string;
}

export interface LoanFile {
  readonly loans: readonly Loan[];
  readonly bad: readonly BadLine[];
}

const columns = ["zip", "balance", "ltv"] as const;
type Column = (typeof columns)[number];

export const MOST_LINES = 50_000;
const MOST_BALANCE = 1e9;
const MOST_LTV = 200;

/** The fields of a line of CSV; quotes may stand around each. */
function fieldsOf(line: string): readonly string[] {
  const fields = line.match(/(?<=^|,)(?:\s*"(?:[^"]|"")*"\s*|[^,]*)(?=,|$)/g) ?? [];
  return fields.map((field) => {
    const text = field.trim();
    return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
  });
}

export function readLoans(text: string): LoanFile {
  const [heading = "", ...lines] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const names = fieldsOf(heading.toLowerCase());
  const places = columns.map((column) => names.indexOf(column));
  const missing = columns.filter((_, at) => (places[at] ?? -1) < 0);
  const whole = (words: string): LoanFile => ({
    loans: [],
    bad: [{ line: 1, field: missing[0], words }],
  });
  if (missing.length > 0)
    return whole(`the first line names no ${missing.join(", no ")}: it has to be zip,balance,ltv`);
  if (lines.length > MOST_LINES)
    return whole(`the file has ${lines.length} lines; ${MOST_LINES} are read at most`);
  const lost = lostLetter(names, lines);
  if (lost !== undefined) return { loans: [], bad: [lost] };
  const loans: Loan[] = [];
  const bad: BadLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const fields = fieldsOf(line);
    const [zip = "", balance = "", ltv = ""] = places.map((place) => fields[place]);
    const fault = faultOf(zip, balance, ltv);
    if (fault === undefined) loans.push({ zip, balance: numberOf(balance), ltv: numberOf(ltv) });
    else bad.push({ line: at + 2, ...fault });
  }
  return { loans, bad };
}

/** Stands for bytes that are no UTF-8: a browser reads every file as that. */
const LOST = "\uFFFD";

/** The first cell with a letter that was saved in another encoding: the file is read whole or not. */
function lostLetter(names: readonly string[], lines: readonly string[]): BadLine | undefined {
  const at = lines.findIndex((line) => line.includes(LOST));
  if (at < 0) return undefined;
  const place = fieldsOf(lines[at] ?? "").findIndex((field) => field.includes(LOST));
  const name = names[place] ?? `number ${place + 1}`;
  const line = 2 + at;
  return {
    line,
    field: columns.find((column) => column === name),
    words: `column ${name} holds a letter that is not UTF-8: save the file as CSV UTF-8`,
  };
}

/** "$310,000" and "80%" are numbers too; what is none is NaN. */
function numberOf(text: string): number {
  const plain = text.replace(/^\$|%$/g, "").replaceAll(/(?<=\d),(?=\d{3})/g, "");
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

function faultOf(zip: string, balance: string, ltv: string): Omit<BadLine, "line"> | undefined {
  if (/^\d{3,4}$/.test(zip))
    return { field: "zip", words: `“${zip}” has lost its leading zero: a zip code has 5 digits` };
  if (!/^\d{5}$/.test(zip)) return { field: "zip", words: `“${zip}” is no zip code of 5 digits` };
  const owed = numberOf(balance);
  if (!(owed > 0 && owed <= MOST_BALANCE))
    return { field: "balance", words: `“${balance}” is no amount of dollars above 0` };
  const ratio = numberOf(ltv);
  if (ratio > 0 && ratio <= 2)
    return { field: "ltv", words: `“${ltv}” is a share: write it in percent, such as 80` };
  if (!(ratio > 0 && ratio <= MOST_LTV))
    return { field: "ltv", words: `“${ltv}” is no percentage from 2 to ${MOST_LTV}` };
  return undefined;
}
