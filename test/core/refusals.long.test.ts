// Where two guards would refuse, the earlier one answers: a table of every pair that can be had.
// Invariant: the order is the one the rules list, and the one of the closed list of codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId, keyId, marketId, orderId, releaseId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { printValue } from "#base/print-value.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { Permission } from "#core/records.ts";
import { type RejectionCode, rejectionCodes } from "#core/rejection.ts";
import { foundingRules } from "#core/rules.ts";
import { endAccreditation } from "./end-calls.ts";
import { publishMarks } from "./publish-marks.ts";
import {
  amendment,
  decision,
  order,
  root,
  type Trader,
  tick,
  tripProtection,
  World,
} from "./world.ts";

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

const newKey = (permissions: readonly Permission[]) => ({
  label: "k",
  prefix: "fp_test_cccc",
  digest: "k",
  permissions,
  ratePerMinute: null,
  expiresAtSeconds: null,
});

/** A market with one seller, and Anna (basic) with 100 USD, a spare key and orders of her own. */
function stage(bad: ReadonlySet<RejectionCode>) {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", "100000");
  const anna = world.trader("anna", "100", "basic");
  world.order(order(listing, "SELL", "5000", "0.99"), seller, listing);
  const used = order(listing, "BUY", "0.01", "0.0001", { clientOrderId: "used" });
  world.order(used, anna);
  if (bad.has("OPEN_ORDER_CAP")) {
    // In batches: every invariant of the world is checked after every command.
    const one = order(listing, "BUY", "0.01", "0.0001");
    for (const count of [99, ...new Array<number>(9).fill(100)]) {
      const orders = new Array<typeof one>(count).fill(one);
      world.do(anna.actor, { type: "PlaceBatch", orders, listings: [] });
    }
  }
  const actor = keyOf(world, anna, bad);
  if (bad.has("PROTECTION_TRIPPED")) tripProtection(world, anna, seller, listing);
  if (bad.has("ACCREDITATION_REQUIRED")) endAccreditation(world, anna);
  if (bad.has("KYC_REQUIRED")) world.do(root, decision(anna.id, "reject", null, false));
  if (bad.has("ACCOUNT_HALTED")) {
    world.do(root, { type: "HaltAccount", accountId: anna.id, reason: null });
  }
  if (bad.has("EXCHANGE_HALTED")) world.do(root, { type: "HaltExchange", reason: "drill" });
  if (bad.has("MARKET_CLOSED")) {
    world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
  }
  world.judgesRefusals = true;
  return { world, actor, listing };
}

function keyOf(world: World, anna: Trader, bad: ReadonlySet<RejectionCode>): Actor {
  const permissions = bad.has("PERMISSION_DENIED") ? [] : (["create:orders"] as const);
  const events = world.do(anna.actor, { type: "CreateKey", key: newKey(permissions) });
  const [made] = events;
  assert.ok(made?.type === "KeyChanged");
  if (bad.has("UNAUTHENTICATED")) {
    world.do(anna.actor, { type: "RevokeKey", keyId: made.key.id });
  }
  return { type: "key", accountId: anna.id, keyId: made.key.id };
}

/** An order that is wrong in just these ways. */
function wrong(bad: ReadonlySet<RejectionCode>, good: OrderInput): OrderInput {
  const big = bad.has("POSITION_LIMIT") ? "6000" : bad.has("INSUFFICIENT_BALANCE") ? "4000" : "1";
  return {
    ...order(good, "BUY", big, bad.has("INSUFFICIENT_BALANCE") ? "0.98" : "0.01"),
    ...(bad.has("MARKET_NOT_FOUND") ? { marketId: marketId("none") } : {}),
    ...(bad.has("INVALID_PRICE") ? { priceTick: null } : {}),
    ...(bad.has("EXPIRY_PAST") ? { expirySeconds: 1 } : {}),
    ...(bad.has("CLIENT_ORDER_ID_USED") ? { clientOrderId: "used" } : {}),
  };
}

const guards: readonly RejectionCode[] = [
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PROTECTION_TRIPPED",
  "MARKET_NOT_FOUND",
  "MARKET_CLOSED",
  "INVALID_PRICE",
  "EXPIRY_PAST",
  "POSITION_LIMIT",
  "OPEN_ORDER_CAP",
  "CLIENT_ORDER_ID_USED",
  "INSUFFICIENT_BALANCE",
];

/** Pairs that cannot both be: no market that is closed, no open orders of somebody not cleared. */
const impossible = new Set([
  "MARKET_NOT_FOUND MARKET_CLOSED",
  "KYC_REQUIRED OPEN_ORDER_CAP",
  "ACCREDITATION_REQUIRED OPEN_ORDER_CAP",
  "PROTECTION_TRIPPED OPEN_ORDER_CAP",
]);

const refusalOf = (...codes: readonly RejectionCode[]): RejectionCode => {
  const bad = new Set(codes);
  const { world, actor, listing } = stage(bad);
  const input = wrong(bad, order(listing, "BUY", "1", "0.01"));
  const single = world.refused(actor, { type: "PlaceOrder", order: input, listing: null });
  const batch = world.refused(actor, { type: "PlaceBatch", orders: [input], listings: [] });
  assert.equal(batch.code, single.code, "a batch of one is refused alike");
  return single.code;
};

test("each guard refuses alone", () => {
  for (const code of guards) assert.equal(refusalOf(code), code);
});

test("an order without fault passes all guards", () => {
  const { world, actor, listing } = stage(new Set());
  world.do(actor, { type: "PlaceOrder", order: order(listing, "BUY", "1", "0.01"), listing: null });
});

for (const [at, earlier] of guards.entries()) {
  test(`${earlier} answers before every later guard`, () => {
    for (const later of guards.slice(at + 1)) {
      if (impossible.has(`${earlier} ${later}`)) continue;
      assert.equal(refusalOf(earlier, later), earlier, `with ${later}`);
    }
  });
}

test("the guards stand in the order of the closed list", () => {
  const places = guards.map((code) => rejectionCodes.indexOf(code));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test("each trading command asks for its own permission", () => {
  const id = marketId("none");
  const { world, listing } = stage(new Set());
  const anna = world.trader("another", "10");
  const input = order(listing, "BUY", "1", "0.01");
  const rows: readonly [Command, Permission][] = [
    [{ type: "PlaceOrder", order: input, listing: null }, "create:orders"],
    [{ type: "PlaceBatch", orders: [input], listings: [] }, "create:orders"],
    [{ type: "OpenDispute", marketId: id, reason: "", evidence: null }, "create:orders"],
    [amendment({}), "create:orders"],
    [{ type: "SetProtection", withinSeconds: 0, maxLots: null, maxFills: null }, "create:orders"],
    [{ type: "ResetProtection" }, "create:orders"],
    [{ type: "CancelOrder", orderId: orderId("ord-1") }, "cancel:orders"],
    [{ type: "SetCancelAfter", seconds: 0, marketId: null }, "cancel:orders"],
    [{ type: "CancelAll", marketId: null }, "cancel:orders"],
    [{ type: "CreateKey", key: newKey([]) }, "manage:custody"],
    [{ type: "RevokeKey", keyId: keyId("key-1") }, "manage:custody"],
    [{ type: "RequestKyc", tier: "basic" }, "manage:custody"],
  ];
  const bare = keyOf(world, anna, new Set(["PERMISSION_DENIED"]));
  for (const [command, permission] of rows) {
    const refused = world.refused(bare, command);
    assert.equal(refused.code, "PERMISSION_DENIED", command.type);
    assert.equal(refused.details?.permission, permission, command.type);
    assert.equal(world.refused(root, { type: "CancelAll", marketId: null }).code, "NOT_OPERATOR");
  }
});

test("what an operator may, a trader may not; what the exchange gives itself, nobody may", () => {
  const { world, listing } = stage(new Set());
  const trader = world.trader("another", "10");
  const operator = world.open("operator", "operator");
  const id = listing.marketId;
  const forOperators: readonly Command[] = [
    { type: "FundAccount", accountId: trader.id, amountMicros: micros(1n), memo: null },
    { type: "HaltAccount", accountId: trader.id, reason: null },
    { type: "ResumeAccount", accountId: trader.id, reason: null },
    { type: "HaltExchange", reason: "drill" },
    { type: "ResumeExchange", reason: "drill" },
    { type: "PauseMarket", marketId: id, reason: "drill" },
    { type: "ResumeMarket", marketId: id, reason: "drill" },
    decision(trader.id, "approve", "basic", true),
    { type: "LoadGeo", nodes: [], sha256: "" },
    { type: "SetRules", rules: foundingRules },
    { type: "CancelMarket", marketId: id, reason: "drill" },
  ];
  for (const command of forOperators) {
    assert.equal(world.refused(trader.actor, command).code, "NOT_OPERATOR", command.type);
    world.do(operator.actor, command);
  }
  const forTheExchange: readonly Command[] = [
    publishMarks([]),
    { type: "FinalizeMarket", marketId: id },
    { type: "BeginFallback", marketId: id },
    { type: "CloseTrading", marketId: id },
    { type: "ExpireKyc", accountId: trader.id },
    { type: "ExpireAccreditation", accountId: trader.id },
    { type: "ExpireOrder", orderId: orderId("ord-1") },
    { type: "Genesis", clock: "real", chainId: "", rules: foundingRules, version: 1 },
  ];
  for (const command of forTheExchange) {
    for (const actor of [trader.actor, operator.actor, root]) {
      assert.equal(world.refused(actor, command).code, "NOT_OPERATOR", command.type);
    }
  }
});

test("a key of another account, or none, is no key", () => {
  const { world } = stage(new Set());
  const [one, two] = [world.trader("one", "1"), world.trader("two", "1")];
  assert.ok(two.actor.type === "key");
  const borrowed: Actor = { type: "key", accountId: one.id, keyId: two.actor.keyId };
  const unknown: Actor = { type: "key", accountId: one.id, keyId: keyId("key-99") };
  for (const actor of [borrowed, unknown]) {
    const refused = world.refused(actor, { type: "CancelAll", marketId: null });
    assert.equal(refused.code, "UNAUTHENTICATED");
  }
});

test("refusals of operators' commands, each in its order", () => {
  const { world, listing } = stage(new Set());
  const nobody = accountId("acc-99");
  const none = marketId("none");
  const open = world.open("open", "trader");
  const reason = "drill";
  const rows: readonly [Command, RejectionCode][] = [
    [
      { type: "FundAccount", accountId: nobody, amountMicros: micros(1n), memo: null },
      "ACCOUNT_NOT_FOUND",
    ],
    [{ type: "HaltAccount", accountId: nobody, reason }, "ACCOUNT_NOT_FOUND"],
    [decision(nobody, "approve", "basic", true), "ACCOUNT_NOT_FOUND"],
    [decision(open.id, "approve", null, false), "KYC_TIER_MISSING"],
    [decision(open.id, "approve", "basic", false), "KYC_NOT_CLEARED"],
    [{ type: "PauseMarket", marketId: none, reason }, "MARKET_NOT_FOUND"],
    [{ type: "CancelMarket", marketId: none, reason }, "MARKET_NOT_FOUND"],
    [{ type: "OpenDispute", marketId: none, reason, evidence: null }, "MARKET_NOT_FOUND"],
    [{ type: "ListMarket", listing, frontendId: null }, "MARKET_EXISTS"],
    [{ type: "SetClock", toMillis: -1 }, "CLOCK_NOT_FORWARD"],
    [
      {
        type: "DecideDispute",
        marketId: none,
        decision: "amend",
        valueE15: printValue(1n),
        evidence: null,
      },
      "MARKET_NOT_FOUND",
    ],
  ];
  for (const [command, code] of rows) assert.equal(world.refused(root, command).code, code);
});

test("a release is known, then early, then repeated", () => {
  const { world } = stage(new Set());
  const first = world.release(world.observe("2024-10", "300000"));
  assert.equal(world.refused(root, first).code, "PRINT_EXISTS");
  const early = world.release(world.observe("2024-10", "300000"), world.observe("2024-11", "1"));
  assert.equal(world.refused(root, early).code, "RELEASE_FROM_FUTURE");
  const known = { ...early, release: { ...early.release, id: releaseId("rel-1") } };
  assert.equal(world.refused(root, known).code, "RELEASE_EXISTS");
  world.runTo(Date.UTC(2024, 11, 20));
  const twice = world.release(world.observe("2024-11", "1"), world.observe("2024-11", "2"));
  assert.equal(world.refused(root, twice).code, "PRINT_EXISTS", "one month twice in a release");
});

test("a series is listed by its first order only as it stands now", () => {
  const { world, listing } = stage(new Set());
  const anna = world.trader("another", "10");
  const place = (changed: typeof listing): Command => ({
    type: "PlaceOrder",
    order: order(changed, "BUY", "1", "0.01"),
    listing: changed,
  });
  const renamed = { ...listing, marketId: marketId("srs.other") };
  assert.equal(world.refused(anna.actor, place(renamed)).code, "MARKET_NOT_FOUND");
  const bespoke = world.listing("2025-04", { ...layer, attachBps: 300 });
  assert.equal(world.refused(anna.actor, place(bespoke)).code, "MARKET_NOT_FOUND");
  const level = world.listing("2025-04", {
    kind: "level",
    comparator: "gte",
    thresholdE15: printValue(1n),
  });
  assert.equal(world.refused(anna.actor, place(level)).code, "MARKET_NOT_FOUND");
  const past = world.listing("2024-10", layer);
  assert.equal(world.refused(anna.actor, place(past)).code, "LISTING_STALE");
  const moved = world.listing("2025-05", layer);
  world.runTo(Date.UTC(2024, 11, 20));
  world.print("2024-11", "301000");
  assert.equal(world.refused(anna.actor, place(moved)).code, "LISTING_STALE");
  world.do(anna.actor, place({ ...listing, markTick: tick("0.2") }));
});
