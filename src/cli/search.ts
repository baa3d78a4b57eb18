// firstprint search: places by zip, name or alias.
// Invariant: the order is the exchange's: exact matches, then beginnings, then the rest.
import { at, items } from "./answer.ts";
import type { CliCommand } from "./command.ts";
import { field } from "./table.ts";

const placeFields = [
  field("id", "place"),
  field("level"),
  field("name"),
  field("stateCode", "state"),
  field("housingUnits", "homes"),
  field("childCount", "within"),
];

const searchPlaces: CliCommand = {
  words: "search",
  about: "Find places by zip, name or alias, best match first",
  takes: ["text"],
  options: {
    level: { value: "level", about: "state, county, city, neighborhood or zip" },
    state: { value: "code", about: "two letters" },
    limit: { value: "number", about: "how many, at most 50; 10 when left out" },
  },
  example: "search houston --level county --state TX",
  needs: "public",
  run: async ({ args, exchange, screen }) => {
    const query = { q: args.word("text"), ...args.given("level", "state", "limit") };
    const answer = await exchange.read("/api/geo/search", query);
    const places = items(at(answer.json, "data"));
    screen.show(answer, () => screen.table(placeFields, places, "No place."));
    return undefined;
  },
};

export const searchCommands: readonly CliCommand[] = [searchPlaces];
