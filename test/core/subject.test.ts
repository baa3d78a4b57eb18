// Personal data as the core knows them: an opaque id while they are kept, nothing of the person.
// Invariant: giving and erasing change the account alone; reading changes nothing, and is an entry.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountId } from "#base/ids.ts";
import type { Actor, Command } from "#core/command.ts";
import { root, World } from "./world.ts";

test("data are given by their owner, read and erased by an operator", () => {
  const world = new World();
  const anna = world.trader("anna", "0");
  const subject = () => world.state.account(anna.id).kyc.subjectId ?? null;
  const told = (actor: Actor, command: Command) => world.do(actor, command).map(({ type }) => type);
  const keep = (subjectId: string) => ({ type: "KeepSubject", subjectId }) as const;
  assert.equal(subject(), null);
  assert.deepEqual(told(anna.actor, keep("sub-1")), ["AccountChanged"]);
  assert.equal(subject(), "sub-1");
  const { tier, status } = world.state.account(anna.id).kyc;
  const entries = world.sequence;
  assert.deepEqual(told(root, { type: "ReadSubject", accountId: anna.id }), []);
  assert.equal(world.sequence, entries + 1, "a reading is an entry");
  assert.equal(subject(), "sub-1");
  assert.deepEqual(told(root, { type: "EraseSubject", accountId: anna.id }), ["AccountChanged"]);
  assert.equal(subject(), null);
  const after = world.state.account(anna.id).kyc;
  assert.deepEqual([after.tier, after.status], [tier, status], "the decision stands");
});

test("nobody's data can be neither read nor erased", () => {
  const world = new World();
  for (const type of ["ReadSubject", "EraseSubject"] as const) {
    const nobody = { type, accountId: accountId("acc-99") };
    assert.equal(world.refused(root, nobody).code, "ACCOUNT_NOT_FOUND");
  }
});
