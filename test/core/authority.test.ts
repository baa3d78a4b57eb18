// The authority for each command, the part of a refusal the journal keeps, and the state no refusal
// changes.
// Invariant: what only the exchange itself may do is refused to every key and every operator.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptanceId,
  accountId,
  auctionId,
  keyId,
  marketId,
  orderId,
  webhookId,
} from "#base/ids.ts";
import type { Actor, Command, Envelope } from "#core/command.ts";
import { isJournalled } from "#core/journalled.ts";
import { rejectionCodes } from "#core/rejection.ts";
import { foundingRules } from "#core/rules.ts";
import { State } from "#core/state.ts";
import { publishMarks } from "./publish-marks.ts";
import { root, system, World } from "./world.ts";

const some = { accountId: accountId("acc-1"), marketId: marketId("L") };

const ofTheExchange: readonly Command[] = [
  { type: "Genesis", clock: "sandbox", chainId: "test", rules: foundingRules, version: 1 },
  { type: "UpgradeRules", version: 3 },
  { type: "BeginTerm", storage: "managed" },
  { type: "CollectPayment", acceptanceId: acceptanceId("acp-1") },
  { type: "DefaultAcceptance", acceptanceId: acceptanceId("acp-1") },
  publishMarks([]),
  { type: "RereadReleases", index: "zhvi", level: "state", releases: [], newest: [] },
  { type: "ExpireOrder", orderId: orderId("ord-1") },
  { type: "FireCancelAfter", ...some },
  { type: "ReportTrip", accountId: some.accountId },
  { type: "ReportMarginCall", accountId: some.accountId },
  { type: "EndMarginCalls" },
  {
    ...{ type: "RecordMaintenance", work: "secret_changed", subject: "pepper" },
    ...{ before: "", after: "", reason: "" },
  },
  { type: "CloseAuction", auctionId: auctionId("auc-1") },
  {
    ...{ type: "SuspendWebhook", webhookId: webhookId("whk-1"), accountId: some.accountId },
    ...{ run: 1, cause: "gone", fault: "HTTP 410" },
  },
  { type: "ExpireKyc", accountId: some.accountId },
  { type: "CloseTrading", marketId: some.marketId },
  { type: "BeginFallback", marketId: some.marketId },
  { type: "FinalizeMarket", marketId: some.marketId },
];

test("what falls due, and marks, are the exchange's own: nobody else gives them", () => {
  const world = new World();
  const actors: readonly Actor[] = [
    root,
    world.open("operator", "operator").actor,
    world.open("anna", "trader").actor,
  ];
  for (const command of ofTheExchange) {
    for (const actor of actors) {
      const { code } = world.refused(actor, command);
      assert.equal(code, "NOT_OPERATOR", `${command.type} by ${actor.type}`);
    }
  }
});

test("a refusal at the door is recorded for whomever it met, a dead key's too", () => {
  const world = new World();
  const command: Command = {
    type: "RecordRefusal",
    code: "UNAUTHENTICATED",
    operation: "placeOrder",
    count: 3,
  };
  const nobody: Actor = { type: "key", accountId: accountId("acc-9"), keyId: keyId("key-9") };
  for (const actor of [root, system, nobody]) {
    const events = world.do(actor, command);
    assert.deepEqual(events, [{ type: "RefusalRecorded", operation: "placeOrder", count: 3 }]);
  }
});

test("the journal keeps the refusals an auditor asks for, and no others", () => {
  const envelope: Envelope = {
    timeMillis: 0,
    actor: root,
    requestId: null,
    idempotency: null,
    command: { type: "ResumeExchange", reason: "drill" },
  };
  const kept = rejectionCodes.filter((code) => isJournalled(envelope, { rejection: { code } }));
  assert.deepEqual(kept, [
    "PERMISSION_DENIED",
    "NOT_OPERATOR",
    "ROLE_NOT_TRADER",
    "CONFLICT_OF_INTEREST",
    "ROOT_OFF",
    "KEY_ESCALATION",
    "KEY_LIMIT",
    "KYC_REQUIRED",
    "ACCREDITATION_REQUIRED",
    "ACCOUNT_HALTED",
    "PAYMENT_OVERDUE",
    "MARGIN_CALL",
    "LISTING_CAP",
    "SERIES_NOT_STANDARD",
    "POSITION_LIMIT",
    "OPEN_ORDER_CAP",
    "FINANCING_PRICE",
    "FINANCED_POSITION",
    "FINANCING_LIMIT",
    "FINANCING_POOL",
    "INSUFFICIENT_BALANCE",
    "CLOSING_PRICE",
  ]);
  // A request repeated with its key gets the same answer, unless nobody knows who asked, or there
  // is no room for an answer.
  const again = { ...envelope, idempotency: { key: "k", digest: "d" } };
  const unknown = rejectionCodes.filter((code) => !isJournalled(again, { rejection: { code } }));
  assert.deepEqual(unknown, ["UNAUTHENTICATED", "EXCHANGE_FULL"]);
});

test("a record that was never made is a breach, whichever kind it is", () => {
  const state = new State();
  assert.throws(() => state.account(some.accountId), /account acc-1 is known/);
  assert.throws(() => state.market(some.marketId), /market L is known/);
  assert.throws(() => state.order(orderId("ord-1")), /order ord-1 is known/);
  assert.throws(() => state.acceptance(acceptanceId("acp-1")), /acceptance acp-1 is known/);
});

test("time does not go back, and an exchange is founded once", () => {
  const world = new World();
  world.open("anna", "trader");
  world.nowMillis -= 1;
  assert.throws(() => world.open("bela", "trader"), /time does not go back/);
  world.nowMillis += 1;
  const [genesis] = ofTheExchange;
  assert.ok(genesis !== undefined);
  assert.throws(() => world.do(system, genesis), /an exchange is founded once/);
});

test("a key asks for no more than its maker has: permissions, rate, and days", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  const spare = {
    label: "k",
    prefix: "fp_test_cccc",
    digest: "k",
    permissions: [],
    ratePerMinute: null,
    expiresAtSeconds: null,
  };
  const made = (actor: Actor, more: object) => {
    const key = { ...spare, ...more };
    const [event] = world.do(actor, { type: "CreateKey", key });
    assert.ok(event?.type === "KeyChanged");
    return event.key;
  };
  const expiresAtSeconds = Math.floor(world.nowMillis / 1000) + 1_000;
  assert.equal(made(anna.actor, { expiresAtSeconds }).expiresAtSeconds, expiresAtSeconds);
  const permissions = ["manage:custody"] as const;
  const maker = made(anna.actor, { expiresAtSeconds, permissions, ratePerMinute: 100 });
  const actor: Actor = { type: "key", accountId: anna.id, keyId: maker.id };
  assert.equal(made(actor, {}).expiresAtSeconds, expiresAtSeconds, "none is the maker's");
  assert.equal(made(actor, {}).ratePerMinute, 100);
  assert.equal(made(actor, { expiresAtSeconds }).expiresAtSeconds, expiresAtSeconds);
  assert.equal(made(actor, { ratePerMinute: 100 }).ratePerMinute, 100);
  const sooner = expiresAtSeconds - 1;
  assert.equal(made(actor, { expiresAtSeconds: sooner }).expiresAtSeconds, sooner);
  for (const [more, field] of [
    [{ expiresAtSeconds: expiresAtSeconds + 1 }, "expiresInDays"],
    [{ ratePerMinute: 101 }, "rateLimit"],
    [{ permissions: ["create:orders"] as const }, "permissions"],
  ] as const) {
    const refusal = world.refused(actor, { type: "CreateKey", key: { ...spare, ...more } });
    assert.deepEqual(refusal, { code: "KEY_ESCALATION", details: { limit: field }, field });
  }
});
