// GET /api/geo/search: places by zip, name or alias, best match first.
// Invariant: the order is the search's own; nothing here ranks. No answer is without a place that
// has data, where there is one near.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { nearestWithData } from "#geo/nearest.ts";
import { matches } from "#geo/search.ts";
import { folded } from "#geo/search-words.ts";
import type { GeoTree } from "#geo/tree.ts";
import { Cached } from "#quoting/cached.ts";
import type { SeriesView } from "#views/series.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, publicData, type Route, type WrittenData } from "../route/route.ts";
import { written } from "../server/written.ts";
import { GeoLevelShape, GeoPlaceShape, showPlace } from "./geo-shape.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

/** The states of the interface's filter; the places of all states are found without it. */
const filterStates = ["NY", "CA", "CO", "TX", "FL", "NC", "AZ"] as const;

/** Of fifty places at most, some 15 kB. */
const MOST_ANSWERS = 1_024;

const NearestShape = Type.Object(
  {
    id: Type.String(),
    level: GeoLevelShape,
    name: Type.String(),
    stateCode: Type.String(),
    indexes: Type.Array(Type.Enum([...indexKinds])),
  },
  { title: "NearestPlace" },
);

interface SearchPorts {
  readonly exchange: { readonly geo: GeoTree };
  readonly series: SeriesView;
}

export function searchGeo(ports: SearchPorts): Route {
  const places = {
    /** Both only grow, so the sum changes with either. */
    get version(): number {
      return ports.exchange.geo.version + ports.series.version;
    },
  };
  const answers = new Cached<Pick<WrittenData, "text" | "tag">>(places, MOST_ANSWERS);
  return publicData.read({
    url: "/api/geo/search",
    access: "public",
    isHot: true,
    summary: "Places by zip, name or alias, best match first",
    params: nothing,
    query: closed({
      q: Type.String({ minLength: 1, maxLength: 64, description: "1 to 64 characters" }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
      level: Type.Optional(GeoLevelShape),
      state: Type.Optional(
        Type.Enum([...filterStates], {
          description: `one of ${filterStates.join(", ")}; leave it out to search every state`,
        }),
      ),
    }),
    data: Type.Array(GeoPlaceShape),
    siblings: {
      match: Type.Enum([...matches]),
      named: Type.Integer(),
      nearest: Type.Array(NearestShape),
    },
    read: ({ query: { q, limit = DEFAULT_LIMIT, level, state } }) => {
      if (folded(q) === "") return invalidField("q", "must hold more than blanks");
      const name = `${q}|${limit}|${level}|${state}`;
      const { text, tag } = answers.of(name, () => {
        const { geo } = ports.exchange;
        const found = geo.search({ text: q, limit, level, stateCode: state });
        const { match, named } = found;
        const nearest = nearestWithData(geo, q, found, ({ id }) =>
          indexKinds.filter((index) => ports.series.newest(index, id) !== undefined),
        ).map(({ place: { id, name, stateCode, ...place }, indexes }) => ({
          ...{ id, level: place.level, name, stateCode, indexes },
        }));
        const shown = found.places.map((node) => showPlace(geo, node));
        return written(shown, { match, named, nearest });
      });
      return { text, tag, headers: {} };
    },
  });
}
