// Records of one account's exposure: markets by a name, its positions and resting orders in them.
// Invariant: but for what is named here they are those of `exampleRecords`.
import assert from "node:assert/strict";
import { accountId, marketId, orderId, releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { lots } from "#base/quantity.ts";
import type { Market, Order } from "#core/records.ts";
import { exampleRecords } from "./example-records.ts";
import { flatRisk } from "./publish-marks.ts";
import { tick } from "./world.ts";

const { market: model, order: placed } = exampleRecords();

export const me = accountId("me");

export const market = (name: string, mark: string, stressed = mark): Market => ({
  ...model,
  id: marketId(name),
  markTick: tick(mark),
  stressedTick: tick(stressed),
  riskTicks: flatRisk(tick(stressed)),
});

const printed = parsePrintValue("1") ?? assert.fail();

/** The market once a release has told what it pays. */
export const paidOut = (one: Market, payoutMillionths: number, release = "rel-9"): Market => ({
  ...one,
  status: "RESOLVED",
  resolution: {
    outcome: payoutMillionths > 0 ? "YES" : "NO",
    payoutMillionths,
    settledValueE15: printed,
    comparisonValueE15: printed,
    releaseId: releaseId(release),
    observedAtMillis: 0,
    link: null,
    resolvedAtMillis: 0,
    disputeWindowEndsAtMillis: 0,
    finalizedAtMillis: null,
  },
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
