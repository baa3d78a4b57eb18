// First prints as the store keeps them, handed on to whoever shows them.
// Invariant: every block of an accepted release is what its journal entry promised of it.
import { invariant } from "#base/invariant.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { runsOf } from "#prints/print-run.ts";
import type { KnownPlaces, SeriesSink } from "./known-places.ts";
import { BlocksDigest, type PrintBlock, type PrintStore } from "./store.ts";

/**
 * Hands on the first prints of one accepted release; a block that was altered stops the node.
 * Everything is digested before anything is shown: 1 GB takes half a second.
 */
export async function showRelease(
  store: PrintStore,
  release: AcceptedRelease,
  places: KnownPlaces,
  sink: SeriesSink,
): Promise<void> {
  const digest = new BlocksDigest();
  const blocks: PrintBlock[] = [];
  for await (const block of store.blocks(release.id)) {
    digest.add(block);
    blocks.push(block);
  }
  invariant(
    digest.hex() === release.printsDigest,
    `the stored prints of ${release.id} are not those that the journal accepted`,
  );
  for (const { firstPlace, places: text, bytes } of blocks) {
    if (text !== "") {
      invariant(firstPlace === places.count, `places of ${release.id} follow those before`);
      places.add(text);
    }
    for (const run of runsOf(bytes)) places.printsOf(run.place).take(run, release.id);
  }
  places.close(release.id);
  sink.changed();
}
