// The plot of each series in the sample: when it is listed, how much is traded, how it ends.
// Invariant: when all of it has happened there is a market in each state of a market's life.
import { type NodeId, nodeId } from "#base/ids.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import type { SampleIndex } from "./growth.ts";

interface PlotTurn {
  /** After this release, from 0. */
  readonly after: number;
  readonly type: "PauseMarket" | "CancelMarket";
  readonly reason: string;
}

export interface SeriesPlot {
  readonly index: SampleIndex;
  readonly nodeId: NodeId;
  readonly payoff: DeclinePayoff;
  /** Listed after this release, whose last month is the baseline. */
  readonly listedAfter: number;
  /** From the baseline to the measurement month. */
  readonly months: number;
  readonly turn?: PlotTurn;
}

const low: DeclinePayoff = { kind: "layered", attachBps: 200, exhaustBps: 1000 };
const middle: DeclinePayoff = { kind: "layered", attachBps: 500, exhaustBps: 1500 };
const binary = (strikeBps: number): DeclinePayoff => ({ kind: "binary", strikeBps });

const plot = (
  index: SampleIndex,
  place: string,
  payoff: DeclinePayoff,
  listedAfter: number,
  months: number,
  turn?: PlotTurn,
): SeriesPlot => ({
  index,
  nodeId: nodeId(place),
  payoff,
  listedAfter,
  months,
  ...(turn === undefined ? {} : { turn }),
});

/** The series of the commands shown at the start: protection that costs a few percent. */
export const showcase: SeriesPlot = plot("zhvi", "zip:10001", middle, 13, 12);

/** Settled by the newest release and disputed since: it pays a part. */
export const disputedPlot: SeriesPlot = plot("zhvi", "county:12071", low, 1, 12);

/** In the order of listing. The newest release has number 13. */
export const plots: readonly SeriesPlot[] = [
  // Settled by the release before the newest: paid, one of them something.
  plot("zhvi", "zip:78701", low, 0, 12),
  plot("zhvi", "state:ny", low, 0, 12),
  // Settled by the newest release: in their dispute window today.
  disputedPlot,
  plot("zhvi", "city:new-york-ny", binary(500), 1, 12),
  // Waits for its print: the newest file of rents by county is held back.
  plot("zori", "county:12071", low, 1, 12),
  // Void before its first print: after one, its terms have no void.
  plot("zhvi", "zip:78704", low, 7, 12, {
    after: 7,
    type: "CancelMarket",
    reason: "Listed by mistake: the provider redraws this zip code; all trades are reversed",
  }),
  plot("zhvi", "state:tx", low, 8, 12),
  plot("zori", "county:48453", low, 9, 12, {
    after: 13,
    type: "PauseMarket",
    reason: "Rents of this county are under review after an unusual revision",
  }),
  plot("zhvi", "zip:10001", low, 10, 12),
  plot("zhvi", "zip:78701", low, 13, 12),
  showcase,
  plot("zhvi", "city:austin-tx", middle, 13, 24),
  plot("zhvi", "state:fl", binary(300), 13, 12),
  plot("zhvi", "county:04013", low, 13, 12),
  plot("zori", "state:ny", low, 13, 12),
];
