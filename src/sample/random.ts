// Seeded randomness for the sample: streams of numbers that are the same on every machine.
// Invariant: only integer operations, + − × ÷ and a division by a power of two; no Math.random.
import { taggedHex } from "#base/digest.ts";

/** A number in [0, 1) at each call, with 32 random bits. */
export type Random = () => number;

/**
 * The stream of a seed and a name (sfc32). Each use has a stream of its own name, so a place or a
 * release that is added leaves every other number as it was.
 */
export function randomOf(seed: number, name: string): Random {
  const hex = taggedHex("firstprint/sample-random/v1", `${seed}|${name}`);
  const word = (at: number): number => Number.parseInt(hex.slice(8 * at, 8 * at + 8), 16) | 0;
  let [a, b, c, count] = [word(0), word(1), word(2), word(3)];
  return () => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 4_294_967_296;
  };
}

/** Mean 0, deviation 1, never beyond 6: twelve uniforms, which needs no logarithm. */
export function bell(random: Random): number {
  let sum = -6;
  for (let count = 0; count < 12; count += 1) sum += random();
  return sum;
}

/** A whole number in [from, to]. */
export const wholeBetween = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));
