// The wire to PostgreSQL cut at every edge of every message of an append, under load: each way,
// by FIN, by RST and in silence, some while the engine is still recovering from the cut before.
// FIRSTPRINT_CUTS=20000 node --test test/faults/cut-appends.db.test.ts
// Invariant: nothing wrong is ever certain, whatever byte was the last.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import { checkpointNotes } from "#journal/checkpoint-file.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { verifyJournal } from "#journal/verify.ts";
import { type Connection, startEmbedded } from "#storage/embedded.ts";
import { Dice } from "#test/core/dice.ts";
import { answered, openAccount, request } from "#test/engine/requests.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { Claims, depositsRead, noTally, untilOpen } from "./claims.ts";
import { appendLetters, type Cut, CuttingWire, endings, places, ways } from "./cutting-wire.ts";

const CUTS = sizeOfRun("FIRSTPRINT_CUTS", 1_000);
const SEED = 11;
/** Beside each other, each with an engine and a database of its own: most of a case is waiting. */
const LANES = Math.min(12, Math.ceil(CUTS / 15));
const CLIENTS = 3;
const DEPOSITS = 3;
/** How long this engine waits for an answer; 30 s in earnest, and silence takes all of it. */
const PATIENCE_MILLIS = 1_000;
/** Of 100 cases, how many are cut once more while the engine takes leadership again. */
const TWICE_PERCENT = 20;

/** Every edge: of each message of an append, each way, each place, each ending. */
const edges: readonly Edge[] = ways.flatMap((way) =>
  appendLetters[way].flatMap((letter) =>
    places.flatMap((place) => endings.map((ending) => ({ way, letter, place, ending }))),
  ),
);

interface Edge extends Pick<Cut, "way" | "place" | "ending"> {
  readonly letter: string;
}

interface Counted extends ReturnType<typeof noTally> {
  cases: number;
  twice: number;
  /** Where the cut was the only fault, so that it is known which append it hit. */
  alone: number;
  beforeSync: number;
  afterSync: number;
}

test("an append cut at any byte leaves nothing wrong that is certain", async (t) => {
  const target = { host: loopbackAddress(), port: 5432 };
  // By this name the next test process finds and ends what a killed one left.
  const folder = await mkdtemp(join(tmpdir(), `firstprint-test-${process.pid}-`));
  const settings = { listen_addresses: target.host, max_connections: "300" };
  const database = await startEmbedded({ dataDir: folder, settings });
  t.after(async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const counted: Counted = {
    ...noTally(),
    cases: 0,
    twice: 0,
    alone: 0,
    beforeSync: 0,
    afterSync: 0,
  };
  const struck = new Map<string, number>();
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    const name = `lane_${number}`;
    await sql(database.connection, `CREATE DATABASE ${name}`);
    const direct = { ...database.connection, database: name };
    const wire = await CuttingWire.open(target);
    const dice = new Dice(SEED + number);
    const cutter = await Lane.open({ folder: join(folder, name), direct, wire, dice, counted });
    try {
      for (let at = next++; at < CUTS; at = next++) {
        const edge = edges[at % edges.length] ?? assert.fail("there are edges");
        await cutter.run(`case ${at}`, edge);
        const cut = edgeName(edge);
        struck.set(cut, (struck.get(cut) ?? 0) + 1);
      }
      await cutter.judgeWhole();
    } catch (error) {
      next = CUTS;
      throw error;
    } finally {
      await cutter.close();
      wire.close();
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, (_, at) => lane(at)));
  for (const ended of lanes) if (ended.status === "rejected") throw ended.reason;

  tell(t, counted, struck.size);
  assert.equal(counted.cases, CUTS);
  if (CUTS >= edges.length) assert.equal(struck.size, edges.length, "every edge was cut");
  for (const [kind, count] of Object.entries(counted)) assert.ok(count > 0, `${kind}: none`);
});

function tell(t: TestContext, counted: Counted, edgesCut: number): void {
  const { cases, twice, beforeSync, afterSync, answered: done, refused } = counted;
  t.diagnostic(
    `seed ${SEED}: ${cases} cuts at ${edgesCut} edges, ${twice} cut again while recovering, ` +
      `${counted.alone} with no other fault; ` +
      `${beforeSync} before the server could commit, ${afterSync} after; ${done} answered, ` +
      `${refused} refused, ${counted.unknownStored} unknown and stored, ` +
      `${counted.unknownAbsent} unknown and not stored`,
  );
}

/** Loopback has sixteen million addresses: one for each process, and PostgreSQL's usual port. */
const loopbackAddress = (): string =>
  `127.${1 + (process.pid >> 16)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;

const edgeName = ({ way, letter, place, ending }: Edge): string =>
  `${ending} ${place} ${letter} ${way}`;

async function sql(connection: Connection, text: string): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await client.query(text);
  await client.end();
}

interface LaneParts {
  readonly folder: string;
  /** Past the wire. */
  readonly direct: Connection;
  readonly wire: CuttingWire;
  readonly dice: Dice;
  readonly counted: Counted;
}

/** The log of an engine. */
interface Heard {
  stepDowns: number;
  last: string;
}

/** One engine behind one wire, cut again and again. */
class Lane {
  readonly #parts: LaneParts;
  readonly #wire: CuttingWire;
  readonly #dice: Dice;
  readonly #reader: Client;
  readonly #journal: PostgresJournal;
  readonly #engine: OpenEngine;
  readonly #heard: Heard;
  readonly #claims = new Claims();

  private constructor(
    parts: LaneParts,
    opened: { reader: Client; journal: PostgresJournal; engine: OpenEngine; heard: Heard },
  ) {
    this.#parts = parts;
    this.#wire = parts.wire;
    this.#dice = parts.dice;
    this.#reader = opened.reader;
    this.#journal = opened.journal;
    this.#engine = opened.engine;
    this.#heard = opened.heard;
  }

  static async open(parts: LaneParts): Promise<Lane> {
    const { folder, direct, wire } = parts;
    const reader = new Client(direct);
    await reader.connect();
    const journal = new PostgresJournal({
      ...direct,
      host: "127.0.0.1",
      port: wire.port,
      query_timeout: PATIENCE_MILLIS,
      connectionTimeoutMillis: 3 * PATIENCE_MILLIS,
    });
    const heard: Heard = { stepDowns: 0, last: "nothing" };
    const engine = await openEngine({
      journal,
      dataDir: folder,
      clock: "real",
      checkpoints: { entries: 50, millis: 20 },
      // A reload decides everything after the newest snapshot again.
      snapshotEntries: 300,
      log: (message) => {
        heard.last = message;
        if (message.startsWith("stepping down")) heard.stepDowns += 1;
      },
    });
    answered(await engine.submit(request(openAccount(1))));
    return new Lane(parts, { reader, journal, engine, heard });
  }

  async run(name: string, edge: Edge): Promise<void> {
    const { "to server": sent, "to client": received } = appendLetters;
    // The statement is parsed once a connection: for its first messages, a new one.
    const isParse = edge.letter === sent[0] || edge.letter === received[0];
    if (isParse) {
      this.#wire.cutAll();
      while (this.#engine.status().mode === "open") await turn();
      await this.#untilOpen();
    }
    const { durableSequence } = this.#engine.status();
    const { letter, ...how } = edge;
    const append = isParse ? 1 : 1 + this.#dice.below(DEPOSITS);
    const cut = { ...how, at: { letter, append }, share: this.#dice.below(1_000) / 1_000 };
    const isTwice = this.#dice.chance(TWICE_PERCENT);
    this.#wire.plan(cut, ...(isTwice ? [this.#whileRecovering()] : []));

    const { stepDowns } = this.#heard;
    await this.#load(name);
    const [first, second] = this.#wire.struck;
    assert.ok(first !== undefined, `${name}: ${edgeName(edge)} was met`);
    await this.#untilOpen();
    this.#wire.plan();

    const stored = await depositsRead(this.#reader, durableSequence);
    const tally = this.#claims.judge(stored);
    // A busy machine may step down for lateness as well: then it is not known which append it was.
    if (this.#heard.stepDowns === stepDowns + 1) {
      const kinds = [tally.unknownStored, tally.unknownAbsent];
      assert.ok(kinds.includes(0), `${name}: a batch is there whole or not at all`);
      if (!first.isSyncThrough) assert.equal(kinds[0], 0, `${name}: no server could know of it`);
      this.#parts.counted.alone += 1;
    }
    this.#count(tally, first.isSyncThrough, second !== undefined);
    await this.#claims.settle(this.#engine, stored);
    if (this.#wire.cutSilent() > 0) await this.#untilOpen();
  }

  /** Several clients at once, each going on after a refusal, as one that is in a hurry. */
  async #load(name: string): Promise<void> {
    const client = async (number: number): Promise<void> => {
      for (let at = 0; at < DEPOSITS; at += 1) {
        await this.#claims.ask(this.#engine, `${name}, client ${number}, ${at}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
    // One more notices a silence after the last; and more, where a late answer cost an append.
    for (let at = 0; at === 0 || (this.#wire.struck.length === 0 && at < 50); at += 1) {
      await this.#untilOpen();
      await this.#claims.ask(this.#engine, `${name}, last ${at}`);
    }
  }

  #untilOpen(): Promise<void> {
    return untilOpen(this.#engine, () => this.#heard.last);
  }

  #whileRecovering(): Cut {
    const message = 1 + this.#dice.below(30);
    return {
      way: this.#dice.pick(ways),
      place: this.#dice.pick(places),
      ending: this.#dice.pick(endings),
      at: { message },
      share: this.#dice.below(1_000) / 1_000,
    };
  }

  #count(tally: ReturnType<typeof noTally>, isSyncThrough: boolean, isTwice: boolean): void {
    const { counted } = this.#parts;
    counted.cases += 1;
    if (isTwice) counted.twice += 1;
    if (isSyncThrough) counted.afterSync += 1;
    else counted.beforeSync += 1;
    counted.answered += tally.answered;
    counted.refused += tally.refused;
    counted.unknownStored += tally.unknownStored;
    counted.unknownAbsent += tally.unknownAbsent;
  }

  async judgeWhole(): Promise<void> {
    this.#claims.judgeWhole(await depositsRead(this.#reader));
    const { direct, folder } = this.#parts;
    // Past the wire, and with the patience of a verification.
    const journal = new PostgresJournal(direct);
    const verification = await verifyJournal(journal, {
      key: await loadSigningKey(folder),
      file: checkpointNotes(folder),
    });
    await journal.close();
    assert.equal(verification.reason, undefined);
    assert.equal(verification.size, this.#claims.size + 2, "and the founding, and the account");
    assert.ok(verification.checkpoints > 0);
  }

  async close(): Promise<void> {
    await this.#engine.stop();
    await this.#journal.close();
    await this.#reader.end();
  }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
