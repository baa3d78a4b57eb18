// Premiums paid over time: early, when due, at funding, too late, and never.
// Invariant: the seller sells at the mark, so that all of a premium can be lent.
import { acceptanceId } from "#base/ids.ts";
import { monthsLaterMillis } from "#base/month.ts";
import type { Entry } from "#core/outcome.ts";
import {
  accept,
  atFunding,
  DAY_MILLIS,
  installments,
  NOW,
  scene,
  usd,
} from "#test/core/premiums.ts";
import { order, root, type Trader } from "#test/core/world.ts";

const threeMonths = { ...installments, months: 3 } as const;
const monthLater = (count: number): number => monthsLaterMillis(NOW, count);

const key = {
  label: "desk",
  prefix: "fp_test_desk",
  digest: "desk",
  permissions: ["read:markets"],
  ratePerMinute: null,
  expiresAtSeconds: null,
} as const;

export function premiums(): readonly Entry[] {
  const stage = scene("30");
  const { world, buyer, seller, marketId } = stage;
  world.do(buyer.actor, { type: "CreateKey", key });
  accept(stage, threeMonths);
  world.do(buyer.actor, {
    type: "PayAcceptance",
    acceptanceId: acceptanceId("acp-1"),
    through: 1,
  });
  const another = (name: string, cash: string): Trader => {
    world.order(order({ marketId }, "SELL", "100", "0.10"), seller);
    return world.trader(name, cash);
  };
  accept({ ...stage, buyer: another("funded", "40") }, atFunding);
  const late = another("late", "2.05");
  accept({ ...stage, buyer: late }, installments);
  const never = another("never", "2.05");
  accept({ ...stage, buyer: never }, installments);
  world.runTo(monthLater(1));
  const buy = order({ marketId }, "BUY", "1", "0.01");
  world.refused(never.actor, { type: "PlaceOrder", order: buy, listing: null });
  const amountMicros = usd("1");
  world.do(root, { type: "FundAccount", accountId: late.id, amountMicros, memo: null });
  world.runTo(monthLater(1) + 5 * DAY_MILLIS);
  world.do(root, { type: "FundAccount", accountId: late.id, amountMicros: usd("20"), memo: null });
  world.runTo(monthLater(3));
  return world.journal;
}
