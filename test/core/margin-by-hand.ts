// The margin rules once more, in the plainest form: whole quarters of a micro-dollar, as bigints.
// Invariant: it shares no code with the exchange but the list of scenarios and the records.
import { scenarios } from "#contract/scenarios.ts";
import type { Terms } from "#contract/terms.ts";

/** A position, as margin sees it. */
export interface HeldByHand {
  readonly held: bigint;
  readonly mark: number;
  readonly stressed: number;
  /** The value of YES in ticks by scenario; undefined = the stressed mark in all. */
  readonly values: readonly number[] | undefined;
  /** A long of home values or rents, paid for and not offered: here its gain is taken off. */
  readonly offsets: boolean;
  /** Once it is known. */
  readonly payoutMillionths: number | null;
  /** Lots that were open in the market at the last marks. */
  readonly open: bigint;
}

/** The rules by which a position is margined. */
export interface TermsByHand {
  readonly bps: number;
  readonly shareBps: number;
  readonly floorLots: bigint;
  readonly rateBps: number;
}

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;
const most = (...all: readonly bigint[]): bigint => all.reduce((a, b) => (b > a ? b : a));
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Initial margin is five quarters of maintenance, before the cap. */
export const MAINTENANCE = 4n;
export const INITIAL = 5n;

/** The need of one position in each column: the tier's floor first, then the scenarios. */
export function needByColumn(
  one: HeldByHand,
  { bps, shareBps, floorLots, rateBps }: TermsByHand,
  times: bigint,
): readonly bigint[] {
  const { held, payoutMillionths } = one;
  const columns = [undefined, ...scenarios.keys()];
  if (payoutMillionths !== null) {
    const owed = held < 0n ? 4n * ceilDiv(-held * BigInt(payoutMillionths), 100n) : 0n;
    return columns.map(() => owed);
  }
  const [mark, stressed] = [BigInt(one.mark), BigInt(one.stressed)];
  const rises = scenarios.map((_, at) => most(0n, BigInt(one.values?.[at] ?? one.stressed) - mark));
  const uncovered = 10_000n - mark;
  const allowed = most(floorLots, (one.open * BigInt(shareBps)) / 10_000n);
  const beyond = rateBps === 0 ? 0n : most(0n, -held - allowed);
  const spread = most(100n, stressed > mark ? ceilDiv(stressed - mark, 4n) : 0n);
  return columns.map((column) => {
    const rise = column === undefined ? 0n : (rises[column] ?? 0n);
    if (held >= 0n) return one.offsets ? -held * 4n * least(uncovered, rise) : 0n;
    const floor = most(
      ceilDiv(times * BigInt(bps) * uncovered, 10_000n),
      ceilDiv(times * most(...rises), 2n),
    );
    const addOn = (column === undefined ? floor : times * rise) + times * spread;
    const [few, many] = [0n, BigInt(rateBps)].map((more) =>
      least(40_000n, 4n * mark + addOn + 4n * more),
    );
    return (-held - beyond) * (few ?? 0n) + beyond * (many ?? 0n);
  });
}

/** The same where two markets pay the same at each value of their index. */
export const paid = ({ payoff, baseline }: Pick<Terms, "payoff" | "baseline">): string =>
  JSON.stringify([payoff, baseline], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );

/** A market among those of its place, index and payout, whose longs may cover its short. */
export interface InSeries {
  readonly series: string;
  readonly month: number;
  /** Needed where its short is covered elsewhere: the cost of orders, cash to be given back. */
  readonly covered: readonly bigint[];
  /** Where its long lowers the need by what it gains. */
  readonly offsetting: readonly bigint[];
}

const everyColumn = [undefined, ...scenarios.keys()];

/** Of a market in a state: as it is, and were each of its lots short to need the rate more. */
export interface InState {
  /** Undefined where it hedges nothing and nothing hedges it. */
  readonly hedged?: InSeries | undefined;
  /** Undefined where it lies in none. */
  readonly state: string | undefined;
  readonly need: readonly bigint[];
  readonly raised: readonly bigint[];
}

/** The need of a position were it beyond what is allowed from its first lot on. */
export const raisedByColumn = (
  one: HeldByHand,
  terms: TermsByHand,
  times: bigint,
): readonly bigint[] =>
  needByColumn({ ...one, open: 0n }, { ...terms, shareBps: 0, floorLots: 0n }, times);

/**
 * Of all markets together: each state by its markets, or as a whole where that is more; less what
 * longs cover.
 */
export function withStates(
  all: readonly InState[],
  { shareBps, floorLots, rateBps }: TermsByHand,
  openIn: ReadonlyMap<string, bigint>,
): readonly bigint[] {
  const states = [...new Set(all.map(({ state }) => state))];
  const relief = reliefOf(all);
  const needs = summed(
    states.map((state) => {
      const inside = all.filter((one) => one.state === state);
      const need = summed(inside.map((one) => one.need));
      if (state === undefined || rateBps === 0) return need;
      const open = openIn.get(state) ?? 0n;
      const allowed = most(floorLots, (open * BigInt(shareBps)) / 10_000n);
      const raised = summed(inside.map((one) => one.raised));
      return need.map((sum, at) => most(sum, (raised[at] ?? 0n) - 4n * BigInt(rateBps) * allowed));
    }),
  );
  return needs.map((need, at) => need - (relief[at] ?? 0n));
}

/**
 * Longs cover shorts of their place and index: from the last month on, each long serves the latest
 * short that is left.
 */
function reliefOf(all: readonly InState[]): readonly bigint[] {
  const series = new Set(all.flatMap(({ hedged }) => (hedged === undefined ? [] : hedged.series)));
  return summed(
    [...series].map((name) => {
      const inside = all.filter(({ hedged }) => hedged?.series === name);
      const months = [...new Set(inside.map(({ hedged }) => hedged?.month ?? 0))];
      const latestFirst = months.sort((a, b) => b - a);
      return everyColumn.map((_, at) => {
        let [alone, left, uncovered] = [0n, 0n, 0n];
        for (const month of latestFirst) {
          let wanted = 0n;
          for (const { need, hedged } of inside) {
            if (hedged?.month !== month) continue;
            const covered = hedged.covered[at] ?? 0n;
            alone += (need[at] ?? 0n) - covered;
            const beyond = (hedged.offsetting[at] ?? 0n) - covered;
            if (beyond < 0n) left -= beyond;
            else wanted += beyond;
          }
          const served = least(left, wanted);
          left -= served;
          uncovered += wanted - served;
        }
        return alone - uncovered;
      });
    }),
  );
}

/** Column by column. */
const summed = (all: readonly (readonly bigint[])[]): readonly bigint[] =>
  everyColumn.map((_, at) => all.reduce((sum, columns) => sum + (columns[at] ?? 0n), 0n));

export const greatestOf = (columns: readonly bigint[]): bigint => most(0n, ...columns);
