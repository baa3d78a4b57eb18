// Whether an answer settles what became of a request that was sent before and never answered.
// Invariant: yes only where the exchange has looked for the request's Idempotency-Key.

/** Of refusals before it looks: of the caller, the address or the rate, or of a late body. */
const BEFORE_THE_KEY: readonly number[] = [401, 403, 408, 421, 429];

/**
 * Behind admission a request that has taken effect is answered as it was, so a refusal there is
 * one of every attempt. `code`: of the exchange's envelope; undefined where there is none.
 */
export const isDefinite = (status: number, code: string | undefined): boolean =>
  status < 500 &&
  !BEFORE_THE_KEY.includes(status) &&
  code !== undefined &&
  code !== "IDEMPOTENCY_IN_FLIGHT";
