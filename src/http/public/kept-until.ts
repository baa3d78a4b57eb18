// How long anybody may keep an answer made of first prints, without asking whether it still holds.
// Invariant: from the moment a newer print is expected until it is there, each answer is asked
// about; under a sandbox clock, whose time comes by command, every answer is.
import type { ClockKind } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";

export interface KeepingPorts {
  readonly engine: Pick<Engine, "status">;
  readonly clock: ClockKind;
}

/** A file that comes before its day is seen by those behind a cache so much later, at most. */
const LONGEST_KEPT_SECONDS = 3_600;
/** Where people may act at any moment: a market that waits for its print. */
export const LIVELY_SECONDS = 60;
/** For so long a cache may answer once more while it asks. */
const STALE_SECONDS = 60;

/** `expectedMillis`: of the next print; undefined where nobody knows. */
export function keptUntil(
  { engine, clock }: KeepingPorts,
  expectedMillis: number | undefined,
  mostSeconds = LONGEST_KEPT_SECONDS,
): Readonly<Record<string, string>> {
  if (clock !== "real" || expectedMillis === undefined) return {};
  const left = Math.floor((expectedMillis - engine.status().engineTimeMillis) / 1_000);
  const seconds = Math.min(left, mostSeconds);
  if (seconds <= 0) return {};
  const stale = Math.min(STALE_SECONDS, Math.max(0, left - seconds));
  return {
    "cache-control": `public, max-age=${seconds}, stale-while-revalidate=${stale}`,
  };
}
