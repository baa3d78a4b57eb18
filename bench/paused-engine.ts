// The engine of a grown store under orders and cancels, in a process of its own: the waits of its
// loop with and without snapshots being made, and what they cost.
// Invariant: engine, journal and thread are those of production; nothing else runs here.
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type MarketId, orderId } from "#base/ids.ts";
import type { Actor, Command } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import { type OpenEngine, openEngine } from "#engine/open.ts";
import type { Pages, SnapshotMaker } from "#engine/page-maker.ts";
import { SnapshotThread } from "#engine/snapshot-thread.ts";
import { noEntries } from "#journal/chain.ts";
import { generateSigningKey } from "#journal/note.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { order } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { answerWith, Companion } from "./companion.ts";
import { quantile, type Scope, workedMillis } from "./figure.ts";

/** Milliseconds in which the loop did nothing else. */
interface Waits {
  readonly p999: number;
  readonly longest: number;
}

export interface Paused {
  readonly loop: Waits;
  readonly idle: Waits;
  /** Of a snapshot made between two commands. */
  readonly onePieceMillis: number;
  /** From the question to the stored pages, of each snapshot. */
  readonly made: readonly number[];
  /** Of the second snapshot. */
  readonly pages: { readonly all: number; readonly written: number };
  readonly startMillis: number;
}

const SNAPSHOT_ENTRIES = 20_000;
const CLIENTS = 64;
const IDLE_ENTRIES = 15_000;

export async function pausesOf(scope: Scope, store: { dataDir: string }): Promise<Paused> {
  const companion = new Companion(scope, new URL(import.meta.url), ["--max-old-space-size=8192"]);
  const paused = await companion.ask(store);
  companion.end();
  if (!isPaused(paused)) throw new Error(`no pauses: ${JSON.stringify(paused)}`);
  return paused;
}

/** Tells when each snapshot was asked for, and what came of it. */
class Watched implements SnapshotMaker {
  readonly #maker: SnapshotMaker;
  readonly made: { readonly millis: number; readonly all: number; readonly written: number }[] = [];

  constructor(maker: SnapshotMaker) {
    this.#maker = maker;
  }

  async pages(upTo: number, afresh: boolean): Promise<Pages> {
    const begun = performance.now();
    const pages = await this.#maker.pages(upTo, afresh);
    const written = pages.pages.filter(({ bytes }) => bytes !== undefined).length;
    this.made.push({ millis: performance.now() - begun, all: pages.pages.length, written });
    return pages;
  }

  close(): Promise<void> {
    return this.#maker.close();
  }
}

async function measure(store: unknown): Promise<Paused> {
  if (!isStore(store)) throw new Error("no store");
  const { dataDir } = store;
  setMaxListeners(0);
  const database = await startEmbedded({ dataDir });
  const config = database.connection;
  const journal = new PostgresJournal(config);
  const seen: { state?: State; view?: ExchangeView; watched?: Watched } = {};
  const begun = workedMillis();
  const engine = await openEngine({
    journal,
    dataDir,
    clock: "real",
    snapshotEntries: SNAPSHOT_ENTRIES,
    log: (message) => console.error(message),
    makePages: ({ key, log }) => {
      const place = { config, databaseUrl: undefined };
      seen.watched = new Watched(new SnapshotThread({ place, key, log }));
      return seen.watched;
    },
    onRecovered: (state) => {
      seen.state = state;
      seen.view = ExchangeView.from(state);
    },
    onDurable: (entry) => seen.view?.fold(entry),
  });
  const startMillis = workedMillis() - begun;
  const { state, watched } = seen;
  if (state === undefined || watched === undefined) throw new Error("nothing was recovered");
  const load = new Load(engine, state);
  await load.run(() => load.entries >= 2_000);
  const idle = await waitsDuring(() => load.run(() => load.entries >= IDLE_ENTRIES));
  const loop = await waitsDuring(() => load.run(() => watched.made.length >= 2));
  // Pages are on their way to the database still.
  await sleep(2_000);
  const piece = workedMillis();
  sealSnapshot(generateSigningKey(), "bench", noEntries, state);
  const onePieceMillis = workedMillis() - piece;
  await engine.stop();
  await journal.close();
  await database.stop();
  const made = watched.made.map(({ millis }) => millis);
  const { all = 0, written = 0 } = watched.made[1] ?? {};
  return { loop, idle, onePieceMillis, made, pages: { all, written }, startMillis };
}

/** By the thread's own processor time from turn to turn, which other processes do not stretch. */
async function waitsDuring(work: () => Promise<void>): Promise<Waits> {
  const turns: number[] = [];
  let before = workedMillis();
  const ticking = setInterval(() => {
    const now = workedMillis();
    turns.push(now - before);
    before = now;
  }, 1);
  await work();
  clearInterval(ticking);
  return { p999: quantile(turns, 0.999), longest: Math.max(...turns) };
}

/** Clients that each place an order that rests, and take it back. */
class Load {
  readonly #engine: OpenEngine;
  readonly #traders: readonly Actor[];
  readonly #markets: readonly MarketId[];
  entries = 0;

  constructor(engine: OpenEngine, state: State) {
    this.#engine = engine;
    const keys = [...state.keys.values()].filter(({ label }) => label === "grown");
    this.#traders = keys.map(({ accountId, id: keyId }) => ({ type: "key", accountId, keyId }));
    this.#markets = [...state.markets.keys()];
  }

  async run(isOver: () => boolean): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = client; !isOver(); turn += CLIENTS) await this.#one(turn);
    });
    await Promise.all(clients);
  }

  async #one(turn: number): Promise<void> {
    const actor = this.#traders[turn % this.#traders.length];
    const marketId = this.#markets[turn % this.#markets.length];
    if (actor === undefined || marketId === undefined) throw new Error("a grown exchange");
    const input = order({ marketId }, "BUY", "0.10", "0.45");
    const events = await this.#give(actor, { type: "PlaceOrder", order: input, listing: null });
    const placed = events.find((event) => event.type === "OrderChanged");
    if (placed?.type !== "OrderChanged") throw new Error("an order came");
    await this.#give(actor, { type: "CancelOrder", orderId: orderId(placed.order.id) });
  }

  async #give(actor: Actor, command: Command) {
    const asked = { actor, requestId: null, idempotency: null, command };
    const result = await this.#engine.submit(asked);
    if (!("outcome" in result)) throw new Error(JSON.stringify(result));
    if (isRejected(result.outcome)) throw new Error(JSON.stringify(result.outcome.rejection));
    this.entries += 1;
    return result.outcome.events;
  }
}

const isStore = (value: unknown): value is { readonly dataDir: string } =>
  typeof value === "object" && value !== null && "dataDir" in value;

const isPaused = (value: unknown): value is Paused =>
  typeof value === "object" && value !== null && "loop" in value;

if (import.meta.main) answerWith(measure);
