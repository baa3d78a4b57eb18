// The raw file of an accepted release, read again: all of it, or one region's line.
// Invariant: every read goes to the file's end, which proves its bytes.
import { invariant } from "#base/invariant.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { ReleaseRefusal } from "#prints/refusal.ts";
import { isPrintLevel } from "#prints/release.ts";
import type { RawFiles } from "../raw-file.ts";
import { isWide, openProviderFile } from "../sources/open-provider-file.ts";
import type { ProviderFile, ProviderRow } from "../sources/provider-file.ts";
import { linesOfRegion } from "./vintage.ts";

type Archive = Pick<RawFiles, "open">;

/** `region`: of a file that is wide only this one's line. */
export function openAccepted(
  archive: Archive,
  release: AcceptedRelease,
  region?: string,
): Promise<ProviderFile> {
  const { index, level, sha256 } = release;
  const bytes = archive.open(sha256);
  const source = region !== undefined && isWide(index) ? linesOfRegion(bytes, region) : bytes;
  invariant(isPrintLevel(level), `${level} is a level`);
  return openProviderFile(source, { ...release, level });
}

/** Undefined where the file has no such region. About a second for one of every zip. */
export async function lineOf(
  archive: Archive,
  release: AcceptedRelease,
  region: string,
): Promise<ProviderRow | undefined> {
  try {
    return await regionIn(await openAccepted(archive, release, region), region);
  } catch (fault) {
    // The form of a provider's file is judged over all its lines; one line alone may look rounded.
    if (!(fault instanceof ReleaseRefusal)) throw fault;
    return regionIn(await openAccepted(archive, release), region);
  }
}

async function regionIn({ rows }: ProviderFile, region: string): Promise<ProviderRow | undefined> {
  let found: ProviderRow | undefined;
  for await (const row of rows) {
    if (row.regionId === region || row.otherIds?.includes(region) === true) found = row;
  }
  return found;
}
