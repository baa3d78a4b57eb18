// A place as the public surface shows it.
// Invariant: what providers call a place is the exchange's own business and never shown.
import { type Static, Type } from "typebox";
import { type GeoNode, geoLevels } from "#geo/node.ts";
import type { GeoTree } from "#geo/tree.ts";

export const GeoLevelShape = Type.Enum([...geoLevels]);

export const GeoPlaceShape = Type.Object(
  {
    id: Type.String(),
    level: GeoLevelShape,
    name: Type.String(),
    stateCode: Type.String(),
    fips: Type.Union([Type.String(), Type.Null()]),
    aliases: Type.Array(Type.String()),
    parentIds: Type.Array(Type.String()),
    housingUnits: Type.Number(),
    active: Type.Boolean(),
    childCount: Type.Integer(),
  },
  { title: "GeoPlace" },
);

export function showPlace(geo: GeoTree, node: GeoNode): Static<typeof GeoPlaceShape> {
  const { providerIds: _providerIds, aliases, parentIds, ...plain } = node;
  return {
    ...plain,
    aliases: [...aliases],
    parentIds: [...parentIds],
    childCount: geo.childCount(node.id),
  };
}
