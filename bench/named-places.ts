// Seventy thousand made-up places with names such as places have, and what people search for.
// Invariant: the same places and queries at every run; no name comes from a provider.
import { nodeId } from "#base/ids.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import type { GeoQuery } from "#geo/search.ts";
import { builtInStates } from "#geo/states.ts";
import type { GeoTree } from "#geo/tree.ts";

/** As many as the provider publishes. */
const counts = { county: 3_100, city: 21_000, neighborhood: 21_000, zip: 26_000 } as const;

const beginnings =
  "Spring Green Oak San_ Fair Clear Lake_ Cedar Brook Mill West_ North_ Pine".split(" ");
const middles = "an field wood ton view land ing er mont ham dale port haven bury".split(" ");
const endings = ["", "", "", " Heights", " Park", " Village", " Township", " Hills", " Beach"];

/** A sequence that is the same at every run. */
function draws(): (below: number) => number {
  let state = 20_261_101;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function namedPlaces(): GeoNode[] {
  const draw = draws();
  const pick = (words: readonly string[]): string => words[draw(words.length)] ?? "";
  const name = () =>
    `${pick(beginnings).replace("_", " ")}${pick(middles)}${pick(middles)}${pick(endings)}`;
  const make = (level: GeoLevel, at: number): GeoNode => {
    const state = builtInStates[draw(builtInStates.length)];
    const code = state?.stateCode ?? "TX";
    const zip = String(10_000 + at);
    const prefix = level === "neighborhood" ? "nbhd" : level;
    const plain = level === "zip" ? zip : level === "county" ? `${name()} County` : name();
    return {
      id: nodeId(level === "zip" || level === "county" ? `${prefix}:${zip}` : `${prefix}:n-${at}`),
      level,
      name: plain,
      stateCode: code,
      fips: null,
      aliases: level === "county" ? [plain.replace(" County", "")] : [],
      parentIds: [nodeId(`state:${code.toLowerCase()}`)],
      housingUnits: draw(3) === 0 ? 0 : draw(60_000),
      active: true,
      providerIds: [`zillow:${level}${at}`],
    };
  };
  return (["county", "city", "neighborhood", "zip"] as const).flatMap((level) =>
    Array.from({ length: counts[level] }, (_, at) => make(level, at)),
  );
}

type Query = Omit<GeoQuery, "limit">;

export const searches: Readonly<Record<string, readonly Query[]>> = {
  "one letter": [..."abcdefghijklmnopqrstuvwxyz0123456789 "].map((text) => ({ text })),
  "two letters": ["an", "in", "er", "on", "sa", "12", "zz", "qu"].map((text) => ({ text })),
  "common substring": ["ton", "ing", "wood", "field", "county", "park"].map((text) => ({ text })),
  "whole name": ["springfield", "oakwoodton", "texas", "tx", "12345"].map((text) => ({ text })),
  "no match": ["xyzzy", "parkton township hills", "ingwoodanpark", "tonfieldq", "99999"].map(
    (text) => ({ text }),
  ),
  "filtered, common": ["a", "an", "er", "ton"].map((text) => ({ text, stateCode: "AZ" })),
  "filtered, none": ["1", "12", "0"].map((text) => ({ text, level: "state", stateCode: "NC" })),
  "64 characters": [{ text: "springfieldwood heights ".repeat(3).slice(0, 64) }],
};

/** The endpoint's work for each place, the envelope left out. */
const answer = (tree: GeoTree, query: GeoQuery): string =>
  JSON.stringify(
    tree.search(query).places.map(({ providerIds: _providerIds, ...place }) => ({
      ...place,
      childCount: tree.childCount(place.id),
    })),
  );

const ROUNDS = 2_000;

/** Milliseconds of each search in this process, its answer's fields included, ascending. */
export function searchMillis(tree: GeoTree, queries: readonly Query[]): readonly number[] {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const limit of [10, 50]) {
      const query = queries[round % queries.length];
      if (query === undefined) continue;
      const start = performance.now();
      answer(tree, { ...query, limit });
      times.push(performance.now() - start);
    }
  }
  return times.toSorted((a, b) => a - b);
}
