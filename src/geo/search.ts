// Finds places by what people type: zip, name or alias, with a state or a slip of the keys.
// Invariant: an answer is what ranking every place one by one would give, in the order that `find`
// tells; equal places stand by coarser level, then more housing units, then the lower id.
import type { NodeId } from "#base/ids.ts";
import { coarseness, type GeoLevel, type GeoNode, placeOf } from "./node.ts";
import { type KeysOf, type SearchEntry, SearchIndex } from "./search-index.ts";
import { folded, inState, isFiveDigits, loosened, zipAtEnd } from "./search-words.ts";
import { Spellings } from "./spelling.ts";

export interface GeoQuery {
  readonly text: string;
  /** At least 1. */
  readonly limit: number;
  readonly level?: GeoLevel | undefined;
  /** Two capital letters. */
  readonly stateCode?: string | undefined;
}

/**
 * How the first place found was meant: `name` is called so, `part` has it in its name, `spelling`
 * is called nearly so, `none` is no place.
 */
export const matches = ["name", "part", "spelling", "none"] as const;

export interface FoundPlaces {
  readonly places: readonly GeoNode[];
  readonly match: (typeof matches)[number];
  /** So many of the first places are called so; one of them is no guess. */
  readonly named: number;
}

/** Every place that was put, as it was put last. */
interface Places {
  nodes(): Iterable<GeoNode>;
  get(id: string): GeoNode | undefined;
}

interface Filter extends GeoQuery {
  /** The state itself is not in the state. */
  readonly isBelowState?: boolean;
}

type Found = Map<NodeId, GeoNode>;

const exactly = (text: string): string => `\n${text}\n`;
/** Beginning with it, then holding it. */
const partly = (text: string): readonly string[] => [`\n${text}`, text];

/** Looked at one by one: with so many, a tenth of a millisecond (bench/geo-search.ts, 2026-11). */
const MOST_FRESH = 512;

/**
 * Places are indexed together at the first search after many were put, which takes half
 * a second for 70,000 (bench/geo-search.ts, 2026-11); a few put later are looked at one by one.
 */
export class GeoSearch {
  #indexed = new SearchIndex([]);
  #spellings = new Spellings([]);
  #looks = 0;
  /** Put since the index was made, and so valid instead of what it holds under their ids. */
  readonly #fresh = new Map<NodeId, GeoNode>();
  #freshEntries: readonly SearchEntry[] = [];
  #freshSpellings = new Spellings([]);
  #isFreshSorted = true;
  #isOutgrown = false;

  put(node: GeoNode): void {
    this.#isFreshSorted = false;
    if (this.#isOutgrown) return;
    this.#fresh.set(node.id, node);
    if (this.#fresh.size <= MOST_FRESH) return;
    this.#isOutgrown = true;
    this.#fresh.clear();
  }

  /** Places and names looked at since it was made: what a search costs, counted. */
  get looks(): number {
    return this.#looks + this.#indexed.looks;
  }

  /**
   * The order of what is found, each place where it is found first:
   * 1. the place of an id; called exactly so, a zip by its digits; called so in the state that
   *    ends the text, where blanks, points, hyphens and apostrophes weigh nothing;
   * 2. names that begin with the text, then names that hold it;
   * 3. after a zip, the county that has the five digits as its FIPS.
   * The rest counts only where nothing was found before:
   * 4. the zip of a ZIP+4, or at the end of an address;
   * 5. called so but for blanks, points, hyphens and apostrophes; then beginning with it and
   *    holding it, first in the state that ends the text, then anywhere;
   * 6. the whole District of Columbia for its one city;
   * 7. names one slip of the keys away, two of seven letters and more, fewer slips first; of a
   *    text that a state ends, what stands before it, in that state.
   */
  find(query: GeoQuery, places: Places): FoundPlaces {
    const text = folded(query.text);
    if (text === "") return { places: [], match: "none", named: 0 };
    this.#renew(places);
    const found: Found = new Map();
    const put = (id: string): number => putInto(found, places.get(id), query);
    const take = (needles: readonly string[], by: KeysOf, filter: Filter = query): number =>
      this.#take(found, needles, by, filter);
    const state = stateNamed(text, query);
    const answer = (match: FoundPlaces["match"], named: number): FoundPlaces => ({
      places: [...found.values()],
      match: found.size === 0 ? "none" : named > 0 ? "name" : match,
      named,
    });

    const whole = (text.includes(":") ? put(text) : 0) + take([exactly(text)], "keys");
    const inState =
      state === undefined ? 0 : take([exactly(state.loose)], "looseKeys", state.filter);
    const parts = take(partly(text), "keys");
    const fips = isFiveDigits(text) ? put(`county:${text}`) : 0;
    const isOnlyFips = fips > 0 && found.size === 1;
    let named = whole + inState + (isOnlyFips ? 1 : 0);
    if (whole + parts + fips > 0) return answer("part", named);

    if (inState === 0) {
      const zip = zipAtEnd(text);
      named = zip === undefined ? 0 : put(`zip:${zip}`);
      if (named > 0) return answer("name", named);
      named = take([exactly(loosened(text))], "looseKeys");
    }
    const near = state === undefined ? 0 : take(partly(state.loose), "looseKeys", state.filter);
    if (near === 0) take(partly(loosened(text)), "looseKeys");
    if (found.size > 0) return answer("part", named);

    const isCapital = state?.filter.stateCode === "DC" && state.loose === "washington";
    if (isCapital && put("state:dc") > 0) return answer("name", 1);
    this.#takeMisspelt(found, state?.loose ?? loosened(text), state?.filter ?? query);
    return answer("spelling", 0);
  }

  #renew(places: Places): void {
    if (this.#isOutgrown) {
      const entries = [...places.nodes()].map(entryOf).sort(byRank);
      this.#looks += this.#indexed.looks;
      this.#indexed = new SearchIndex(entries);
      this.#spellings = new Spellings(entries);
      this.#isOutgrown = false;
    }
    if (this.#isFreshSorted) return;
    this.#freshEntries = [...this.#fresh.values()].map(entryOf).sort(byRank);
    this.#freshSpellings = new Spellings(this.#freshEntries);
    this.#isFreshSorted = true;
  }

  /** How many were found by the needles, of which the earlier count first, and were not before. */
  #take(found: Found, needles: readonly string[], by: KeysOf, filter: Filter): number {
    const before = found.size;
    for (const needle of needles) {
      const room = filter.limit - found.size;
      if (room <= 0 || needle.trim() === "") break;
      const indexed = this.#indexed.firstHolding(
        needle,
        room,
        { ...filter, by },
        ({ node }) => !found.has(node.id) && !this.#fresh.has(node.id) && fits(node, filter),
      );
      const others = this.#freshEntries.filter(
        (entry) =>
          fits(entry.node, filter) && entry[by].includes(needle) && !found.has(entry.node.id),
      );
      this.#looks += this.#freshEntries.length;
      const both = others.length === 0 ? indexed : [...indexed, ...others].sort(byRank);
      for (const { node } of both.slice(0, room)) found.set(node.id, node);
    }
    return found.size - before;
  }

  #takeMisspelt(found: Found, text: string, filter: Filter): void {
    const compared = (): void => {
      this.#looks += 1;
    };
    const counts = ({ node }: SearchEntry): boolean => fits(node, filter);
    const isCurrent = (entry: SearchEntry): boolean =>
      counts(entry) && !this.#fresh.has(entry.node.id);
    const near = [
      ...this.#spellings.nearest(text, isCurrent, compared),
      ...this.#freshSpellings.nearest(text, counts, compared),
    ];
    near.sort(([a, slipsOfA], [b, slipsOfB]) => slipsOfA - slipsOfB || byRank(a, b));
    for (const [{ node }] of near.slice(0, filter.limit)) found.set(node.id, node);
  }
}

/** The state that ends the text and what stands before it; no place is in two states. */
function stateNamed(
  text: string,
  query: GeoQuery,
): { readonly loose: string; readonly filter: Filter } | undefined {
  const named = inState(text);
  const loose = named === undefined ? "" : loosened(named.text);
  if (named === undefined || loose === "") return undefined;
  const isAsked = query.stateCode === undefined || query.stateCode === named.stateCode;
  const stateCode = isAsked ? named.stateCode : "none";
  return { loose, filter: { ...query, stateCode, isBelowState: true } };
}

/** 1 where there is such a place, it passes, there is room, and it was not found before. */
function putInto(found: Found, node: GeoNode | undefined, query: GeoQuery): 0 | 1 {
  if (node === undefined || found.has(node.id) || found.size >= query.limit) return 0;
  if (!fits(node, query)) return 0;
  found.set(node.id, node);
  return 1;
}

const fits = (node: GeoNode, { level, stateCode, isBelowState }: Filter): boolean =>
  (isBelowState !== true || node.level !== "state") &&
  (level === undefined || node.level === level) &&
  (stateCode === undefined || node.stateCode === stateCode);

/** A zip is found by its digits whatever it is named. */
function entryOf(node: GeoNode): SearchEntry {
  const zip = node.level === "zip" ? [placeOf(node.id)] : [];
  const keys = new Set([node.name, ...node.aliases, ...zip].map(folded));
  const looseKeys = new Set([...keys].map(loosened));
  const joined = (all: ReadonlySet<string>): string => `\n${[...all].join("\n")}\n`;
  return { node, keys: joined(keys), looseKeys: joined(looseKeys) };
}

function byRank({ node: a }: SearchEntry, { node: b }: SearchEntry): number {
  if (a.level !== b.level) return coarseness(a.level) - coarseness(b.level);
  if (a.housingUnits !== b.housingUnits) return b.housingUnits - a.housingUnits;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
