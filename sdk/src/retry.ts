// Sending a request until it has a definite answer, or waiting longer makes no sense.
// Invariant: only what may be sent twice is; a write that is in doubt never ends in a plain no.
import { isDefinite } from "./definite.ts";
import { isErrorAnswer, NoAnswer, retryAfterOf } from "./errors.ts";

/** How one attempt ended. `fault`: not reached, or cut before the whole answer was here. */
export type Attempt =
  | { readonly response: Response; readonly body: unknown }
  | { readonly fault: unknown };

interface Tries {
  /** Attempts made, at least 1. */
  readonly count: number;
  readonly waitedMillis: number;
  /** Attempts of a write, this one included, that may have been done. */
  readonly doubts: number;
}

/** Thrown by a `fetch` in place of the global one where it knows that not a byte was sent. */
export class NotSent extends Error {
  override readonly name: string = "NotSent";
}

/** Milliseconds until the same request is sent again; undefined = this attempt is the last. */
export type RetryRule = (attempt: Attempt, tries: Tries) => number | undefined;

interface Sending {
  /** Sends it once, always with the same Idempotency-Key. */
  send(): Promise<Response>;
  /** Undefined: it only reads. A write without a key is not to be given to `sendRepeatedly`. */
  readonly idempotencyKey: string | undefined;
  readonly rule: RetryRule;
  readonly signal?: AbortSignal | undefined;
  /** A good answer is handed on as it comes. */
  readonly streamed?: boolean;
  onWait?(attempt: Attempt, millis: number): void;
}

/** Resolves with the last attempt's answer, whatever its status. @throws NoAnswer */
export async function sendRepeatedly(sending: Sending): Promise<Response> {
  const { idempotencyKey, rule, signal } = sending;
  let waitedMillis = 0;
  let doubts = 0;
  for (let count = 1; ; count += 1) {
    const attempt = await attemptOf(sending);
    if (idempotencyKey !== undefined && isDoubt(attempt)) doubts += 1;
    const millis = signal?.aborted ? undefined : rule(attempt, { count, waitedMillis, doubts });
    if (millis === undefined) return lastOf(attempt, doubts > 0, idempotencyKey);
    sending.onWait?.(attempt, millis);
    await sleep(millis, signal);
    waitedMillis += millis;
  }
}

/** Read whole, so that a cut in it is a fault; a stream is read by the caller. */
async function attemptOf({ send, signal, streamed = false }: Sending): Promise<Attempt> {
  try {
    const response = await send();
    if (streamed && response.ok) return { response, body: undefined };
    const bytes = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    const whole = new Response(bytes.byteLength === 0 ? null : bytes, {
      status,
      statusText,
      headers,
    });
    return { response: whole, body: parsed(new TextDecoder().decode(bytes)) };
  } catch (fault) {
    if (signal?.aborted) throw fault;
    return { fault };
  }
}

function lastOf(attempt: Attempt, inDoubt: boolean, key: string | undefined): Response {
  if ("fault" in attempt) {
    if (attempt.fault instanceof NotSent && !inDoubt) throw attempt.fault;
    const why = attempt.fault instanceof Error ? messageOf(attempt.fault) : String(attempt.fault);
    throw new NoAnswer(`the exchange gave no whole answer: ${why}`, key, attempt.fault);
  }
  const { response, body } = attempt;
  const code = isErrorAnswer(body) ? body.error.code : undefined;
  if (!inDoubt || response.ok || isDefinite(response.status, code)) return response;
  const why = `an attempt had no answer, and asked again, the exchange refused it with ${
    code ?? `status ${response.status}`
  }`;
  throw new NoAnswer(`${why}: it is not known whether the write was done`, key);
}

/** The message of `fetch` is short; its cause says which connection failed, and how. */
const messageOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== "" ? `${message} (${cause.message})` : message;

/** True where the attempt may have been done without our having been told. */
export function isDoubt(attempt: Attempt): boolean {
  if ("fault" in attempt) return !(attempt.fault instanceof NotSent);
  const { response, body } = attempt;
  if (response.status < 500) return false;
  return !isErrorAnswer(body) || body.error.outcome !== "not_applied";
}

const MOST_ATTEMPTS = 8;
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 15_000;

/** Waits as Retry-After says, else longer each time; `mostWaitSeconds` in all. */
export const patientRule =
  (mostWaitSeconds: number): RetryRule =>
  (attempt, { count, waitedMillis }) => {
    if (count >= MOST_ATTEMPTS || !mayPass(attempt)) return undefined;
    const told = "response" in attempt ? retryAfterOf(attempt.response) : undefined;
    const millis = told === undefined ? pauseMillis(count, FIRST_PAUSE_MILLIS) : told * 1000;
    return waitedMillis + millis > mostWaitSeconds * 1000 ? undefined : millis;
  };

function mayPass(attempt: Attempt): boolean {
  if ("fault" in attempt) return true;
  const { response, body } = attempt;
  if (isErrorAnswer(body)) return body.error.retryable || body.error.outcome === "unknown";
  // Of a proxy: it is overloaded, or does not reach the exchange.
  return [429, 502, 503, 504].includes(response.status);
}

/** Doubled with each failure and drawn from its upper half, so that callers do not come at once. */
export const pauseMillis = (failures: number, first: number): number => {
  const longest = Math.min(first * 2 ** (failures - 1), LONGEST_PAUSE_MILLIS);
  return Math.round(longest * (0.5 + Math.random() / 2));
};

/** Ends early, with the signal's reason, where the caller gives up. */
export function sleep(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, millis);
    if (signal?.aborted) give();
    else signal?.addEventListener("abort", give, { once: true });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
