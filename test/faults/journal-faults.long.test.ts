// Every call the engine makes to its journal × {failed, failed but stored, slow}, at several times.
// Invariant: what was acknowledged is there once, and the journal verifies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { accountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Command } from "#core/command.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { engineDefaults } from "#engine/open.ts";
import { Sequencer } from "#engine/sequencer.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { verifyJournal } from "#journal/verify.ts";
import { decision } from "#test/core/world.ts";
import {
  type Fault,
  type FaultOperation,
  FaultyJournal,
  faultKinds,
  faultOperations,
} from "#test/engine/faulty-journal.ts";
import { openAccount, request } from "#test/engine/requests.ts";

const key = generateSigningKey();
const REQUESTS = 30;
const CLIENTS = 4;
/** A busy machine saves fewer snapshots of as many entries; the load goes on to the planned one. */
const MOST_REQUESTS = 600;
const ofLoad: ReadonlySet<FaultOperation> = new Set([
  "append",
  "keepCheckpoint",
  "keepSnapshot",
  "file",
]);

/** Beyond the first calls: late enough to be in the middle of the load. */
const callsOf: Partial<Record<FaultOperation, readonly number[]>> = {
  append: [1, 2, 3, 7, 12],
  newestSnapshot: [1],
  read: [1, 2, 3, 4],
  keepCheckpoint: [1, 2, 4],
  keepSnapshot: [1, 2, 3],
  file: [1, 2, 4],
};

for (const operation of faultOperations) {
  for (const kind of faultKinds) {
    for (const call of callsOf[operation] ?? [1, 2]) {
      test(`${operation}, call ${call}: ${kind}`, () => run({ operation, call, kind }));
    }
  }
}

// A second fault while the first is being mended. The founding start makes one call of each of
// these, or none; so the second one belongs to the reload.
const whileReloading: readonly (readonly [FaultOperation, number])[] = [
  ["lead", 2],
  ["read", 3],
  ["read", 4],
  ["newestCheckpoint", 2],
  ["newestSnapshot", 1],
  ["keepCheckpoint", 3],
  ["file", 3],
];

for (const kind of ["failed", "failed but stored"] as const) {
  for (const [operation, call] of whileReloading) {
    for (const again of faultKinds) {
      test(`append 4: ${kind}, then ${operation} ${call}: ${again}`, () =>
        run({ operation: "append", call: 4, kind }, { operation, call, kind: again }));
    }
  }
}

async function run(...faults: readonly Fault[]): Promise<void> {
  const memory = new MemoryJournal();
  const journal = new FaultyJournal(memory, ...faults);
  const [file, logFile] = [memoryLog(), memoryLog()];
  const shown: Entry[] = [];
  const fatal: unknown[] = [];
  const make = (): Sequencer =>
    new Sequencer({
      memoryShare: () => 0,
      ...engineDefaults,
      journal,
      key,
      file: journal.log(file),
      logFile,
      onLogSigned: () => undefined,
      onLeading: () => undefined,
      clock: "real",
      now: Date.now,
      chainId: () => "a".repeat(32),
      log: () => undefined,
      checkpoints: { entries: 5, millis: 3 },
      snapshotEntries: 8,
      onRecovered: ({ exchange }) => assert.ok(exchange, "views begin with a founded exchange"),
      onDurable: (entry) => shown.push(entry),
      onFatal: (error) => fatal.push(error),
    });

  let engine = await started(make);
  const begun = engine.status().durableSequence;
  const acknowledged = await load(engine, journal);
  await history(engine);
  await engine.stop();
  const between = shown.length;
  assert.deepEqual(
    shown.map(({ sequence }) => sequence),
    Array.from({ length: between }, (_, at) => at + begun + 1),
    "the views saw every entry once, in order",
  );

  engine = await started(make);
  for (const { memo, sequence } of acknowledged) {
    const again = await untilAnswered(engine, memo);
    assert.deepEqual(again, { memo, sequence, replayed: true }, "the key finds the same entry");
  }
  assert.equal(shown.length, between, "asking again makes no entry");
  // `check` verifies the same entries: here it is done for the faults that still wait for it.
  await history(engine, journal.planned.size > 0);
  await engine.stop();
  assert.deepEqual(fatal, []);
  assert.deepEqual([...journal.planned], [], "every planned call was made");
  await check(memory, file, acknowledged);
}

interface Acknowledged {
  readonly memo: string;
  readonly sequence: number | null;
  readonly replayed: boolean;
}

async function load(
  engine: Sequencer,
  { planned }: FaultyJournal,
): Promise<readonly Acknowledged[]> {
  await untilAnswered(engine, "open");
  await untilAnswered(engine, "approve");
  const acknowledged: Acknowledged[] = [];
  let next = 0;
  const isToCome = (): boolean => [...planned].some(({ operation }) => ofLoad.has(operation));
  const client = async (): Promise<void> => {
    while (next < REQUESTS || (next < MOST_REQUESTS && isToCome())) {
      next += 1;
      acknowledged.push(await untilAnswered(engine, `deposit ${next}`));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return acknowledged;
}

/** A deposit touches its account, so that reads by account find it; first that is approved. */
function commandOf(memo: string): Command {
  if (memo === "open") return openAccount(1);
  const id = accountId("acc-1");
  if (memo === "approve") return decision(id, "approve", "institutional", true);
  return { type: "FundAccount", accountId: id, amountMicros: micros(1_000_000n), memo };
}

/** Asks with the same key until there is an answer, as a client is told to. */
async function untilAnswered(engine: Sequencer, memo: string): Promise<Acknowledged> {
  const command = commandOf(memo);
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const result = await engine.submit(request(command, memo));
    if ("outcome" in result) {
      const { sequence, outcome, replayed } = result;
      assert.ok(!isRejected(outcome));
      return { memo, sequence, replayed };
    }
    if ("refused" in result) {
      const { refused } = result;
      assert.ok(refused === "NOT_LEADER" || refused === "IDEMPOTENCY_IN_FLIGHT", refused);
    }
    await sleep(1);
  }
  throw new Error(`no answer for ${memo}`);
}

/** Reads may fail once, to their own caller only. */
async function history({ history: reads }: Sequencer, verifies = true): Promise<void> {
  const last = await eventually(() => Array.fromAsync(reads.newest({}, 1, 0)));
  const sequence = last[0]?.entry.sequence ?? 0;
  assert.equal((await eventually(() => reads.entry(sequence)))?.entry.sequence, sequence);
  const counts = await eventually(() => reads.counts({}));
  assert.equal(
    counts.reduce((sum, { count }) => sum + count, 0),
    sequence,
  );
  const range = { subjects: ["acc-1"], after: 0, before: sequence + 1, order: "newest" } as const;
  const touching = await eventually(() => reads.touching(range, 1));
  assert.deepEqual(
    touching.map((entry) => entry.sequence),
    sequence > 3 ? [sequence] : [],
  );
  const filed = await eventually(() => reads.filed({ from: "acc-1", below: "acc-10" }, 1));
  assert.deepEqual(
    filed.map(({ subject, entry }) => ({ subject, sequence: entry.sequence })),
    sequence > 3 ? [{ subject: "acc-1", sequence }] : [],
  );
  if (!verifies) return;
  const { valid, reason } = await eventually(() => reads.verify());
  assert.deepEqual({ valid, reason }, { valid: true, reason: undefined });
}

async function eventually<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    assert.match(String(error), /planned/);
    return read();
  }
}

/** A start that a fault breaks off leaves nothing in the way of the next. */
async function started(make: () => Sequencer): Promise<Sequencer> {
  const engine = make();
  try {
    await engine.start();
    return engine;
  } catch (error) {
    assert.match(String(error), /planned/);
    const second = make();
    await second.start();
    return second;
  }
}

async function check(
  memory: MemoryJournal,
  file: CheckpointLog,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const verification = await verifyJournal(memory, { key, file: file.notes() });
  assert.equal(verification.reason, undefined);
  assert.equal(verification.valid, true);
  assert.ok(verification.checkpoints > 3 && verification.snapshots > 1);
  const { length } = acknowledged;
  assert.ok(length >= REQUESTS);
  assert.equal(new Set(acknowledged.map(({ sequence }) => sequence)).size, length);
  // Genesis, the account, its approval, and each deposit once: nothing lost, nothing doubled.
  assert.equal(verification.size, length + 3);
}

function memoryLog(): CheckpointLog {
  const notes: string[] = [];
  return {
    path: "the checkpoint log",
    newest: () => notes.at(-1),
    append: async (note) => {
      notes.push(note);
    },
    notes: async function* () {
      yield* notes;
    },
  };
}
