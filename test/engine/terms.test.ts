// The end of a term and the start of the next, over a journal in memory.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { stateHash } from "#core/snapshot.ts";
import { type EngineOptions, type OpenEngine, openEngine } from "#engine/open.ts";
import { PageMaker } from "#engine/page-maker.ts";
import { openState } from "#engine/recover.ts";
import { ChainBreak, noEntries } from "#journal/chain.ts";
import type { Journal } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { seal } from "#journal/seal.ts";
import { verifyJournal } from "#journal/verify.ts";
import { layer } from "#test/core/premiums.ts";
import { order, World } from "#test/core/world.ts";
import { until } from "#test/e2e/until.ts";
import { journalOf, rewritten, sealedEntries } from "#test/journal/sealed.ts";
import { FaultyJournal } from "./faulty-journal.ts";
import { heldJournal, isSettled } from "./held-journal.ts";
import { answered, fund, fundOf, openAccount, request } from "./requests.ts";

const key = generateSigningKey();

async function open(
  t: TestContext,
  journal: Journal,
  options: Partial<EngineOptions> = {},
): Promise<OpenEngine> {
  const engine = await openEngine({ journal, clock: "real", key, ...options });
  t.after(() => engine.stop());
  return engine;
}

test("a lost term: nothing acknowledged is lost, what was not sent is refused", async (t) => {
  const memory = new MemoryJournal();
  const { journal, release, held } = heldJournal(t, memory);
  const shown: number[] = [];
  const engine = await open(t, journal, { onDurable: (entry) => shown.push(entry.sequence) });
  const opened = engine.submit(request(openAccount(1)));
  release();
  await opened;
  const sent = engine.submit(request(fund(1), "sent"));
  await held();
  const queued = engine.submit(request(fund(2), "queued"));
  const refusedOnly = engine.submit(request(fundOf("acc-9")));
  memory.depose();
  assert.deepEqual(await sent, { unknown: true });
  assert.deepEqual(await queued, { refused: "NOT_LEADER" });
  assert.deepEqual(await refusedOnly, { refused: "NOT_LEADER" });
  assert.equal(engine.status().mode, "starting");
  assert.deepEqual(await engine.submit(request(fund(3))), { refused: "NOT_LEADER" });
  release();
  while (engine.status().mode !== "open") await sleep(5);
  // The held batch met a term that was over: it was not stored, so the key is free.
  const again = engine.submit(request(fund(1), "sent"));
  await held();
  release();
  assert.equal(answered(await again).replayed, false);
  assert.deepEqual(shown, [2, 3]);
});

test("an outcome unknown but stored is shown after the reload, found by its key", async (t) => {
  const fault = { operation: "append", call: 3, kind: "failed but stored" } as const;
  const journal = new FaultyJournal(new MemoryJournal(), fault);
  const shown: number[] = [];
  const engine = await open(t, journal, { onDurable: (entry) => shown.push(entry.sequence) });
  answered(await engine.submit(request(openAccount(1))));
  assert.deepEqual(await engine.submit(request(fund(7), "k")), { unknown: true });
  while (engine.status().mode !== "open") await sleep(5);
  assert.deepEqual(shown, [2, 3]);
  const again = answered(await engine.submit(request(fund(7), "k")));
  assert.equal(again.replayed, true);
  assert.equal(again.sequence, 3);
});

test("a cut that loses nothing keeps the state; one that ran ahead is read again", async (t) => {
  const memory = new MemoryJournal();
  const journal = new FaultyJournal(memory);
  const engine = await open(t, journal);
  answered(await engine.submit(request(openAccount(1))));
  answered(await engine.submit(request(fund(100), "first")));
  const snapshotsAsked = () => journal.calls.get("newestSnapshot");
  const asked = snapshotsAsked();
  const epoch = engine.epoch() ?? 0;
  memory.depose();
  assert.equal(engine.epoch(), undefined);
  await until("it leads again", () => engine.status().mode === "open");
  assert.ok((engine.epoch() ?? 0) > epoch);
  assert.equal(snapshotsAsked(), asked, "nothing was read again");
  assert.equal(answered(await engine.submit(request(fund(100), "first"))).replayed, true);

  // Decided and never stored: the state has it, the journal has not.
  const calls = journal.calls.get("append") ?? 0;
  journal.planned.add({ operation: "append", call: calls + 1, kind: "failed" });
  assert.deepEqual(await engine.submit(request(fund(7), "lost")), { unknown: true });
  await until("it leads again", () => engine.status().mode === "open");
  assert.equal(snapshotsAsked(), (asked ?? 0) + 1, "the state was read again");
  const after = answered(await engine.submit(request(fund(7), "lost")));
  assert.deepEqual([after.replayed, after.sequence], [false, 4]);

  // Decided, stored, and the answer lost: the state has just what the journal has.
  const plan = { call: (journal.calls.get("append") ?? 0) + 1, kind: "failed but stored" } as const;
  journal.planned.add({ operation: "append", ...plan });
  assert.deepEqual(await engine.submit(request(fund(8), "stored")), { unknown: true });
  await until("it leads again", () => engine.status().mode === "open");
  assert.equal(snapshotsAsked(), (asked ?? 0) + 1, "nothing was read again");
  assert.equal(answered(await engine.submit(request(fund(8), "stored"))).replayed, true);
  assert.equal(engine.status().durableSequence, 5);
  assert.equal((await engine.history.verify()).valid, true);
});

test("a state that was kept from another chain of the same length is not led on", async (t) => {
  const chains = await Promise.all(
    [100, 200].map(async (cents) => {
      const journal = new MemoryJournal();
      const engine = await open(t, journal);
      answered(await engine.submit(request(openAccount(1))));
      answered(await engine.submit(request(fund(cents))));
      await engine.stop();
      const parts = { journal, key, file: undefined, clock: "real", log: () => undefined } as const;
      const [last] = await journal.newest({}, Number.MAX_SAFE_INTEGER, 1, 0);
      assert.ok(last !== undefined);
      const head = { size: last.sequence, hash: last.hash };
      return { parts, head, led: await openState(parts, head, () => undefined) };
    }),
  );
  const [own, other] = chains;
  assert.ok(own?.led !== undefined && other?.led !== undefined);
  assert.equal(own.head.size, other.head.size);
  const kept = other.led;
  const led = await openState(own.parts, own.head, () => kept);
  assert.ok(led !== undefined);
  assert.equal(stateHash(led.state), stateHash(own.led.state));
  assert.notEqual(stateHash(led.state), stateHash(kept.state));
});

test("stopping answers what was taken in, refuses the rest, and signs the end", async (t) => {
  const { journal, release } = heldJournal(t, new MemoryJournal());
  const engine = await openEngine({ journal, clock: "real", key });
  const taken = engine.submit(request(openAccount(1)));
  const stopped = engine.stop();
  assert.deepEqual(await engine.submit(request(fund(1))), { refused: "STOPPING" });
  assert.equal(await isSettled(stopped), false);
  release();
  assert.equal(answered(await taken).sequence, 2);
  await stopped;
  assert.match(engine.history.checkpoint()?.note ?? "", /^firstprint\/[0-9a-f]{32}\n2\n/);
  assert.equal((await journal.newestSnapshot(100))?.size, 2);
  await open(t, journal);
});

test("a restart from a snapshot and from nothing end in the same state", async (t) => {
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "real", key, snapshotEntries: 30 });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 100; usd += 1) {
    answered(await engine.submit(request(fund(usd), usd % 3 === 0 ? `k${usd}` : undefined)));
  }
  await engine.stop();
  const snapshots = await journal.snapshotsAfter(0, 100);
  assert.ok(snapshots.length >= 4);

  const hashes: string[] = [];
  const withHash: Partial<EngineOptions> = {
    onRecovered: (state) => hashes.push(stateHash(state) + [...state.answers.keys()].join()),
  };
  await (await openEngine({ journal, clock: "real", key, ...withHash })).stop();
  const bare = new FaultyJournal(journal);
  bare.newestSnapshot = async () => undefined;
  await (await openEngine({ journal: bare, clock: "real", key, ...withHash })).stop();
  assert.equal(hashes.length, 2);
  assert.equal(hashes[0], hashes[1]);
  const verification = await (await open(t, journal)).history.verify();
  assert.equal(verification.valid, true);
  assert.ok(hashes[0]?.startsWith(verification.stateHash));
});

test("margin that a snapshot leaves to be drawn is drawn while nothing else waits", async (t) => {
  const world = new World();
  world.print("2024-10", "300000");
  const listing = world.listing("2025-08", layer);
  for (const name of ["one", "two", "three"]) {
    const isListed = world.state.markets.size > 0;
    const bid = order(listing, "BUY", "1", "0.01");
    world.order(bid, world.trader(name, "1000"), isListed ? null : listing);
  }
  let head = noEntries;
  const entries = world.journal.map((entry) => {
    const sealed = seal(head, entry, world.state);
    head = { size: sealed.sequence, hash: sealed.hash };
    return sealed;
  });
  const journal = await journalOf(entries);
  const clock = "sandbox";
  await (await openEngine({ journal, clock, key })).stop();

  let left = 0;
  let leftNow = (): number => assert.fail("nothing was recovered");
  await open(t, journal, {
    clock,
    onRecovered: ({ exposures }) => {
      leftNow = () => exposures.drawAccounts(0);
      left = leftNow();
    },
  });
  assert.ok(left > 0, "it was opened before all was drawn");
  await until("all is drawn", () => leftNow() === 0);
});

test("a snapshot is made of what is durable, while the state runs ahead", async (t) => {
  const memory = new MemoryJournal();
  const { journal, release, held } = heldJournal(t, memory);
  const engine = await open(t, journal, { snapshotEntries: 10 });
  const opened = engine.submit(request(openAccount(1)));
  await held();
  const deposits = Array.from({ length: 30 }, () => engine.submit(request(fund(1))));
  release();
  await opened;
  await held();
  const sizes = async () => (await memory.snapshotsAfter(0, 10)).map(({ size }) => size);
  assert.deepEqual(await sizes(), []);
  release();
  await Promise.all(deposits);
  while ((await sizes()).length === 0) await turn();
  assert.deepEqual(await sizes(), [32]);
  assert.equal((await verifyJournal(memory, { key })).snapshots, 1);
});

test("a snapshot that cannot be made or kept is told of, and costs no term", async (t) => {
  const memory = new MemoryJournal();
  const journal = new FaultyJournal(
    memory,
    { operation: "keepSnapshot", call: 1, kind: "failed" },
    { operation: "keepSnapshot", call: 2, kind: "failed" },
  );
  const said: string[] = [];
  const log = (message: string): void => void said.push(message);
  let isOut = false;
  const afresh: boolean[] = [];
  const engine = await openEngine({
    journal,
    clock: "real",
    key,
    snapshotEntries: 10,
    log,
    makePages: (options) => {
      const maker = new PageMaker(options);
      const pages = async (upTo: number, isAfresh: boolean) => {
        afresh.push(isAfresh);
        if (isOut) throw new Error("planned: no memory");
        return maker.pages(upTo, isAfresh);
      };
      return { pages, close: () => maker.close() };
    },
  });
  const epoch = engine.epoch();
  answered(await engine.submit(request(openAccount(1))));
  const deposit = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) answered(await engine.submit(request(fund(1))));
  };
  const tellsOf = async (count: number): Promise<void> => {
    while (said.length < count) await turn();
  };
  await deposit(8);
  await tellsOf(1);
  assert.match(said.join("\n"), /^no snapshot at entry 10: planned/);
  isOut = true;
  await deposit(10);
  await tellsOf(2);
  assert.match(said.at(-1) ?? "", /^no snapshot at entry 20: planned: no memory/);
  isOut = false;
  await deposit(10);
  await tellsOf(3);
  assert.match(said.at(-1) ?? "", /^no snapshot at entry 30: planned/);
  await deposit(5);
  assert.equal(said.length, 3, "told once each, not at every batch");
  assert.equal(engine.epoch(), epoch, "it is still the same term");
  await engine.stop();
  assert.equal((await memory.newestSnapshot(100))?.size, 35);
  assert.deepEqual(afresh, [true, true, true, true], "nothing counts as kept that was not");
  await open(t, journal);
});

test("a damaged snapshot gives way to an older one, then to none", async (t) => {
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "real", key, snapshotEntries: 10 });
  answered(await engine.submit(request(openAccount(1))));
  for (let usd = 1; usd <= 30; usd += 1) answered(await engine.submit(request(fund(usd))));
  await engine.stop();
  const [newest, ...older] = (await journal.snapshotsAfter(0, 100)).toReversed();
  assert.ok(newest && older.length > 0);
  for (const damaged of [new Set([newest.size]), "all"] as const) {
    const said: string[] = [];
    const read = new FaultyJournal(journal);
    read.newestSnapshot = async (below) => {
      const found = await journal.newestSnapshot(below);
      if (found === undefined || (damaged !== "all" && !damaged.has(found.size))) return found;
      const another = { digest: "aa", bytes: Buffer.from("another text") };
      return { ...found, pages: async () => [another] };
    };
    const again = await openEngine({ journal: read, clock: "real", key, log: (m) => said.push(m) });
    const passedOver = said.filter((message) =>
      /is passed over: its bytes are damaged/.test(message),
    );
    assert.equal(passedOver.length, damaged === "all" ? older.length + 1 : 1);
    assert.equal((await again.history.verify()).valid, true);
    await again.stop();
  }
  t.diagnostic(`${older.length + 1} snapshots`);
});

test("an entry that the core now decides otherwise stops the start, named", async () => {
  const entries = sealedEntries(20);
  const sound = await journalOf(entries);
  await (await openEngine({ journal: sound, clock: "real", key })).stop();
  // As if another version had written entry 11: the chain holds, the decision differs.
  const other = await journalOf(rewritten(entries, 11, '"reason":"deposit"', '"reason":"fee"'));
  await assert.rejects(
    () => openEngine({ journal: other, clock: "real", key }),
    (error) =>
      error instanceof ChainBreak && error.sequence === 11 && /another outcome/.test(error.message),
  );
});

test("views that break stop the node before anybody is answered", async (t) => {
  const fatal: unknown[] = [];
  const engine = await open(t, new MemoryJournal(), {
    onDurable: () => {
      throw new Error("a view broke");
    },
    onFatal: (error) => fatal.push(error),
  });
  assert.deepEqual(await engine.submit(request(openAccount(1))), { unknown: true });
  assert.match(String(fatal[0]), /a view broke/);
  assert.deepEqual(await engine.submit(request(openAccount(2))), { refused: "STOPPING" });
  assert.notEqual(engine.status().mode, "open");
});
