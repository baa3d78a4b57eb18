// Rows of a Markdown table whose cells are code: `\|` is `|`, `\n` a line, backquotes go.
// Invariant: a line that is no row of code (header, rule, prose) gives no row.

/** The cells of each row that has a path of a file in one of them. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map(unescaped),
    )
    .filter((cells) => cells.some((cell) => /^\w+\/\S+\.\w+$/.test(cell)));
}

function unescaped(cell: string): string {
  const text = cell.trim().replaceAll("\\|", "|").replaceAll("\\n", "\n");
  return /^`(.*)`$/s.exec(text)?.[1] ?? text;
}
