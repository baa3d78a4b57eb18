// Lines of comma-separated text.
// Invariant: a cell is quoted only where it holds a comma or a quotation mark.

/** One line with its ending. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\n`;

const csvCell = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
