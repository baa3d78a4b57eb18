// The nearest places that have data, for a place that has none: each a link, with what it has.
// Invariant: nothing is said to be broken where there is only nothing.
import { answered } from "@firstprint/sdk";
import { Question, useReading } from "../query.ts";
import { exchange } from "../session.ts";
import { indexWords } from "./market-words.ts";

const nearest = new Question(async (id: string) => {
  const query = { q: id, limit: 1 };
  const asked = exchange.value.GET("/api/geo/search", { params: { query } });
  return (await answered(asked)).nearest;
});

/** "Franklin County has rents, Ohio has home values." Nothing where nothing is near. */
export function NearestData({ id }: { readonly id: string }) {
  const reading = useReading(nearest, [id]);
  if (reading.state !== "ready" || reading.data.length === 0) return null;
  return (
    <>
      <p>Nearest to it:</p>
      <ul>
        {reading.data.map((place) => (
          <li key={place.id}>
            <a href={`/place/${place.id}`}>{place.name}</a> has{" "}
            {place.indexes.map(indexWords).join(", ")}
          </li>
        ))}
      </ul>
    </>
  );
}
