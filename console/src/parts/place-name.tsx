// A place in words, from its id.
// Invariant: until the exchange has said the name, the id stands in its place, so nothing is empty.
import { answered } from "@firstprint/sdk";
import { Question, type Reading, useReading } from "../query.ts";
import { exchange } from "../session.ts";

const readPlace = async (id: string) => {
  const path = { id };
  return (await answered(exchange.value.GET("/api/geo/{id}", { params: { path } }))).data;
};

const place = new Question(readPlace, { freshSeconds: 3600 });

type PlaceWithin = Awaited<ReturnType<typeof readPlace>>;

export const usePlace = (id: string): Reading<PlaceWithin> => useReading(place, [id]);

/** "78704, Austin, Travis County TX". */
export function placeWords({ name, level, stateCode, ancestors, parentIds }: PlaceWithin): string {
  if (level === "state") return name;
  // A city may lie in several counties; the place itself lies in one.
  const county =
    ancestors.find((one) => one.level === "county" && parentIds.includes(one.id)) ??
    ancestors.find((one) => one.level === "county");
  const finer = ancestors.filter((one) => one.level !== "state" && one.level !== "county");
  const within = [...finer.toReversed(), ...(county === undefined ? [] : [county])];
  return `${[name, ...within.map((one) => one.name)].join(", ")} ${stateCode}`;
}

/** "78704, TX". */
export function PlaceName({ id }: { readonly id: string }) {
  const reading = usePlace(id);
  if (reading.state !== "ready") return <>{id.split(":").at(-1)}</>;
  const { name, level, stateCode } = reading.data;
  return <>{level === "state" ? name : `${name}, ${stateCode}`}</>;
}
