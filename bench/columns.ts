// The cost of margin by scenario: orders, cancels and the marks of a release, with a column of each
// scenario and with the floor alone.
// Invariant: two processes take turns, decide commands drawn from the same numbers, and differ in
// the list of scenarios only.
import { COLUMNS } from "#core/margin/columns.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { system, World } from "#test/core/world.ts";
import { answerWith, Companion } from "./companion.ts";
import { digits, type Figure, median, type Scope, times, workedMillis } from "./figure.ts";
import { BUSY_MARKETS, GrownExchange } from "./grown-exchange.ts";
import { marksOf } from "./margin.ts";

const SIZE = { orders: 10_000, markets: BUSY_MARKETS };
const WARMING = 8;
const ROUNDS = 24;
const COMMANDS = 400;

const measured = {
  rest: "an order that rests",
  fill: "an order that fills",
  cancel: "a cancel",
  release: `a release that marks ${BUSY_MARKETS} markets`,
} as const;
type Measured = keyof typeof measured;
/** Microseconds of processor time a command, of one round. */
type Costs = Readonly<Record<Measured, number>>;
const names = ["rest", "fill", "cancel", "release"] as const satisfies readonly Measured[];

export async function columns(scope: Scope): Promise<readonly Figure[]> {
  const file = new URL(import.meta.url);
  const without = new URL("without-scenarios.ts", import.meta.url);
  const all = new Companion(scope, file);
  const floor = new Companion(scope, file, ["--import", without.href]);
  const pairs: { readonly one: Costs; readonly other: Costs }[] = [];
  for (let round = 0; round < WARMING + ROUNDS; round += 1) {
    const pair = { one: asCosts(await all.ask({})), other: asCosts(await floor.ask({})) };
    if (round >= WARMING) pairs.push(pair);
  }
  all.end();
  floor.end();
  return names.map((name) => {
    const one = median(pairs.map((pair) => pair.one[name]));
    const other = median(pairs.map((pair) => pair.other[name]));
    return {
      what: `${measured[name]}, margin in ${COLUMNS} columns`,
      value: `${digits(one)} µs of processor time`,
      against: `in the floor's alone: ${digits(other)} µs`,
      ratio: times(median(pairs.map((pair) => pair.one[name] / pair.other[name]))),
    };
  });
}

class Rounds {
  readonly #grown: GrownExchange;
  #round = 0;

  constructor() {
    const world = new World("real");
    world.print("2024-10", "300000");
    this.#grown = new GrownExchange(world.state, world.sequence, world.nowMillis);
    this.#grown.growTo(SIZE);
  }

  /** Drawing the commands is part of the time, and the same on both sides. */
  next(): Costs {
    this.#round += 1;
    const grown = this.#grown;
    const rest = costOf(COMMANDS, () => grown.rest(grown.quote()));
    const cancel = costOf(COMMANDS, () => {
      const { id: orderId, owner } = grown.drawResting();
      grown.do(owner, { type: "CancelOrder", orderId });
    });
    const taken: (() => void)[] = [];
    const fill = costOf(COMMANDS, () => {
      const taker = grown.taker();
      grown.do(grown.trader(), { type: "PlaceOrder", order: taker, listing: null });
      taken.push(() => grown.rest(grown.seller(taker.marketId)));
    });
    for (const replace of taken) replace();
    const marks = marksOf(grown, this.#round);
    const release = costOf(1, () => grown.do(system, publishMarks(marks)));
    return { rest, fill, cancel, release };
  }
}

function costOf(times: number, work: () => void): number {
  const began = workedMillis();
  for (let at = 0; at < times; at += 1) work();
  return (1_000 * (workedMillis() - began)) / times;
}

function asCosts(answer: unknown): Costs {
  if (!isCosts(answer)) throw new Error(`no costs: ${JSON.stringify(answer)}`);
  return answer;
}

const isCosts = (value: unknown): value is Costs =>
  typeof value === "object" && value !== null && names.every((name) => name in value);

if (import.meta.main) {
  const rounds = new Rounds();
  answerWith(() => Promise.resolve(rounds.next()));
}
