// A held release, as an auditor, a reader and a restart see it; the story is in test/scenarios.
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import { auditFacts } from "#core/audit.ts";
import type { Actor, Command } from "#core/command.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { ExchangeView } from "#views/exchange.ts";
import { root, system, World } from "./world.ts";

const reasons = [{ code: "UNIT_SLIP", message: "Everything is multiplied by 10." }];

/** October printed; a release for November held, not yet approved by anybody. */
function held() {
  const world = new World();
  world.print("2024-10", "300000");
  const operator = world.open("operator", "operator").actor;
  world.runTo(Date.UTC(2024, 11, 20));
  const accept = world.release(world.observe("2024-11", "3000000"));
  const { release } = accept;
  const commands = {
    hold: { type: "QuarantineRelease", release, reasons },
    approve: { type: "ApproveRelease", releaseId: release.id },
    release: { ...accept, fromQuarantine: true },
    reject: { type: "RejectRelease", releaseId: release.id, reason: "ten times too much" },
  } as const satisfies Record<string, Command>;
  world.do(root, commands.hold);
  return { world, operator, commands, id: release.id };
}

/** The views of readers, folded entry by entry and drawn from the state. */
function views(world: World): readonly ExchangeView[] {
  const folded = ExchangeView.from(new State());
  for (const entry of world.journal) folded.fold(entry);
  return [folded, ExchangeView.from(world.state)];
}

test("held, approved, rejected: views, snapshot, hash and replay agree at every step", () => {
  const { world, operator, commands } = held();
  const hashes = new Set([stateHash(world.state)]);
  const steps: readonly (readonly [Actor, Command])[] = [
    [operator, commands.approve],
    [root, commands.reject],
    [root, commands.hold],
    [root, commands.approve],
    [operator, commands.release],
  ];
  for (const [actor, command] of steps) {
    const isLast = command === commands.release;
    world.do(actor, command);
    assert.equal(world.state.quarantine.size, isLast ? 0 : 1);
    for (const view of views(world)) {
      assert.deepEqual(new Map(view.quarantine), world.state.quarantine);
      assert.deepEqual(new Map(view.releases), world.state.releases);
    }
    const copy = decodeState(encodeState(world.state));
    assert.deepEqual(copy.quarantine, world.state.quarantine);
    assert.equal(stateHash(copy), stateHash(world.state));
    hashes.add(stateHash(world.state));
  }
  // Held anew after its rejection, it is as it was when it was first held.
  assert.equal(hashes.size, steps.length);

  const replayed = new State();
  for (const { envelope, outcome, sequence } of world.journal) {
    assert.deepEqual(apply(replayed, envelope, sequence), outcome);
  }
  assert.equal(stateHash(replayed), stateHash(world.state));
});

test("a snapshot keeps what is held, and none of it once it is released", () => {
  const { world, operator, commands } = held();
  assert.equal(decodeState(encodeState(world.state)).quarantine.size, 1);
  world.do(root, commands.approve);
  world.do(operator, commands.release);
  assert.equal(decodeState(encodeState(world.state)).quarantine.size, 0);
});

test("every word is an entry of the audit, with its reasons and who gave it", () => {
  const { world, operator, commands, id } = held();
  world.do(root, commands.approve);
  world.do(operator, commands.release);
  assert.ok(operator.type === "key");
  const facts = world.journal.map(auditFacts).filter(({ resource }) => resource === id);
  assert.deepEqual(
    facts.map(({ action, severity, actor }) => [action, severity, actor]),
    [
      ["release.quarantined", "warning", "root"],
      ["release.approved", "info", "root"],
      ["release.accepted", "info", operator.accountId],
    ],
  );
  assert.deepEqual(facts[0]?.details.reasons, reasons);
  assert.deepEqual(facts[2]?.details.reasons, reasons);
  assert.deepEqual(facts[2]?.details.approvedBy, ["root", operator.accountId]);

  const other = held();
  other.world.do(other.operator, other.commands.reject);
  const rejected = other.world.journal.map(auditFacts).at(-1);
  assert.equal(rejected?.action, "release.rejected");
  assert.equal(rejected?.resource, other.id);
  assert.equal(rejected?.details.reason, "ten times too much");
});

test("nobody waits for the file of a release that was rejected", () => {
  const { world, operator, commands, id } = held();
  const files = () => world.state.windows.get("zhvi")?.files ?? [];
  world.do(system, { type: "AwaitRelease", index: "zhvi", releaseId: id });
  assert.deepEqual(files(), [id], "held or not, it may still come");
  world.do(operator, commands.reject);
  assert.deepEqual(files(), []);
});

test("a method that changed is in the audit entry of its release", () => {
  const world = new World();
  const plain = world.release(world.observe("2024-10", "300000"));
  const changed = { methodologyVersion: "zhvi/2", methodologyChange: "detected" } as const;
  world.do(root, { ...plain, release: { ...plain.release, ...changed } });
  const last = world.journal.at(-1);
  assert.ok(last !== undefined);
  const { methodologyVersion, methodologyChange } = auditFacts(last).details;
  assert.deepEqual({ methodologyVersion, methodologyChange }, changed);
});

test("refusals of the quarantine, each in its order", () => {
  const { world, operator, commands } = held();
  const unknown = releaseId("rel-none");
  const refusal = (actor: Actor, command: Command) => world.refused(actor, command).code;
  for (const type of ["ApproveRelease", "RejectRelease"] as const) {
    const command = { type, releaseId: unknown, reason: "drill" };
    assert.equal(refusal(root, command), "RELEASE_NOT_QUARANTINED");
  }
  const trader = world.open("trader", "trader").actor;
  for (const command of Object.values(commands)) {
    assert.equal(refusal(trader, command), "NOT_OPERATOR", command.type);
  }
  const { publishedAtMillis } = commands.hold.release;
  const early = { ...commands.hold.release, publishedAtMillis: publishedAtMillis + 1 };
  assert.equal(refusal(root, { ...commands.hold, release: early }), "RELEASE_FROM_FUTURE");
  assert.equal(refusal(root, commands.release), "RELEASE_HELD");
  world.do(root, commands.approve);
  assert.equal(refusal(root, commands.release), "RELEASE_SAME_OPERATOR");
  assert.equal(refusal(operator, commands.approve), "RELEASE_HELD");
  world.do(operator, commands.release);
  assert.equal(refusal(root, { ...commands.hold, release: early }), "RELEASE_EXISTS");
});
