// firstprint search: places by zip, name or alias.
// Invariant: what is typed is understood by the exchange, and the order is its own.
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

const nearestFields = [...placeFields.slice(0, 4), field("indexes")];

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
    const nearest = items(at(answer.json, "nearest"));
    screen.show(answer, () =>
      places.length > 0 || nearest.length === 0
        ? screen.table(placeFields, places, "No place.")
        : `No place. The nearest with data:\n${screen.table(nearestFields, nearest, "")}`,
    );
    return undefined;
  },
};

export const searchCommands: readonly CliCommand[] = [searchPlaces];
