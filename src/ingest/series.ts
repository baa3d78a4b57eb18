// First prints as the store keeps them, handed on to whoever shows them.
// Invariant: every line of an accepted release is what its journal entry promised of it.
import type { NodeId, ReleaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { Month } from "#base/month.ts";
import type { ChainLevel, PrintValue } from "#base/print-value.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { LinesDigest, type PrintLine, type PrintStore, valueIn } from "./store.ts";

export interface ShownPrint {
  readonly month: Month;
  readonly valueE15: PrintValue;
  readonly levelE12: ChainLevel | null;
  readonly releaseId: ReleaseId;
  readonly backfill: boolean;
}

export interface SeriesSink {
  extend(index: IndexKind, node: NodeId, points: Iterable<ShownPrint>): void;
}

/** Hands on the first prints of one accepted release; a line that was altered stops the node. */
export async function showRelease(
  store: PrintStore,
  release: AcceptedRelease,
  sink: SeriesSink,
): Promise<void> {
  const lines = await store.lines(release.id);
  const digest = new LinesDigest();
  for (const line of lines) digest.add(line);
  invariant(
    digest.hex() === release.printsDigest,
    `the stored lines of ${release.id} are not those that the journal accepted`,
  );
  for (const line of lines) sink.extend(line.index, line.nodeId, printsOf(line));
}

function printsOf(line: PrintLine): readonly ShownPrint[] {
  return line.newPrints.flatMap(({ month, levelE12, backfill }) => {
    const valueE15 = valueIn(line, month);
    if (valueE15 === null) return [];
    return [{ month, valueE15, levelE12, backfill, releaseId: line.releaseId }];
  });
}
