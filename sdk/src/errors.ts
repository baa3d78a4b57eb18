// Why a request has no result: the exchange refused it, gave no answer, or something else answered.
// Invariant: `outcome` is "not_applied" only where it is known that nothing was done.
import { type ErrorCode, errorCodes, type Schemas } from "./openapi.ts";

/** Told apart by `kind`. */
export type ExchangeError = Refused | NoAnswer | ForeignAnswer;

type Refusal = Schemas["ErrorAnswer"]["error"];

/** The exchange said no, in its own envelope. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly kind = "refused";
  readonly status: number;
  /** OTHER: a code that is newer than this SDK; `error.code` has it. */
  readonly code: ErrorCode | "OTHER";
  readonly outcome: "not_applied" | "unknown";
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** As Retry-After says. */
  readonly retryAfterSeconds: number | undefined;
  /** As it came: field, errors, details, requestId. */
  readonly error: Refusal;

  constructor(response: Response, error: Refusal) {
    super(`${error.message} (${error.code}, ${response.status})`);
    this.status = response.status;
    this.code = errorCodes.includes(error.code) ? error.code : "OTHER";
    this.outcome = error.outcome === "not_applied" ? "not_applied" : "unknown";
    this.retryable = error.retryable;
    this.retryAfterSeconds = retryAfterOf(response);
    this.error = error;
  }
}

/** The connection failed or broke off. Of a write it is then unknown whether it was done. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly kind = "no-answer";
  readonly outcome = "unknown";
  /** Repeat the write with it within 24 hours: it takes effect once at most. */
  readonly idempotencyKey: string | undefined;

  constructor(why: string, idempotencyKey: string | undefined, cause?: unknown) {
    super(why, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Not in the exchange's envelope: a proxy, or another server, answers at this address. */
export class ForeignAnswer extends Error {
  override readonly name = "ForeignAnswer";
  readonly kind = "foreign";
  readonly outcome = "unknown";
  readonly status: number;

  constructor(status: number, cause?: unknown) {
    super(`the answer (status ${status}) did not come from an exchange`, { cause });
    this.status = status;
  }
}

/** The error that an answer without success stands for. */
export const errorOf = (response: Response, body: unknown): Refused | ForeignAnswer =>
  isErrorAnswer(body) ? new Refused(response, body.error) : new ForeignAnswer(response.status);

export function isErrorAnswer(body: unknown): body is Schemas["ErrorAnswer"] {
  if (!isObject(body) || !isObject(body.error)) return false;
  return typeof body.error.code === "string" && typeof body.error.message === "string";
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Whole seconds of the Retry-After header; a date, which the exchange never sends, is none. */
export function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
