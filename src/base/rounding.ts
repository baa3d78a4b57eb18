// Integer division with its direction in its name; nothing else in the project divides money.
// Invariant: mulDivDown(a,b,c) ≤ a·b/c ≤ mulDivUp(a,b,c), and they differ by at most 1.

/** floor(a·b/c) for a·b ≥ 0, c > 0. */
export function mulDivDown(a: bigint, b: bigint, c: bigint): bigint {
  return floorDiv(a * b, c);
}

/** ceil(a·b/c) for c > 0. */
export function mulDivUp(a: bigint, b: bigint, c: bigint): bigint {
  return -floorDiv(-a * b, c);
}

/** n/d to the nearest integer, ties to the even one; d > 0. */
export function divHalfEven(n: bigint, d: bigint): bigint {
  const down = floorDiv(n, d);
  const twice = 2n * (n - down * d);
  if (twice < d) return down;
  if (twice > d) return down + 1n;
  return down % 2n === 0n ? down : down + 1n;
}

/** n/d to the nearest integer, ties away from zero; d > 0: how USD fields are cut to the cent. */
export function divHalfUp(n: bigint, d: bigint): bigint {
  return n < 0n ? -floorDiv(-2n * n + d, 2n * d) : floorDiv(2n * n + d, 2n * d);
}

export function floorDiv(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  // The remainder costs a second division, and only a negative quotient needs it.
  return n < 0n !== d < 0n && n % d !== 0n ? quotient - 1n : quotient;
}
