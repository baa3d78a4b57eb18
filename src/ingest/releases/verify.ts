// Checks the stored first prints and raw files of releases against the journal's promises.
// Invariant: writes nothing; whatever cannot be read to its end is damage, and is named.

import type { ReleaseId } from "#base/ids.ts";
import { messageOf } from "#base/message-of.ts";
import type { AcceptedRelease, ReleaseFacts } from "#core/records.ts";
import { faultOfLatest } from "../latest.ts";
import { RawFileMissing, type RawFiles } from "../raw-file.ts";
import { deliveriesOf } from "../series.ts";
import { BlocksDigest, type PrintStore } from "../store.ts";

interface Damage {
  readonly releaseId: ReleaseId;
  /** A sentence. */
  readonly message: string;
}

/**
 * Digests every block that an accepted release brought, 1.2 GB/s and more, and the newest values of
 * every series.
 */
export async function damagedPrints(
  store: Pick<PrintStore, "blocks" | "latest">,
  releases: Iterable<AcceptedRelease>,
): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  const deliveries = deliveriesOf(releases);
  for (const { key, release, printsDigest } of deliveries) {
    const digest = new BlocksDigest();
    for await (const block of store.blocks(key)) digest.add(block);
    if (digest.hex() === printsDigest) continue;
    const message = `The stored prints of ${named(release)} are not those the journal accepted.`;
    damages.push({ releaseId: release.id, message });
  }
  for (const series of Map.groupBy(deliveries, ({ release }) => seriesName(release)).values()) {
    const newest = series.findLast(({ rereadBy }) => rereadBy === 0)?.release;
    const fault = await faultOfLatest(store, series);
    if (fault === undefined || newest === undefined) continue;
    damages.push({ releaseId: newest.id, message: `Of ${named(newest)} ${fault}.` });
  }
  return damages;
}

/** The prints that were not found sound yet, of an exchange whose releases are asked for again. */
export class NewPrints {
  readonly #store: Pick<PrintStore, "blocks" | "latest">;
  readonly #sound = new Set<string>();

  constructor(store: Pick<PrintStore, "blocks" | "latest">) {
    this.#store = store;
  }

  /** Judges every series that has got a release, or places, since it was found sound. */
  async damaged(releases: readonly AcceptedRelease[]): Promise<readonly Damage[]> {
    const deliveries = deliveriesOf(releases);
    const grown = new Set(
      deliveries
        .filter(({ key }) => !this.#sound.has(key))
        .map(({ release }) => seriesName(release)),
    );
    if (grown.size === 0) return [];
    const damages = await damagedPrints(
      this.#store,
      releases.filter((release) => grown.has(seriesName(release))),
    );
    if (damages.length === 0) for (const { key } of deliveries) this.#sound.add(key);
    return damages;
  }
}

const seriesName = ({ index, level, variable }: AcceptedRelease): string =>
  `${index}|${level}|${variable ?? ""}`;

/** Unpacks and digests every raw file; one file may be the file of several releases. */
export async function damagedFiles(
  archive: Pick<RawFiles, "open">,
  releases: Iterable<ReleaseFacts>,
): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  const found = new Map<string, string | undefined>();
  for (const release of releases) {
    const { id: releaseId, sha256 } = release;
    if (!found.has(sha256)) found.set(sha256, await faultOf(archive, sha256));
    const fault = found.get(sha256);
    if (fault === undefined) continue;
    damages.push({ releaseId, message: `The raw file of ${named(release)} ${fault}.` });
  }
  return damages;
}

async function faultOf(
  archive: Pick<RawFiles, "open">,
  sha256: string,
): Promise<string | undefined> {
  try {
    for await (const _chunk of archive.open(sha256));
    return undefined;
  } catch (fault) {
    if (fault instanceof RawFileMissing) return `is missing (${sha256})`;
    return `cannot be read: ${messageOf(fault)}`;
  }
}

const named = ({ id, provider, index, level }: ReleaseFacts): string =>
  `${id} (${provider} ${index} ${level})`;
