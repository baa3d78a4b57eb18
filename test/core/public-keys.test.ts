// Keys of the public surface in the core: who issues them, what is kept, and what never is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { publicKeyId } from "#base/ids.ts";
import { auditFacts } from "#core/audit.ts";
import type { Command } from "#core/command.ts";
import { isPublicKeyLive } from "#core/keys/public-keys.ts";
import { isRejected } from "#core/outcome.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { ExchangeView } from "#views/exchange.ts";
import { root, World } from "./world.ts";

const issue = (more: object = {}): Command => ({
  type: "IssuePublicKey",
  key: {
    label: "charts",
    digest: "d".repeat(64),
    scopes: ["index"],
    ratePerMinute: 1_200,
    expiresAtSeconds: null,
    ...more,
  },
});

test("an operator issues a public key; nobody else does, and the refusal is an entry", () => {
  const world = new World();
  const nowSeconds = world.nowMillis / 1000;
  assert.deepEqual(world.do(root, issue()), [
    {
      type: "PublicKeyChanged",
      key: {
        id: "pub-1",
        label: "charts",
        digest: "d".repeat(64),
        scopes: ["index"],
        ratePerMinute: 1_200,
        createdAtSeconds: nowSeconds,
        expiresAtSeconds: null,
        revokedAtSeconds: null,
      },
    },
  ]);
  const operator = world.open("operator", "operator");
  const second = world.do(operator.actor, issue({ digest: "e".repeat(64) }));
  assert.ok(second[0]?.type === "PublicKeyChanged");
  assert.equal(second[0].key.id, "pub-2");

  const head = world.sequence;
  const trader = world.trader("trader", "0");
  assert.equal(world.refused(trader.actor, issue()).code, "NOT_OPERATOR");
  assert.ok(world.sequence > head, "a missing right is audited");
  assert.equal(world.state.publicKeys.size, 2);
});

test("the audit tells of the key without its digest", () => {
  const world = new World();
  world.do(root, issue({ scopes: null, ratePerMinute: null, expiresAtSeconds: 2_000_000_000 }));
  const entry = world.journal.at(-1);
  assert.ok(entry !== undefined && !isRejected(entry.outcome));
  assert.deepEqual(auditFacts(entry), {
    action: "public_key.issued",
    actions: ["public_key.issued"],
    severity: "info",
    actor: "root",
    concerns: null,
    resource: "pub-1",
    success: true,
    details: { label: "charts", scopes: null, rateLimit: null, expiresAt: 2_000_000_000 },
  });
});

test("a snapshot keeps public keys, and a state without any has none", () => {
  const world = new World();
  assert.equal(decodeState(encodeState(world.state)).publicKeys.size, 0);
  const before = stateHash(world.state);
  world.do(root, issue());
  assert.notEqual(stateHash(world.state), before, "the hash covers them");
  const again = decodeState(encodeState(world.state));
  assert.equal(stateHash(again), stateHash(world.state));
  assert.deepEqual([...again.publicKeys], [...world.state.publicKeys]);
});

test("a view finds the key by its digest, from a state and from an entry", () => {
  const world = new World();
  const folded = ExchangeView.from(new State());
  world.do(root, issue());
  for (const entry of world.journal) folded.fold(entry);
  for (const view of [folded, ExchangeView.from(world.state)]) {
    assert.equal(view.publicKeyByDigest("d".repeat(64))?.id, "pub-1");
    assert.equal(view.publicKeyByDigest("e".repeat(64)), undefined);
    assert.equal(view.keyByDigest("d".repeat(64)), undefined, "it is no trading key");
  }
});

test("a public key lives up to its expiry and not a second longer", () => {
  const world = new World();
  world.do(root, issue({ expiresAtSeconds: 1_000 }));
  const key = world.state.publicKeys.get(publicKeyId("pub-1"));
  assert.ok(key !== undefined);
  assert.equal(isPublicKeyLive(key, 999), true);
  assert.equal(isPublicKeyLive(key, 1_000), false);
  assert.equal(isPublicKeyLive({ ...key, expiresAtSeconds: null }, 9_999_999_999), true);
});

test("an operator revokes a public key once, for good", () => {
  const world = new World();
  world.do(root, issue());
  const revoke: Command = { type: "RevokePublicKey", publicKeyId: publicKeyId("pub-1") };
  const trader = world.trader("trader", "0");
  assert.equal(world.refused(trader.actor, revoke).code, "NOT_OPERATOR");
  const [event] = world.do(root, revoke);
  assert.ok(event?.type === "PublicKeyChanged");
  assert.equal(event.key.revokedAtSeconds, world.nowMillis / 1000);
  assert.equal(isPublicKeyLive(event.key, 0), false);
  assert.equal(world.refused(root, revoke).code, "KEY_NOT_FOUND");
  const facts = auditFacts(
    world.journal.findLast(({ envelope }) => envelope.command === revoke) ??
      assert.fail("it is an entry"),
  );
  assert.deepEqual([facts.action, facts.resource], ["public_key.revoked", "pub-1"]);
});
