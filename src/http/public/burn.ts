// GET /api/index/:nodeId/burn: what a layer would have paid from each month of a place's history.
// Invariant: each share is computed as a settlement computes it, on the chained first prints.
import { type Static, Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { addMonths, formatMonth } from "#base/month.ts";
import { floorDiv } from "#base/rounding.ts";
import { isLevelIndex } from "#contract/level.ts";
import { FULL_PAYOUT_MILLIONTHS, layeredFraction } from "#contract/payoff.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";
import { placeAsked } from "./place.ts";

interface BurnPorts extends AttributionPorts {
  readonly series: SeriesView;
}

const COST = 2;

const BurnStart = Type.Object(
  {
    from: Type.String({ description: "the month whose level the fall is counted from" }),
    to: Type.String({ description: "the month that would have settled" }),
    change: Type.Number({ description: "percent from `from` to `to`, cut at 2 decimals" }),
    payoutFraction: Type.Number({ description: "the share of full payout" }),
    backfill: Type.Boolean({
      description: "true: `to` was there in the first release, as it had been revised until then",
    }),
  },
  { title: "BurnStart" },
);

const Burn = Type.Object(
  {
    nodeId: Type.String(),
    index: Type.Enum([...indexKinds]),
    months: Type.Integer({ description: "from the baseline to the measurement month" }),
    attachBps: Type.Integer(),
    exhaustBps: Type.Integer(),
    starts: Type.Array(BurnStart, { description: "oldest first; overlapping, one a month" }),
    paid: Type.Integer({ description: "how many of them would have paid anything" }),
    meanPayoutFraction: Type.Union([Type.Number(), Type.Null()], {
      description: "over all starts, cut at 6 decimals; null where there is none",
    }),
    attribution: Type.String(),
  },
  { title: "Burn" },
);

const bps = (about: string, standard: number) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, default: standard, description: about }),
  );

export const showBurn = (ports: BurnPorts): Route =>
  publicData.read({
    url: "/api/index/:nodeId/burn",
    access: "public",
    summary: "The payouts of a layer, had it begun in each month of a place's history",
    refusals: ["NO_INDEX_DATA", "INVALID_LAYER", "LAYER_NOT_SUPPORTED"],
    cost: COST,
    params: Type.Object({ nodeId: Type.String() }),
    query: closed({
      index: Type.Optional(Type.Enum([...indexKinds])),
      months: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 60,
          default: 12,
          description: "from the baseline to the measurement month, 1 to 60",
        }),
      ),
      attachBps: bps("where it begins to pay, basis points", 200),
      exhaustBps: bps("where it pays in full, basis points", 1_000),
    }),
    data: Burn,
    read: ({ params, query }) => {
      const { index = "zhvi", months = 12, attachBps = 200, exhaustBps = 1_000 } = query;
      if (exhaustBps <= attachBps) return refuse("INVALID_LAYER", { field: "exhaustBps" });
      if (isLevelIndex(index)) return refuse("LAYER_NOT_SUPPORTED", { field: "index" });
      const node = placeAsked(ports, params.nodeId);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const points = ports.series.points(index, node);
      const newest = points.at(-1);
      if (newest === undefined) return refuse("NO_INDEX_DATA");
      const all = fallsOf(points, months, attachBps, exhaustBps);
      const sum = all.reduce((total, { millionths }) => total + millionths, 0n);
      const mean = all.length === 0 ? null : floorDiv(sum, BigInt(all.length));
      return {
        data: {
          ...{ nodeId: node, index, months, attachBps, exhaustBps },
          starts: all.map(({ start }) => start),
          paid: all.filter(({ millionths }) => millionths > 0n).length,
          meanPayoutFraction: mean === null ? null : fractionOf(mean),
          attribution: attributionOfRelease(ports, newest.releaseId),
        },
      };
    },
  });

const fractionOf = (millionths: bigint): number =>
  Number(millionths) / Number(FULL_PAYOUT_MILLIONTHS);

/** A start for each month of the chain that another is `months` after. */
function fallsOf(
  points: readonly SeriesPoint[],
  months: number,
  attachBps: number,
  exhaustBps: number,
): readonly { readonly start: Static<typeof BurnStart>; readonly millionths: bigint }[] {
  const byMonth = new Map(points.map((point) => [point.month, point]));
  return points.flatMap(({ month, levelE12: from }) => {
    const end = byMonth.get(addMonths(month, months));
    const to = end?.levelE12 ?? null;
    if (from === null || end === undefined || to === null) return [];
    const millionths = layeredFraction(from, to, attachBps, exhaustBps);
    const start = {
      from: formatMonth(month),
      to: formatMonth(end.month),
      change: Number(((to - from) * 10_000n) / from) / 100,
      payoutFraction: fractionOf(millionths),
      backfill: end.backfill,
    };
    return [{ start, millionths }];
  });
}
