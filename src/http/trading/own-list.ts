// Lists of one's own: newest first, page by page, each page going on where the last one ended.
// Invariant: a cursor belongs to one account, one list and one set of filters; what arrives
// meanwhile stands before it and moves nothing that comes after.
import { Type } from "typebox";
import { sha256Hex } from "#base/digest.ts";
import type { AccountId, MarketId } from "#base/ids.ts";
import type { Entry } from "#core/outcome.ts";
import type { Market } from "#core/records.ts";
import { invalidField, type Refused, refuse } from "../route/errors.ts";
import type { KeyCaller } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const MOST_ITEMS = 200;
export const DEFAULT_ITEMS = 50;
/** A filter that matches little must not hold the server: the page is cut, its cursor goes on. */
const MOST_LOOKED_AT = 1_000;
const MARK_CHARACTERS = 16;

export const listQuery = {
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description: "nextCursor of the page before" }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_ITEMS,
      default: DEFAULT_ITEMS,
      description: `a whole number from 1 to ${MOST_ITEMS}`,
    }),
  ),
};

export const marketFilter = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: "a market's id" }),
);

/** Null where the list has ended; a page before that may hold fewer than its limit. */
export const listSiblings = { nextCursor: Type.Union([Type.String(), Type.Null()]) };

interface ListQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

/** One thing looked at on the way down the list; without an item it was filtered out. */
export interface Looked<T> {
  readonly place: string;
  readonly item?: T;
}

/** Identifies a list: its account, its kind, and its filters. */
type Scope = readonly (string | undefined)[];

/** Where a page begins: after this place; undefined = at the newest. */
export function startOf(scope: Scope, { cursor }: ListQuery): { place?: string } | Refused {
  if (cursor === undefined) return {};
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const place = text.slice(MARK_CHARACTERS);
  return cursorOf(scope, place) === cursor
    ? { place }
    : invalidField("cursor", "must be the nextCursor of a page of this very list");
}

/** `down` gives the list from the start of the page on, newest first. */
export async function pageOf<T>(
  scope: Scope,
  { limit = DEFAULT_ITEMS }: ListQuery,
  down: AsyncIterable<Looked<T>> | Iterable<Looked<T>>,
): Promise<{ readonly items: T[]; readonly siblings: { readonly nextCursor: string | null } }> {
  const items: T[] = [];
  let last = "";
  let lookedAt = 0;
  for await (const { place, item } of down) {
    if (items.length === limit || lookedAt === MOST_LOOKED_AT) {
      return { items, siblings: { nextCursor: cursorOf(scope, last) } };
    }
    lookedAt += 1;
    last = place;
    if (item !== undefined) items.push(item);
  }
  return { items, siblings: { nextCursor: null } };
}

export function cursorOf(scope: Scope, place: string): string {
  const mark = sha256Hex(JSON.stringify([...scope, place])).slice(0, MARK_CHARACTERS);
  return Buffer.from(`${mark}${place}`, "utf8").toString("base64url");
}

/** A place among what the entries of the journal hold: the entry, and the line inside it. */
interface EntryPlace {
  readonly sequence: number;
  readonly line: number;
}

const entryPlace = (place: string): EntryPlace => {
  const [sequence = "", line = ""] = place.split(".");
  return { sequence: Number(sequence), line: Number(line) };
};

const FIRST_SLICE = 64;
const LATER_SLICE = 500;

/**
 * Lists the durable entries that touch the caller, newest first; `linesOf` gives an entry's lines
 * in the order they happened. `market` narrows to entries that touch it too.
 */
export async function* downEntries<T>(
  { engine }: Pick<TradingPorts, "engine">,
  { account, market }: { readonly account: AccountId; readonly market: MarketId | undefined },
  from: string | undefined,
  linesOf: (entry: Entry) => readonly (T | undefined)[],
): AsyncGenerator<Looked<T>> {
  const start = from === undefined ? undefined : entryPlace(from);
  const subjects = market === undefined ? ([account] as const) : ([account, market] as const);
  let before = start === undefined ? Number.MAX_SAFE_INTEGER : start.sequence + 1;
  for (let limit = FIRST_SLICE; ; limit = LATER_SLICE) {
    const range = { subjects, after: 0, before, order: "newest" } as const;
    const entries = await engine.history.touching(range, limit);
    for (const entry of entries) {
      const lines = linesOf(entry).map((item, line) => ({ line, item }));
      const { sequence } = entry;
      if (lines.length === 0) yield { place: `${sequence}.0` };
      for (const { line, item } of lines.reverse()) {
        if (sequence === start?.sequence && line >= start.line) continue;
        yield { place: `${sequence}.${line}`, ...(item === undefined ? {} : { item }) };
      }
      before = sequence;
    }
    if (entries.length < limit) return;
  }
}

/** The market a filter names, by either id. */
export function marketOf(
  { marketId }: { readonly marketId?: string },
  { view }: Pick<TradingPorts, "view">,
): { readonly market?: Market } | Refused {
  if (marketId === undefined) return {};
  const market = view.marketByAnyId(marketId);
  return market === undefined ? refuse("MARKET_NOT_FOUND") : { market };
}

export const ownScope = (list: string, { account }: KeyCaller, ...filters: Scope): Scope => [
  list,
  account.id,
  ...filters,
];
