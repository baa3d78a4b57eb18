// Every place of the map with its newest value.
// Invariant: a place without a print has no entry; a price is there only where the model has one.
import { answered } from "@firstprint/sdk";
import { exchange } from "../../session.ts";
import { stateIds } from "./states.ts";

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
}

const MOST_IDS = 50;

export async function readStates(): Promise<Overview> {
  const halves = [stateIds.slice(0, MOST_IDS), stateIds.slice(MOST_IDS)];
  const answers = await Promise.all(
    halves.map((ids) => {
      const query = { ids: ids.join(",") };
      return answered(exchange.value.GET("/api/index", { params: { query } }));
    }),
  );
  const values = answers.flatMap(({ data }) => data);
  const places = values.map(({ nodeId, value, yoy, asOfMonth }) => ({
    id: nodeId,
    name: nodeId,
    value,
    change: yoy ?? undefined,
    price: undefined,
    month: asOfMonth,
  }));
  return {
    places: new Map(places.map((place) => [place.id, place])),
    attribution: values[0]?.attribution,
  };
}
