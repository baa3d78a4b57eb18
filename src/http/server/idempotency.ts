// Idempotency keys: which request a repeated key must equal, byte for byte.
// Invariant: two requests have one digest only when method, path, query and body are the same; the
// digest, which the journal keeps, is keyed, so that nobody can try bodies until one fits.
import { createHmac } from "node:crypto";
import { sha256Hex } from "#base/digest.ts";
import type { Idempotency } from "#core/command.ts";
import type { Engine, Result } from "#engine/engine.ts";
import { invalidField, keyInPlace, type Refused } from "../route/errors.ts";
import type { Authority } from "./auth.ts";
import { holdsKey } from "./key-codec.ts";

type Peppers = Pick<Authority, "pepper" | "formerPepper">;

interface ReadIdempotency {
  readonly idempotency: Idempotency | null;
  /** Of the same request under the former pepper, while that is taken. */
  readonly former: Idempotency | null;
}

const printable = /^[\x20-\x7e]{1,255}$/;

/** `values`: every Idempotency-Key header of the request. */
export function readIdempotency(
  values: readonly string[],
  method: string,
  url: string,
  body: Uint8Array,
  { pepper, formerPepper }: Peppers,
): ReadIdempotency | Refused {
  const [value] = values;
  if (value === undefined) return { idempotency: null, former: null };
  if (values.length > 1) return invalidField("Idempotency-Key", "must be given once");
  const key = keyOf(value);
  if (key === undefined || !printable.test(key)) {
    return invalidField(
      "Idempotency-Key",
      "must be 1 to 255 printable ASCII characters, bare or as one quoted string",
    );
  }
  if (holdsKey(key)) return invalidField("Idempotency-Key", keyInPlace);
  const text = `firstprint/request/v2\0${method}\n${url}\n${sha256Hex(body)}`;
  const under = (secret: string): Idempotency => {
    return { key, digest: createHmac("sha256", secret).update(text).digest("hex") };
  };
  const before = formerPepper();
  return { idempotency: under(pepper), former: before === undefined ? null : under(before) };
}

/**
 * The draft standard writes the key as a string of RFC 9651, in quotes, and most clients write it
 * bare: `k` and `"k"` are one key, so that a retry spelled the other way does nothing twice. A
 * value that opens a quote and is no such string is refused (undefined), since nobody can say
 * which key it is.
 */
function keyOf(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value) ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1");
}

/** A key that was first used under the former pepper is known by its digest under that. */
export async function submitOnce(
  engine: Pick<Engine, "submit">,
  given: Omit<Parameters<Engine["submit"]>[0], "idempotency">,
  idempotency: Idempotency | null,
  former: Idempotency | null,
): Promise<Result> {
  const result = await engine.submit({ ...given, idempotency });
  const isMismatch = "refused" in result && result.refused === "IDEMPOTENCY_MISMATCH";
  if (!isMismatch || former === null) return result;
  return engine.submit({ ...given, idempotency: former });
}
