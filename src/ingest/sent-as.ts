// What a file was sent as, and the name of the release it makes.
// Invariant: the same bytes sent as the same are the same release.
import { sha256Hex } from "#base/digest.ts";
import { type ReleaseId, releaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { QuarantinedRelease } from "#core/records.ts";
import { isPrintLevel, isProviderId } from "#prints/release.ts";
import type { ReleaseMeta } from "./desk.ts";

export const idOf = ({ provider, index, level }: ReleaseMeta, sha256: string): ReleaseId =>
  releaseId(`rel-${sha256Hex(`${provider}|${index}|${level}|${sha256}`).slice(0, 16)}`);

/** As it was sent; only a declared methodology is declared again. */
export function metaOf(held: QuarantinedRelease): ReleaseMeta {
  const { provider, index, level, publishedAtMillis, methodologyVersion } = held;
  invariant(isProviderId(provider), `${provider} is a provider`);
  invariant(isPrintLevel(level), `${level} is a level`);
  const methodology = held.methodologyChange === "declared" ? methodologyVersion : undefined;
  return { provider, index, level, publishedAtMillis, methodology };
}
