// Changes of the rules, marks, and deposits for what cannot pay, as a seed draws them: what bends a
// seed's own trading most.
// Invariant: nothing but the dice and the state decides.
import { micros } from "#base/money.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { Command } from "#core/command.ts";
import { kycTiers } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import type { State } from "#core/state.ts";
import type { Dice } from "./dice.ts";
import { publishMarks } from "./publish-marks.ts";
import { anyMarket } from "./random-ends.ts";
import { tick } from "./world.ts";

export function randomRules(rules: Rules, dice: Dice): Command {
  if (dice.chance(15)) {
    const bust = { bandTicks: dice.pick([300, 1_000, 3_000]) };
    const windowMinutes = dice.pick([5, 30, 1_440]);
    return { type: "SetRules", rules: { bust: { ...bust, windowMinutes } } };
  }
  if (dice.chance(10)) {
    return { type: "SetRules", rules: { price: { carryBps: dice.pick([0, 400, 900]) } } };
  }
  if (dice.chance(35)) {
    return fundOf(dice.pick([0, 4, 40, 400, 4_000]));
  }
  if (dice.chance(30)) {
    const shareBps = dice.pick([500, 2_000, 5_000]);
    const floorMicros = dice.pick([0n, 5_000_000n, 100_000_000_000n]);
    const rateBps = dice.pick([0, 500, 4_000]);
    return {
      type: "SetRules",
      rules: { concentration: { shareBps, floorMicros: micros(floorMicros), rateBps } },
    };
  }
  const tier = dice.pick(kycTiers);
  const requirementBps = dice.pick([200, 500, 1_000, 3_333, 10_000]);
  const changed = { ...rules.tiers[tier], requirementBps, feeBps: dice.pick([0, 50, 300]) };
  return { type: "SetRules", rules: { ...rules, tiers: { ...rules.tiers, [tier]: changed } } };
}

/** So many USD are what the guarantee fund is to have. */
export const fundOf = (dollars: number): Command => {
  const targetMicros = micros(BigInt(dollars) * 1_000_000n);
  return { type: "SetRules", rules: { fund: { targetMicros } } };
};

/** Into the guarantee fund, little of it, or its exchange's layer; or into the pool, and out. */
export function randomDeposit(dice: Dice): Command {
  const amountMicros = micros(BigInt(1 + dice.below(3_000_000)));
  const layer = dice.chance(50) ? ({ layer: "exchange" } as const) : {};
  if (dice.chance(60)) return { type: "FundGuarantee", amountMicros, memo: null, ...layer };
  const isTaken = dice.chance(40);
  const moved = isTaken ? micros(-40n * amountMicros) : micros(20n * amountMicros);
  return { type: "FundFinancing", amountMicros: moved, memo: null };
}

/** Often back to where the orders are; now and then far off, so that somebody is liquidated. */
export function randomMarks(state: State, dice: Dice, prices: readonly string[]): Command {
  const marks = [anyMarket(state, dice), anyMarket(state, dice)].map((id) => {
    const markTick = tick(dice.chance(60) ? "0.05" : dice.pick(prices));
    const stressedTick = tick(dice.chance(70) ? "0.06" : "0.9");
    // An older store's marks have no array; a column may bind, and be below the mark.
    const riskTicks = scenarios.map(() => tick(dice.pick(["0.01", "0.06", "0.2", "0.9"])));
    const risk = dice.chance(50) ? { riskTicks } : {};
    return { marketId: id, markTick, stressedTick, ...risk };
  });
  return publishMarks(marks);
}
