// Marks of many markets, computed in slices beside whatever else the loop has to do.
// Invariant: a command's marks are all of the prints of one moment, and it counts no release that
// came later.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MarketId, nodeId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { parsePrintValue } from "#base/print-value.ts";
import { SCENARIOS_VERSION } from "#contract/scenarios.ts";
import type { Command, CommandOf } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import { MarkPublisher } from "#node/mark-publisher.ts";
import { levelListing, marksDue, publishing } from "#quoting/listing.ts";
import { PublicWorld } from "./public-world.ts";

const MARKETS = 240;
/** So much of a slice as each look at the clock takes here: a slice is twenty steps. */
const LOOK_MILLIS = 0.25;
const texas = nodeId("state:tx");

/** Markets on levels of Texas, and a publisher whose commands are kept as they are given. */
async function stage(t: TestContext) {
  const shown = await PublicWorld.open(t);
  await shown.printStates("zhvi");
  const { world, referenceData } = shown;
  const list = async (dollars: number): Promise<MarketId> => {
    const measurementMonth = parseMonth("2025-06");
    const thresholdE15 = parsePrintValue(String(dollars));
    assert.ok(measurementMonth !== undefined && thresholdE15 !== undefined);
    const payoff = { kind: "level", comparator: "gte", thresholdE15 } as const;
    const parts = { index: "zhvi", nodeId: texas, measurementMonth, payoff } as const;
    const found = levelListing(referenceData, parts);
    assert.ok(found !== undefined);
    await world.root({ type: "ListMarket", listing: found, frontendId: null });
    return found.marketId;
  };
  const listed: MarketId[] = [];
  for (let at = 0; at < MARKETS; at += 1) listed.push(await list(200_000 + 300 * at));
  await world.root({ type: "SetClock", toMillis: Date.UTC(2025, 1, 1) });
  const system = async (command: Command): Promise<void> => {
    const actor = { type: "system" } as const;
    const result = await world.engine.submit({
      actor,
      command,
      requestId: "marks",
      idempotency: null,
    });
    assert.ok("outcome" in result && !isRejected(result.outcome), command.type);
  };
  const commands: CommandOf<"PublishMarks">[] = [];
  const publisher = new MarkPublisher(referenceData, (command) => {
    commands.push(command);
    return system(command);
  });
  t.after(async () => publisher.stop());
  /** A file is seen, and its release accepted: nothing matches until its marks. */
  const print = async (name: string, value: string): Promise<void> => {
    await system({ type: "AwaitRelease", index: "zhvi", releaseId: releaseId(name) });
    await shown.printNext("zhvi", texas, value);
    await system({ type: "ForgetAwaited", index: "zhvi", releaseId: releaseId(name) });
  };
  let lookedAt = performance.now();
  t.mock.method(performance, "now", () => {
    lookedAt += LOOK_MILLIS;
    return lookedAt;
  });
  const isHeld = () => referenceData.exchange.areMarksDue;
  return { world, referenceData, list, listed, commands, publisher, print, isHeld };
}

const caughtUp = (): Promise<void> => Promise.resolve();

async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const ended = done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await ended;
  return turns;
}

test("others have their turn while the marks of many markets are computed", async (t) => {
  const { referenceData, commands, publisher, print, isHeld } = await stage(t);
  await print("rel-seen", "262000");
  const whole = marksDue(referenceData);
  assert.ok(whole.length > MARKETS / 2, `${whole.length} marks change`);
  const turns = await turnsUntil(publisher.after(caughtUp));
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual(commands, [{ ...publishing(whole), seenReleases: 2 }]);
  assert.equal(commands[0]?.scenarios, SCENARIOS_VERSION, "they say what they were computed by");
  assert.deepEqual([marksDue(referenceData), isHeld()], [[], false]);
  t.diagnostic(`the loop had ${turns} turns while ${MARKETS} markets were marked`);
});

test("a release between two slices: no mark is of the prints before it", async (t) => {
  const { referenceData, commands, publisher, print, isHeld } = await stage(t);
  await print("rel-seen", "262000");
  const first = publisher.after(caughtUp);
  await nextTurn();
  assert.equal(commands.length, 0, "it is under way");
  await print("rel-later", "231000");
  // Prints are shown a part at a time: the pass begins once more, and has caught up with none.
  referenceData.series.changed();
  assert.equal(commands.length, 0, "it is under way still");
  const newest = marksDue(referenceData);
  await first;
  assert.deepEqual(commands, [{ ...publishing(newest), seenReleases: 2 }]);
  assert.equal(isHeld(), true, "who made them knew of the release before");
  await publisher.after(caughtUp);
  assert.deepEqual(commands.at(-1), { ...publishing([]), seenReleases: 3 });
  assert.equal(isHeld(), false);
});

test("markets listed and paused between two slices, and many who ask at once", async (t) => {
  const { world, referenceData, list, listed, commands, publisher, print } = await stage(t);
  await print("rel-seen", "262000");
  const asked = publisher.after(caughtUp);
  await nextTurn();
  const [paused] = listed;
  assert.ok(paused !== undefined);
  await world.root({ type: "PauseMarket", marketId: paused, reason: "drill" });
  const late = await list(999_000);
  const others = Array.from({ length: 20 }, () => publisher.after(caughtUp));
  assert.equal(commands.length, 0, "it is under way");
  await Promise.all([asked, ...others]);
  assert.equal(commands.length, 1, "the one pass after it found nothing that changes");
  assert.ok(
    commands[0]?.marks.some(({ marketId }) => marketId === paused),
    "paused, then marked",
  );
  assert.equal(referenceData.exchange.markets.get(paused)?.status, "PAUSED");
  assert.equal(referenceData.exchange.markets.get(late)?.status, "ACTIVE");
  assert.deepEqual(marksDue(referenceData), []);
});

test("one that is stopped on the way gives no command", async (t) => {
  const { commands, publisher, print } = await stage(t);
  await print("rel-seen", "262000");
  const asked = publisher.after(caughtUp);
  await nextTurn();
  publisher.stop();
  await asked;
  assert.deepEqual(commands, []);
});

test("once a day what is open is counted, though no mark has changed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { world, referenceData } = await PublicWorld.open(t);
  const [seller, buyer] = [await world.trader("seller"), await world.trader("buyer")];
  const market = await world.market();
  const commands: CommandOf<"PublishMarks">[] = [];
  const publisher = new MarkPublisher(referenceData, async (command) => {
    commands.push(command);
    const own = { actor: { type: "system" }, requestId: "marks", idempotency: null } as const;
    const result = await world.engine.submit({ ...own, command });
    assert.ok("outcome" in result && !isRejected(result.outcome));
  });
  t.after(async () => publisher.stop());
  const day = async () => {
    t.mock.timers.tick(86_400_000);
    await publisher.after(caughtUp);
  };
  await day();
  assert.deepEqual(commands, [], "nothing is open");
  const sell = { marketId: market, outcomeIndex: 0, price: "0.5", side: "SELL", amount: "100" };
  await world.post("/api/trading/orders", seller.secret, sell);
  await world.post("/api/trading/orders", buyer.secret, { ...sell, side: "BUY" });
  await publisher.after(caughtUp);
  assert.deepEqual(commands, [], "not before the day is over");
  await day();
  assert.equal(commands.length, 1);
  const listed = [...referenceData.exchange.markets.values()].find(({ id }) => id === market);
  assert.equal(listed?.markedOpenLots, 10_000n);
  await day();
  assert.equal(commands.length, 1, "and not again");
});
