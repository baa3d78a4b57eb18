// API keys as text: a prefix that tells their kind, 30 random characters, a checksum of 6.
// Invariant: the server keeps only the HMAC of a secret; a mistyped key is known without a look-up.
import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { sha256Hex } from "#base/digest.ts";

/** `live` on a real clock, `test` in a sandbox, `pub` for the public surface. */
type KeyKind = "live" | "test" | "pub";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 30;
const checksumLength = 6;
const shownLength = 12;
const form = /^fp_(live|test|pub)_[0-9A-Za-z]{36}$/;

export interface NewSecret {
  /** The whole key, shown once. */
  readonly secret: string;
  /** Its first 12 characters, by which people tell keys apart. */
  readonly prefix: string;
  /** HMAC-SHA-256 under the pepper, 64 hex. */
  readonly digest: string;
}

export function newSecret(kind: KeyKind, pepper: string): NewSecret {
  let secret = `fp_${kind}_`;
  for (let at = 0; at < randomLength; at += 1) secret += base62.charAt(randomInt(base62.length));
  secret += checksum(secret);
  return { secret, prefix: secret.slice(0, shownLength), digest: secretDigest(secret, pepper) };
}

/** The kind of a key of the right form and checksum; undefined for any other text. */
export function keyKind(text: string): KeyKind | undefined {
  const kind = form.exec(text)?.[1];
  if (kind !== "live" && kind !== "test" && kind !== "pub") return undefined;
  const cut = text.length - checksumLength;
  return checksum(text.slice(0, cut)) === text.slice(cut) ? kind : undefined;
}

/** Whether a text has an API key in it, such as one that was pasted where it does not belong. */
export const holdsKey = (text: string): boolean =>
  text.includes("fp_") &&
  [...text.matchAll(/fp_(?:live|test|pub)_[0-9A-Za-z]{36}/g)].some(
    ([found]) => keyKind(found) !== undefined,
  );

export const secretDigest = (secret: string, pepper: string): string =>
  createHmac("sha256", pepper).update(secret).digest("hex");

/** Equality of secrets in a time that tells nothing about where, or in what length, they differ. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(sha256Hex(a)), Buffer.from(sha256Hex(b)));

/** The same of digests, which are of one length and say nothing of what they are digests of. */
export const sameDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let at = 0; at < checksumLength; at += 1) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
