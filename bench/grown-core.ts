// The cost of a command in the core of a grown exchange, the weight of its records, and the time to
// seal and open them again; in a process of its own, which gives the memory back.
// Invariant: what is measured leaves as many orders resting as there were before.
import type { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import { originOf } from "#journal/checkpoint.ts";
import { generateSigningKey } from "#journal/note.ts";
import { openSnapshot, sealSnapshot } from "#journal/snapshot.ts";
import { World } from "#test/core/world.ts";
import { ExchangeView } from "#views/exchange.ts";
import { answerWith, Companion } from "./companion.ts";
import { quantile, type Scope } from "./figure.ts";
import { GrownExchange, type Size } from "./grown-exchange.ts";

/** Microseconds. */
export interface Cost {
  readonly p50: number;
  readonly p99: number;
}

export interface GrownCosts {
  readonly rest: Cost;
  readonly fill: Cost;
  readonly cancel: Cost;
  /** Of the whole state. */
  readonly bytes: number;
  readonly snapshotBytes: number;
  readonly sealMillis: number;
  /** Until the state and the views stand again. */
  readonly openMillis: number;
}

const ROUNDS = 10;
/** Not counted: the compiler is at work still. */
const WARMING = 8;
const COMMANDS = 400;

/** In a process of its own; a state of a million orders and its text need a large heap. */
export async function grownCosts(scope: Scope, size: Size): Promise<GrownCosts> {
  const companion = new Companion(scope, new URL(import.meta.url), [
    "--expose-gc",
    "--max-old-space-size=12288",
  ]);
  const answer = await companion.ask(size);
  companion.end();
  if (!isCosts(answer)) throw new Error(`no costs: ${JSON.stringify(answer)}`);
  return answer;
}

function measure(size: unknown): Promise<GrownCosts> {
  if (!isSize(size)) throw new Error("no size");
  const world = new World("real");
  world.print("2024-10", "300000");
  const before = heldBytes();
  const grown = new GrownExchange(world.state, world.sequence, world.nowMillis);
  grown.growTo(size);
  const bytes = heldBytes() - before;
  return Promise.resolve({ ...commandCosts(grown), bytes, ...snapshotCosts(world.state) });
}

function commandCosts(grown: GrownExchange) {
  const [rest, fill, cancel]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < WARMING + ROUNDS; round += 1) {
    if (round === WARMING) for (const micros of [rest, fill, cancel]) micros.length = 0;
    for (let at = 0; at < COMMANDS; at += 1) {
      // Drawing the command is no part of the measured time.
      const [owner, quote] = [grown.trader(), grown.quote()];
      rest.push(microsOf(() => grown.rest(quote, owner)));
      const drawn = grown.drawResting();
      const command = { type: "CancelOrder", orderId: drawn.id } as const;
      cancel.push(microsOf(() => grown.do(drawn.owner, command)));
    }
    for (let at = 0; at < COMMANDS / 4; at += 1) {
      const [actor, order] = [grown.trader(), grown.taker()];
      fill.push(microsOf(() => grown.do(actor, { type: "PlaceOrder", order, listing: null })));
      grown.rest(grown.seller(order.marketId));
    }
  }
  return { rest: costOf(rest), fill: costOf(fill), cancel: costOf(cancel) };
}

function snapshotCosts(state: State) {
  const key = generateSigningKey();
  const origin = originOf("bench");
  const sealing = performance.now();
  const sealed = sealSnapshot(key, origin, noEntries, state);
  const opening = performance.now();
  ExchangeView.from(openSnapshot(key, origin, sealed).state);
  const opened = performance.now();
  return {
    snapshotBytes: sealed.pages.reduce((sum, { bytes }) => sum + bytes.length, 0),
    sealMillis: opening - sealing,
    openMillis: opened - opening,
  };
}

function microsOf(work: () => void): number {
  const started = performance.now();
  work();
  return 1_000 * (performance.now() - started);
}

const costOf = (micros: readonly number[]): Cost => ({
  p50: quantile(micros, 0.5),
  p99: quantile(micros, 0.99),
});

function heldBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const isSize = (value: unknown): value is Size =>
  typeof value === "object" && value !== null && "orders" in value && "markets" in value;

const isCosts = (value: unknown): value is GrownCosts =>
  typeof value === "object" && value !== null && "sealMillis" in value;

if (import.meta.main) answerWith(measure);
