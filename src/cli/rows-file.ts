// A small CSV file that somebody wrote for a command: a line of names, then a line a row.
// Invariant: every cell belongs to a name that the command knows; an empty cell is left out.
import { readFileSync } from "node:fs";
import { messageOf } from "#base/message-of.ts";
import { UsageFault } from "./faults.ts";

export type FileRow<N extends string> = { readonly [K in N]?: string };

/** `path`: - = standard input. */
export function rowsIn<N extends string>(path: string, names: readonly N[]): readonly FileRow<N>[] {
  const [head = "", ...lines] = textOf(path)
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const columns = cellsOf(head).map((title) => {
    const known = names.find((name) => name === title);
    if (known !== undefined) return known;
    throw new UsageFault(`${path} has a column "${title}"; there are ${names.join(", ")}`);
  });
  if (lines.length === 0) throw new UsageFault(`${path} has no row below its line of names`);
  return lines.map((line, index) => {
    const cells = cellsOf(line);
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

const cellsOf = (line: string): readonly string[] => line.split(",").map((cell) => cell.trim());

function textOf(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (fault) {
    throw new UsageFault(`${path} cannot be read (${messageOf(fault)})`);
  }
}
