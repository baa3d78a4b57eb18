// The shapes of states and counties, projected already, for every map of the console.
// Invariant: a map is drawn in the room of WIDTH by HEIGHT; a shape is named by its FIPS code.
import { geoPath } from "d3-geo";
import type { FeatureCollection } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import countiesUrl from "us-atlas/counties-albers-10m.json?url";
import statesUrl from "us-atlas/states-albers-10m.json?url";
import { Question } from "../query.ts";

export const WIDTH = 975;
export const HEIGHT = 610;

interface Named {
  readonly name: string;
}
type Shapes = FeatureCollection<GeoJSON.Geometry, Named>["features"];

export interface Shape {
  readonly fips: string;
  readonly name: string;
  readonly line: string;
  readonly box: readonly [readonly [number, number], readonly [number, number]];
}

/** The shapes are projected already, by the Albers projection that shows Alaska and Hawaii. */
const path = geoPath(null);

async function readShapes(url: string, name: "states" | "counties"): Promise<readonly Shape[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the map could not be loaded: status ${response.status}`);
  const topology: Topology<Record<string, GeometryCollection<Named>>> = await response.json();
  const object = topology.objects[name];
  const found: Shapes = object === undefined ? [] : feature(topology, object).features;
  return found.map((one) => ({
    fips: String(one.id),
    name: one.properties.name,
    line: path(one) ?? "",
    box: path.bounds(one),
  }));
}

export const stateShapes = new Question(() => readShapes(statesUrl, "states"), {
  freshSeconds: 3600,
});
export const countyShapes = new Question(() => readShapes(countiesUrl, "counties"), {
  freshSeconds: 3600,
});
