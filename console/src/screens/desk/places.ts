// The places of markets: their names, and the states that they lie in.
// Invariant: 200 places are one request, and none is asked for twice.
import { answered, type Schemas } from "@firstprint/sdk";
import { exchange } from "../../session.ts";

type DeskPlace = Pick<Schemas["GeoPlace"], "name" | "level" | "stateCode">;

const PLACES_A_READ = 200;

const known = new Map<string, DeskPlace>();

export async function placesOf(ids: readonly string[]): Promise<ReadonlyMap<string, DeskPlace>> {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id));
  const reads = Array.from({ length: Math.ceil(unknown.length / PLACES_A_READ) }, (_, at) =>
    unknown.slice(at * PLACES_A_READ, (at + 1) * PLACES_A_READ).join(","),
  );
  const read = async (some: string): Promise<void> => {
    const params = { query: { ids: some } };
    for (const place of (await answered(exchange.value.GET("/api/geo", { params }))).data)
      known.set(place.id, place);
  };
  await Promise.all(reads.map(read));
  return known;
}

/** "Texas", "78704, TX"; the id where the exchange knows no name. */
export const nameOf = (id: string, place: DeskPlace | undefined): string => {
  if (place === undefined) return id;
  return place.level === "state" ? place.name : `${place.name}, ${place.stateCode}`;
};
