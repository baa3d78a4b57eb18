// The part of the tour in which orders rest: books, trades, days, and many markets quoted at once.
// Invariant: one quote is answered with its orders and one with its fault, so both are shown.
import { setTimeout } from "node:timers/promises";
import type { Trader } from "#test/support/exchange.ts";
import type { Recorder } from "./recorder.ts";

/** Beside the trade that was made something rests, so that the book has something to show. */
export async function readTrading(
  recorder: Recorder,
  { key }: Trader,
  order: (side: string, amount: string, price: number, marketId: string) => object,
): Promise<void> {
  const resting = [order("BUY", "25", 0.35, "mkt-101"), order("SELL", "10", 0.45, "mkt-101")];
  await recorder.do("POST", "/api/trading/orders/batch", { key, body: { orders: resting } });
  const params = { id: "mkt-101" };
  await recorder.do("GET", "/api/markets/:id/book", { params, query: { depth: "5" } });
  await recorder.do("GET", "/api/books", { query: { ids: params.id, depth: "1" } });
  await recorder.do("GET", "/api/markets/:id/trades", { params, query: { limit: "10" } });
  // The days of markets are counted behind the exchange, twice a second.
  await setTimeout(3_000);
  await recorder.do("GET", "/api/markets/:id/history", { params, query: { interval: "day" } });
  const scope = { index: "zhvi", place: "state:tx" };
  await recorder.do("GET", "/api/history/marks", { query: scope });
  await recorder.do("GET", "/api/history/prints", { query: { ...scope, from: "2024-08" } });
  await recorder.do("GET", "/api/calendar", { query: { index: "zhvi", limit: "3" } });
  await recorder.follow("/api/stream", { types: "trade,level,prints", lastEventId: "0" });
  await recorder.subscribe({ places: ["state:tx"], types: ["trade", "level"] });
  await quoteMarkets(recorder, key);
  await nameOrders(recorder, key, order);
  await recorder.do("POST", "/api/trading/orders/cancel-all", { key, body: {} });
}

/** An order by its own reference, and a batch of which one order is refused. */
async function nameOrders(
  recorder: Recorder,
  key: string,
  order: (side: string, amount: string, price: number, marketId: string) => object,
): Promise<void> {
  const named = { ...order("BUY", "5", 0.33, "mkt-101"), clientOrderId: "spring-7" };
  const orders = [named, order("BUY", "5", 0.33, "mkt-404")];
  const batch = { key, body: { mode: "each", orders } };
  await recorder.do("POST", "/api/trading/orders/batch", batch);
  const url = "/api/trading/orders/by-client-id/:clientOrderId";
  const params = { clientOrderId: "spring-7" };
  await recorder.do("GET", url, { key, params });
  await recorder.do("PATCH", url, { key, params, body: { amount: "4" } });
  await recorder.do("DELETE", url, { key, params });
}

async function quoteMarkets(recorder: Recorder, key: string): Promise<void> {
  const quotes = [
    {
      marketId: "mkt-101",
      bid: { price: 0.34, amount: "25" },
      ask: { price: 0.46, amount: "10" },
    },
    { marketId: "mkt-404", bid: { price: 0.2, amount: "5" }, ask: null },
  ];
  await recorder.do("POST", "/api/trading/quotes/mass", { key, body: { quotes } });
}
