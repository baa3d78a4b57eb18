// How long answers made of first prints may be kept: until the next print is expected.
// Invariant tested: from the expected day on, and under a sandbox clock, each answer is asked
// about; whatever is kept, its tag tells whether it still holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keptUntil } from "#http/public/kept-until.ts";
import { PublicWorld } from "./public-world.ts";

const at = (engineTimeMillis: number, clock: "real" | "sandbox" = "real") => ({
  clock,
  engine: {
    status: () => ({
      ...({ mode: "open", role: "leader", lagMillis: null } as const),
      ...{ sequence: 1, durableSequence: 1, usedShare: 0, engineTimeMillis },
    }),
  },
});
const kept = (...asked: Parameters<typeof keptUntil>) => keptUntil(...asked)["cache-control"];

test("an answer is kept until the print is expected, for an hour at most", () => {
  const day = 86_400_000;
  assert.equal(kept(at(0), 30 * day), "public, max-age=3600, stale-while-revalidate=60");
  assert.equal(kept(at(0), 90_000), "public, max-age=90, stale-while-revalidate=0");
  assert.equal(kept(at(0), 3_630_000), "public, max-age=3600, stale-while-revalidate=30");
  assert.equal(kept(at(0), day, 60), "public, max-age=60, stale-while-revalidate=60");
  assert.equal(kept(at(day), day), undefined, "it is due");
  assert.equal(kept(at(2 * day), day), undefined, "it is late");
  assert.equal(kept(at(0), undefined), undefined, "nobody knows when");
  assert.equal(kept(at(0, "sandbox"), day), undefined, "time comes by command");
});

const asOfNewest = "/api/index/state:tx";
const paths = [
  asOfNewest,
  "/api/index?ids=state:tx,state:ca",
  "/api/index/state:tx/prints",
  "/api/overview?level=state",
];
const MAX_AGE = /^public, max-age=([1-9][0-9]*), stale-while-revalidate=[0-9]+$/;

test("index, prints and overview say so, and are told 304 while they hold", async (t) => {
  const world = await PublicWorld.open(t, { clock: "real" });
  await world.printStates("zhvi");
  for (const path of paths) {
    const answer = await world.world.get(path);
    assert.equal(answer.statusCode, 200, path);
    assert.match(String(answer.headers["cache-control"]), MAX_AGE, path);
    const tag = String(answer.headers.etag);
    const again = await world.world.get(path, undefined, { "if-none-match": tag });
    assert.equal(again.statusCode, 304, path);
    assert.match(String(again.headers["cache-control"]), MAX_AGE, path);
  }
  const unknown = await world.world.get("/api/index?ids=state:tx,zip:00000");
  assert.equal(unknown.headers["cache-control"], "public, no-cache", "a place may be added");
  const missing = await world.world.get("/api/index/state:wy");
  assert.deepEqual([missing.statusCode, missing.headers["cache-control"]], [422, "no-store"]);
});
