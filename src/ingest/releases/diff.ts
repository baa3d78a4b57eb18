// The falls between two releases, counted on the raw files of both.
// Invariant: a place is compared only where both files carry its region.
import { countFalls, type FallCounts, type GrowthPair, growthBetween } from "#prints/growth.ts";
import { type PackedRow, packRow, unpackRow } from "#prints/packed-row.ts";
import type { ProviderRow } from "../sources/provider-file.ts";

export async function fallsBetween(
  earlier: AsyncIterable<ProviderRow>,
  later: AsyncIterable<ProviderRow>,
  fallBps: number,
): Promise<FallCounts> {
  const before = new Map<string, PackedRow>();
  for await (const { regionId, history } of earlier) before.set(regionId, packRow(history));
  const pairs: GrowthPair[] = [];
  for await (const { regionId, history } of later) {
    const old = before.get(regionId);
    const pair = old === undefined ? undefined : growthBetween(unpackRow(old), history);
    if (pair !== undefined) pairs.push(pair);
  }
  return countFalls(pairs, fallBps);
}
