// Why a release or a place is held: a code for programs and a sentence for people.
// Invariant: the sentence has the figures that led to the code.

type ValidationCode =
  | "UNIT_SLIP"
  | "MOVE_TOO_LARGE"
  | "MIDDLE_MOVED"
  | "MONTH_REPEATED"
  | "NOT_SMOOTH"
  | "RESTATED"
  | "HISTORY_NOT_RESCALED"
  | "REGIONS_MISSING"
  | "WRONG_MONTH"
  | "STALE_FILE"
  | "PRINT_NOT_FIRST"
  | "LAYOUT_CHANGED"
  | "RENAMED";

export interface ValidationReason {
  readonly code: ValidationCode;
  /** A sentence with the figures that led to it. */
  readonly message: string;
}
