// The sequencer over a journal in memory: order, time, durability, idempotency, recovery.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { accountId, keyId as keyOf, orderId } from "#base/ids.ts";
import type { Command } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Result } from "#engine/engine.ts";
import { type EngineOptions, type OpenEngine, openEngine } from "#engine/open.ts";
import { type Journal, JournalRefusal, LeadershipTaken } from "#journal/journal.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
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

test("the first entry founds the exchange; a second start finds it", async (t) => {
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "real", key });
  const [first] = await journal.read(1, 1);
  assert.ok(first);
  const { command } = readEntry(first.bytes).envelope;
  assert.ok(command.type === "Genesis" && command.clock === "real");
  assert.match(command.chainId, /^[0-9a-f]{32}$/);
  assert.match(
    engine.history.checkpoint()?.note ?? "",
    new RegExp(`^firstprint/${command.chainId}\n1\n`),
  );
  await engine.stop();
  const again = await open(t, journal);
  assert.equal(again.status().sequence, 1);
});

test("a store keeps the kind of clock it was founded with", async () => {
  const journal = new MemoryJournal();
  await (await openEngine({ journal, clock: "sandbox", key })).stop();
  await assert.rejects(
    () => openEngine({ journal, clock: "real", key }),
    (error) => error instanceof JournalRefusal && /FIRSTPRINT_CLOCK=sandbox/.test(error.message),
  );
  await (await openEngine({ journal, clock: "sandbox", key })).stop();
});

test("a second engine on one journal is refused while the first leads", async (t) => {
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "real", key });
  await assert.rejects(() => openEngine({ journal, clock: "real", key }), LeadershipTaken);
  await engine.stop();
  await open(t, journal);
});

test("an answer comes after its entry is durable and shown, in order", async (t) => {
  const { journal, release, held } = heldJournal(t, new MemoryJournal());
  const shown: number[] = [];
  const engine = await open(t, journal, { onDurable: (entry) => shown.push(entry.sequence) });
  const first = engine.submit(request(openAccount(1)));
  await held();
  assert.equal(await isSettled(first), false);
  assert.deepEqual(shown, []);
  assert.equal(engine.status().sequence, 2);
  assert.equal(engine.status().durableSequence, 1);
  assert.equal(await engine.history.entry(2), undefined);
  const [second, third] = [engine.submit(request(fund(5))), engine.submit(request(fund(6)))];
  release();
  assert.equal(answered(await first).sequence, 2);
  assert.deepEqual(shown, [2]);
  assert.equal(await isSettled(second), false);
  release();
  assert.equal(answered(await second).sequence, 3);
  assert.equal(answered(await third).sequence, 4);
  assert.deepEqual(shown, [2, 3, 4]);
  assert.equal((await engine.history.entry(4))?.entry.sequence, 4);
});

test("what is stored but not yet known to be is not shown by any reading", async (t) => {
  const memory = new MemoryJournal();
  const { journal, release, held } = heldJournal(t, memory, "after");
  const engine = await open(t, journal);
  const opened = engine.submit(request(openAccount(1)));
  await held();
  assert.equal((await memory.read(2, 1)).length, 1);
  const { history } = engine;
  assert.equal(await history.entry(2), undefined);
  assert.deepEqual(sequences(await Array.fromAsync(history.newest({}, 10, 0))), [1]);
  assert.deepEqual(
    (await history.counts({})).map(({ action }) => action),
    ["exchange.founded"],
  );
  const exported: number[] = [];
  for await (const { entry } of history.export({})) exported.push(entry.sequence);
  assert.deepEqual(exported, [1]);
  assert.equal((await history.verify()).size, 1);
  release();
  await opened;
  const approved = engine.submit(request(approveKyc("acc-1")));
  await held();
  release();
  await approved;
  const funded = engine.submit(request(fundOf("acc-1")));
  await held();
  assert.equal((await memory.read(4, 1)).length, 1);
  const all = { subjects: ["acc-1"], after: 0, before: 99, order: "oldest" } as const;
  assert.deepEqual(await history.touching(all, 10), []);
  assert.equal(await history.sequenceBefore(Number.MAX_SAFE_INTEGER), 3);
  release();
  await funded;
  assert.deepEqual(
    (await history.touching(all, 10)).map(({ sequence }) => sequence),
    [4],
  );
  assert.equal((await history.entry(2))?.entry.sequence, 2);
});

test("what arrives while a batch is under way is the next batch", async (t) => {
  const { journal: gated, release, held } = heldJournal(t, new MemoryJournal());
  const journal = new FaultyJournal(gated);
  const engine = await open(t, journal);
  const first = engine.submit(request(openAccount(1)));
  await held();
  const others = Array.from({ length: 500 }, () => engine.submit(request(fund(1))));
  release();
  release();
  await first;
  const sequences = (await Promise.all(others)).map((one) => answered(one).sequence);
  assert.deepEqual(
    sequences,
    Array.from({ length: 500 }, (_, at) => at + 3),
  );
  // The founding entry, the first request, all the others.
  assert.equal(journal.calls.get("append"), 3);
});

test("a refusal that is not journalled waits for what it may rest on", async (t) => {
  const { journal, release } = heldJournal(t, new MemoryJournal());
  const engine = await open(t, journal);
  const opened = engine.submit(request(openAccount(1)));
  const unknownAccount = request(fundOf("acc-9"));
  const refused = engine.submit(unknownAccount);
  assert.equal(await isSettled(refused), false);
  release();
  await opened;
  const answer = answered(await refused);
  assert.equal(answer.sequence, null);
  assert.ok(isRejected(answer.outcome));
  assert.equal(engine.status().sequence, 2);
  // With nothing under way it is answered at once.
  const [again] = await Promise.all([engine.submit(request(fundOf("acc-9")))]);
  assert.equal(answered(again).sequence, null);
});

test("one key: the same request is answered again, another one is refused", async (t) => {
  const { journal, release } = heldJournal(t, new MemoryJournal());
  const engine = await open(t, journal);
  const opened = engine.submit(request(openAccount(1)));
  release();
  await opened;
  const original = request(fund(5), "k1");
  const first = engine.submit(original);
  assert.deepEqual(await engine.submit(request(fund(5), "k1")), {
    refused: "IDEMPOTENCY_IN_FLIGHT",
  });
  assert.deepEqual(await engine.submit(request(fund(6), "k1", "e".repeat(64))), {
    refused: "IDEMPOTENCY_MISMATCH",
  });
  release();
  const answer = answered(await first);
  assert.equal(answer.replayed, false);
  const again = answered(await engine.submit(request(fund(5), "k1")));
  assert.deepEqual(again, { ...answer, replayed: true });
  assert.equal(again.requestId, original.requestId);
  assert.deepEqual(await engine.submit(request(fund(6), "k1", "e".repeat(64))), {
    refused: "IDEMPOTENCY_MISMATCH",
  });
  assert.equal(engine.status().sequence, 3);
});

test("a refused request with a key is journalled and refused again the same way", async (t) => {
  const engine = await open(t, new MemoryJournal());
  const first = answered(await engine.submit(request(fundOf("acc-9"), "k1")));
  assert.ok(first.sequence !== null && isRejected(first.outcome));
  await engine.submit(request(openAccount(1)));
  const again = answered(await engine.submit(request(fundOf("acc-9"), "k1")));
  assert.deepEqual(again, { ...first, replayed: true });
});

test("two callers' keys are not each other's, and a key is forgotten after 24 hours", async (t) => {
  let now = 1_800_000_000_000;
  const engine = await open(t, new MemoryJournal(), { now: () => now });
  answered(await engine.submit(request(openAccount(1))));
  assert.equal(answered(await engine.submit(request(fund(1), "k"))).replayed, false);
  const recorded: Command = {
    type: "RecordRefusal",
    code: "UNAUTHENTICATED",
    operation: "x",
    count: 1,
  };
  const system = { ...request(recorded, "k", "e".repeat(64)), actor: { type: "system" } as const };
  assert.equal(answered(await engine.submit(system)).replayed, false);
  now += 86_399_999;
  assert.equal(answered(await engine.submit(request(fund(1), "k"))).replayed, true);
  now += 1;
  assert.equal(answered(await engine.submit(request(fund(1), "k"))).replayed, false);
});

test("too many waiting are refused, cancels are not", async (t) => {
  const { journal, release } = heldJournal(t, new MemoryJournal());
  const engine = await open(t, journal, { waitingLimit: 10 });
  const waiting: Promise<Result>[] = [engine.submit(request(openAccount(1)))];
  for (let count = 1; count < 10; count += 1) waiting.push(engine.submit(request(fund(1))));
  assert.deepEqual(await engine.submit(request(fund(1))), { refused: "OVERLOADED" });
  const cancel = { type: "CancelAll", marketId: null } as const;
  const actor = { type: "key", accountId: accountId("acc-1"), keyId: keyOf("key-1") } as const;
  waiting.push(engine.submit({ ...request(cancel), actor }));
  const armed = { type: "SetCancelAfter", seconds: 5, marketId: null } as const;
  waiting.push(engine.submit({ ...request(armed), actor }));
  const one = { type: "CancelOrder", orderId: orderId("ord-1") } as const;
  const single = engine.submit({ ...request(one), actor });
  assert.deepEqual(await engine.submit(request(fund(1))), { refused: "OVERLOADED" });
  release();
  release();
  for (const one of await Promise.all(waiting)) assert.ok(answered(one).sequence !== null);
  assert.ok(isRejected(answered(await single).outcome), "taken in, and there is no such order");
});

test("time never goes back, whatever the machine's clock does", async (t) => {
  let now = 1_800_000_000_000;
  const engine = await open(t, new MemoryJournal(), { now: () => now });
  const at = async () => answered(await engine.submit(request(openAccount(1)))).timeMillis;
  assert.equal(await at(), 1_800_000_000_000);
  now -= 3_600_000;
  assert.equal(await at(), 1_800_000_000_000);
  assert.equal(engine.status().engineTimeMillis, 1_800_000_000_000);
  now += 3_600_001;
  assert.equal(await at(), 1_800_000_000_001);
});

test("the sandbox clock stands at 0, then where it was set, over restarts too", async (t) => {
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "sandbox", key });
  assert.equal(engine.status().engineTimeMillis, 0);
  assert.equal(answered(await engine.submit(request(openAccount(1)))).timeMillis, 0);
  const toMillis = Date.UTC(2024, 10, 20);
  await engine.submit(request({ type: "SetClock", toMillis }));
  assert.equal(engine.status().engineTimeMillis, toMillis);
  await engine.stop();
  const again = await open(t, journal, { clock: "sandbox" });
  assert.equal(again.status().engineTimeMillis, toMillis);
  assert.equal(answered(await again.submit(request(fund(1)))).timeMillis, toMillis);
  const back = await again.submit(request({ type: "SetClock", toMillis: toMillis - 1 }));
  assert.ok(isRejected(answered(back).outcome));
});

test("setting the clock lets what is due happen on the way, each at its own time", async (t) => {
  const shown: Entry[] = [];
  const engine = await open(t, new MemoryJournal(), {
    clock: "sandbox",
    onDurable: (entry) => shown.push(entry),
  });
  const start = Date.UTC(2024, 0, 1);
  await engine.submit(request({ type: "SetClock", toMillis: start }));
  for (const number of [1, 2, 3]) {
    await engine.submit(request(openAccount(number)));
    answered(await engine.submit(request(approveKyc(`acc-${number}`))));
    await engine.submit(request({ type: "SetClock", toMillis: start + number * 86_400_000 }));
  }
  const arrival = start + 800 * 86_400_000;
  const set = answered(await engine.submit(request({ type: "SetClock", toMillis: arrival })));
  // The answer comes only when everything on the way has been shown.
  const due = shown.filter(({ sequence }) => sequence > (set.sequence ?? 0));
  assert.deepEqual(
    due.map(({ envelope }) => [envelope.command.type, envelope.timeMillis]),
    [0, 1, 2].map((day) => ["ExpireKyc", start + (day + 365) * 86_400_000]),
  );
  assert.equal(engine.status().durableSequence, shown.length + 1);
});

test("under the real clock what is due happens by itself, before any later command", async (t) => {
  let now = 1_800_000_000_000;
  const shown: Entry[] = [];
  const options = { now: () => now, onDurable: (entry: Entry) => shown.push(entry) };
  const journal = new MemoryJournal();
  const engine = await openEngine({ journal, clock: "real", key, ...options });
  await engine.submit(request(openAccount(1)));
  answered(await engine.submit(request(approveKyc("acc-1"))));
  now += 366 * 86_400_000;
  answered(await engine.submit(request(fund(1))));
  assert.deepEqual(
    shown.map(({ envelope }) => envelope.command.type),
    ["OpenAccount", "DecideKyc", "ExpireKyc", "FundGuarantee"],
  );
  assert.equal(shown[2]?.envelope.timeMillis, 1_800_000_000_000 + 365 * 86_400_000);

  // And by a timer, with nobody asking: the node was down over the moment.
  answered(await engine.submit(request(approveKyc("acc-1"))));
  await engine.stop();
  now += 366 * 86_400_000;
  const late = await open(t, journal, options);
  for (let turn = 0; late.status().durableSequence < 7 && turn < 1_000; turn += 1) await sleep(1);
  assert.equal(shown.at(-1)?.envelope.command.type, "ExpireKyc");
});

test("halting the exchange shows in the mode once durable, and is still sequenced", async (t) => {
  const { journal, release, held } = heldJournal(t, new MemoryJournal());
  const engine = await open(t, journal);
  const halted = engine.submit(request({ type: "HaltExchange", reason: "storm" }));
  assert.equal(engine.status().mode, "open");
  release();
  await halted;
  assert.equal(engine.status().mode, "halted");
  const resumed = engine.submit(request({ type: "ResumeExchange", reason: "calm" }));
  await held();
  release();
  await resumed;
  assert.equal(engine.status().mode, "open");
});

test("history: pages, counts, export, and no entry after the durable one", async (t) => {
  let now = 1_800_000_000_000;
  const engine = await open(t, new MemoryJournal(), { now: () => now });
  await engine.submit(request(openAccount(1)));
  for (let usd = 1; usd <= 5; usd += 1) {
    now += 1_000;
    await engine.submit(request(fund(usd)));
  }
  const page = await Array.fromAsync(engine.history.newest({ action: "guarantee.funded" }, 2, 1));
  assert.deepEqual(
    page.map(({ entry }) => entry.sequence),
    [6, 5],
  );
  assert.equal(page[0]?.previousHash, page[1]?.hash);
  const ranged = { fromSeconds: 1_800_000_002, toSeconds: 1_800_000_004 };
  const found: number[] = [];
  for await (const { entry } of engine.history.export(ranged)) found.push(entry.sequence);
  assert.deepEqual(found, [4, 5, 6]);
  const counts = await engine.history.counts({});
  assert.equal(
    counts.reduce((sum, { count }) => sum + count, 0),
    7,
  );
  assert.deepEqual(
    counts.find(({ action }) => action === "guarantee.funded"),
    {
      action: "guarantee.funded",
      severity: "info",
      count: 5,
      firstSeconds: 1_800_000_001,
      lastSeconds: 1_800_000_005,
    },
  );
  assert.deepEqual(
    await Array.fromAsync(engine.history.newest({ userId: "system" }, 10, 0)).then(sequences),
    [1],
  );
  assert.deepEqual(await Array.fromAsync(engine.history.newest({ concerns: "acc-9" }, 10, 0)), []);
});

const sequences = (found: readonly { readonly entry: Entry }[]): readonly number[] =>
  found.map(({ entry }) => entry.sequence);

const approveKyc = (account: string): Command => ({
  type: "DecideKyc",
  accountId: accountId(account),
  decision: "approve",
  tier: "basic",
  countryCode: "US",
  sanctionsCleared: true,
  pepScreened: true,
  adverseMediaCleared: true,
  listVersion: null,
  provider: "manual",
  accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
});
