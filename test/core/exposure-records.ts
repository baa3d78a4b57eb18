// Records of one account's exposure: markets by a name, its positions and resting orders in them.
// Invariant: but for what is named here they are those of `exampleRecords`.
import { accountId, marketId, orderId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import type { Market, Order } from "#core/records.ts";
import { exampleRecords } from "./example-records.ts";
import { tick } from "./world.ts";

const { market: model, order: placed } = exampleRecords();

export const me = accountId("me");

export const market = (name: string, mark: string, stressed = mark): Market => ({
  ...model,
  id: marketId(name),
  markTick: tick(mark),
  stressedTick: tick(stressed),
});

export const holding = (name: string, contracts: bigint, flow = 0n) => ({
  accountId: me,
  marketId: marketId(name),
  heldLots: lots(contracts * 100n),
  costMicros: micros(0n),
  realisedMicros: micros(0n),
  flowMicros: micros(flow),
});

export const quote = (
  name: string,
  side: "BUY" | "SELL",
  price: string,
  contracts: bigint,
): Order => ({
  ...placed,
  id: orderId(`${side}-${name}`),
  accountId: me,
  marketId: marketId(name),
  side,
  priceTick: tick(price),
  amountLots: lots(contracts * 100n),
});
