// GET /api/geo: many places at once, by their ids.
// Invariant: each is as the search shows it; an id that is no place is named, and refuses nothing.
import { Type } from "typebox";
import type { GeoTree } from "#geo/tree.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { GeoPlaceShape, showPlace } from "./geo-shape.ts";
import { idsAsked } from "./ids-asked.ts";

const MOST_PLACES = 200;

/** A place named twice is answered once. */
export const listPlaces = (ports: { readonly exchange: { readonly geo: GeoTree } }): Route =>
  publicData.read({
    url: "/api/geo",
    access: "public",
    summary: `Up to ${MOST_PLACES} places by their ids, without what they lie in`,
    cost: 5,
    params: nothing,
    query: closed({
      ids: Type.String({
        description: `ids of places, with commas between, ${MOST_PLACES} at most`,
      }),
    }),
    data: Type.Array(GeoPlaceShape),
    siblings: { unknownIds: Type.Array(Type.String()) },
    read: ({ query }) => {
      const ids = idsAsked(query.ids, MOST_PLACES, "places");
      if ("refused" in ids) return ids;
      const { geo } = ports.exchange;
      const named = ids.map((id) => ({ id, node: geo.get(id) }));
      const unknown = named.flatMap(({ id, node }) => (node === undefined ? id : []));
      const places = new Set(named.flatMap(({ node }) => node ?? []));
      return {
        data: [...places].map((node) => showPlace(geo, node)),
        siblings: { unknownIds: [...new Set(unknown)] },
      };
    },
  });
