// Somebody guesses the admin secret, from one address and from thousands, and would fill the
// journal with the attempts.
// Invariant: beyond its rate nothing is compared, so that even the right guess tells nothing; the
// addresses of strangers have one rate together; a few entries tell of all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "#node/settings.ts";
import { PublicWorld } from "../http/public-world.ts";
import { ADMIN_SECRET } from "../http/world.ts";

async function stage(t: Parameters<typeof PublicWorld.open>[0]) {
  const { world } = await PublicWorld.open(t);
  const send = async (secret: string, remoteAddress: string) => {
    const headers = { "x-admin-secret": secret };
    const url = "/api/admin/accounts";
    return (await world.server.inject({ method: "GET", url, headers, remoteAddress })).statusCode;
  };
  const entries = async () =>
    (
      await Array.fromAsync(world.engine.history.newest({ action: "access.refused" }, 1_000, 0))
    ).flatMap(({ entry }) => {
      const { command } = entry.envelope;
      return command.type === "RecordRefusal" ? [command] : [];
    });
  return { world, send, entries };
}

test("two thousand addresses compare only a few together, and write a few entries", async (t) => {
  const { world, send, entries } = await stage(t);
  const root = "198.51.100.1";
  assert.equal(await send(ADMIN_SECRET, root), 200);
  const size = world.engine.status().sequence;
  let compared = 0;
  for (let guess = 0; guess < 2_000; guess += 1) {
    const address = `2001:db8:${(guess >> 8).toString(16)}:${(guess & 255).toString(16)}::1`;
    if ((await send(`wrong ${guess}`, address)) === 401) compared += 1;
  }
  const written = world.engine.status().sequence - size;
  t.diagnostic(`after: ${compared} of 2000 guesses compared, ${written} entries written`);
  assert.equal(compared, 12);
  assert.equal(written, 11, "ten addresses, and one for the others");
  assert.equal(await send(ADMIN_SECRET, "203.0.113.9"), 429, "a stranger's is not compared");
  assert.equal(await send(ADMIN_SECRET, root), 200, "where the right one came from, it still does");
  assert.equal(await send(ADMIN_SECRET, "127.0.0.1"), 200, "and this machine is no stranger");
  world.nowMillis += 60_000;
  await send("wrong", "203.0.113.10");
  const [newest] = await entries();
  assert.equal(newest?.operation, "x-admin-secret from other addresses");
  assert.equal(newest.count, 2, "what was folded, and this one");
});

test("a secret of few characters, or of one piece again and again, does not start", () => {
  const bad = ["a".repeat(40), "ab".repeat(20), "1234567890".repeat(4), "0101100111".repeat(4)];
  for (const secret of [...bad, "correcthorse".repeat(3)]) {
    assert.throws(
      () => readSettings({ FIRSTPRINT_ADMIN_SECRET: secret }),
      /FIRSTPRINT_ADMIN_SECRET must have at least 8 different characters/,
      secret,
    );
  }
  const { adminSecret } = readSettings({ FIRSTPRINT_ADMIN_SECRET: ADMIN_SECRET });
  assert.equal(adminSecret, ADMIN_SECRET);
});
