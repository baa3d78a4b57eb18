// Made-up provider files in the new state layout, and the seeded randomness that damages them.
// Invariant: the same seed gives the same bytes; no value comes from a provider.

import { readZillowWide, type ZillowFileKind, type ZillowRow } from "#ingest/sources/zillow.ts";
import type { ReleaseRefusal } from "#prints/refusal.ts";
import { ReleaseRefusal as Refusal } from "#prints/refusal.ts";

/** Mulberry32: a number in [0, 1) at each call. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number in [from, to). */
export const between = (random: () => number, from: number, to: number): number =>
  from + Math.floor(random() * (to - from));

const names = [
  "Alder",
  "Birch",
  "Cedar",
  "Dogwood",
  "Elm",
  "Fir",
  "Gum",
  "Hazel",
  "Ivy",
  "Juniper",
];

/** Month-end dates from January 2021 on. */
export function monthEnds(count: number): string[] {
  return Array.from({ length: count }, (_, offset) =>
    new Date(Date.UTC(2021, offset + 1, 0)).toISOString().slice(0, 10),
  );
}

/** Ten regions and sixty months, full precision, a leading and an interior blank. */
export function stateFile(seed = 1): string {
  const random = randomFrom(seed);
  const months = monthEnds(60);
  const lines = [["RegionID", "SizeRank", "RegionName", "RegionType", "StateName", ...months]];
  for (const [rank, name] of names.entries()) {
    let value = 100_000 + 400_000 * random();
    const values = months.map(() => {
      value *= 1 + 0.02 * (random() - 0.4);
      return String(value);
    });
    if (rank === 3) values[0] = "";
    if (rank === 4) values[30] = "";
    lines.push([String(rank + 5), String(rank), name, "state", "", ...values]);
  }
  return `${lines.map((cells) => cells.join(",")).join("\n")}\n`;
}

/** In pieces of odd sizes, as a network would bring them. */
export async function* pieces(bytes: Uint8Array, size = 997): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size)
    yield bytes.subarray(start, start + size);
}

export const stateKind: ZillowFileKind = { index: "zhvi", level: "state" };

export async function readAll(
  bytes: Uint8Array | string,
  kind: ZillowFileKind = stateKind,
): Promise<ZillowRow[]> {
  const file = await readZillowWide(pieces(Buffer.from(bytes)), kind);
  return await Array.fromAsync(file.rows);
}

/** The refusal, or undefined where the file was read to its end. Any other error is thrown. */
export async function refusalFor(
  bytes: Uint8Array | string,
  kind: ZillowFileKind = stateKind,
): Promise<ReleaseRefusal | undefined> {
  try {
    await readAll(bytes, kind);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
