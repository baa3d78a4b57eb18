// GET /api/index/:nodeId/prints: the first prints of a place, one by one, newest first.
// Invariant: a print is shown with every digit its provider wrote, and with who that was.
import { Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import { indexKinds } from "#base/index-kind.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { SeriesView } from "#views/series.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";
import { type KeepingPorts, keptUntil } from "./kept-until.ts";
import { nextPublication } from "./next-publication.ts";
import { pageOf, pageQuery, pageSiblings } from "./paging.ts";
import { placeAsked } from "./place.ts";

interface PrintPorts extends AttributionPorts, KeepingPorts {
  readonly series: SeriesView;
}

const LEVEL_PLACES = 12;

const Print = Type.Object(
  {
    month: Type.String(),
    value: Type.String({ description: "the first print, a decimal" }),
    level: Type.Union([Type.String(), Type.Null()], {
      description:
        "the chained first print, a decimal, 1 at the first month; null outside the chain",
    }),
    releaseId: Type.String(),
    backfill: Type.Boolean({
      description: "true: it was there in the first release and settles nothing",
    }),
    attribution: Type.String(),
  },
  { title: "FirstPrint" },
);

export const listPrints = (ports: PrintPorts): Route =>
  publicData.read({
    url: "/api/index/:nodeId/prints",
    access: "public",
    summary: "The first prints of an index at a place, newest first",
    refusals: ["NO_INDEX_DATA"],
    params: Type.Object({ nodeId: Type.String() }),
    query: closed({ index: Type.Optional(Type.Enum([...indexKinds])), ...pageQuery }),
    data: Type.Array(Print),
    siblings: pageSiblings,
    read: ({ params, query }) => {
      const node = placeAsked(ports, params.nodeId);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const points = ports.series.points(query.index ?? "zhvi", node).reverse();
      if (points.length === 0) return refuse("NO_INDEX_DATA");
      const { items, siblings } = pageOf(points, query);
      const data = items.map(({ month, valueE15, levelE12, releaseId, backfill }) => ({
        month: formatMonth(month),
        value: formatPrintValue(valueE15),
        level: levelE12 === null ? null : formatDecimal(levelE12, LEVEL_PLACES),
        releaseId,
        backfill,
        attribution: attributionOfRelease(ports, releaseId),
      }));
      return { data, siblings, headers: keptUntil(ports, nextExpected(ports, points)) };
    },
  });

/** `points`: newest first. */
function nextExpected(
  { exchange }: PrintPorts,
  [newest]: ReturnType<SeriesView["points"]>,
): number | undefined {
  const release = newest && exchange.releases.get(newest.releaseId);
  return release && nextPublication(release, newest.month)?.atMillis;
}
