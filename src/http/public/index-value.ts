// GET /api/index/:nodeId and GET /api/index?ids=: the newest first print and its last 24 months.
// Invariant: no index value leaves without the attribution of whoever published it.
import { type Static, Type } from "typebox";
import { type NodeId, releaseId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { parseMonth } from "#base/month.ts";
import { measureOf } from "#contract/measure.ts";
import { Cached } from "#quoting/cached.ts";
import type { SeriesView } from "#views/series.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { refuse } from "../route/errors.ts";
import { closed, nothing, publicData, type Route, type WrittenData } from "../route/route.ts";
import { written } from "../server/written.ts";
import { AsOf, type Day, dayAsked, indexValueOn } from "./as-of.ts";
import { idsAsked } from "./ids-asked.ts";
import { type KeepingPorts, keptUntil } from "./kept-until.ts";
import { Measure } from "./measure.ts";
import { earliestOf, nextPublication } from "./next-publication.ts";
import { placeAsked } from "./place.ts";

interface IndexPorts extends AttributionPorts, KeepingPorts {
  readonly series: SeriesView;
}

const MAX_IDS = 50;
/** Every zip of the largest file; a page takes some 1.5 kB. */
const MOST_PAGES = 32_768;

const IndexName = Type.Enum([...indexKinds]);

const IndexAnswer = Type.Object(
  {
    nodeId: Type.String(),
    value: Type.Number(),
    yoy: Type.Union([Type.Number(), Type.Null()], {
      description:
        "percent against the print twelve months before; null where that is absent or not above 0",
    }),
    asOfMonth: Type.String(),
    series: Type.Array(Type.Object({ month: Type.String(), value: Type.Number() })),
    source: Type.String(),
    releaseId: Type.String(),
    measure: Type.Optional(Measure),
    attribution: Type.String(),
  },
  { title: "IndexValue" },
);

type IndexValueData = Static<typeof IndexAnswer>;

export function showIndexValue(ports: IndexPorts): Route {
  const pages = new Cached<IndexPage | undefined>(ports.series, MOST_PAGES);
  return publicData.read({
    url: "/api/index/:nodeId",
    access: "public",
    isHot: true,
    summary: "The newest first print of an index at a place, and its last 24 months",
    refusals: ["NO_INDEX_DATA"],
    params: Type.Object({ nodeId: Type.String() }),
    query: closed({ index: Type.Optional(IndexName), asOf: AsOf }),
    data: IndexAnswer,
    read: ({ params, query }) => {
      const day = dayAsked(query.asOf, ports.engine);
      if (day !== undefined && "refused" in day) return day;
      const node = placeAsked(ports, params.nodeId);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const index = query.index ?? "zhvi";
      const made = (): IndexPage | undefined => pageOf(ports, index, node, day);
      const page = day === undefined ? pages.of(`${index}|${node}`, made) : made();
      if (page === undefined) return refuse("NO_INDEX_DATA");
      const { text, tag, expectedMillis } = page;
      return { text, tag, headers: keptUntil(ports, expectedMillis) };
    },
  });
}

/** WrittenData once for all who ask until there are new prints. */
interface IndexPage extends Pick<WrittenData, "text" | "tag"> {
  readonly expectedMillis: number | undefined;
}

function pageOf(
  ports: IndexPorts,
  index: IndexKind,
  node: NodeId,
  day: Day | undefined,
): IndexPage | undefined {
  const data = answerFor(ports, index, node, day);
  if (data === undefined) return undefined;
  return { ...written(data), expectedMillis: nextExpected(ports, data) };
}

export const listIndexValues = (ports: IndexPorts): Route =>
  publicData.read({
    url: "/api/index",
    access: "public",
    isHot: true,
    summary: "The newest first prints of up to 50 places",
    cost: 5,
    params: nothing,
    query: closed({ ids: Type.String(), index: Type.Optional(IndexName), asOf: AsOf }),
    data: Type.Array(IndexAnswer),
    siblings: { unknownIds: Type.Array(Type.String()), noDataIds: Type.Array(Type.String()) },
    read: ({ query }) => {
      const ids = idsAsked(query.ids, MAX_IDS, "places");
      if ("refused" in ids) return ids;
      const day = dayAsked(query.asOf, ports.engine);
      if (day !== undefined && "refused" in day) return day;
      return gather(ports, query.index ?? "zhvi", ids, day);
    },
  });

/** A place named twice is answered once; what cannot be answered is named, by its reason. */
function gather(ports: IndexPorts, index: IndexKind, ids: readonly string[], day: Day | undefined) {
  const data = new Map<NodeId, IndexValueData>();
  const unknownIds = new Set<string>();
  const noDataIds = new Set<string>();
  for (const id of ids) {
    const node = placeAsked(ports, id);
    const answer = node === undefined ? undefined : answerFor(ports, index, node, day);
    if (node === undefined) unknownIds.add(id);
    else if (answer === undefined) noDataIds.add(id);
    else data.set(node, answer);
  }
  const siblings = { unknownIds: [...unknownIds], noDataIds: [...noDataIds] };
  // A place that is added, or printed for the first time, has no expected day.
  const isWhole = unknownIds.size === 0 && noDataIds.size === 0;
  const expected = [...data.values()].map((value) => nextExpected(ports, value));
  const headers = keptUntil(ports, isWhole ? earliestOf(expected) : undefined);
  return { data: [...data.values()], siblings, headers };
}

/** Of a day that was asked for, the value of then: it is kept like that of now. */
function nextExpected(
  { exchange }: IndexPorts,
  { releaseId: id, asOfMonth }: IndexValueData,
): number | undefined {
  const release = exchange.releases.get(releaseId(id));
  const month = parseMonth(asOfMonth);
  if (release === undefined || month === undefined) return undefined;
  return nextPublication(release, month)?.atMillis;
}

function answerFor(
  ports: IndexPorts,
  index: IndexKind,
  nodeId: NodeId,
  day: Day | undefined,
): IndexValueData | undefined {
  const found =
    day === undefined
      ? ports.series.indexValue(index, nodeId)
      : indexValueOn(ports, index, nodeId, day);
  if (found === undefined) return undefined;
  const month = parseMonth(found.asOfMonth);
  const measure = month === undefined ? undefined : measureOf(index, month);
  return {
    ...found,
    nodeId,
    series: [...found.series],
    source: `${index}_first_print`,
    ...(measure === undefined ? {} : { measure }),
    attribution: attributionOfRelease(ports, found.releaseId),
  };
}
