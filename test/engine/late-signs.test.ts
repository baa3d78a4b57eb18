// Signs that this node still leads, which lie unread while its loop is held.
// Invariant tested: nobody is refused before the loop has had turns to read them; where none comes,
// only the first to ask wait for it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { NotLeaderReason } from "#engine/engine.ts";
import { openEngine } from "#engine/open.ts";
import type { Journal } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { fund, request } from "./requests.ts";

/** Longer than a leader may be silent. */
const LONG_AGO_MILLIS = 6_000;

async function open(t: TestContext) {
  let heardAt = performance.now();
  const memory = new MemoryJournal();
  const journal: Journal = new Proxy(memory, {
    get: (_target, name) => {
      if (name !== "lead") return Reflect.get(memory, name).bind(memory);
      return async (...how: Parameters<Journal["lead"]>) => ({
        ...(await memory.lead(...how)),
        heardOfAt: () => heardAt,
      });
    },
  });
  const refused: NotLeaderReason[] = [];
  const engine = await openEngine({
    ...{ journal, clock: "real", standsBy: true },
    onNotLeader: (reason) => refused.push(reason),
  });
  t.after(() => engine.stop());
  const hear = (at: number): void => {
    heardAt = at;
  };
  return { engine, hear, refused, memory };
}

test("a sign that is read in a later turn answers those who asked before it", async (t) => {
  const { engine, hear, refused } = await open(t);
  hear(performance.now() - LONG_AGO_MILLIS);
  assert.equal(engine.isCurrent("public"), false);
  const asked = ["public", "private", "public"] as const;
  const answers = asked.map((privacy) => engine.becomesCurrent(privacy));
  await turn();
  hear(performance.now());
  assert.deepEqual(await Promise.all(answers), [true, true, true]);
  assert.deepEqual(refused, []);
});

test("where none comes they are refused, and the next at once until one does", async (t) => {
  const { engine, hear, refused } = await open(t);
  hear(performance.now() - LONG_AGO_MILLIS);
  assert.equal(await engine.becomesCurrent("public"), false);
  const next = engine.becomesCurrent("public");
  const later = sleep(0, "a turn later");
  assert.equal(await Promise.race([next, later]), false);
  assert.deepEqual(refused, ["unheard", "unheard"]);
  // One that is old by now says nothing, but that the database answers again.
  hear(performance.now() - LONG_AGO_MILLIS + 1);
  const waits = engine.becomesCurrent("public");
  await turn();
  hear(performance.now());
  assert.equal(await waits, true);
});

test("a command that finds no term is told so, and why", async (t) => {
  const { engine, refused, memory } = await open(t);
  memory.depose();
  assert.deepEqual(await engine.submit(request(fund(1))), { refused: "NOT_LEADER" });
  assert.deepEqual(refused, ["starting"]);
});
