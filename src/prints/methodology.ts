// The method a release was made by, and whether it differs from that of the release before it.
// Invariant: a change is never hidden; what an operator declares goes before what was detected.
import type { IndexKind } from "#base/index-kind.ts";

export interface Methodology {
  /** `zhvi/2`, or what the operator calls it. */
  readonly version: string;
  readonly change: "detected" | "declared" | null;
}

/** An operator names another method than the one before; the first release has none before. */
export const isDeclaredChange = (
  index: IndexKind,
  before: string | undefined,
  declared: string | undefined,
): boolean => declared !== undefined && declared !== (before ?? `${index}/1`);

/** `before`: the version of the newest release of the same index and level. */
export function methodologyOf(
  index: IndexKind,
  before: string | undefined,
  declared: string | undefined,
  isChanged: boolean,
): Methodology {
  const current = before ?? `${index}/1`;
  const isDeclared = isDeclaredChange(index, before, declared);
  const isDetected = before !== undefined && isChanged;
  // The name before, declared once more, says of no change that it was announced.
  const named = isDeclared ? declared : undefined;
  return {
    version: named ?? (isDetected ? nextVersion(current) : current),
    change: isDeclared ? "declared" : isDetected ? "detected" : null,
  };
}

/** `zhvi/1` → `zhvi/2`; a name without a number gets one. */
function nextVersion(version: string): string {
  const [, name = version, number = "1"] = /^(.*)\/(\d{1,6})$/.exec(version) ?? [];
  return `${name}/${Number(number) + 1}`;
}
