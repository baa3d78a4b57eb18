// Exact decimals: text ↔ bigint at a fixed number of places. The only way a fraction enters.
// Invariant: formatDecimal(parseDecimal(t, n), n) names the same number as t; nothing is rounded.

/**
 * Reads plain decimal text (`-?digits[.digits]`) at `places` decimals.
 * Refuses (undefined) blanks, signs other than a leading minus, exponents, `-0`, leading zeros
 * such as `007`, a bare dot, and more than `places` decimals.
 */
export function parseDecimal(text: string, places: number): bigint | undefined {
  const match = /^(-?)(0|[1-9][0-9]{0,29})(?:\.([0-9]{1,30}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  if (fraction.length > places) return undefined;
  const magnitude = BigInt(whole + fraction.padEnd(places, "0"));
  if (sign === "-" && magnitude === 0n) return undefined;
  return sign === "-" ? -magnitude : magnitude;
}

/** The shortest decimal text of `value` at `places` decimals: no trailing zeros, no bare dot. */
export function formatDecimal(value: bigint, places: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
