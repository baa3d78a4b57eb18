// The world a seed makes: how many trade, at what, what happens how often, what breaks.
// Invariant: a seed alone decides; some seeds leave things out, so that others come up often.
import type { ClockKind } from "#core/command.ts";
import { Dice } from "#test/core/dice.ts";
import { type Mix, tradingKinds, usualMix } from "#test/core/random-trading.ts";

export interface Swarm {
  readonly mix: Mix;
  readonly clock: ClockKind;
  /** Commands given at once, at most. */
  readonly burst: number;
  readonly keyPercent: number;
  readonly duplicatePercent: number;
  /** How often something strikes in a run, about. */
  readonly strikes: number;
  readonly snapshotEntries: number;
  readonly checkpointEntries: number;
  /** The longest time between two bursts. */
  readonly paceMillis: number;
  readonly stepBackPercent: number;
}

export function drawSwarm(seed: number): Swarm {
  const dice = new Dice(seed ^ 0x5eed);
  // Payments that are missed, and what is lacking of a void, are rare: more of what leads there.
  const { acceptance, voiding } = usualMix.weights;
  const usualOfSeeds = { ...usualMix.weights, acceptance: 2 * acceptance, voiding: 2 * voiding };
  const weights = { ...usualOfSeeds };
  // A third of the seeds has mandates, by dice of their own: the others stay what they are.
  const [isWithMandates, often] = [new Dice(seed ^ 0xa6d).chance(34), 40];
  weights.mandate = isWithMandates ? often : 0;
  for (const kind of tradingKinds) {
    if (kind === "mandate") continue;
    const usual = usualOfSeeds[kind];
    const drawn = dice.pick([0, usual, usual, usual * 2, Math.ceil(usual / 2)]);
    // Without orders nothing else means anything.
    if (kind !== "placement") weights[kind] = drawn;
  }
  const { prices } = usualMix;
  const kept = prices.filter(() => dice.chance(60));
  return {
    mix: {
      traders: 1 + dice.below(dice.pick([2, 5, 12, 50])),
      prices: kept.length < 2 ? prices : kept,
      sources: dice.pick([1, 2, 4]),
      fundTarget: dice.pick([0, 40, 400, 4_000]),
      isForAuctions: true,
      isForVoids: true,
      isForDebts: true,
      weights,
    },
    clock: dice.pick(["real", "real", "sandbox"]),
    burst: dice.pick([1, 4, 16]),
    keyPercent: dice.pick([0, 30, 90]),
    duplicatePercent: dice.pick([0, 5, 20]),
    strikes: dice.pick([0, 3, 8, 20]),
    // Without snapshots every recovery reads the whole journal: some, for all seeds it is too dear.
    snapshotEntries: dice.pick([100, 100, 300, 300, 1_000, 100_000]),
    checkpointEntries: dice.pick([20, 200, 200]),
    paceMillis: dice.pick([1, 2_000, 600_000]),
    stepBackPercent: dice.pick([0, 5]),
  };
}
