// A provider's file that must not be read: why, where, and what to do about it.
// Invariant: a refusal means that nothing of the file has any effect.

export type RefusalCode =
  | "EMPTY_FILE"
  | "TOO_LARGE"
  | "BAD_GZIP"
  | "NUL_BYTE"
  | "NOT_UTF8"
  | "MIXED_LINE_ENDINGS"
  | "LINE_TOO_LONG"
  | "BROKEN_QUOTES"
  | "TRUNCATED"
  | "HEADER_MISSING"
  | "OTHER_PROVIDER"
  | "OTHER_CUT"
  | "TRANSPOSED"
  | "SPREADSHEET_DATES"
  | "WRONG_LEVEL"
  | "COLUMN_NAMES"
  | "ADDED_COLUMN"
  | "NO_MONTHS"
  | "BAD_MONTH"
  | "DUPLICATE_MONTH"
  | "MONTHS_OUT_OF_ORDER"
  | "MONTH_GAP"
  | "NO_ROWS"
  | "CELL_COUNT"
  | "BAD_REGION_ID"
  | "DUPLICATE_REGION"
  | "LEADING_ZEROS_LOST"
  | "BAD_CELL"
  | "BAD_NUMBER"
  | "NOT_POSITIVE"
  | "ROUNDED_CELLS"
  | "BAD_WORKBOOK"
  | "WRONG_SERIES"
  | "LINE_WIDTH"
  | "MISSING_REGION"
  | "OUT_OF_RANGE";

/** Where in the file: the line as a person counts (the header is line 1), the column's name. */
interface RefusalPlace {
  readonly line?: number;
  readonly column?: string;
}

/** `message` is a sentence that names the place and says what to do. */
export class ReleaseRefusal extends Error {
  override readonly name = "ReleaseRefusal";
  readonly code: RefusalCode;
  readonly line: number | null;
  readonly column: string | null;

  constructor(code: RefusalCode, place: RefusalPlace, reason: string) {
    super(`${placeText(place)}${reason}`);
    this.code = code;
    this.line = place.line ?? null;
    this.column = place.column ?? null;
  }
}

function placeText({ line, column }: RefusalPlace): string {
  if (line === undefined) return column === undefined ? "" : `Column ${column}: `;
  return column === undefined ? `Line ${line}: ` : `Line ${line}, column ${column}: `;
}
