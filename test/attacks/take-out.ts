// The cash that an attacker has in the end: all that the exchange lets go.
import { formatMicros, micros } from "#base/money.ts";
import { isRejected } from "#core/outcome.ts";
import { root, type Trader, type World } from "../core/world.ts";

/** Takes out all that the exchange lets go, once no order holds any of it. */
export function takeOut(world: World, { id, actor }: Trader): bigint {
  let taken = 0n;
  world.try(actor, { type: "CancelAll", marketId: null });
  for (let amount = 1n << 45n; amount > 0n; amount /= 2n) {
    const amountMicros = micros(-amount);
    const command = { type: "FundAccount", accountId: id, amountMicros, memo: null } as const;
    if (!isRejected(world.try(root, command))) taken += amount;
  }
  return taken;
}

export const text = (amount: bigint): string => formatMicros(micros(amount));
