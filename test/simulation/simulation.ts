// One seed's world: traders and operators on the real engine, whose process is killed now and then.
// Invariant: the seed alone decides; a run ends well only when everything is served and agrees.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { micros } from "#base/money.ts";
import { encode } from "#core/codec.ts";
import type { Actor, Command } from "#core/command.ts";
import { readEntry } from "#core/entry-bytes.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { stateHash } from "#core/snapshot.ts";
import { ledgerTotal } from "#core/state.ts";
import type { Result } from "#engine/engine.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { Dice } from "#test/core/dice.ts";
import { Levels } from "#test/core/levels.ts";
import { waitingForFallback } from "#test/core/random-ends.ts";
import { RandomTrading } from "#test/core/random-trading.ts";
import { assertSameState } from "#test/core/same-state.ts";
import { wordsOf } from "#test/core/words.ts";
import { root } from "#test/core/world.ts";
import type { Request } from "#test/engine/requests.ts";
import { assertShows } from "#test/views/shows.ts";
import { Auditor } from "./auditor.ts";
import { Callers } from "./callers.ts";
import { Incarnation } from "./incarnation.ts";
import { crashes, faults } from "./mortal-journal.ts";
import { Readers } from "./readers.ts";
import { Replica } from "./replica.ts";
import { drawSwarm, type Swarm } from "./swarm.ts";

const DAY_MILLIS = 86_400_000;
/** Long enough for the last market to be void, and its last dispute window to be over. */
const AFTERLIFE_DAYS = 1_500;
/** Engine and replica are compared whole every so many bursts; it is dear. */
const COMPARED_EVERY = 100;
const REMEMBERED = 50;
/** How many of a burst are asked in one turn. */
const AT_ONCE = 3;
const PAGE_ENTRIES = 500;
const LAST_BURSTS = 20;

interface Report {
  readonly seed: number;
  readonly entries: number;
  /** Of the chain: two runs of a seed end at the same. */
  readonly head: string;
  /** The cases the run has met. */
  readonly words: ReadonlySet<string>;
  /** Routes that only read, and gave nobody an answer. */
  readonly unanswered: readonly string[];
}

export class Simulation {
  readonly #seed: number;
  readonly #swarm: Swarm;
  readonly #dice: Dice;
  readonly #replica = new Replica();
  readonly #trading: RandomTrading;
  readonly #callers = new Callers();
  readonly #auditor = new Auditor();
  readonly #levels = new Levels();
  readonly #words = new Set<string>();
  readonly #disk = new MemoryJournal();
  readonly #key = generateSigningKey();
  readonly #readers: Readers;
  /** Asked with a key, and perhaps asked again. */
  #asked: Request[] = [];
  #life: Incarnation;
  #aheadMillis = 0;
  #clockMillis = 0;
  #keys = 0;
  /** Nothing breaks any more: whatever is asked is answered. */
  #mustServe = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#swarm = drawSwarm(seed);
    this.#dice = new Dice(~seed);
    this.#trading = new RandomTrading(seed, this.#swarm.mix, this.#replica);
    this.#readers = new Readers({
      seed,
      disk: this.#disk,
      key: this.#key,
      clock: this.#swarm.clock,
      replica: this.#replica,
      auditor: this.#auditor,
    });
    this.#life = this.#newLife();
  }

  /** Once, until so many commands were given. */
  async run(commands: number): Promise<Report> {
    const expected = Math.ceil((2 * commands) / (1 + this.#swarm.burst));
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await this.#begin();
      for (let given = 0, bursts = 1; given < commands; bursts += 1) {
        given += await this.#burst(expected);
        if (bursts % COMPARED_EVERY === 0) this.#compare();
      }
      const head = await this.#recoverForGood();
      const { sequence } = this.#replica;
      const { unanswered } = this.#readers;
      const words = new Set([...this.#words, ...this.#auditor.met]);
      return { seed: this.#seed, entries: sequence, head, words, unanswered };
    } finally {
      mock.timers.reset();
    }
  }

  // The acts of everybody.

  async #begin(): Promise<void> {
    const setup = this.#replica.startOver();
    await this.#life.start();
    await this.#catchUp();
    await this.#ask(() => {
      const asked = this.#moveClock();
      for (const { envelope } of setup) {
        if (envelope.command.type !== "Genesis") asked.push(this.#plain(root, envelope.command));
      }
      return asked;
    });
    const known = this.#replica.journal.filter(({ outcome }) => !isRejected(outcome)).length;
    assert.ok(known >= setup.length, "everybody is there");
  }

  /**
   * Some commands at once, how many is returned. Of so many bursts the swarm's number is struck;
   * undefined = none.
   */
  async #burst(bursts?: number): Promise<number> {
    const { burst, paceMillis, stepBackPercent, strikes } = this.#swarm;
    const dice = this.#dice;
    this.#replica.nowMillis += 1 + dice.below(paceMillis);
    this.#aheadMillis = dice.chance(stepBackPercent) ? dice.below(300_000) : 0;
    if (dice.chance(5)) mock.timers.tick(60_000);
    if (bursts !== undefined && dice.below(bursts) < strikes) {
      this.#life.journal.arm(dice.chance(30) ? dice.pick(faults) : dice.pick(crashes));
    }
    const count = 1 + dice.below(burst);
    await this.#ask(() => {
      const asked: Request[] = [];
      for (let at = 0; at < count; at += 1) {
        const [actor, command] = this.#trading.draw();
        asked.push(...this.#moveClock(), this.#keyed(actor, command));
        const before = this.#duplicate();
        if (before !== undefined) asked.push(before);
      }
      return asked;
    });
    await this.#readers.read(this.#life, count);
    return count;
  }

  /** Under the sandbox clock time is a command. */
  #moveClock(): Request[] {
    const { nowMillis } = this.#replica;
    if (this.#swarm.clock === "real" || nowMillis <= this.#clockMillis) return [];
    this.#clockMillis = nowMillis;
    const by = this.#trading.operators.acting;
    return [this.#plain(by, { type: "SetClock", toMillis: nowMillis })];
  }

  #plain(actor: Actor, command: Command): Request {
    return this.#callers.request(actor, command, null);
  }

  #keyed(actor: Actor, command: Command): Request {
    // The exchange itself never asks again: what it would say then may not be true any more.
    const isIntake = actor.type === "system" || "heldPlaces" in command;
    if (isIntake || !this.#dice.chance(this.#swarm.keyPercent)) return this.#plain(actor, command);
    this.#keys += 1;
    const request = this.#callers.request(actor, command, `key-${this.#keys}`);
    this.#asked = [...this.#asked.slice(-REMEMBERED), request];
    return request;
  }

  /** Somebody asks again, now and then for something else under the same key. */
  #duplicate(): Request | undefined {
    const dice = this.#dice;
    if (this.#asked.length === 0 || !dice.chance(this.#swarm.duplicatePercent)) return undefined;
    const again = this.#callers.again(dice.pick(this.#asked));
    if (again.idempotency === null || dice.chance(80)) return again;
    return { ...again, idempotency: { ...again.idempotency, digest: "something else" } };
  }

  // How it is served.

  /** Drawn while each before it is decided, told of each; a killed process begins a new life. */
  async #ask(draw: () => readonly Request[]): Promise<void> {
    const requests = draw();
    const told = new Set<Request>();
    const life = this.#life;
    const ask = async (request: Request): Promise<void> => {
      const result = await life.submit(request);
      // Nobody hears the messages of a dead process.
      if (life.journal.isDead) return;
      told.add(request);
      this.#hear(request, result);
    };
    const asked = requests.slice(0, AT_ONCE).map(ask);
    life.journal.decided();
    // The others are decided while those before them are on their way to the journal.
    for (const request of requests.slice(AT_ONCE)) {
      if (asked.length % AT_ONCE === 0) await turn();
      asked.push(ask(request));
    }
    if (await life.settle(asked)) return;
    await this.#revive();
    await this.#askAgain(requests.filter((request) => !told.has(request)));
  }

  #hear(request: Request, result: Result): void {
    this.#callers.told(request, result);
    const said =
      "refused" in result ? result.refused : "unknown" in result ? "unknown" : "answered";
    this.#words.add(said);
    const served = said === "answered" || said.startsWith("IDEMPOTENCY");
    this.#life.assertWhole();
    assert.ok(served || !this.#mustServe, `${request.requestId} is served, not ${said}`);
    if (!("outcome" in result)) return;
    if (result.replayed) this.#words.add("replayed");
    if (request.command.type === "PlaceBatch" && isRejected(result.outcome)) {
      this.#words.add("batch refused");
    }
  }

  /**
   * Each caller with a key finds out: a request that is there is answered as it was, one that is
   * not happens now.
   */
  async #askAgain(untold: readonly Request[]): Promise<void> {
    for (const request of untold) {
      if (request.idempotency === null) continue;
      const first = this.#callers.entryOf(request);
      const again = this.#callers.again(request);
      const result = await this.#life.submit(again);
      this.#hear(again, result);
      if (first === undefined || !("outcome" in result)) continue;
      // A key is known for a day: the clock may have gone on by more since.
      const { sequence, timeMillis } = result;
      const isKnown = timeMillis - first.envelope.timeMillis < DAY_MILLIS;
      assert.ok(sequence === first.sequence || !isKnown, `${request.requestId} is found again`);
    }
  }

  async #revive(): Promise<void> {
    do {
      for (const strike of this.#life.journal.struck) this.#words.add(strike);
      // Its timers end with a process.
      mock.timers.reset();
      mock.timers.enable({ apis: ["setTimeout"] });
      this.#life = this.#newLife();
    } while (!(await this.#life.start()));
    await this.#catchUp();
    assert.ok(await this.#life.settle([]), "nothing strikes a beginning");
    this.#compare();
  }

  #newLife(): Incarnation {
    return new Incarnation({
      disk: this.#disk,
      key: this.#key,
      swarm: this.#swarm,
      now: () => this.#replica.nowMillis - this.#aheadMillis,
      onDurable: (entry) => this.#observe(entry),
      onShown: (entry, by) => this.#readers.shown(entry, by),
    });
  }

  /**
   * Catches up on entries durable and never shown: a dead process had them stored and could not say
   * so.
   */
  async #catchUp(): Promise<void> {
    const { sequence } = this.#replica;
    const missed = await this.#disk.read(sequence + 1, Number.MAX_SAFE_INTEGER);
    for (const { bytes } of missed) this.#observe(readEntry(bytes));
  }

  #observe(entry: Entry): void {
    this.#replica.follow(entry);
    this.#callers.follow(entry);
    this.#auditor.follow(entry);
    this.#auditor.compare(this.#replica.state, entry);
    this.#levels.fold(entry);
    this.#readers.follow(entry);
    for (const word of wordsOf(entry)) this.#words.add(word);
  }

  /** Engine, views and auditor against the replica, which has only ever seen durable entries. */
  #compare(): void {
    const { state } = this.#replica;
    const { state: live, view } = this.#life;
    if (live !== undefined) assertSameState(live, state);
    assertShows(view, state);
    this.#levels.compare(state);
    this.#auditor.compareAll(state);
  }

  // How it ends.

  /** Nothing breaks any more, and every market comes to its end; the hash of the last entry. */
  async #recoverForGood(): Promise<string> {
    for (const strike of this.#life.journal.struck) this.#words.add(strike);
    this.#life.journal.kill();
    await this.#revive();
    this.#mustServe = true;
    await this.#ask(() => this.#conclusion());
    for (let at = 0; at < LAST_BURSTS; at += 1) await this.#burst();
    await this.#ask(() => this.#conclusion());
    this.#replica.nowMillis += AFTERLIFE_DAYS * DAY_MILLIS;
    this.#aheadMillis = 0;
    const amountMicros = micros(1n);
    await this.#ask(() => [
      ...this.#moveClock(),
      this.#plain(this.#trading.operators.acting, {
        type: "FundGuarantee",
        amountMicros,
        memo: null,
      }),
    ]);
    this.#compare();
    this.#assertSettled();
    const { sequence, state } = this.#replica;
    // Decided again from the first entry, without snapshots.
    const verified = await this.#life.engine.history.verify();
    assert.ok(verified.valid, `the journal verifies: ${verified.reason}`);
    assert.equal(verified.size, sequence, "all that is durable was verified");
    assert.equal(verified.stateHash, stateHash(state), "the journal alone leads there");
    await this.#life.stop();
    const [last, after] = await this.#disk.read(sequence, 2);
    assert.ok(last !== undefined && after === undefined, "nothing else was written");
    assert.equal(last.hash, verified.head, "the head is the last entry's");
    return await this.#history(sequence);
  }

  /** SHA-256 over what all entries say: their hashes also cover salts, which are never the same. */
  async #history(size: number): Promise<string> {
    const digest = createHash("sha256");
    for (let from = 1; from <= size; from += PAGE_ENTRIES) {
      const page = await this.#disk.read(from, PAGE_ENTRIES);
      for (const { bytes } of page) digest.update(encode(readEntry(bytes)));
    }
    return digest.digest("hex");
  }

  /** Only a halt needs somebody to end it; and a market with fallbacks, two people. */
  #conclusion(): readonly Request[] {
    const said: Request[] = this.#moveClock();
    if (this.#replica.state.exchange?.halted === true) {
      said.push(
        this.#plain(this.#trading.operators.acting, { type: "ResumeExchange", reason: "over" }),
      );
    }
    return said;
  }

  #assertSettled(): void {
    const { state } = this.#replica;
    const waiting = new Set(waitingForFallback(state).map(({ id }) => id));
    for (const { id, status } of state.markets.values()) {
      const isOver = status === "FINALIZED" || status === "CANCELLED";
      assert.ok(isOver || waiting.has(id), `${id} has ended: ${status}`);
      assert.equal(state.balance(`market:${id}`), 0n, `${id} keeps nothing`);
    }
    for (const { accountId, marketId, heldLots } of state.positions.values()) {
      const isOver = !waiting.has(marketId);
      assert.ok(!isOver || heldLots === 0n, `${accountId} holds nothing of ${marketId}`);
    }
    for (const [id, open] of state.openOrders) assert.equal(open.size, 0, `${id} has none open`);
    assert.equal(ledgerTotal(state), 0n, "all money is somewhere");
  }
}
