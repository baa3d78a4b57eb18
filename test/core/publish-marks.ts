// New marks as a command, and the risk array of a market whose scenarios all end alike.
// Invariant: where a mark says nothing of scenarios, each ends at the stressed mark.
import type { Tick } from "#base/price.ts";
import { type RiskTicks, SCENARIOS_VERSION, scenarios } from "#contract/scenarios.ts";
import type { CommandOf, MarkUpdate } from "#core/command.ts";

export const flatRisk = (stressedTick: Tick): RiskTicks => scenarios.map(() => stressedTick);

type Mark = Omit<MarkUpdate, "riskTicks"> & Partial<MarkUpdate>;

export const publishMarks = (
  marks: readonly Mark[],
  seenReleases?: number,
): CommandOf<"PublishMarks"> => ({
  type: "PublishMarks",
  marks: marks.map((mark) => ({ riskTicks: flatRisk(mark.stressedTick), ...mark })),
  ...(seenReleases === undefined ? {} : { seenReleases }),
  scenarios: SCENARIOS_VERSION,
});
