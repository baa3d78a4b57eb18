// When the clock brings something to the reference model: requests, windows and their auctions, and
// records that leave. Written from decisions 44, 79 and 86.
// Invariant: nothing of src/core is called. It is not asked when a request that is done leaves.
import { DAY_MILLIS, MINUTE_MILLIS } from "#base/day.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Command } from "#core/command.ts";
import { isLive, isTrading } from "./model-ledger.ts";
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
    ...closings(model),
    ...dueOfWindow(model),
    ...auctions(model),
    ...leaving(model),
  ];
  return all
    .filter(({ atMillis }) => atMillis <= untilMillis)
    .toSorted((a, b) => a.atMillis - b.atMillis)
    .at(0);
}

/** The month that a market measures is over. */
function closings({ markets }: ReferenceModel): readonly ModelDue[] {
  return markets
    .filter((market) => isLive(market) && !market.tradingClosed)
    .map(({ id, terms }) => ({
      atMillis: monthEndMillis(terms.measurementMonth),
      command: { type: "CloseTrading", marketId: id },
    }));
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
  const type = waits(window) ? "EndWindow" : "EndAuction";
  return [...day, { atMillis: ends, command: { type, index } }];
}

/** Orders that wait for each other meet as soon as they may, or at the hour of a late print. */
function auctions(model: ReferenceModel): readonly ModelDue[] {
  return model.waiting.flatMap((marketId) => {
    const mayMeet = !model.isInWindow() && isTrading(model.market(marketId));
    const atMillis = mayMeet ? model.nowMillis : (model.meets.get(marketId) ?? null);
    return atMillis === null ? [] : [{ atMillis, command: { type: "ResumeMatching", marketId } }];
  });
}

/** A day after it was done or fell idle, with all of its minute. */
function leaving({ done, idle }: ReferenceModel): readonly ModelDue[] {
  const first = Math.min(...done.values(), ...idle.values()) + DAY_MILLIS;
  const atMillis = Math.ceil(first / MINUTE_MILLIS) * MINUTE_MILLIS;
  return Number.isFinite(first) ? [{ atMillis, command: { type: "Forget" } }] : [];
}
