// A contributor of the fund hides its cash in an order while another seller defaults, then
// owes its assessment, cancels the order and takes everything out.
// Invariant: what an account owes the fund is paid before any of its cash leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMicros, type Micros, micros, parseMicros } from "#base/money.ts";
import { stageOf } from "../core/waterfall-stage.ts";
import { order, root } from "../core/world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const usd = (text: string): Micros => parseMicros(text) ?? assert.fail(text);

test("cash that stood in an order pays the assessment before its owner takes it out", (t) => {
  const weak = { contracts: 1_000, cash: "200" };
  const contributor = { contracts: 3_000, cash: "9000" };
  const { world, sellers, mark, defaultWith } = stageOf({
    target: "10000",
    sold: [weak, contributor],
  });
  mark("0.1");
  const member = sellers[1] ?? assert.fail();
  const listing = world.listing("2025-10", layer);
  const take = (amountMicros: bigint) => ({
    type: "FundAccount" as const,
    accountId: member.id,
    amountMicros: micros(-amountMicros),
    memo: null,
  });
  const hidden: bigint[] = [];
  const { loss } = defaultWith(usd("180"), () => {
    hidden.push(world.available(member));
    world.order(order(listing, "BUY", "13876", "0.5"), member, listing);
    world.do(root, take(world.available(member)));
  });
  assert.equal(loss.assessedOwedMicros, usd("15"));
  assert.ok((hidden[0] ?? 0n) > usd("7000"));

  const fund = world.state.balance("guarantee");
  const [id = assert.fail()] = world.state.openOrders.get(member.id) ?? [];
  world.do(member.actor, { type: "CancelOrder", orderId: id });
  world.do(root, take(world.available(member)));
  const owes = world.state.account(member.id).contribution?.owesMicros ?? 0n;
  t.diagnostic(`after: ${formatMicros(micros(owes))} USD of 15 kept from the fund`);
  assert.equal(owes, 0n);
  assert.equal(world.state.balance("guarantee") - fund, usd("15"));
});
