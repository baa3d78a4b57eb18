// A long list in the form that was asked for: JSON, a line of JSON for each row, or CSV.
// Invariant: all three say the same, row by row; nothing is held but the row that is written.
import { Type } from "typebox";
import { csvLine } from "#base/csv.ts";
import type { Text } from "../route/route.ts";
import { linesType, textOf } from "../stream/item-stream.ts";

const csvType = "text/csv";
export const tableTypes = [csvType, linesType] as const;

const formats = ["json", "csv", "ndjson"] as const;
type Format = (typeof formats)[number];

export const FormatAsked = Type.Optional(
  Type.Enum([...formats], {
    description: "json, csv or ndjson; when left out, what the Accept header asks for",
  }),
);

type TableRow = Readonly<Record<string, string | number | boolean | null>>;

interface Table {
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<TableRow>;
  /** Of the file it is kept as, without its ending. */
  readonly fileName: string;
  readonly tag?: string;
}

/** `asked`: as the query says; `accept`: the header's media types. */
export function tableText(table: Table, asked: Format | undefined, accept: string): Text {
  const format = asked ?? formatIn(accept);
  const { rows, fileName, tag } = table;
  const tagged = tag === undefined ? {} : { tag: `W/"${tag}-${format}"` };
  if (format === "json") return { ...textOf("public", { items: rows }), ...tagged };
  const headers = { "content-disposition": `attachment; filename="${fileName}.${format}"` };
  const text =
    format === "csv"
      ? { contentType: `${csvType}; charset=utf-8`, pieces: csvOf(table) }
      : textOf("public", { items: rows, asLines: true });
  return { ...text, headers, ...tagged };
}

async function* csvOf({ columns, rows }: Table): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const row of rows) yield csvLine(columns.map((name) => String(row[name] ?? "")));
}

/** The first that is named and not refused by `q=0`. */
function formatIn(accept: string): Format {
  for (const range of accept.split(",")) {
    const [, type] = /^\s*([a-z/-]+)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.exec(range) ?? [];
    if (type?.toLowerCase() === csvType) return "csv";
    if (type?.toLowerCase() === linesType) return "ndjson";
  }
  return "json";
}
