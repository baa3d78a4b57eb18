// When the clock brings something to the reference model: requests, windows and their auctions, and
// records that leave. Written from decisions 44, 79 and 86.
// Invariant: nothing of src/core is called. It is not asked of a window that is late and meets once
// a day, nor when a request that is done leaves.
import { DAY_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import type { Command } from "#core/command.ts";
import { isTrading } from "./model-ledger.ts";
import { dueOfRequests } from "./model-rfqs.ts";
import { expectedMillis } from "./model-window.ts";
import { waits, windowEndsMillis } from "./model-window-times.ts";
import type { ReferenceModel } from "./reference-model.ts";

interface ModelDue {
  readonly atMillis: number;
  readonly command: Command;
}

/** The first until then; of one moment in this order. */
export function nextDueOf(model: ReferenceModel, untilMillis: number): ModelDue | undefined {
  const all = [
    ...dueOfRequests(model),
    ...dueOfWindow(model),
    ...auctions(model),
    ...leaving(model),
  ];
  return all
    .filter(({ atMillis }) => atMillis <= untilMillis)
    .toSorted((a, b) => a.atMillis - b.atMillis)
    .at(0);
}

function dueOfWindow(model: ReferenceModel): readonly ModelDue[] {
  const { window } = model;
  const index = "zhvi";
  const expected = expectedMillis(model);
  const day: readonly ModelDue[] =
    expected === undefined || window?.forPrint === true
      ? []
      : [{ atMillis: expected, command: { type: "AwaitRelease", index, releaseId: null } }];
  const ends = window === null ? null : windowEndsMillis(window);
  if (window === null || ends === null) return day;
  if (window.isOverdue) throw new Error("late windows are not asked");
  const type = waits(window) ? "EndWindow" : "EndAuction";
  return [...day, { atMillis: ends, command: { type, index } }];
}

/** Orders that wait for each other meet as soon as they may. */
function auctions(model: ReferenceModel): readonly ModelDue[] {
  if (model.isInWindow()) return [];
  return model.waiting
    .filter((id) => isTrading(model.market(id)))
    .map((marketId) => ({
      atMillis: model.nowMillis,
      command: { type: "ResumeMatching", marketId },
    }));
}

/** A day after it was done or fell idle, with all of its minute. */
function leaving({ done, idle }: ReferenceModel): readonly ModelDue[] {
  const first = Math.min(...done.values(), ...idle.values()) + DAY_MILLIS;
  const atMillis = Math.ceil(first / MINUTE_MILLIS) * MINUTE_MILLIS;
  return Number.isFinite(first) ? [{ atMillis, command: { type: "Forget" } }] : [];
}
