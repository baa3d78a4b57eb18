// GET /api/geo/:id: a place, how many lie in it, and what it lies in.
// Invariant: ancestors are coarsest first.
import { Type } from "typebox";
import type { GeoTree } from "#geo/tree.ts";
import { refuse } from "../route/errors.ts";
import { nothing, publicData, type Route } from "../route/route.ts";
import { GeoLevelShape, GeoPlaceShape, showPlace } from "./geo-shape.ts";

const GeoAnswer = Type.Object({
  ...GeoPlaceShape.properties,
  ancestors: Type.Array(
    Type.Object({ id: Type.String(), level: GeoLevelShape, name: Type.String() }),
  ),
});

export const showGeoNode = (ports: { readonly exchange: { readonly geo: GeoTree } }): Route =>
  publicData.read({
    url: "/api/geo/:id",
    access: "public",
    summary: "A place, and what it lies in",
    params: Type.Object({ id: Type.String() }),
    query: nothing,
    data: GeoAnswer,
    read: ({ params }) => {
      const { geo } = ports.exchange;
      const node = geo.get(params.id);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      return {
        data: {
          ...showPlace(geo, node),
          ancestors: geo.ancestors(node.id).map(({ id, level, name }) => ({ id, level, name })),
        },
      };
    },
  });
