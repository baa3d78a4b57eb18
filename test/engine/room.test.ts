// At the memory's share a command is refused by what it leaves: a confirmation by what it carries out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "#core/command-table.ts";
import { wordIn } from "#core/words/told.ts";
import type { WordCommand } from "#core/words/word.ts";
import { takesRoom } from "#engine/room.ts";
import { openingOf, World } from "#test/core/world.ts";

test("a confirmation needs room where what it carries out leaves a record", () => {
  const world = new World();
  const [olga] = [world.open("olga", "operator"), world.open("otto", "operator")];
  const [anna, bela] = [world.open("anna", "trader"), world.open("bela", "trader")];
  const opening = openingOf("third", "operator", []);
  const said: readonly WordCommand[] = [
    opening,
    { type: "IssueKey", accountId: anna.id, key: opening.key },
    { type: "SetOwner", accountId: anna.id, owner: bela.id },
  ];
  const key = { prefix: "fp_test_aaaa", digest: "confirmed" };
  const needs = said.map((command) => {
    const word = wordIn("open", world.do(olga.actor, command)) ?? assert.fail(command.type);
    assert.equal(takesRoom(world.state, command), commands[command.type].grows);
    return takesRoom(world.state, { type: "ConfirmProposal", proposalId: word.id, key });
  });
  assert.deepEqual(needs, [true, true, false]);
});
