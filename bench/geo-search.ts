// How fast places are found among 70,000: `node --expose-gc bench/geo-search.ts`.
// Prints the time to load and to index, the index's memory, and p50 / p99 / worst of each kind of
// query, in process, the answer's fields included.
import { nodeId } from "#base/ids.ts";
import type { GeoLevel, GeoNode } from "#geo/node.ts";
import type { GeoQuery } from "#geo/search.ts";
import { builtInStates } from "#geo/states.ts";
import { GeoTree } from "#geo/tree.ts";

/** As many as the provider publishes. */
const counts = { county: 3_100, city: 21_000, neighborhood: 21_000, zip: 26_000 } as const;
const ROUNDS = 2_000;

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

function places(): GeoNode[] {
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
      parentIds: [nodeId(`state:${code}`)],
      housingUnits: draw(3) === 0 ? 0 : draw(60_000),
      active: true,
      providerIds: [`zillow:${level}${at}`],
    };
  };
  return (["county", "city", "neighborhood", "zip"] as const).flatMap((level) =>
    Array.from({ length: counts[level] }, (_, at) => make(level, at)),
  );
}

const kinds: Readonly<Record<string, readonly Omit<GeoQuery, "limit">[]>> = {
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

const atShare = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3)} ms`;

/** What the endpoint does with each place, the envelope left out. */
const answer = (tree: GeoTree, query: GeoQuery): string =>
  JSON.stringify(
    tree.search(query).map(({ providerIds: _providerIds, ...place }) => ({
      ...place,
      childCount: tree.childCount(place.id),
    })),
  );

function measure(tree: GeoTree, queries: readonly Omit<GeoQuery, "limit">[]): readonly number[] {
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

function heldMegabytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const nodes = places();
const tree = GeoTree.builtIn();
const before = heldMegabytes();
const start = performance.now();
for (const node of nodes) tree.put(node);
const loaded = performance.now();
const between = heldMegabytes();
const indexStart = performance.now();
tree.search({ text: "a", limit: 10 });
const indexed = performance.now();
const after = heldMegabytes();
console.log(`${tree.size} places, loaded in ${(loaded - start).toFixed(0)} ms, indexed in`);
console.log(
  `${(indexed - indexStart).toFixed(0)} ms; the tree holds ${(between - before).toFixed(0)} MB`,
);
console.log(`beside the places, the index ${(after - between).toFixed(0)} MB`);
if (globalThis.gc === undefined) console.log("memory is only right with --expose-gc");

const row = (label: string, times: readonly number[]): string =>
  [label.padEnd(34), ...[0.5, 0.99, 1].map((share) => atShare(times, share).padStart(12))].join("");
console.log(
  `${"query".padEnd(34)}${["p50", "p99", "worst"].map((it) => it.padStart(12)).join("")}`,
);
measure(tree, Object.values(kinds).flat());
for (const [label, queries] of Object.entries(kinds))
  console.log(row(label, measure(tree, queries)));
for (const node of nodes.slice(0, 512)) tree.put({ ...node, housingUnits: 1 });
const all = Object.values(kinds).flat();
console.log(row("all, with 512 places put since", measure(tree, all)));
