// Tables and records in plain text: columns as wide as their widest cell, numbers to the right.
// Invariant: a cell is one line without control characters, whatever the exchange sent.
import { at } from "./answer.ts";

/** One member of an answer: where it is, what it is called, how it is written. */
export interface Field {
  readonly title: string;
  text(row: unknown): string;
}

export const field = (
  path: string,
  title: string = path,
  write: (value: unknown) => string = plain,
): Field => ({ title, text: (row) => cell(write(at(row, path))) });

export function plain(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(plain).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Unix seconds or ISO 8601 → `2024-11-20 15:00:00`, in UTC. */
export function time(value: unknown): string {
  const instant = new Date(typeof value === "number" ? value * 1000 : String(value));
  if (Number.isNaN(instant.getTime())) return plain(value);
  return instant.toISOString().slice(0, 19).replace("T", " ");
}

type Heading = (text: string) => string;

/** `heading` may colour the first line. */
export function table(
  fields: readonly Field[],
  rows: readonly unknown[],
  heading: Heading,
): string {
  const cells = rows.map((row) => fields.map((one) => one.text(row)));
  const columns = fields.map(({ title }, index) => {
    const column = cells.map((row) => row[index] ?? "");
    const numeric = column.some(isNumber) && column.every((text) => text === "-" || isNumber(text));
    return { width: Math.max(...[title, ...column].map(length)), numeric };
  });
  const line = (texts: readonly string[]): string =>
    columns
      .map(({ width, numeric }, index) => pad(texts[index] ?? "", width, numeric))
      .join("  ")
      .trimEnd();
  return [heading(line(fields.map(({ title }) => title))), ...cells.map(line)].join("\n");
}

/** One thing, a member a line. */
export function record(fields: readonly Field[], row: unknown): string {
  const width = Math.max(...fields.map(({ title }) => title.length));
  return fields.map((one) => `${one.title.padEnd(width)}  ${one.text(row)}`.trimEnd()).join("\n");
}

/** An escape sequence in a name must not reach a terminal. */
const cell = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\uFFFD");

const isNumber = (text: string): boolean => /^-?\d[\d.]*$/.test(text);

const length = (text: string): number => [...text].length;

function pad(text: string, width: number, right: boolean): string {
  const blank = " ".repeat(Math.max(0, width - length(text)));
  return right ? blank + text : text + blank;
}

/** Cells under each other as they are, the first row their headings. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
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
