// One operator, by itself, makes a customer answer for another's loan: it passes the customer's
// account to a debtor's owner, or opens an account in the customer's name and borrows with its key.
// Invariant: whose an account is takes two people, when it is opened and later.
import assert from "node:assert/strict";
import { test } from "node:test";
import { micros, parseMicros } from "#base/money.ts";
import { owedByOwner } from "#core/acceptance/pool.ts";
import type { Actor } from "#core/command.ts";
import { wordIn } from "#core/words/told.ts";
import { atFunding, DAY_MILLIS } from "../core/premiums.ts";
import { decision, openingOf, order, root, type Trader, tick, World } from "../core/world.ts";
import { text } from "./take-out.ts";

const layer = { kind: "layered", attachBps: 500, exhaustBps: 1500 } as const;
const usd = (amount: string) => parseMicros(amount) ?? assert.fail(amount);
const CASH = "1000";

/** Anna has 1,000 USD and owes nothing; a seller offers what is worth 500. Two people operate. */
function stage() {
  const world = new World("real");
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  world.print("2024-10", "300000");
  world.lend("10000");
  const [anna, seller] = [world.trader("anna", CASH), world.trader("seller", "20000")];
  const listing = world.listing("2025-06", layer, "0.05");
  world.order(order(listing, "SELL", "10000", "0.05"), seller, listing);
  const borrow = (actor: Actor) =>
    world.try(actor, {
      type: "AcceptQuote",
      order: order(listing, "BUY", "10000", "0.05", { timeInForce: "IOC" }),
      listing,
      structure: { ...atFunding, fundsAtMillis: world.nowMillis + 30 * DAY_MILLIS },
      referenceTick: tick("0.05"),
    });
  const takesOut = ({ id: accountId }: Trader) => {
    const amountMicros = micros(owedByOwner(world.state, accountId) - usd(CASH));
    world.do(otto.actor, { type: "FundAccount", accountId, amountMicros, memo: null });
    return -amountMicros;
  };
  return { world, olga, otto, anna, borrow, takesOut };
}

test("one operator passes no customer to a debtor's owner", (t) => {
  const { world, olga, otto, anna, borrow, takesOut } = stage();
  const debtor = world.trader("debtor", "100");
  borrow(debtor.actor);
  const joins = { type: "SetOwner", accountId: anna.id, owner: debtor.id } as const;
  const waiting = wordIn("open", world.do(olga.actor, joins));
  const taken = takesOut(anna);
  t.diagnostic(`after: ${text(taken)} of her own ${CASH} USD can leave`);
  assert.equal(taken, usd(CASH));
  assert.equal(world.refused(olga.actor, joins).code, "PROPOSAL_SAME_OPERATOR");
  world.agree(otto.actor, waiting ?? assert.fail("it waits"));
  assert.equal(world.state.account(anna.id).owner, debtor.id, "two people may");
});

test("one operator opens no account in a customer's name, to borrow with its key", (t) => {
  const { world, olga, otto, anna, borrow, takesOut } = stage();
  const opening = openingOf("hers, too", "trader", [], anna.id);
  const events = world.do(olga.actor, opening);
  const key = events.find((event) => event.type === "KeyChanged")?.key;
  if (key !== undefined) {
    const { accountId, id: keyId } = key;
    world.do(olga.actor, decision(accountId, "approve", "institutional", true));
    world.do(root, { type: "FundAccount", accountId, amountMicros: usd("100"), memo: null });
    borrow({ type: "key", accountId, keyId });
  }
  const taken = takesOut(anna);
  t.diagnostic(`after: ${text(taken)} of ${CASH} USD beside an account in her name`);
  assert.equal(taken, usd(CASH));
  const waiting = wordIn("open", events) ?? assert.fail("it waits");
  world.agree(otto.actor, waiting);
  const [, account] = [...world.state.accounts].at(-1) ?? assert.fail();
  assert.equal(account.owner, anna.id, "two people may");
  assert.equal(account.vouchedBy, undefined, "nobody vouches for an account that is no operator's");
  const [shown] = world.state.keysOf(account.id);
  assert.equal(shown?.shownTo, otto.id, "whoever agreed was shown its key");
  const given = decision(account.id, "approve", "institutional", true);
  for (const one of [otto, olga]) world.do(one.actor, given);
  assert.ok(shown !== undefined);
  world.do(
    { type: "key", accountId: account.id, keyId: shown.id },
    { type: "CancelAll", marketId: null },
  );
  assert.equal(world.refused(otto.actor, given).code, "CONFLICT_OF_INTEREST", "it is in use");
  world.do(olga.actor, given);
});
