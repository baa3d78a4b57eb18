// GET /api/books: the books of many markets at once.
// Invariant: each is as its market shows it alone, all after the same journal entry.
import { Type } from "typebox";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { type BookPorts, BookShape, bookOf } from "./book.ts";
import { idsAsked } from "./ids-asked.ts";

const MOST_BOOKS = 50;
const MAX_BULK_DEPTH = 20;
const DEFAULT_BULK_DEPTH = 5;

/** A market named twice is answered once. */
export const listBooks = (ports: BookPorts): Route =>
  publicData.read({
    url: "/api/books",
    access: "public",
    summary: "The books of up to 50 markets, all after one journal entry",
    cost: 5,
    params: nothing,
    query: closed({
      ids: Type.String({
        description: `ids of markets, with commas between, ${MOST_BOOKS} at most`,
      }),
      depth: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_BULK_DEPTH,
          default: DEFAULT_BULK_DEPTH,
          description: `levels a side, 1 to ${MAX_BULK_DEPTH}`,
        }),
      ),
    }),
    data: Type.Array(BookShape),
    siblings: { unknownIds: Type.Array(Type.String()) },
    read: ({ query }) => {
      const ids = idsAsked(query.ids, MOST_BOOKS, "markets");
      if ("refused" in ids) return ids;
      const named = ids.map((id) => ({ id, market: ports.exchange.marketByAnyId(id) }));
      const markets = new Set(named.flatMap(({ market }) => market ?? []));
      const depth = query.depth ?? DEFAULT_BULK_DEPTH;
      const unknown = named.flatMap(({ id, market }) => (market === undefined ? id : []));
      return {
        data: [...markets].map((market) => bookOf(ports, market, depth)),
        siblings: { unknownIds: [...new Set(unknown)] },
      };
    },
  });
