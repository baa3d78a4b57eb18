// GET /api/history/prints: the first prints of many places, each with the release that carried it.
// Invariant: an answer is of the releases that were accepted when it began, and is never held
// whole: a place is read once the reader has taken those before it.
import { randomBytes } from "node:crypto";
import { type Static, Type } from "typebox";
import { formatDecimal } from "#base/decimal.ts";
import type { NodeId, ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { Engine } from "#engine/engine.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { tableText, tableTypes } from "../records/table-text.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { AsOf, dayAsked, knownSinceMillis } from "./as-of.ts";
import { type HistoryScope, historyQuery, scopeAsked } from "./history-scope.ts";

interface BulkPrintPorts extends AttributionPorts {
  readonly series: SeriesView;
  readonly engine: Pick<Engine, "status">;
}

const COST = 10;
const LEVEL_PLACES = 12;

const BulkPrint = Type.Object(
  {
    nodeId: Type.String(),
    month: Type.String(),
    value: Type.String({ description: "the first print, a decimal in the unit of its index" }),
    level: Type.Union([Type.String(), Type.Null()], {
      description: "the chained first print, a decimal; null, in CSV empty, outside the chain",
    }),
    backfill: Type.Boolean({
      description: "true: it was there in the first release and settles nothing",
    }),
    releaseId: Type.String({ description: "the release that carried it first" }),
    publishedAt: Type.String({ description: "of that release, as its provider dates it" }),
    ingestedAt: Type.String({ description: "when it was known here" }),
    attribution: Type.String(),
  },
  { title: "BulkPrint" },
);

type Vintage = Pick<
  Static<typeof BulkPrint>,
  "releaseId" | "publishedAt" | "ingestedAt" | "attribution"
>;

/** The prints of another start may be others under the same numbers. */
const start = randomBytes(8).toString("hex");

export const listBulkPrints = (ports: BulkPrintPorts): Route =>
  publicData.read({
    url: "/api/history/prints",
    access: "public",
    summary: "The first prints of many places, by place and month, each with its release",
    refusals: ["NOT_FOUND", "RATE_LIMITED"],
    cost: COST,
    costsBytes: true,
    params: nothing,
    query: closed({ ...historyQuery, asOf: AsOf }),
    data: Type.Array(BulkPrint),
    otherTypes: tableTypes,
    read: ({ query, accept }) => {
      const scope = scopeAsked(ports, query);
      if ("refused" in scope) return scope;
      const day = dayAsked(query.asOf, ports.engine);
      if (day !== undefined && "refused" in day) return day;
      const { format, ...chosen } = query;
      const table = {
        columns: Object.keys(BulkPrint.properties),
        rows: printsIn(ports, scope, day?.endMillis),
        fileName: `first-prints-${scope.index}`,
        tag: tagOf(ports, chosen),
      };
      return tableText(table, format, accept);
    },
  });

/** Equal only while nothing has come that could change the answer. */
function tagOf({ series, exchange }: BulkPrintPorts, chosen: object): string {
  const basis = [start, series.version, exchange.releases.size, exchange.geo.version];
  const said = new URLSearchParams(Object.entries(chosen)).toString();
  return [...basis, Buffer.from(said.toLowerCase()).toString("base64url")].join(".");
}

async function* printsIn(
  ports: BulkPrintPorts,
  { index, from, to, has }: HistoryScope,
  knownMillis: number | undefined,
): AsyncGenerator<Static<typeof BulkPrint>> {
  const { series } = ports;
  const vintages = vintagesNow(ports);
  const nodes = [...series.nodes(index)].filter(has).sort();
  for (const node of nodes) {
    const isSeen = seenBy(ports, vintages, node, knownMillis);
    for (const point of series.points(index, node, from, isSeen)) {
      if (to !== undefined && point.month > to) break;
      yield rowOf(node, point, vintages);
    }
  }
}

function rowOf(
  node: NodeId,
  { month, valueE15, levelE12, releaseId, backfill }: SeriesPoint,
  vintages: ReadonlyMap<ReleaseId, Vintage>,
): Static<typeof BulkPrint> {
  const vintage = vintages.get(releaseId);
  invariant(vintage !== undefined, `release ${releaseId} was accepted when the answer began`);
  return {
    nodeId: node,
    month: formatMonth(month),
    value: formatPrintValue(valueE15),
    level: levelE12 === null ? null : formatDecimal(levelE12, LEVEL_PLACES),
    backfill,
    ...vintage,
  };
}

const vintagesNow = (ports: BulkPrintPorts): ReadonlyMap<ReleaseId, Vintage> =>
  new Map(
    [...ports.exchange.releases.values()].map(({ id, publishedAtMillis, ingestedAtMillis }) => [
      id,
      {
        releaseId: id,
        publishedAt: new Date(publishedAtMillis).toISOString(),
        ingestedAt: new Date(ingestedAtMillis).toISOString(),
        attribution: attributionOfRelease(ports, id),
      },
    ]),
  );

/** Of the releases there were; with a day, of those that the place had when it ended. */
const seenBy =
  (
    { exchange }: BulkPrintPorts,
    vintages: ReadonlyMap<ReleaseId, Vintage>,
    node: NodeId,
    knownMillis: number | undefined,
  ) =>
  (id: ReleaseId): boolean => {
    const release = exchange.releases.get(id);
    if (release === undefined || !vintages.has(id)) return false;
    return knownMillis === undefined || knownSinceMillis(release, node) < knownMillis;
  };
