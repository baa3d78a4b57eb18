// GET /api/index/:nodeId/vintages: which release carried what for a month, the first print first.
// Invariant: one raw file is read at a time, for all who ask; a first print is what settles, and
// what later files say of the month is shown and settles nothing.
import { Type } from "typebox";
import type { NodeId, ReleaseId } from "#base/ids.ts";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { type Month, parseMonth } from "#base/month.ts";
import { formatPrintValue, type PrintValue } from "#base/print-value.ts";
import type { AcceptedRelease } from "#core/records.ts";
import type { MonthRow } from "#prints/first-prints.ts";
import type { SeriesPoint } from "#views/prints-of-node.ts";
import type { SeriesView } from "#views/series.ts";
import { valueIn } from "../admin/revision.ts";
import type { ReleaseIntakePort } from "../ports.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";
import { pageOf, pageQuery, pageSiblings } from "./paging.ts";
import { placeAsked } from "./place.ts";

export interface VintagePorts extends AttributionPorts {
  readonly series: SeriesView;
  readonly releases: Pick<ReleaseIntakePort, "vintage">;
}

const COST = 10;
const DEFAULT_LIMIT = 3;
const MAX_LIMIT = 5;
/** Of places in releases; one has some hundred months. */
const MOST_KEPT = 500;
/** Files that wait to be read, a second each at worst. */
const MOST_WAITING = 10;

const Vintage = Type.Object(
  {
    releaseId: Type.String(),
    publishedAt: Type.String({ description: "as its provider dates it, ISO 8601" }),
    ingestedAt: Type.String({ description: "when it was known here, ISO 8601" }),
    value: Type.Union([Type.String(), Type.Null()], {
      description: "as this release has it, a decimal; null where it does not carry the month",
    }),
    isFirstPrint: Type.Boolean({ description: "the release that carried the month first" }),
    revised: Type.Boolean({ description: "another value than the first print" }),
    attribution: Type.String(),
  },
  { title: "Vintage" },
);

export const listVintages = (ports: VintagePorts): Route => {
  const lines = new FileLines(ports);
  return publicData.read({
    url: "/api/index/:nodeId/vintages",
    access: "public",
    summary:
      "The releases that carried a month of a place, each with its value, the first print first",
    refusals: ["NO_INDEX_DATA", "OVERLOADED"],
    cost: COST,
    params: Type.Object({ nodeId: Type.String() }),
    query: closed({
      month: Type.String({ pattern: "^[0-9]{4}-[0-9]{2}$", description: "a month, YYYY-MM" }),
      index: Type.Optional(Type.Enum([...indexKinds])),
      page: pageQuery.page,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
      ),
    }),
    data: Type.Array(Vintage),
    siblings: pageSiblings,
    read: async ({ params, query }) => {
      const month = parseMonth(query.month);
      if (month === undefined) return invalidField("month", "must be a month, YYYY-MM");
      const node = placeAsked(ports, params.nodeId);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const index = query.index ?? "zhvi";
      const first = ports.series.at(index, node, month);
      if (first === undefined) return refuse("NO_INDEX_DATA");
      const { limit = DEFAULT_LIMIT } = query;
      const since = releasesSince(ports, index, first);
      const { items, siblings } = pageOf(since, { ...query, limit });
      // Of the first print the prints themselves know the value: its file is not read.
      const later = items.filter(({ id }) => id !== first.releaseId);
      const read = await lines.valuesOf(later, node, month);
      if (read === undefined) return refuse("OVERLOADED");
      const data = items.map((release) => vintageOf(ports, release, first, read));
      return { data, siblings };
    },
  });
};

/** Of the first print's series, from its release on, those that reach the month; oldest first. */
function releasesSince(
  { exchange }: VintagePorts,
  index: IndexKind,
  { releaseId, month }: SeriesPoint,
): readonly AcceptedRelease[] {
  const carrier = exchange.releases.get(releaseId);
  invariant(carrier !== undefined, `release ${releaseId}, whose print is known, is accepted`);
  const { level, variable } = carrier;
  const isSeries = (one: AcceptedRelease): boolean =>
    one.index === index && one.level === level && one.variable === variable;
  const all = [...exchange.releases.values()].filter(isSeries);
  const since = all.slice(all.indexOf(carrier) + 1);
  return [carrier, ...since.filter(({ lastMonth }) => lastMonth >= month)];
}

const vintageOf = (
  ports: VintagePorts,
  { id, publishedAtMillis, ingestedAtMillis }: AcceptedRelease,
  first: SeriesPoint,
  read: ReadonlyMap<ReleaseId, PrintValue | null>,
) => {
  const isFirstPrint = id === first.releaseId;
  const value = isFirstPrint ? first.valueE15 : (read.get(id) ?? null);
  return {
    releaseId: id,
    publishedAt: new Date(publishedAtMillis).toISOString(),
    ingestedAt: new Date(ingestedAtMillis).toISOString(),
    value: value === null ? null : formatPrintValue(value),
    isFirstPrint,
    revised: value !== null && value !== first.valueE15,
    attribution: attributionOfRelease(ports, id),
  };
};

/** Lines of raw files, read one after the other, and kept while there is room. */
class FileLines {
  /** The intake is asked for at each read: a node may have another one by then. */
  readonly #ports: VintagePorts;
  /** The longest unasked first. A place that a release does not carry is looked for again. */
  readonly #kept = new Map<string, MonthRow>();
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: VintagePorts) {
    this.#ports = ports;
  }

  /** Undefined where too many files are waited for: then none of these is read. */
  async valuesOf(
    releases: readonly AcceptedRelease[],
    node: NodeId,
    month: Month,
  ): Promise<ReadonlyMap<ReleaseId, PrintValue | null> | undefined> {
    const missing = releases.filter(({ id }) => !this.#kept.has(nameOf(id, node))).length;
    if (this.#waiting + missing > MOST_WAITING) return undefined;
    const found = releases.map(async ({ id }) => {
      const row = await this.#line(id, node);
      return [id, row === undefined ? null : valueIn(row, month)] as const;
    });
    return new Map(await Promise.all(found));
  }

  #line(release: ReleaseId, node: NodeId): Promise<MonthRow | undefined> {
    const kept = this.#keptLine(release, node);
    if (kept !== undefined) return Promise.resolve(kept);
    this.#waiting += 1;
    const turn = this.#last
      .then(() => this.#keptLine(release, node) ?? this.#read(release, node))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #keptLine(release: ReleaseId, node: NodeId): MonthRow | undefined {
    const name = nameOf(release, node);
    const row = this.#kept.get(name);
    if (row === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, row);
    return row;
  }

  async #read(release: ReleaseId, node: NodeId): Promise<MonthRow | undefined> {
    const row = await this.#ports.releases.vintage(release, node);
    if (row === undefined) return undefined;
    this.#kept.set(nameOf(release, node), row);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return row;
  }
}

const nameOf = (release: ReleaseId, node: NodeId): string => `${release}|${node}`;
