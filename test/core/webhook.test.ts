// Webhooks in the core: whose they are, which key may set one, and what is kept of their secrets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KeyId, type WebhookId, webhookId } from "#base/ids.ts";
import { encode } from "#core/codec.ts";
import type { Actor, CommandOf } from "#core/command.ts";
import type { Permission } from "#core/records.ts";
import { recordsOf } from "#core/snapshot.ts";
import type { Webhook } from "#core/webhook/record.ts";
import { MOST_WEBHOOKS, ROTATION_SECONDS } from "#core/webhook/set.ts";
import { system, type Trader, World } from "./world.ts";

const url = "https://desk.example/hook";
const idOf = (at: number): WebhookId => webhookId(`whk-${at}`);

const setting = (at = 1): CommandOf<"SetWebhook"> => ({
  ...{ type: "SetWebhook", webhookId: idOf(at), url, types: null, salt: `salt-${at}` },
});

const hook = (world: World, at = 1): Webhook => {
  const found = world.state.webhooks.get(idOf(at));
  assert.ok(found !== undefined, `${idOf(at)} is there`);
  return found;
};

/** A further key of the trader's account. */
function keyWith(world: World, { id, actor }: Trader, ...permissions: Permission[]): Actor {
  const plain = { prefix: "fp_test_bbbb", digest: permissions.join(), label: "narrow" };
  const key = { ...plain, permissions, ratePerMinute: null, expiresAtSeconds: null };
  const made = world.do(actor, { type: "CreateKey", key }).at(-1);
  const keyId: KeyId | undefined = made?.type === "KeyChanged" ? made.key.id : undefined;
  assert.ok(keyId !== undefined);
  return { type: "key", accountId: id, keyId };
}

test("a webhook begins after the entry that set it, and is its account's alone", () => {
  const world = new World();
  const [anna, bela] = [world.open("anna", "trader"), world.open("bela", "trader")];
  world.do(anna.actor, setting());
  const { accountId, run, afterSequence, suspended } = hook(world);
  const { sequence } = world;
  assert.deepEqual([accountId, run, afterSequence], [anna.id, sequence, sequence]);
  assert.equal(suspended, null);
  const foreign = [
    { type: "RotateWebhook", webhookId: idOf(1), salt: "theirs" },
    { type: "ReplayWebhook", webhookId: idOf(1), afterSequence: 0 },
    { type: "RemoveWebhook", webhookId: idOf(1) },
  ] as const;
  for (const command of foreign) {
    assert.equal(world.refused(bela.actor, command).code, "WEBHOOK_NOT_FOUND", command.type);
  }
  world.do(anna.actor, { type: "RemoveWebhook", webhookId: idOf(1) });
  assert.deepEqual([world.state.webhooks.size, world.state.webhooksOf.size], [0, 0]);
});

test("an auditor and an operator have the whole trail sent, and no trader has", () => {
  const world = new World();
  const ofTrail = (at: number) => ({ ...setting(at), scope: "trail" }) as const;
  for (const [at, role] of (["auditor", "operator"] as const).entries()) {
    const reader = world.open(role, role);
    world.do(reader.actor, ofTrail(at));
    assert.equal(hook(world, at).scope, "trail");
  }
  const trader = world.open("anna", "trader");
  const { code, field } = world.refused(trader.actor, ofTrail(7));
  assert.deepEqual([code, field], ["TRAIL_DENIED", "scope"]);
});

test("a key that may not read its account's events has them sent nowhere", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  const blind = keyWith(world, anna, "manage:custody");
  const refused = world.refused(blind, setting());
  assert.deepEqual(
    [refused.code, refused.details?.permission],
    ["PERMISSION_DENIED", "read:portfolio"],
  );
  world.do(anna.actor, setting());
  const replay = { type: "ReplayWebhook", webhookId: idOf(1), afterSequence: 0 } as const;
  assert.equal(world.refused(blind, replay).code, "PERMISSION_DENIED");
  const reading = keyWith(world, anna, "read:portfolio");
  assert.equal(world.refused(reading, setting(2)).code, "PERMISSION_DENIED");
});

test("an account has five at most, suspended ones counted", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  for (let at = 1; at <= MOST_WEBHOOKS; at += 1) world.do(anna.actor, setting(at));
  const { code, details } = world.refused(anna.actor, setting(9));
  assert.deepEqual([code, details?.allowed], ["WEBHOOK_CAP", 5]);
  world.do(anna.actor, { type: "RemoveWebhook", webhookId: idOf(3) });
  world.do(anna.actor, setting(9));
});

test("the secret before signs for a day beside the new one", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  world.do(anna.actor, setting());
  world.do(anna.actor, { type: "RotateWebhook", webhookId: idOf(1), salt: "newer" });
  const { salt, before, run } = hook(world);
  const untilSeconds = Math.floor(world.nowMillis / 1000) + ROTATION_SECONDS;
  assert.deepEqual([salt, before], ["newer", { salt: "salt-1", untilSeconds }]);
  assert.equal(run, world.sequence - 1, "what was delivered stays delivered");
});

test("what is given up is told, and goes on from where its account says", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  world.do(anna.actor, setting());
  const { run } = hook(world);
  const given = { webhookId: idOf(1), accountId: anna.id, run, fault: "HTTP 503" };
  const giveUp: CommandOf<"SuspendWebhook"> = {
    ...{ type: "SuspendWebhook", cause: "failing", ...given },
  };
  world.do(system, giveUp);
  const atSeconds = Math.floor(world.nowMillis / 1000);
  assert.deepEqual(hook(world).suspended, { atSeconds, cause: "failing", fault: "HTTP 503" });
  const [alert] = world.state.alerts.get(anna.id) ?? [];
  assert.equal(alert?.type, "webhook");
  assert.match(alert?.message ?? "", /whk-1 is suspended: .* failed for 3 days.* HTTP 503/);
  assert.equal(world.refused(system, giveUp).code, "WEBHOOK_NOT_FOUND", "once");

  const later = keyWith(world, anna, "manage:custody", "read:portfolio");
  world.do(later, { type: "ReplayWebhook", webhookId: idOf(1), afterSequence: 3 });
  const again = hook(world);
  assert.deepEqual([again.run, again.afterSequence], [world.sequence, 3]);
  assert.equal(again.suspended, null);
  assert.equal(later.type === "key" && again.keyId === later.keyId, true, "it is that key's now");
  assert.equal(world.refused(system, giveUp).code, "WEBHOOK_NOT_FOUND", "of a run that is over");
  world.do(anna.actor, { type: "ReplayWebhook", webhookId: idOf(1), afterSequence: 9_999 });
  assert.equal(hook(world).afterSequence, world.sequence, "nothing that is to come is left out");
});

test("a store without webhooks is written as before", () => {
  const world = new World();
  const anna = world.open("anna", "trader");
  const before = encode(recordsOf(world.state));
  world.do(anna.actor, setting());
  world.do(anna.actor, { type: "RemoveWebhook", webhookId: idOf(1) });
  assert.equal(encode(recordsOf(world.state)), before);
});
