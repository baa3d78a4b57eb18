// Pages of a list by number, as the public lists are read.
// Invariant: the pages of a list that does not change hold each item once.
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
