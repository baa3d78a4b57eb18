// Keys of the public surface: by the admin secret alone, shown once, a higher rate and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "#http/server/key-codec.ts";
import { at, numberAt, textAt } from "#test/support/exchange.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, PEPPER } from "./world.ts";

const URL = "/api/dev/api-keys";

const issue = (
  { world }: PublicWorld,
  body: unknown,
  headers: Record<string, string> = { "x-admin-secret": ADMIN_SECRET },
) => world.post(URL, undefined, body, headers);

async function issued(world: PublicWorld, body: unknown): Promise<unknown> {
  const reply = await issue(world, body);
  assert.equal(reply.statusCode, 200, reply.body);
  return at(reply.json(), "data");
}

const policyOf = async ({ world }: PublicWorld, headers: Record<string, string>) => {
  const reply = await world.get("/api/time", undefined, headers);
  return [reply.statusCode, reply.headers["ratelimit-policy"]];
};

test("a key is issued with what was asked, shown once, and kept as its HMAC only", async (t) => {
  const world = await PublicWorld.open(t);
  const full = { label: "charts", scopes: ["index:read"], rateLimit: 900, expiresInDays: 30 };
  const reply = await issue(world, full);
  assert.equal(reply.headers["cache-control"], "private, no-store");
  const { key, ...shown } = reply.json().data;
  assert.match(key, /^fp_pub_[0-9A-Za-z]{36}$/);
  assert.deepEqual(shown, {
    id: "pub-1",
    label: "charts",
    scopes: ["index:read"],
    rateLimit: 900,
    expiresAt: "2024-12-20T00:00:00.000Z",
  });
  const plain = await issued(world, { label: "bare" });
  assert.deepEqual(
    [at(plain, "scopes"), at(plain, "rateLimit"), at(plain, "expiresAt")],
    [null, null, null],
  );

  const [entry] = await Array.fromAsync(
    world.world.engine.history.newest({ action: "public_key.issued" }, 10, 1),
  );
  assert.ok(entry !== undefined);
  const { bytes, closed } = entry.disclose();
  const stored = Buffer.concat([bytes, ...closed.map((part) => part.bytes)]).toString();
  assert.ok(stored.includes("charts") && !stored.includes(key), "the journal never holds the key");
});

test("only the admin secret issues keys; a wrong one is told to the audit", async (t) => {
  const world = await PublicWorld.open(t);
  const operator = await world.world.account("operator", "operator");
  const body = { label: "charts" };
  for (const headers of [
    {},
    { authorization: `Bearer ${operator.secret}` },
    { "x-api-key": ADMIN_SECRET },
    { "x-admin-secret": "" },
    { "x-admin-secret": `${ADMIN_SECRET}x` },
    { "x-admin-secret": "wrong", authorization: `Bearer ${operator.secret}` },
  ]) {
    const reply = await issue(world, body, headers);
    assert.deepEqual([reply.statusCode, reply.json().code], [401, "UNAUTHENTICATED"]);
  }
  assert.equal(world.world.view.publicKeyByDigest(""), undefined);
  const audited = await Array.fromAsync(
    world.world.engine.history.newest({ action: "access.refused" }, 10, 0),
  );
  assert.deepEqual(
    audited.map(({ entry }) => entry.envelope.command),
    [
      {
        type: "RecordRefusal",
        code: "UNAUTHENTICATED",
        operation: "x-admin-secret from 127.0.0.1",
        count: 1,
      },
    ],
  );
});

test("what a key may be is checked to the letter", async (t) => {
  const world = await PublicWorld.open(t);
  for (const wrong of [
    {},
    { label: "" },
    { label: "x".repeat(101) },
    { label: 1 },
    { label: "a", scopes: "index" },
    { label: "a", scopes: null },
    { label: "a", scopes: [""] },
    { label: "a", scopes: ["a b"] },
    { label: "a", scopes: ["x", "x"] },
    { label: "a", rateLimit: 0 },
    { label: "a", rateLimit: 1.5 },
    { label: "a", rateLimit: 6_001 },
    { label: "a", rateLimit: "60" },
    { label: "a", expiresInDays: 0 },
    { label: "a", expiresInDays: 366 },
    { label: "a", owner: "b" },
  ]) {
    const reply = await issue(world, wrong);
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "INVALID_REQUEST"], reply.body);
  }
  assert.equal(textAt(await issued(world, { label: "a", rateLimit: 6_000 }), "id"), "pub-1");
});

test("the same request again gives the same key's record, without the key", async (t) => {
  const world = await PublicWorld.open(t);
  const headers = { "x-admin-secret": ADMIN_SECRET, "idempotency-key": "one" };
  const send = () => issue(world, { label: "charts", expiresInDays: 1 }, headers);
  const { key, ...record } = (await send()).json().data;
  const again = await send();
  assert.equal(again.headers["idempotency-replayed"], "true");
  assert.deepEqual(again.json().data, record);
  const live = await policyOf(world, { "x-api-key": key });
  assert.equal(live[0], 200, "the replay issued nothing new and ended nothing");
});

test("a key without a rate of its own has 600, and never less than none has", async (t) => {
  const world = await PublicWorld.open(t);
  const plain = textAt(await issued(world, { label: "default" }), "key");
  // This world gives an address 6,000.
  assert.deepEqual(await policyOf(world, { "x-api-key": plain }), [200, '"key";q=6000;w=60']);
  assert.deepEqual(await policyOf(world, {}), [200, '"loopback";q=6000;w=60']);
});

test("a key whose own rate is lower than none's serves as many requests as none", async (t) => {
  const world = await PublicWorld.open(t);
  const low = textAt(await issued(world, { label: "low", rateLimit: 60 }), "key");
  assert.deepEqual(await policyOf(world, { "x-api-key": low }), [200, '"loopback";q=6000;w=60']);
  for (let sent = 0; sent < 100; sent += 1) {
    const reply = await world.world.get("/api/time", undefined, { "x-api-key": low });
    assert.equal(reply.statusCode, 200, `request ${sent}`);
  }
  const holder = await world.world.account("a");
  const slow = await world.world.post("/api/trading/keys", holder.secret, {
    label: "slow",
    permissions: ["read:portfolio"],
    rateLimit: 1,
  });
  const key = { authorization: `Bearer ${textAt(slow.json(), "data", "secret")}` };
  assert.deepEqual(await policyOf(world, key), [200, '"loopback";q=6000;w=60'], "of either kind");
});

test("an unknown, mistyped, foreign, doubled or expired key is 401", async (t) => {
  const world = await PublicWorld.open(t);
  const holder = await world.world.account("a");
  const key = textAt(await issued(world, { label: "short", expiresInDays: 1 }), "key");
  const mistyped = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
  for (const wrong of [
    "",
    "nonsense",
    mistyped,
    `${key} `,
    newSecret("pub", PEPPER).secret,
    holder.secret,
  ]) {
    assert.equal((await policyOf(world, { "x-api-key": wrong }))[0], 401, wrong);
  }
  const twice = await world.world.server.inject({
    url: "/api/time",
    headers: { "x-api-key": [key, key] },
  });
  assert.equal(twice.statusCode, 401);
  const bearer = await world.world.get("/api/kyc/status", key);
  assert.equal(bearer.statusCode, 401, "it opens nothing");
  const disputed = await world.world.post("/api/markets/mkt-001/disputes", undefined, "{}", {
    "x-api-key": key,
  });
  assert.equal(disputed.statusCode, 401);

  assert.equal((await policyOf(world, { "x-api-key": key }))[0], 200);
  await world.admin("POST", "clock", { advanceSeconds: 86_399 });
  assert.equal((await policyOf(world, { "x-api-key": key }))[0], 200);
  await world.admin("POST", "clock", { advanceSeconds: 1 });
  assert.equal((await policyOf(world, { "x-api-key": key }))[0], 401);
});

test("a key with a bad checksum is refused before anything is looked up", async (t) => {
  const { world } = await PublicWorld.open(t);
  let looked = 0;
  const { publicKeyByDigest } = world.view;
  Object.defineProperty(world.view, "publicKeyByDigest", {
    value: (digest: string) => {
      looked += 1;
      return publicKeyByDigest.call(world.view, digest);
    },
  });
  const ask = async (key: string): Promise<number> =>
    (await world.get("/api/time", undefined, { "x-api-key": key })).statusCode;
  const { secret } = newSecret("pub", PEPPER);
  assert.equal(await ask(`${secret.slice(0, -6)}000000`), 401);
  assert.equal(looked, 0);
  assert.equal(await ask(secret), 401);
  assert.equal(looked, 1, "a sound one is looked up");
});

test("limits tell the rates that hold", async (t) => {
  const world = await PublicWorld.open(t);
  const { body } = await world.get("/api/limits");
  assert.deepEqual(at(body, "data", "rates", 2), {
    credential: "x-api-key",
    per: "key",
    bucket: "general",
    perMinute: 6_000,
    burst: 600,
    maxPerMinute: 6_000,
  });
  assert.equal(numberAt(body, "data", "rates", 0, "perMinute"), 6_000);
});

test("a revoked key is nobody's from the next request on, and stays in the list", async (t) => {
  const world = await PublicWorld.open(t);
  const key = textAt(await issued(world, { label: "a", expiresInDays: 1 }), "key");
  await issued(world, { label: "b", rateLimit: 60, scopes: ["x"] });
  const headers = { "x-admin-secret": ADMIN_SECRET };
  const revoke = (id: string, more: Record<string, string> = headers) =>
    world.world.server.inject({ method: "DELETE", url: `${URL}/${id}`, headers: more });
  const operator = await world.world.account("operator", "operator");
  const byOperator = await revoke("pub-1", { authorization: `Bearer ${operator.secret}` });
  assert.equal(byOperator.statusCode, 401, "the admin secret alone");
  assert.equal((await policyOf(world, { "x-api-key": key }))[0], 200);

  assert.deepEqual((await revoke("PUB-1")).json(), { success: true, data: { success: true } });
  assert.equal((await policyOf(world, { "x-api-key": key }))[0], 401);
  for (const id of ["pub-1", "pub-3", "key-1"]) {
    const again = await revoke(id);
    assert.deepEqual([again.statusCode, again.json().code], [404, "KEY_NOT_FOUND"], id);
  }
  const listed = await world.world.get(URL, undefined, headers);
  const at = "2024-11-20T00:00:00.000Z";
  assert.deepEqual(listed.json().data, [
    {
      id: "pub-1",
      label: "a",
      scopes: null,
      rateLimit: null,
      createdAt: at,
      expiresAt: "2024-11-21T00:00:00.000Z",
      revokedAt: at,
    },
    {
      id: "pub-2",
      label: "b",
      scopes: ["x"],
      rateLimit: 60,
      createdAt: at,
      expiresAt: null,
      revokedAt: null,
    },
  ]);
  assert.ok(!listed.body.includes(key));
  const [entry] = await Array.fromAsync(
    world.world.engine.history.newest({ action: "public_key.revoked" }, 10, 0),
  );
  assert.equal(entry?.entry.envelope.actor.type, "root");
});
