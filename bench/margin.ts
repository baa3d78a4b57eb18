// How long one command takes that marks all markets anew, as after a release, while 100,000 open
// positions hang on them: each account is margined in every scenario.
// Invariant: every mark and every array changes in every turn, so nothing is passed over.
import { scenarios } from "#contract/scenarios.ts";
import type { MarkUpdate } from "#core/command.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, system, tick, World } from "#test/core/world.ts";
import { digits, type Figure, median, times, workedMillis } from "./figure.ts";
import { AMOUNT, BUSY_MARKETS, GrownExchange } from "./grown-exchange.ts";

const POSITIONS = 100_000;
const TURNS = 7;

export function margin(): Promise<readonly Figure[]> {
  const world = new World("real");
  world.print("2024-10", "300000");
  const grown = new GrownExchange(world.state, world.sequence, world.nowMillis);
  grown.growTo({ orders: 0, markets: BUSY_MARKETS });
  grown.do(system, publishMarks(marksOf(grown, 0)));
  const traded: number[] = [];
  for (let at = 0; world.state.positions.size < POSITIONS; at += 1) {
    const marketId = grown.markets[at % BUSY_MARKETS];
    if (marketId === undefined) throw new Error("there are as many markets");
    const [seller, buyer] = [grown.trader(), grown.trader()];
    if (seller === buyer) continue;
    const began = workedMillis();
    for (const [actor, side] of [[seller, "SELL"] as const, [buyer, "BUY"] as const]) {
      const input = order({ marketId }, side, AMOUNT, "0.05");
      grown.do(actor, { type: "PlaceOrder", order: input, listing: null });
    }
    traded.push(workedMillis() - began);
  }
  const taken: number[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const marks = marksOf(grown, turn);
    const began = workedMillis();
    grown.do(system, publishMarks(marks));
    taken.push(workedMillis() - began);
  }
  const all = traded.reduce((sum, one) => sum + one, 0);
  const figure = {
    what: `${digits(world.state.positions.size)} open positions margined anew by one command`,
    value: `${digits(median(taken))} ms of processor time`,
    against: `the trades they came from: ${digits(all)} ms`,
    ratio: times(median(taken) / all),
  };
  return Promise.resolve([figure]);
}

/** A few ticks on, in every column. */
export const marksOf = ({ markets }: GrownExchange, turn: number): readonly MarkUpdate[] =>
  markets.map((marketId, of) => {
    const at = (ticks: number) => tick(((ticks + 3 * turn + (of % 7)) / 10_000).toFixed(4));
    const riskTicks = scenarios.map((_, column) => at(600 + 20 * column));
    return { marketId, markTick: at(500), stressedTick: at(700), riskTicks };
  });
