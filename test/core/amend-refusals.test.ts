// Where two guards would refuse an amendment, the earlier one answers, in the order of placing.
// Invariant: the order is the one of the closed list of codes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OrderId, orderId } from "#base/ids.ts";
import { parseLots } from "#base/quantity.ts";
import { type RejectionCode, rejectionCodes } from "#core/rejection.ts";
import { endAccreditation } from "./end-calls.ts";
import { amendment, decision, order, root, tick, tripProtection, World } from "./world.ts";

const guards: readonly RejectionCode[] = [
  "KYC_REQUIRED",
  "ACCREDITATION_REQUIRED",
  "ACCOUNT_HALTED",
  "EXCHANGE_HALTED",
  "PROTECTION_TRIPPED",
  "ORDER_NOT_FOUND",
  "ORDER_DONE",
  "MARKET_CLOSED",
  "INVALID_PRICE",
  "EXPIRY_PAST",
  "AMOUNT_BELOW_FILLED",
  "POSITION_LIMIT",
  "INSUFFICIENT_BALANCE",
];

/** One amount cannot be too small and too large. */
const impossible = new Set([
  "AMOUNT_BELOW_FILLED POSITION_LIMIT",
  "AMOUNT_BELOW_FILLED INSUFFICIENT_BALANCE",
]);

const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;
const amount = (text: string) => parseLots(text) ?? assert.fail(text);

/** Anna (basic, 100 USD) has filled 1 of 2 of her order; the amendment is wrong in these ways. */
function refusalOf(...codes: readonly RejectionCode[]): RejectionCode {
  const bad = new Set(codes);
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-04", layer);
  const seller = world.trader("seller", "100000");
  const anna = world.trader("anna", "100", "basic");
  const { id } = world.order(order(listing, "BUY", "2", "0.01"), anna, listing);
  world.order(order(listing, "SELL", "1", "0.01"), seller);
  if (bad.has("PROTECTION_TRIPPED")) tripProtection(world, anna, seller, listing);
  if (bad.has("ACCREDITATION_REQUIRED")) endAccreditation(world, anna);
  if (bad.has("KYC_REQUIRED")) world.do(root, decision(anna.id, "reject", null, false));
  if (bad.has("ACCOUNT_HALTED")) {
    world.do(root, { type: "HaltAccount", accountId: anna.id, reason: null });
  }
  if (bad.has("EXCHANGE_HALTED")) world.do(root, { type: "HaltExchange", reason: "drill" });
  if (bad.has("ORDER_DONE") && world.state.order(id).status !== "CANCELLED") {
    world.do(anna.actor, { type: "CancelOrder", orderId: id });
  }
  if (bad.has("MARKET_CLOSED")) {
    world.do(root, { type: "PauseMarket", marketId: listing.marketId, reason: "drill" });
  }
  return world.refused(anna.actor, wrong(bad, orderId(id))).code;
}

function wrong(bad: ReadonlySet<RejectionCode>, id: OrderId) {
  const big = bad.has("POSITION_LIMIT") ? "30000" : bad.has("INSUFFICIENT_BALANCE") ? "4000" : "3";
  return amendment({
    orderId: bad.has("ORDER_NOT_FOUND") ? orderId("ord-999") : id,
    amountLots: amount(bad.has("AMOUNT_BELOW_FILLED") ? "0.99" : big),
    price: {
      tick: bad.has("INVALID_PRICE")
        ? null
        : tick(bad.has("INSUFFICIENT_BALANCE") ? "0.98" : "0.02"),
    },
    expirySeconds: bad.has("EXPIRY_PAST") ? 1 : null,
  });
}

test("each guard refuses an amendment alone", () => {
  for (const code of guards) assert.equal(refusalOf(code), code);
});

for (const [at, earlier] of guards.entries()) {
  test(`${earlier} answers an amendment before every later guard`, () => {
    for (const later of guards.slice(at + 1)) {
      if (impossible.has(`${earlier} ${later}`)) continue;
      assert.equal(refusalOf(earlier, later), earlier, `with ${later}`);
    }
  });
}

test("the guards of an amendment stand in the order of the closed list", () => {
  const places = guards.map((code) => rejectionCodes.indexOf(code));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});
