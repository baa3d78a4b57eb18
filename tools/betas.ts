// Estimates how far state and nation go with a place that falls, from wide files of the provider:
// `node tools/betas.ts <file…> [--index zhvi|zori]`. Prints constants with their evidence.
// Invariant: pure over the files; state and nation are what pricing takes them for, medians of
// their places, and a place's own state is taken without it.
import { parseArgs } from "node:util";
import { readPanel } from "#cli/backtest/file.ts";
import type { Panel, PanelNode } from "#pricing/backtest/panel.ts";
import { seriesAt } from "#pricing/backtest/panel.ts";
import type { PricedIndex } from "#pricing/constants.ts";
import { momentumOf } from "#pricing/features.ts";
import { medianOf } from "#pricing/moments.ts";
import { MIN_NATION_PLACES, MIN_STATE_PLACES } from "#pricing/region.ts";

/** Months over which a change is taken: those of the scenarios. */
const SPANS = [1, 3, 6, 12] as const;
const TAIL = 0.01;

interface Pair {
  readonly month: number;
  /** The place's change in momentum, and the region's. */
  readonly x: number;
  readonly y: number;
}

interface Beta {
  readonly beta: number;
  /** Clustered by month: places of one month fall together. */
  readonly error: number;
  readonly pairs: number;
  readonly months: number;
}

/** Least squares through the origin, Σxy / Σx²: a place that stays moves nothing. */
export function betaOf(pairs: readonly Pair[]): Beta {
  let [xy, xx] = [0, 0];
  for (const { x, y } of pairs) {
    xy += x * y;
    xx += x * x;
  }
  const beta = xy / xx;
  const byMonth = new Map<number, number>();
  for (const { month, x, y } of pairs) {
    byMonth.set(month, (byMonth.get(month) ?? 0) + x * (y - beta * x));
  }
  let spread = 0;
  for (const sum of byMonth.values()) spread += sum * sum;
  return { beta, error: Math.sqrt(spread) / xx, pairs: pairs.length, months: byMonth.size };
}

/** The pairs whose place fell by more than all but one in a hundred changes of the panel. */
export function tailOf(pairs: readonly Pair[]): readonly Pair[] {
  const sorted = pairs.toSorted((a, b) => a.x - b.x);
  return sorted.slice(0, Math.ceil(TAIL * sorted.length)).filter(({ x }) => x < 0);
}

/** By place and grid position; undefined below four prints. */
type Momenta = readonly (readonly (number | undefined)[])[];

const placesOf = ({ nodes }: Panel): readonly PanelNode[] =>
  nodes.filter(({ isNation }) => !isNation);

function momentaOf(panel: Panel): Momenta {
  return placesOf(panel).map((place) =>
    Array.from(place.logs, (_, at) => {
      const series = seriesAt(panel, place, at);
      return series && momentumOf(panel.index, series);
    }),
  );
}

export function pairsOf(panel: Panel, span: number, momenta: Momenta = momentaOf(panel)) {
  const places = placesOf(panel);
  const states = new Map<string, number[]>();
  for (const [at, { state = "" }] of places.entries()) {
    states.set(state, [...(states.get(state) ?? []), at]);
  }
  const [state, nation]: [Pair[], Pair[]] = [[], []];
  const months = places[0]?.logs.length ?? 0;
  for (let month = span; month < months; month += panel.stepMonths) {
    const changes = momenta.map((one) => {
      const [from, to] = [one[month - span], one[month]];
      return from === undefined || to === undefined ? undefined : to - from;
    });
    const known = changes.filter((change) => change !== undefined);
    if (known.length < MIN_NATION_PLACES) continue;
    const together = medianOf(known);
    for (const x of known) nation.push({ month, x, y: together });
    for (const members of states.values()) {
      const inside = members.flatMap((at) => changes[at] ?? []).sort((a, b) => a - b);
      if (inside.length - 1 < MIN_STATE_PLACES) continue;
      for (const [at, x] of inside.entries()) {
        state.push({ month, x, y: medianWithout(inside, at) });
      }
    }
  }
  return { state, nation };
}

/** Of the others: a place is not compared with itself. */
function medianWithout(sorted: readonly number[], at: number): number {
  const others = sorted.length - 1;
  const one = (rank: number): number => sorted[rank < at ? rank : rank + 1] ?? Number.NaN;
  return (one(Math.floor((others - 1) / 2)) + one(Math.floor(others / 2))) / 2;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { index: { type: "string", default: "zhvi" } },
    allowPositionals: true,
  });
  const index: PricedIndex = values.index === "zori" ? "zori" : "zhvi";
  const most = { state: 0, nation: 0 };
  for (const file of positionals) {
    const panel = await readPanel(file, index, undefined);
    const momenta = momentaOf(panel);
    for (const span of SPANS) {
      if (span < panel.stepMonths) continue;
      const pairs = pairsOf(panel, span, momenta);
      for (const region of ["state", "nation"] as const) {
        const tail = tailOf(pairs[region]);
        if (tail.length === 0) continue;
        const { beta, error, pairs: count, months } = betaOf(tail);
        most[region] = Math.max(most[region], beta);
        const figures = [beta.toFixed(3), error.toFixed(3), count, months].join(" | ");
        process.stdout.write(`| ${panel.level} | ${span} | ${region} | ${figures} |\n`);
      }
    }
  }
  for (const [region, beta] of Object.entries(most)) {
    const rounded = Math.min(1, Math.ceil(20 * beta) / 20);
    process.stdout.write(`${region.toUpperCase()}_BETA = ${rounded}, from ${beta.toFixed(3)}\n`);
  }
}

if (import.meta.main) await main();
