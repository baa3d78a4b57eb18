// Drawn protections of accounts and of groups of orders, and resets of groups about as often.
// Invariant: nothing but the dice decide.
import { lots } from "#base/quantity.ts";
import type { Command } from "#core/command.ts";
import type { Dice } from "./dice.ts";

export function randomGroup(dice: Dice): Command {
  const group = dice.pick(["north", "south"]);
  if (dice.chance(40)) return { type: "ResetGroup", group };
  const withinMillis = dice.pick([0, 250, 60_000, 86_400_000]);
  const maxLots = lots(BigInt(1 + dice.below(8_000)));
  return { type: "SetGroup", group, withinMillis, maxLots, maxFills: dice.pick([null, 1, 2]) };
}

export const randomProtection = (dice: Dice): Command => ({
  type: "SetProtection",
  withinSeconds: dice.pick([0, 60, 86_400]),
  maxLots: dice.chance(50) ? lots(BigInt(1 + dice.below(8_000))) : null,
  maxFills: dice.pick([null, 1, 2]),
});
