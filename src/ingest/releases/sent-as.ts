// The kind a file was sent as, and the name of the release it makes.
// Invariant: the same bytes sent as the same are the same release.
import { sha256Hex } from "#base/digest.ts";
import { type ReleaseId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import type { QuarantinedRelease, ReleaseFacts } from "#core/records.ts";
import { isPrintLevel, isProviderId, type PrintLevel, type ProviderId } from "#prints/release.ts";

export interface ReleaseMeta {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly publishedAtMillis: number;
  /** Declared by the operator; undefined = as before, unless another is detected. */
  readonly methodology?: string | undefined;
  /** The name of the file, where it has one. */
  readonly fileName?: string | undefined;
}

/** The fields that name the files of one kind. */
export type SentAs = Pick<ReleaseFacts, "provider" | "index" | "level">;

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
