// The record of a margin call, as an account keeps it.
// Invariant: its due time stays as it was told.
import type { Micros } from "#base/money.ts";

/** The time an account below health 1 has to come back to it. */
export interface MarginCall {
  readonly calledAtMillis: number;
  readonly dueAtMillis: number;
  /** The cash it lacked of health 1 when it was called. */
  readonly amountMicros: Micros;
  /** Present once the journal has an entry of its own for the call. */
  readonly reported?: true;
}
