// A small CSV file that somebody wrote for a command: a line of names, then a line a row.
// Invariant: every cell belongs to a name that the command knows; an empty cell is left out.
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { messageOf } from "#base/message-of.ts";
import { UsageFault } from "./faults.ts";

export type FileRow<N extends string> = { readonly [K in N]?: string };

/** `path`: - = standard input. The parser is loaded here: help goes without packages. */
export async function rowsIn<N extends string>(
  path: string,
  names: readonly N[],
): Promise<readonly FileRow<N>[]> {
  const { parse } = await import("csv-parse/sync");
  const options = { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true };
  const [head = [], ...lines] = tableIn(path, (text): string[][] => parse(text, options));
  const columns = head.map((title) => {
    const known = names.find((name) => name === title);
    if (known !== undefined) return known;
    throw new UsageFault(`${path} has a column "${title}"; there are ${names.join(", ")}`);
  });
  if (lines.length === 0) throw new UsageFault(`${path} has no row below its line of names`);
  return lines.map((cells, index) => {
    if (cells.length > columns.length) {
      throw new UsageFault(`${path}, row ${index + 1}, has more cells than there are names`);
    }
    const row: { [K in N]?: string } = {};
    for (const [at, column] of columns.entries()) {
      const text = cells[at] ?? "";
      if (text !== "") row[column] = text;
    }
    return row;
  });
}

function tableIn(path: string, parse: (text: string) => string[][]): string[][] {
  try {
    const bytes = readFileSync(path === "-" ? 0 : path);
    if (!isUtf8(bytes)) refuseText(path, parse(bytes.toString("utf8")));
    return parse(bytes.toString("utf8"));
  } catch (fault) {
    if (fault instanceof UsageFault) throw fault;
    throw new UsageFault(`${path} cannot be read (${messageOf(fault)})`);
  }
}

/** Stands for bytes that are no UTF-8. */
const LOST = "\uFFFD";

/** @throws UsageFault naming the first cell whose letters are lost. */
function refuseText(path: string, [head = [], ...lines]: string[][]): never {
  const save = "save the file as CSV UTF-8";
  for (const [index, cells] of lines.entries()) {
    const at = cells.findIndex((cell) => cell.includes(LOST));
    if (at < 0) continue;
    const where = `row ${index + 1}, column ${head[at] ?? at + 1}`;
    throw new UsageFault(`${path}, ${where}: "${cells[at]}" is not UTF-8; ${save}`);
  }
  throw new UsageFault(`${path} is not text in UTF-8; ${save}`);
}
