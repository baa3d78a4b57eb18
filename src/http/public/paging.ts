// Pages of a list by number, as the public lists are read, or by a cursor.
// Invariant: the pages of a list that does not change hold each item once; by a cursor they do so
// where items leave the list meanwhile, or no longer fit its filter.
import { Type } from "typebox";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
};

/** The fields beside the items of a page. */
export const pageSiblings = {
  pagination: Type.Object({
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    hasMore: Type.Boolean(),
  }),
};

export const cursorQuery = {
  cursor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: "the nextCursor of the page before, in place of page",
    }),
  ),
};

export const cursorSiblings = {
  ...pageSiblings,
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: "where the next page begins, whatever the filter lets through by then",
  }),
};

interface PageQuery {
  readonly page?: number;
  readonly limit?: number;
}

export function pageOf<T>(items: readonly T[], { page = 1, limit = DEFAULT_LIMIT }: PageQuery) {
  const start = (page - 1) * limit;
  const total = items.length;
  return {
    items: items.slice(start, start + limit),
    siblings: { pagination: { page, limit, total, hasMore: start + limit < total } },
  };
}

/** The places of a list's items: each has a time that never falls, and an id of its own. */
interface PlaceOf<T> {
  readonly millis: (item: T) => number;
  readonly id: (item: T) => string;
}

const cursorForm = /^([0-9]{1,15})~(.+)$/s;

/** `all` in its order, whatever is wanted of it; undefined where the cursor is none. */
export function pageAfter<T>(
  all: readonly T[],
  isWanted: (item: T) => boolean,
  { cursor, ...query }: PageQuery & { readonly cursor?: string },
  { millis, id }: PlaceOf<T>,
) {
  const total = all.filter(isWanted).length;
  const [, text, name] = cursorForm.exec(cursor ?? "") ?? [];
  if (cursor !== undefined && text === undefined) return undefined;
  const isFirst = (item: T): boolean => text === undefined || millis(item) >= Number(text);
  const known = all.findIndex((item) => id(item) === name);
  // One that has left: it begins with those of its moment, so that none is passed over.
  const from = known < 0 ? all.findIndex(isFirst) : known + 1;
  const rest = from < 0 ? [] : all.slice(from).filter(isWanted);
  const { items, siblings } = pageOf(rest, cursor === undefined ? query : { ...query, page: 1 });
  const last = items.at(-1);
  const isMore = last !== undefined && siblings.pagination.hasMore;
  return {
    items,
    siblings: {
      pagination: { ...siblings.pagination, total },
      nextCursor: isMore ? `${millis(last)}~${id(last)}` : null,
    },
  };
}
