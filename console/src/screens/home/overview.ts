// Every place of the map with its newest value, and what a year of protection costs there.
// Invariant: a place without a print has no entry; a price is there only where the model has one.
import { answered } from "@firstprint/sdk";
import { Question } from "../../query.ts";
import { exchange } from "../../session.ts";

export interface PlaceNow {
  readonly id: string;
  readonly name: string;
  readonly value: number;
  /** In percent, over twelve months. */
  readonly change: number | undefined;
  /** In percent of the coverage: a year of protection against a fall from 2 to 10 %. */
  readonly price: number | undefined;
  readonly month: string;
}

export interface Overview {
  readonly places: ReadonlyMap<string, PlaceNow>;
  readonly attribution: string | undefined;
  /** When the newest release was published. */
  readonly publishedAt: string | undefined;
  readonly nextExpectedAt: string | undefined;
}

/** `state`: of a county's own, such as "TX"; undefined: of the whole country. */
async function readOverview(level: "state" | "county", state?: string): Promise<Overview> {
  const within = state === undefined ? {} : { state };
  const query = { level, months: 12, layer: "200-1000", ...within } as const;
  const answer = await answered(exchange.value.GET("/api/overview", { params: { query } }));
  const places = answer.data.map(({ nodeId, name, value, yoy, price, asOfMonth }) => ({
    ...{ id: nodeId, name, value, month: asOfMonth },
    change: yoy ?? undefined,
    price: price === null ? undefined : 100 * price,
  }));
  return {
    places: new Map(places.map((place) => [place.id, place])),
    attribution: answer.data[0]?.attribution,
    publishedAt: answer.newestRelease?.publishedAt,
    nextExpectedAt: answer.nextExpectedAt ?? undefined,
  };
}

export const overview = new Question(readOverview, { freshSeconds: 60, everySeconds: 120 });
