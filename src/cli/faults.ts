// The faults that can end a command without a result, and the exit status of each.
// Invariant: 1 = the exchange said no or could not be asked, 2 = the command was not well formed.
import { NotSent } from "#sdk/retry.ts";
import type { ExchangeResponse } from "./answer.ts";

/** The person at the keyboard can correct it; nothing was sent. */
export class UsageFault extends Error {
  override readonly name = "UsageFault";
}

/** Nothing was sent: there is nobody there. */
export class Unreachable extends NotSent {
  override readonly name = "Unreachable";
}

/** Sent, at least in part, and never answered in full: it may have been done. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** Asked twice under one Idempotency-Key, and still not known. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

/** The exchange answered, with a no. */
export class RefusedRequest extends Error {
  override readonly name = "Refused";
  readonly answer: ExchangeResponse;

  constructor(answer: ExchangeResponse) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}
