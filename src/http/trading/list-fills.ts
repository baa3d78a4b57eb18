// GET /api/trading/fills: what the account traded, newest first, read from the journal.
// Invariant: each fill shows the caller's own side of it, and only durable ones are shown.
import { Type } from "typebox";
import { orderId } from "#base/ids.ts";
import type { Entry } from "#core/outcome.ts";
import { ownFills } from "#views/own-entries.ts";
import { refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { FillRecord, fillRecord } from "./fill-record.ts";
import {
  downEntries,
  listQuery,
  listSiblings,
  marketFilter,
  marketOf,
  ownScope,
  pageOf,
  startOf,
} from "./own-list.ts";
import { ownOrder } from "./own-orders.ts";
import type { TradingPorts } from "./ports.ts";

export const listFills = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/fills",
    access: "read:portfolio",
    summary: "Lists the account's fills, newest first",
    refusals: ["MARKET_NOT_FOUND", "ORDER_NOT_FOUND", "OVERLOADED"],
    params: nothing,
    query: closed({
      marketId: marketFilter,
      orderId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      ...listQuery,
    }),
    data: Type.Array(FillRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const account = caller.account.id;
      const found = marketOf(query, ports);
      if ("refused" in found) return found;
      const order =
        query.orderId === undefined
          ? undefined
          : await ownOrder(ports, account, orderId(query.orderId.toLowerCase()));
      if (query.orderId !== undefined && order === undefined) return refuse("ORDER_NOT_FOUND");
      const scope = ownScope("fills", caller, found.market?.id, order?.id);
      const start = startOf(scope, query);
      if ("refused" in start) return start;

      const market = found.market?.id;
      const linesOf = (entry: Entry) =>
        ownFills(entry, account).map((own) => {
          const isWanted =
            (market === undefined || own.fill.marketId === market) &&
            (order === undefined || own.order.id === order.id);
          return isWanted ? fillRecord(own, entry.sequence) : undefined;
        });
      const subjects = { account, market: market ?? order?.marketId };
      const down = downEntries(ports, subjects, start.place, linesOf);
      const { items, siblings } = await pageOf(scope, query, down);
      return { data: items, siblings };
    },
  });
