// A measured figure beside what it was measured against, and how both are shown.
// Invariant: a figure that stands alone says nothing on another machine: it carries its comparison.

export interface Figure {
  readonly what: string;
  readonly value: string;
  /** The figure it is compared with, measured in the same run. */
  readonly against: string;
  readonly ratio: string;
}

/** Measures and returns its figures; `end` is called with what must be stopped afterwards. */
export type Section = (scope: Scope) => Promise<readonly Figure[]>;

export interface Scope {
  after(end: () => Promise<void>): void;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Three significant digits, with a comma for thousands: 12,345 · 1.23 · 0.0123. */
export function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}

export const times = (value: number): string => `${digits(value)} ×`;

const columns = ["what", "value", "against", "ratio"] as const;

/** For a terminal. */
export function plainTable(figures: readonly Figure[]): string {
  const rows = [Object.fromEntries(columns.map((name) => [name, name])), ...figures.map(cellsOf)];
  const widths = columns.map((name) => Math.max(...rows.map((row) => (row[name] ?? "").length)));
  return rows
    .map((row) => columns.map((name, at) => (row[name] ?? "").padEnd(widths[at] ?? 0)).join("  "))
    .join("\n");
}

/** For a document. */
export const documentTable = (figures: readonly Figure[]): string =>
  [
    "| what | figure | measured against | ratio |",
    "|---|---|---|---|",
    ...figures.map(
      ({ what, value, against, ratio }) => `| ${what} | ${value} | ${against} | ${ratio} |`,
    ),
  ].join("\n");

const cellsOf = ({ what, value, against, ratio }: Figure): Record<string, string> => ({
  what,
  value,
  against,
  ratio,
});

/** Of this thread's processor time, which other processes do not stretch. */
export function workedMillis(): number {
  const { user, system: ofKernel } = process.threadCpuUsage();
  return (user + ofKernel) / 1_000;
}
