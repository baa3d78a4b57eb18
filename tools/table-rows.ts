// Rows of a Markdown table whose cells are code: `\|` is `|`, `\n` a line, backquotes go.
// Invariant: a line that is no row of code (header, rule, prose) gives no row.

/** The cells of each row that has a path of a file in one of the first three. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map(unescaped),
    )
    .filter((cells) => cells.slice(0, 3).some((cell) => /^\w+\/\S+\.\w+$/.test(cell)));
}

function unescaped(cell: string): string {
  const text = cell.trim().replaceAll("\\|", "|").replaceAll("\\n", "\n");
  return /^`(.*)`$/s.exec(text)?.[1] ?? text;
}
