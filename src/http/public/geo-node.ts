// GET /api/geo/:id: a place, how many lie in it, and what it lies in.
// Invariant: ancestors are coarsest first.
import { Type } from "typebox";
import { geoLevels } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";
import { refuse } from "../errors.ts";
import { nothing, publicData, type Route } from "../route.ts";

const GeoLevel = Type.Enum([...geoLevels]);

const GeoAnswer = Type.Object({
  id: Type.String(),
  level: GeoLevel,
  name: Type.String(),
  stateCode: Type.String(),
  fips: Type.Union([Type.String(), Type.Null()]),
  aliases: Type.Array(Type.String()),
  parentIds: Type.Array(Type.String()),
  housingUnits: Type.Number(),
  active: Type.Boolean(),
  childCount: Type.Integer(),
  ancestors: Type.Array(Type.Object({ id: Type.String(), level: GeoLevel, name: Type.String() })),
});

export const showGeoNode = (ports: { readonly exchange: { readonly geo: GeoTree } }): Route =>
  publicData.read({
    url: "/api/geo/:id",
    access: "public",
    params: Type.Object({ id: Type.String() }),
    query: nothing,
    data: GeoAnswer,
    read: ({ params }) => {
      const { geo } = ports.exchange;
      const node = geo.get(params.id);
      if (node === undefined) return refuse("NOT_FOUND", { message: "No such place" });
      const { providerIds: _providerIds, aliases, parentIds, ...plain } = node;
      return {
        data: {
          ...plain,
          aliases: [...aliases],
          parentIds: [...parentIds],
          childCount: geo.childCount(node.id),
          ancestors: geo.ancestors(node.id).map(({ id, level, name }) => ({ id, level, name })),
        },
      };
    },
  });
