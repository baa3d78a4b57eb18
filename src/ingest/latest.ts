// The newest values of a series of files: what tells the next file's first prints from revisions.
// Invariant: nothing is read from the store that a journal entry did not promise by its digest.
import { invariant } from "#base/invariant.ts";
import type { PackedRow } from "#prints/packed-row.ts";
import { runsOf } from "#prints/print-run.ts";
import { LatestDigest, type PrintStore } from "./store.ts";

/** The newest values that one journal entry brought for one release. */
export interface DeliveredLatest {
  readonly key: string;
  readonly latestDigest?: string | undefined;
  /** Of the entry that read the file again; 0 = the release's own. */
  readonly rereadBy: number;
}

type LatestStore = Pick<PrintStore, "latest">;

/** The stored values are not those that the journal speaks of. */
class Altered extends Error {}

/**
 * The newest values as of the last of a series' deliveries, oldest first, by the place's number;
 * `only`: those of one place. A value that nothing promised stops the node: a month that is known
 * by mistake gets no first print, and what waits for it is never settled.
 */
export async function readLatest(
  store: LatestStore,
  deliveries: readonly DeliveredLatest[],
  only?: number,
): Promise<Map<number, PackedRow>> {
  try {
    return await provenLatest(store, deliveries, only);
  } catch (fault) {
    invariant(!(fault instanceof Altered), fault instanceof Error ? fault.message : "");
    throw fault;
  }
}

/** The fault in the stored newest values of a series; undefined where there is none. */
export async function faultOfLatest(
  store: LatestStore,
  deliveries: readonly DeliveredLatest[],
): Promise<string | undefined> {
  try {
    await provenLatest(store, deliveries);
    return undefined;
  } catch (fault) {
    if (fault instanceof Altered) return fault.message;
    throw fault;
  }
}

async function provenLatest(
  store: LatestStore,
  deliveries: readonly DeliveredLatest[],
  only?: number,
): Promise<Map<number, PackedRow>> {
  const latest = new Map<number, PackedRow>();
  for (const { key, latestDigest } of counting(deliveries)) {
    const digest = new LatestDigest();
    for await (const block of store.latest(key)) {
      digest.add(block);
      for (const run of runsOf(block.bytes)) {
        if (only === undefined || run.place === only) latest.set(run.place, run.row());
      }
    }
    if (digest.hex() !== latestDigest) throw new Altered(notPromised(key));
  }
  return latest;
}

const notPromised = (key: string): string =>
  `the newest values stored for ${key} are not those that the journal accepted; restore the ` +
  "database from a backup";

/**
 * A release holds the newest values of its whole series; what was read again since, those of the
 * places it was read for, and of one entry the last. All others are superseded.
 */
function counting(deliveries: readonly DeliveredLatest[]): readonly DeliveredLatest[] {
  const last = deliveries.findLastIndex(({ rereadBy }) => rereadBy === 0);
  return deliveries
    .slice(Math.max(last, 0))
    .filter(({ rereadBy }, at, since) => rereadBy === 0 || since[at + 1]?.rereadBy !== rereadBy);
}
