// The Expires-After header: the time after which a request is not to be carried out any more.
// Invariant: it is read here and judged by the core, by the time of the command in the journal.
import { invalidField, type Refused } from "../route/errors.ts";

/** Below it a time is in seconds: 1e11 milliseconds is the year 1973. */
const SECONDS_BELOW = 1e11;

/** `values`: every Expires-After header of the request. */
export function readExpiresAfter(
  values: readonly string[],
): { readonly expiresAfterMillis?: number } | Refused {
  const [text] = values;
  if (text === undefined) return {};
  if (values.length > 1) return invalidField("Expires-After", "must be given once");
  const millis = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (millis < SECONDS_BELOW) {
    return invalidField("Expires-After", "must be Unix milliseconds, such as 1795000000000");
  }
  return { expiresAfterMillis: millis };
}
