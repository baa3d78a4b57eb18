// Keys and KYC through the real server: what is shown once, what is refused, what a tier allows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import { World } from "./world.ts";

test("a key's secret is shown once: not when listed, not when replayed", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const body = { label: "bot", permissions: ["read:markets"], expiresInDays: 30, rateLimit: 100 };
  const make = () =>
    world.post("/api/trading/keys", holder.secret, body, { "idempotency-key": "k" });
  const first = (await make()).json().data;
  assert.match(first.secret, /^fp_test_[0-9A-Za-z]{36}$/);
  assert.equal(first.prefix, first.secret.slice(0, 12));
  const { secret, ...shown } = first;
  assert.deepEqual(shown, {
    id: "key-2",
    label: "bot",
    prefix: secret.slice(0, 12),
    permissions: ["read:markets"],
    rateLimit: 100,
    createdAt: Date.UTC(2024, 10, 20) / 1000,
    lastUsed: null,
    expiresAt: Date.UTC(2024, 11, 20) / 1000,
  });
  const replayed = await make();
  assert.deepEqual(replayed.json().data, shown);

  const listed = await world.get("/api/trading/keys", holder.secret);
  assert.ok(!listed.body.includes("secret"));
  assert.deepEqual(
    listed
      .json()
      .data.map((key: { id: string; lastUsed: number | null }) => [key.id, key.lastUsed]),
    [
      ["key-1", Date.UTC(2024, 10, 20) / 1000],
      ["key-2", null],
    ],
  );
});

test("keys with too much are refused by the rule they break", async (t) => {
  const world = await World.open(t);
  const holder = await world.account("a");
  const narrow = await world.narrowKey(holder, ["manage:custody"]);
  const send = (secret: string, more: object) =>
    world.post("/api/trading/keys", secret, {
      label: "x",
      permissions: ["manage:custody"],
      ...more,
    });
  for (const [more, field] of [
    [{ rateLimit: 6_001 }, "rateLimit"],
    [{ rateLimit: 0 }, "rateLimit"],
    [{ expiresInDays: 366 }, "expiresInDays"],
    [{ expiresInDays: 0 }, "expiresInDays"],
    [{ label: "" }, "label"],
    [{ label: "x".repeat(101) }, "label"],
    [{ permissions: [] }, "permissions"],
    [{ permissions: ["manage:custody", "manage:custody"] }, "permissions"],
  ] as const) {
    const refused = await send(holder.secret, more);
    assert.deepEqual([refused.statusCode, refused.json().error.field], [400, field], refused.body);
  }
  const unknown = await send(holder.secret, { permissions: ["do:anything"] });
  assert.equal(unknown.json().code, "INVALID_REQUEST");
  const wider = await send(narrow, { permissions: ["create:orders"] });
  assert.deepEqual(
    [wider.statusCode, wider.json().code, wider.json().error.field],
    [403, "KEY_ESCALATION", "permissions"],
  );
});

test("KYC: none, pending, approved, with limits only while approved", async (t) => {
  const world = await World.open(t);
  const { id, secret } = await world.account("a");
  const none = (await world.get("/api/kyc/status", secret)).json().data;
  assert.deepEqual([none.status, none.tier, none.limits], ["none", "none", null]);
  assert.deepEqual((await world.get("/api/kyc/limits", secret)).json().data, {
    maxPosition: 0,
    maxDaily: 0,
    maxTotal: 0,
  });

  const pending = await world.post("/api/kyc/inquiry", secret, { tier: "enhanced" });
  assert.deepEqual(pending.json().data, {
    status: "pending",
    tier: "enhanced",
    sanctionsCleared: false,
    pepScreened: false,
    adverseMediaCleared: false,
    countryCode: null,
    expiresAt: null,
    limits: null,
  });
  const twice = await world.post("/api/kyc/inquiry", secret, { tier: "basic" });
  assert.deepEqual([twice.statusCode, twice.json().code], [409, "KYC_PENDING"]);
  const odd = await world.post("/api/kyc/inquiry", secret, { tier: "none" });
  assert.deepEqual([odd.statusCode, odd.json().error.field], [400, "tier"]);

  await world.root({
    type: "DecideKyc",
    accountId: accountId(id),
    decision: "approve",
    tier: null,
    countryCode: "US",
    sanctionsCleared: true,
    pepScreened: true,
    adverseMediaCleared: true,
    listVersion: "1",
    provider: "manual",
    accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
  });
  const limits = { maxPosition: 250_000, maxDaily: 100_000, maxTotal: 1_000_000 };
  const approved = (await world.get("/api/kyc/status", secret)).json().data;
  assert.deepEqual([approved.status, approved.limits], ["approved", limits]);
  assert.deepEqual((await world.get("/api/kyc/limits", secret)).json().data, limits);
});
