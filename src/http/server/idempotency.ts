// Idempotency keys: which request a repeated key must equal, byte for byte.
// Invariant: two requests have one digest only when method, path, query and body are the same; the
// digest, which the journal keeps, is keyed, so that nobody can try bodies until one fits.
import { createHmac } from "node:crypto";
import { sha256Hex } from "#base/digest.ts";
import type { Idempotency } from "#core/command.ts";
import { invalidField, keyInPlace, type Refused } from "../route/errors.ts";
import { holdsKey } from "./key-codec.ts";

const printable = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** `values`: every Idempotency-Key header of the request. */
export function readIdempotency(
  values: readonly string[],
  method: string,
  url: string,
  body: Uint8Array,
  pepper: string,
): { readonly idempotency: Idempotency | null } | Refused {
  const [key] = values;
  if (key === undefined) return { idempotency: null };
  if (values.length > 1) return invalidField("Idempotency-Key", "must be given once");
  if (!printable.test(key)) {
    return invalidField("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
  }
  if (holdsKey(key)) return invalidField("Idempotency-Key", keyInPlace);
  const digest = createHmac("sha256", pepper)
    .update(`firstprint/request/v2\0${method}\n${url}\n${sha256Hex(body)}`)
    .digest("hex");
  return { idempotency: { key, digest } };
}
