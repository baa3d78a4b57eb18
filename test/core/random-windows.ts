// Windows of random runs: files that are seen, and are none; marks that know of the newest release,
// or do not; an operator's word.
// Invariant: drawn from the dice and the state alone.
import { releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import type { Actor, Command } from "#core/command.ts";
import { isAwaiting } from "#core/market/window-times.ts";
import type { State } from "#core/state.ts";
import type { Dice } from "./dice.ts";
import { publishMarks } from "./publish-marks.ts";
import { root, system } from "./world.ts";

export function randomWindow(
  { windows, releases }: State,
  dice: Dice,
  index: IndexKind,
): readonly [Actor, Command] {
  if (dice.chance(15)) return [root, { type: "OpenWindow", index, reason: "drill" }];
  const [held] = [...windows.values()].filter(isAwaiting);
  if (held !== undefined && held.marksAfter !== null && dice.chance(70)) {
    const seenReleases = held.marksAfter - (dice.chance(40) ? 1 : 0);
    return [system, publishMarks([], seenReleases)];
  }
  const [file] = held?.files ?? [];
  if (held !== undefined && file !== undefined && dice.chance(80)) {
    return [system, { type: "ForgetAwaited", index: held.index, releaseId: file }];
  }
  // Of the next few some come to be releases.
  const id = releaseId(`rel-${releases.size + 1 + dice.below(4)}`);
  return [system, { type: "AwaitRelease", index, releaseId: id }];
}
