// Halts, revocations and expiries of operators, in every order: two people can always decide again.
// Invariant: with nobody left root opens one operator's account, a day later, which any operator
// that is left can stop; while two people are left for everything it opens none alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { auditFacts } from "#core/audit.ts";
import type { CommandOf } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { isKeyLive, isPeopleLacking, isSecondPerson } from "#core/person.ts";
import { adminPermissions, type OperatorName, permissions } from "#core/records.ts";
import { decodeState, encodeState } from "#core/snapshot.ts";
import type { State } from "#core/state.ts";
import { wordIn } from "#core/words/told.ts";
import { root, type Trader, World } from "./world.ts";

const DAY_MILLIS = 86_400_000;
const LONGEST = 5;

const opening = (name: string): CommandOf<"OpenAccount"> => ({
  ...{ type: "OpenAccount", name, role: "operator", address: `0x${name}` },
  key: {
    ...{ label: "first", prefix: "fp_test_next", digest: name, permissions: adminPermissions },
    ...{ ratePerMinute: null, expiresAtSeconds: null },
  },
});

/** Two operators, each with one key that runs out: of the first in a month, of the other in two. */
function stage() {
  const world = new World();
  const [olga, otto] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const ends: number[] = [];
  for (const [at, one] of [olga, otto].entries()) {
    const endsMillis = world.nowMillis + (at + 1) * 30 * DAY_MILLIS;
    ends.push(endsMillis);
    const asked = { ...opening(`${one.id}'s`).key, expiresAtSeconds: endsMillis / 1_000 };
    const key = { ...asked, permissions: [...permissions, ...adminPermissions] };
    world.do(one.actor, { type: "CreateKey", key });
    assert.ok(one.actor.type === "key");
    world.do(one.actor, { type: "RevokeKey", keyId: one.actor.keyId });
  }
  return { world, olga, otto, ends };
}

/** Names that could give a word of each permission now, two of them different people. */
function canTwoDecide(state: State, nowMillis: number): boolean {
  const nowSeconds = Math.floor(nowMillis / 1_000);
  return adminPermissions.every((permission) => {
    const acting: readonly OperatorName[] = [
      "root",
      ...[...state.operators].filter(
        (id) =>
          !state.account(id).halted &&
          state
            .keysOf(id)
            .some((key) => isKeyLive(key, nowSeconds) && key.permissions.includes(permission)),
      ),
    ];
    return acting.some((one) => acting.some((other) => isSecondPerson(state, one, other)));
  });
}

/** Root alone, with time: it opens a new operator where that is needed. */
function recover(world: World): void {
  world.runTo(world.nowMillis + DAY_MILLIS);
  if (canTwoDecide(world.state, world.nowMillis)) return;
  const said = wordIn("open", world.do(root, opening(`new at ${world.nowMillis}`)));
  assert.ok(said?.effectiveAtMillis === world.nowMillis + DAY_MILLIS, "a day later, by itself");
  world.runTo(said.effectiveAtMillis);
}

test("after every sequence of up to five halts, revocations and expiries two can decide", (t) => {
  const { world, olga, otto, ends } = stage();
  const start = { lines: encodeState(world.state), nowMillis: world.nowMillis };
  const steps: readonly ((here: World) => void)[] = [
    ...[olga, otto].flatMap(({ id: accountId }) => [
      (here: World) => here.do(root, { type: "HaltAccount", accountId, reason: "drill" }),
      (here: World) => here.do(root, { type: "RevokeKeys", accountId }),
    ]),
    (here) => {
      const next = ends.find((millis) => millis > here.nowMillis);
      here.runTo(next ?? here.nowMillis + DAY_MILLIS);
    },
    // Or a day passes, over which a halt comes to count.
    (here) => here.runTo(here.nowMillis + DAY_MILLIS),
  ];
  let [walked, founded] = [0, 0];
  // Sequences meet: what was found from a state is found from it again.
  const met = new Map<string, number>();
  const walk = (from: typeof start, length: number): void => {
    const name = `${length} ${from.nowMillis} ${from.lines.join("")}`;
    const before = walked;
    const known = met.get(name);
    if (known === undefined) walkOn(from, length);
    else walked += known;
    met.set(name, walked - before);
  };
  const walkOn = (from: typeof start, length: number): void => {
    world.state = decodeState(from.lines);
    world.nowMillis = from.nowMillis;
    const operators = world.state.operators.size;
    recover(world);
    assert.ok(canTwoDecide(world.state, world.nowMillis));
    founded += world.state.operators.size - operators;
    walked += 1;
    if (length === LONGEST) return;
    for (const step of steps) {
      world.state = decodeState(from.lines);
      world.nowMillis = from.nowMillis;
      step(world);
      walk({ lines: encodeState(world.state), nowMillis: world.nowMillis }, length + 1);
    }
  };
  walk(start, 0);
  const figures = `${walked} sequences, ${met.size} states, ${founded} of them founded anew`;
  t.diagnostic(`after: two can decide after each: ${figures}`);
  assert.equal(walked, (6 ** (LONGEST + 1) - 1) / 5);
  assert.ok(founded > 100);
});

function lost() {
  const staged = stage();
  const { world, olga, otto } = staged;
  for (const { id: accountId } of [olga, otto]) world.do(root, { type: "RevokeKeys", accountId });
  return staged;
}

test("the two people decide what takes two: they open a third", () => {
  const { world } = lost();
  const said = wordIn("open", world.do(root, opening("cleo"))) ?? assert.fail("it waits");
  const first = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.equal(first.severity, "critical");
  world.runTo(world.nowMillis + DAY_MILLIS);
  const carried = auditFacts(world.journal.at(-1) ?? assert.fail());
  assert.deepEqual([carried.action, carried.severity], ["proposal.carried_out", "critical"]);
  assert.equal(world.state.words.has(said.id), false);
  const cleo = [...world.state.accounts.values()].at(-1) ?? assert.fail();
  const [key] = world.state.keysOf(cleo.id);
  assert.equal(key?.digest, "cleo", "of the request that root was answered");
  const actor = { type: "key", accountId: cleo.id, keyId: key.id } as const;
  const waiting = wordIn("open", world.do(actor, opening("dora"))) ?? assert.fail("it waits");
  assert.equal(waiting.effectiveAtMillis, undefined, "two people are there again");
  world.agree(root, waiting, "dora");
  assert.equal(world.state.operators.size, 4);
});

test("while two people are left for each permission, root opens nobody alone", () => {
  const { world, olga } = stage();
  world.do(root, { type: "HaltAccount", accountId: olga.id, reason: "drill" });
  const said = wordIn("open", world.do(root, opening("cleo"))) ?? assert.fail("it waits");
  assert.equal(said.effectiveAtMillis, undefined);
});

test("a halt counts after a day: nobody halts the others and founds anew at once", () => {
  const { world, olga, otto } = stage();
  for (const { id: accountId } of [olga, otto]) {
    world.do(root, { type: "HaltAccount", accountId, reason: "drill" });
  }
  const isLacking = () => isPeopleLacking(world.state, false, world.nowMillis / 1_000);
  world.runTo(world.nowMillis + DAY_MILLIS - 1_000);
  assert.equal(isLacking(), false);
  world.runTo(world.nowMillis + 1_000);
  assert.equal(isLacking(), true);
});

test("any operator that is left stops it, with a key of whatever permission", () => {
  const { world, olga, otto } = stage();
  const narrow = { ...opening("narrow").key, permissions: ["admin:read"] as const };
  world.do(root, { type: "RevokeKeys", accountId: olga.id });
  const issue = { type: "IssueKey", accountId: olga.id, key: narrow } as const;
  world.do(root, issue);
  const made = world.do(keyOf(world, otto), issue);
  const key = made.find((event) => event.type === "KeyChanged")?.key ?? assert.fail();
  world.do(root, { type: "RevokeKeys", accountId: otto.id });
  const said = wordIn("open", world.do(root, opening("cleo"))) ?? assert.fail("it waits");
  assert.ok(said.effectiveAtMillis !== undefined);
  assert.equal(
    wordIn("open", world.do(root, opening("dora")))?.effectiveAtMillis,
    undefined,
    "one at a time",
  );
  const actor = { type: "key", accountId: olga.id, keyId: key.id } as const;
  world.do(actor, { type: "WithdrawProposal", proposalId: said.id });
  world.runTo(world.nowMillis + 2 * DAY_MILLIS);
  assert.equal(world.state.operators.size, 2);
});

test("with root switched off the admin secret still founds, and does nothing else", () => {
  const { world, olga, otto } = stage();
  for (const one of [olga, otto]) world.do(keyOf(world, one), { type: "SetRoot", on: false });
  assert.equal(world.refused(root, opening("cleo")).code, "ROOT_OFF");
  world.runTo(world.nowMillis + 61 * DAY_MILLIS);
  assert.ok(!isRejected(world.try(root, opening("cleo"))));
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.equal(world.state.operators.size, 3);
});

test("it founds while root stays off: two are left for rules, and nobody to settle", () => {
  const { world, olga, otto } = stage();
  for (const one of [olga, otto]) world.do(keyOf(world, one), { type: "SetRoot", on: false });
  for (const one of [olga, otto]) {
    const full = keyOf(world, one);
    const named = opening(`${one.id}'s rules`).key;
    const key = { ...named, permissions: ["admin:exchange", "manage:custody"] as const };
    world.do(full, { type: "CreateKey", key });
    world.do(full, { type: "RevokeKey", keyId: full.keyId });
  }
  const halt = { type: "HaltExchange", reason: "drill" } as const;
  assert.equal(world.refused(root, halt).code, "ROOT_OFF");
  world.do(root, opening("cleo"));
  world.runTo(world.nowMillis + DAY_MILLIS);
  assert.equal(world.state.operators.size, 3);
  assert.equal(world.refused(root, halt).code, "ROOT_OFF");
});

/** With the live key that was made last. */
function keyOf({ state, nowMillis }: World, { id: accountId }: Trader) {
  const live = state.keysOf(accountId).filter((key) => isKeyLive(key, nowMillis / 1_000));
  const { id: keyId } = live.at(-1) ?? assert.fail(`${accountId} has a live key`);
  return { type: "key", accountId, keyId } as const;
}
