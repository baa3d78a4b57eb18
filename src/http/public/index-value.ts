// GET /api/index/:nodeId and GET /api/index?ids=: the newest first print and its last 24 months.
// Invariant: no index value leaves without the attribution of whoever published it.
import { Type } from "typebox";
import { type IndexKind, indexKinds } from "#base/index-kind.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { IndexValue, SeriesView } from "#views/series.ts";
import { invalidField, refuse } from "../errors.ts";
import type { AttributionOf } from "../ports.ts";
import { closed, nothing, publicData, type Route } from "../route.ts";

export interface IndexPorts {
  readonly exchange: ExchangeView;
  readonly series: SeriesView;
  readonly attribution: AttributionOf;
}

const MAX_IDS = 50;

const IndexName = Type.Enum([...indexKinds]);

const IndexAnswer = Type.Object({
  nodeId: Type.String(),
  value: Type.Number(),
  yoy: Type.Union([Type.Number(), Type.Null()]),
  asOfMonth: Type.String(),
  series: Type.Array(Type.Object({ month: Type.String(), value: Type.Number() })),
  source: Type.String(),
  releaseId: Type.String(),
  attribution: Type.String(),
});

type Answer = IndexValue & {
  readonly nodeId: string;
  readonly source: string;
  readonly attribution: string;
};

export const showIndexValue = (ports: IndexPorts): Route =>
  publicData.read({
    url: "/api/index/:nodeId",
    access: "public",
    params: Type.Object({ nodeId: Type.String() }),
    query: closed({ index: Type.Optional(IndexName) }),
    data: IndexAnswer,
    read: ({ params, query }) => {
      const node = ports.exchange.geo.get(params.nodeId);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const data = answerFor(ports, query.index ?? "zhvi", node.id);
      return data === undefined ? refuse("NO_INDEX_DATA") : { data };
    },
  });

export const listIndexValues = (ports: IndexPorts): Route =>
  publicData.read({
    url: "/api/index",
    access: "public",
    cost: 5,
    params: nothing,
    query: closed({ ids: Type.String(), index: Type.Optional(IndexName) }),
    data: Type.Array(IndexAnswer),
    read: ({ query }) => {
      const ids = [...new Set(query.ids.split(",").map((id) => id.trim()))].filter(
        (id) => id !== "",
      );
      if (ids.length === 0) return invalidField("ids", "must name at least one place");
      if (ids.length > MAX_IDS) {
        return invalidField("ids", `must name at most ${MAX_IDS} places, not ${ids.length}`);
      }
      const data: Answer[] = [];
      const unknownIds: string[] = [];
      const seen = new Set<string>();
      for (const id of ids) {
        const nodeId = ports.exchange.geo.get(id)?.id;
        const answer =
          nodeId === undefined ? undefined : answerFor(ports, query.index ?? "zhvi", nodeId);
        if (answer === undefined) unknownIds.push(id);
        else if (!seen.has(answer.nodeId)) data.push(answer);
        if (answer !== undefined) seen.add(answer.nodeId);
      }
      return { data, siblings: { unknownIds } };
    },
  });

function answerFor(ports: IndexPorts, index: IndexKind, node: Answer["nodeId"]): Answer | undefined {
  return undefined;
}
