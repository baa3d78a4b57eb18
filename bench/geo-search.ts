// How fast places are found among 70,000: `node --expose-gc bench/geo-search.ts`.
// Prints the time to load and to index, the index's memory, and p50 / p99 / worst of each kind of
// query, in process, the answer's fields included.
import { GeoTree } from "#geo/tree.ts";
import { namedPlaces, searches, searchMillis } from "./named-places.ts";

const atShare = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3)} ms`;

function heldMegabytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const nodes = namedPlaces();
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
searchMillis(tree, Object.values(searches).flat());
for (const [label, queries] of Object.entries(searches))
  console.log(row(label, searchMillis(tree, queries)));
for (const node of nodes.slice(0, 512)) tree.put({ ...node, housingUnits: 1 });
const all = Object.values(searches).flat();
console.log(row("all, with 512 places put since", searchMillis(tree, all)));
