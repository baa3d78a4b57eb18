// At the memory's share a command is refused by what it leaves: a confirmation by what it carries out.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "#core/command.ts";
import { commands } from "#core/command-table.ts";
import { wordIn } from "#core/words/told.ts";
import type { WordCommand } from "#core/words/word.ts";
import { openEngine } from "#engine/open.ts";
import { ORDERS_REFUSED_SHARE, takesRoom } from "#engine/room.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { rowsOf } from "#test/core/audit-rows.ts";
import { stage } from "#test/core/audit-stage.ts";
import { openingOf, World } from "#test/core/world.ts";
import { fund, openAccount, request } from "./requests.ts";

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

test("at the memory's share each command whose row leaves records is refused, and no cancel", async (t) => {
  const share = { now: 0 };
  const journal = new MemoryJournal();
  const options = { journal, clock: "real", key: generateSigningKey() } as const;
  const engine = await openEngine({ ...options, memoryShare: () => share.now });
  t.after(() => engine.stop());
  const answerTo = async (command: Command): Promise<string> => {
    const result = await engine.submit(request(command));
    return "refused" in result ? result.refused : "answered";
  };
  const asked = rowsOf(stage()).map(([command]) => command);
  share.now = ORDERS_REFUSED_SHARE;
  for (const command of asked) {
    const { grows, cancels } = commands[command.type];
    if (grows) assert.equal(await answerTo(command), "EXCHANGE_FULL", command.type);
    if (cancels) assert.equal(await answerTo(command), "answered", command.type);
  }
  assert.equal(await answerTo(fund(1)), "answered", "an operator's word is taken");
  share.now = ORDERS_REFUSED_SHARE - 0.01;
  assert.equal(await answerTo(openAccount(1)), "answered");
});
