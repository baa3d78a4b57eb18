// Finds places by what people type: zip, name or alias, without regard to case or accents.
// Invariant: an answer is what ranking every place one by one would give: exact matches, then
// prefixes, then substrings; in each the coarser level, then more housing units, then the lower id.
import type { NodeId } from "#base/ids.ts";
import { coarseness, type GeoLevel, type GeoNode, placeOf } from "./node.ts";
import { type SearchEntry, SearchIndex } from "./search-index.ts";

export interface GeoQuery {
  readonly text: string;
  /** At least 1. */
  readonly limit: number;
  readonly level?: GeoLevel | undefined;
  /** Two capital letters. */
  readonly stateCode?: string | undefined;
}

/** Looked at one by one: with so many, a tenth of a millisecond (bench/geo-search.ts, 2026-11). */
const MOST_FRESH = 512;

/**
 * Places are indexed together at the first search after many were put, which takes a quarter
 * of a second for 70,000 (bench/geo-search.ts, 2026-11); a few put later are looked at one by one.
 */
export class GeoSearch {
  #indexed = new SearchIndex([]);
  /** Put since the index was made, and so valid instead of what it holds under their ids. */
  readonly #fresh = new Map<NodeId, GeoNode>();
  #freshEntries: readonly SearchEntry[] | undefined;
  #isOutgrown = false;

  put(node: GeoNode): void {
    this.#freshEntries = undefined;
    if (this.#isOutgrown) return;
    this.#fresh.set(node.id, node);
    if (this.#fresh.size <= MOST_FRESH) return;
    this.#isOutgrown = true;
    this.#fresh.clear();
  }

  /** `current`: every place that was put, as it was put last. */
  find(query: GeoQuery, current: Iterable<GeoNode>): GeoNode[] {
    const text = folded(query.text);
    if (text === "") return [];
    if (this.#isOutgrown) {
      this.#indexed = new SearchIndex([...current].map(entryOf).sort(byRank));
      this.#isOutgrown = false;
    }
    this.#freshEntries ??= [...this.#fresh.values()].map(entryOf).sort(byRank);
    const fresh = this.#freshEntries.filter(({ node }) => fits(node, query));

    const found = new Map<NodeId, SearchEntry>();
    for (const needle of [`\n${text}\n`, `\n${text}`, text]) {
      const room = query.limit - found.size;
      const indexed = this.#indexed.firstHolding(
        needle,
        room,
        query,
        ({ node: { id } }) => !found.has(id) && !this.#fresh.has(id),
      );
      const others = fresh.filter(({ node, keys }) => keys.includes(needle) && !found.has(node.id));
      const both = others.length === 0 ? indexed : [...indexed, ...others].sort(byRank);
      for (const entry of both.slice(0, room)) found.set(entry.node.id, entry);
      if (found.size >= query.limit) break;
    }
    return [...found.values()].map(({ node }) => node);
  }
}

const fits = (node: GeoNode, { level, stateCode }: GeoQuery): boolean =>
  (level === undefined || node.level === level) &&
  (stateCode === undefined || node.stateCode === stateCode);

/** A zip is found by its digits whatever it is named. */
function entryOf(node: GeoNode): SearchEntry {
  const zip = node.level === "zip" ? [placeOf(node.id)] : [];
  const keys = new Set([node.name, ...node.aliases, ...zip].map(folded));
  return { node, keys: `\n${[...keys].join("\n")}\n` };
}

function byRank({ node: a }: SearchEntry, { node: b }: SearchEntry): number {
  if (a.level !== b.level) return coarseness(a.level) - coarseness(b.level);
  if (a.housingUnits !== b.housingUnits) return b.housingUnits - a.housingUnits;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * Lower case without accents, every apostrophe the plain one (keyboards write O’Fallon, maps
 * Hawaiʻi), blanks and control characters as single blanks; so no key holds a line end.
 */
export const folded = (text: string): string =>
  (isPlain.test(text) ? text.toLowerCase() : withoutAccents(text.toLowerCase()))
    .replace(/ {2,}/g, " ")
    .trim();

const isPlain = /^[ -~]*$/;

const withoutAccents = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’ʻʼ]/g, "'")
    .replace(/[\s\p{Cc}]/gu, " ");
