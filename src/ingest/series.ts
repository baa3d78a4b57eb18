// First prints as the store keeps them, handed on to whoever shows them.
// Invariant: every block that counts is what a journal entry promised of it.
import type { ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { runsOf } from "#prints/print-run.ts";
import type { DeliveredLatest } from "./latest.ts";
import type { KnownPlaces, SeriesSink } from "./places/known-places.ts";
import { BlocksDigest, type PrintBlock, type PrintStore } from "./store.ts";

/**
 * The prints that one journal entry brought for one release. Its rows are stored under `key`: the
 * release's id, or that of a later reading.
 */
interface Delivery extends DeliveredLatest {
  readonly releaseId: ReleaseId;
  readonly printsDigest: string;
}

/** The key of a release's file when it is read for the nth time after its acceptance. */
export const rereadKey = (id: ReleaseId, nth: number): string => `${id}+${nth}`;

/**
 * In the order of the journal, in which places got their numbers. `releases`: in the order they
 * were accepted.
 */
export function deliveriesOf(
  releases: Iterable<AcceptedRelease>,
): readonly (Delivery & { readonly release: AcceptedRelease })[] {
  const all = [...releases].flatMap((release, at) => {
    const { id: releaseId, printsDigest, latestDigest, rereads = [] } = release;
    const whole = { key: releaseId, releaseId, printsDigest, latestDigest, rereadBy: 0 };
    return [
      { release, after: at + 1, ...whole },
      ...rereads.map(({ sequence: rereadBy, afterReleases: after, ...digests }, nth) => {
        const { printsDigest, latestDigest } = digests;
        const key = rereadKey(releaseId, nth + 1);
        return { release, after, key, releaseId, printsDigest, latestDigest, rereadBy };
      }),
    ];
  });
  return all
    .sort((one, other) => one.after - other.after || one.rereadBy - other.rereadBy)
    .map(({ after: _, ...delivery }) => delivery);
}

/**
 * Hands on the first prints of one delivery; a block that was altered stops the node.
 * Everything is digested before anything is shown: 1 GB takes half a second.
 */
export async function showDelivery(
  store: Pick<PrintStore, "blocks">,
  delivery: Delivery,
  places: KnownPlaces,
  sink: SeriesSink,
): Promise<void> {
  const { key, releaseId, printsDigest } = delivery;
  const digest = new BlocksDigest();
  const blocks: PrintBlock[] = [];
  for await (const block of store.blocks(key)) {
    digest.add(block);
    blocks.push(block);
  }
  invariant(
    digest.hex() === printsDigest,
    `the stored prints of ${key} are not those that the journal accepted`,
  );
  for (const { firstPlace, places: text, bytes } of blocks) {
    if (text !== "") {
      invariant(firstPlace === places.count, `places of ${key} follow those before`);
      places.add(text);
    }
    for (const run of runsOf(bytes)) places.printsOf(run.place).take(run, releaseId);
  }
  places.close(delivery);
  sink.changed();
}
