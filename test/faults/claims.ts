// The engine's answer to each deposit it was asked for, held against what its journal holds.
// Invariant: a deposit has a key of its own, and what was first said of it is not forgotten.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { readEntry } from "#core/entry-bytes.ts";
import { isRejected } from "#core/outcome.ts";
import type { Engine, Result } from "#engine/engine.ts";
import type { Connection } from "#storage/embedded.ts";
import { fund, request } from "#test/engine/requests.ts";

/** Of a deposit that was done, its entry. */
type Said = { readonly sequence: number } | "refused" | "unknown";

/** Where the journal has a deposit, by its key; twice, if it had. */
type Stored = ReadonlyMap<string, readonly number[]>;

interface Tally {
  answered: number;
  refused: number;
  unknownStored: number;
  unknownAbsent: number;
}

export const noTally = (): Tally => ({
  answered: 0,
  refused: 0,
  unknownStored: 0,
  unknownAbsent: 0,
});

const PATIENCE_MILLIS = 60_000;

export class Claims {
  readonly #said = new Map<string, Said>();
  readonly #undecided = new Set<string>();

  get size(): number {
    return this.#said.size;
  }

  /** Asks once; true when it was done. */
  async ask(engine: Engine, memo: string): Promise<boolean> {
    const said = saidBy(await engine.submit(request(fund(1, memo), memo)));
    this.#said.set(memo, said);
    this.#undecided.add(memo);
    return typeof said === "object";
  }

  /** Nothing wrong was certain; what was said since the last judgement, counted. */
  judge(stored: Stored): Tally {
    const tally = noTally();
    for (const memo of this.#undecided) {
      const said = this.#said.get(memo);
      const at = stored.get(memo) ?? [];
      assert.ok(at.length <= 1, `${memo} stands in the journal at ${at.join(" and ")}`);
      if (said === "refused") {
        assert.deepEqual(at, [], `${memo} was refused, so it is not there`);
        tally.refused += 1;
      } else if (said === "unknown") {
        tally[at.length === 1 ? "unknownStored" : "unknownAbsent"] += 1;
      } else {
        assert.deepEqual(at, [said?.sequence], `${memo} was answered, so it is there`);
        tally.answered += 1;
      }
    }
    return tally;
  }

  /** Asks for all of these under their keys again: each has its one answer, and from now on one. */
  async settle(engine: Engine, stored: Stored): Promise<void> {
    const again = async (memo: string): Promise<void> => {
      const { sequence, replayed, wasUnknown } = await untilAnswered(engine, memo);
      const [before] = stored.get(memo) ?? [];
      if (before !== undefined) assert.equal(sequence, before, `${memo} has one answer`);
      // Asking again may meet a fault of its own.
      const isSure = before !== undefined || !wasUnknown;
      if (isSure) assert.equal(replayed, before !== undefined, `${memo}: done before, or now`);
      this.#said.set(memo, { sequence });
    };
    await Promise.all([...this.#undecided].map(again));
    this.#undecided.clear();
  }

  /** At the end: every deposit ever asked for is there once, where it was said, and no other. */
  judgeWhole(stored: Stored): void {
    const expected = new Map<string, readonly number[]>();
    for (const [memo, said] of this.#said) {
      if (typeof said === "object") expected.set(memo, [said.sequence]);
    }
    assert.deepEqual(stored, expected);
  }

  /** The answered deposits that are not there: none, on a server that keeps what it commits. */
  lost(stored: Stored): readonly string[] {
    return [...this.#said]
      .filter(([memo, said]) => typeof said === "object" && !stored.has(memo))
      .map(([memo]) => memo);
  }
}

function saidBy(result: Result): Said {
  if ("unknown" in result) return "unknown";
  if ("refused" in result) {
    assert.equal(result.refused, "NOT_LEADER");
    return "refused";
  }
  const { sequence, outcome, replayed } = result;
  assert.ok(!isRejected(outcome) && !replayed && sequence !== null, "a deposit is done");
  return { sequence };
}

interface Settled {
  readonly sequence: number;
  readonly replayed: boolean;
  readonly wasUnknown: boolean;
}

/** As a client is told to: the same key until there is an answer. */
async function untilAnswered(engine: Engine, memo: string): Promise<Settled> {
  const deadline = Date.now() + PATIENCE_MILLIS;
  let wasUnknown = false;
  while (Date.now() < deadline) {
    const result = await engine.submit(request(fund(1, memo), memo));
    if ("outcome" in result) {
      const { sequence, outcome, replayed } = result;
      assert.ok(!isRejected(outcome) && sequence !== null, `${memo} is done`);
      return { sequence, replayed, wasUnknown };
    }
    wasUnknown ||= "unknown" in result;
    await sleep(2);
  }
  throw new Error(`no answer for ${memo}: ${JSON.stringify(engine.status())}`);
}

/** `lastSaid`: what the engine logged last, for whoever has to find out why it does not. */
export async function untilOpen(engine: Engine, lastSaid: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MILLIS;
  while (engine.status().mode !== "open") {
    assert.ok(Date.now() < deadline, `the engine leads again; last, it said: ${lastSaid()}`);
    await sleep(2);
  }
}

/** Read past the engine, on a connection of its own; entries after `after` only. */
export async function storedDeposits(connection: Connection, after = 0): Promise<Stored> {
  const client = new Client(connection);
  await client.connect();
  try {
    return await depositsRead(client, after);
  } finally {
    await client.end();
  }
}

export async function depositsRead(client: Client, after = 0): Promise<Stored> {
  const { rows } = await client.query<{ sequence: string; bytes: Buffer }>(
    "SELECT sequence, bytes FROM journal WHERE sequence > $1 ORDER BY sequence",
    [after],
  );
  const stored = new Map<string, number[]>();
  for (const { sequence, bytes } of rows) {
    const { envelope, outcome } = readEntry(bytes);
    if (envelope.command.type !== "FundGuarantee" || isRejected(outcome)) continue;
    const key = envelope.idempotency?.key ?? assert.fail(`entry ${sequence} has no key`);
    const at = stored.get(key) ?? [];
    stored.set(key, [...at, Number(sequence)]);
  }
  return stored;
}
