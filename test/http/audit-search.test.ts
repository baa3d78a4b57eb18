// Searching the audit trail: the entries its pages have, a stretch at a time, nobody else's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalHistory } from "#engine/history.ts";
import type { EntryFilter } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { type Holder, order, World } from "./world.ts";

const search = async (world: World, { secret }: Holder, query: string) => {
  const answer = await world.get(`/api/audit/search?${query}`, secret);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
};

const idsOf = (body: { data: readonly { id: string }[] }): readonly string[] =>
  body.data.map(({ id }) => id);

test("a search pages down to the first entry, and finds what the trail has", async (t) => {
  const world = await World.open(t);
  const [a, b] = [await world.trader("a"), await world.trader("b")];
  const auditor = await world.account("c", "auditor");
  const marketId = await world.market();
  const begins = Date.UTC(2024, 10, 20) / 1000;
  for (const price of [0.1, 0.2, 0.3]) {
    await world.post("/api/trading/orders", a.secret, order(marketId, { price }));
    await world.root({ type: "SetClock", toMillis: world.view.timeMillis + 60_000 });
  }
  await world.post("/api/trading/orders", b.secret, order(marketId, { price: 0.15 }));

  for (const query of [
    "",
    "action=order.placed",
    `account=${a.id}`,
    `account=${a.address}&action=order.placed`,
    "userId=root&severity=info",
    "resource=ord-2",
    `startTime=${begins + 60}&endTime=${begins + 119}`,
    `startTime=${begins + 60}&action=order.placed`,
  ]) {
    for (const who of [a, b, auditor]) {
      const logs = await world.get(`/api/audit/logs?limit=1000&${query}`, who.secret);
      const found: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const page = await search(world, who, `${query}&limit=2${cursor}`);
        found.push(...idsOf(page));
        assert.ok(page.data.length <= 2);
        cursor = page.nextCursor === null ? null : `&cursor=${page.nextCursor}`;
      }
      assert.deepEqual(found, idsOf(logs.json()), `${who.id} ${query}`);
    }
  }
  assert.equal((await search(world, auditor, "resource=ord-2")).data[0].userName, "a");
  const foreign = await search(world, a, `account=${b.id}`);
  assert.deepEqual(foreign, { ...foreign, data: [], nextCursor: null, searchedTo: null });

  const { nextCursor } = await search(world, auditor, "limit=1");
  for (const query of [`cursor=${nextCursor}&action=order.placed`, "cursor=x", "offset=1"]) {
    const refused = await world.get(`/api/audit/search?limit=1&${query}`, auditor.secret);
    assert.equal(refused.statusCode, 400, query);
  }
  const stolen = await world.get(`/api/audit/search?limit=1&cursor=${nextCursor}`, a.secret);
  assert.equal(stolen.statusCode, 400, "a cursor is its account's");
});

test("what has no index is looked for in a stretch, what has one in all of the trail", async () => {
  const asked: (readonly [number | undefined, number])[] = [];
  class Long extends MemoryJournal {
    override async newest({ after }: EntryFilter, upTo: number) {
      asked.push([after, upTo]);
      return [];
    }
  }
  const history = new JournalHistory({
    journal: new Long(),
    key: generateSigningKey(),
    file: undefined,
    logFile: undefined,
    durableSequence: () => 250_000,
    checkpoint: () => undefined,
    log: () => undefined,
  });
  const rare = { action: "exchange.halted" };
  let next: number | undefined = 250_001;
  while (next !== undefined) {
    ({ next } = await history.search(rare, { before: next, limit: 10 }));
  }
  assert.deepEqual(asked, [
    [150_000, 250_000],
    [50_000, 150_000],
    [0, 50_000],
  ]);
  const whole = await history.search({ party: "acc-1" }, { limit: 10 });
  assert.deepEqual([asked.at(-1), whole.from, whole.next], [[0, 250_000], 1, undefined]);
});
