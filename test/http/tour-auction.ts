// The part of the tour in which an account defaults and its positions are offered for bids.
// Invariant: the account falls by a rule that two people announced, whatever the model's marks are.
import assert from "node:assert/strict";
import { numberAt, type Trader, textAt } from "#test/support/exchange.ts";
import type { Recorder } from "./recorder.ts";
import { clear, openTrader } from "./tour-accounts.ts";

const DAY_SECONDS = 86_400;

/** No scenario reaches it: a short is asked its tier's floor, about half of the most it can owe. */
const farOff = {
  frontendId: "mkt-104",
  index: "zhvi",
  geoNodeId: "state:tx",
  comparator: "gte",
  threshold: "500000",
  measurementMonth: "2025-06",
};

/** The keys of two operators: the first proposes, the second agrees. */
export type Operators = readonly [string, string];

/** `bidder` buys what the account sells, and bids for it when the account has defaulted. */
export async function auction(
  recorder: Recorder,
  bidder: Trader,
  operators: Operators,
): Promise<void> {
  const seller = await openTrader(recorder, "Gulf Mutual");
  await clear(recorder, seller, "800");
  const { frontendId } = farOff;
  await recorder.do("POST", "/api/admin/markets", { body: farOff });
  const order = { marketId: frontendId, outcomeIndex: 0, amount: "1000", price: 0.02 };
  for (const [side, { key }] of [
    ["SELL", seller],
    ["BUY", bidder],
  ] as const) {
    await recorder.do("POST", "/api/trading/orders", { key, body: { ...order, side } });
  }
  await recorder.do("GET", "/api/admin/surveillance");
  await recorder.do("GET", "/api/admin/surveillance/holders");
  await demandAll(recorder, operators);
  await leaveUnmet(recorder, seller);
  await bid(recorder, seller, bidder);
}

/** From five days later on, a short is margined by the most it can ever owe. */
async function demandAll(recorder: Recorder, [key, other]: Operators): Promise<void> {
  const body = { tiers: { enhanced: { marginRequirement: 1 } } };
  const asked = await recorder.do("POST", "/api/admin/rules", { key, body });
  const params = { id: textAt(asked, "proposal", "id") };
  await recorder.do("POST", "/api/admin/proposals/:id/confirm", { key: other, params });
  const rules = await recorder.do("GET", "/api/admin/rules");
  const setTo = textAt(rules, "announced", "0", "effectiveAt");
  await recorder.do("POST", "/api/admin/clock", { body: { setTo } });
}

/** The call comes due with nothing paid. */
async function leaveUnmet(recorder: Recorder, { key }: Trader): Promise<void> {
  const health = await recorder.do("GET", "/api/liquidity/margin-health", { key });
  const called = numberAt(health, "marginCall", "calledAt");
  const due = numberAt(health, "marginCall", "dueAt");
  assert.ok(due - called >= DAY_SECONDS);
  await recorder.do("POST", "/api/admin/clock", { body: { advanceSeconds: due - called } });
}

async function bid(recorder: Recorder, seller: Trader, { key }: Trader): Promise<void> {
  const health = await recorder.do("GET", "/api/liquidity/margin-health", { key: seller.key });
  const params = { auctionId: textAt(health, "inDefault", "auctionId") };
  const bids = "/api/trading/auctions/:auctionId/bids";
  await recorder.do("POST", bids, { key, params, body: { amount: "40.00" } });
  await recorder.do("GET", "/api/trading/auctions", { key });
  await recorder.do("DELETE", bids, { key, params });
}
