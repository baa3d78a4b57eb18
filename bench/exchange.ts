// An exchange to be measured: a real process on an embedded store, with prints of states.
// Invariant: nothing about it is set otherwise than in production, but how often one may ask.
import type { Client } from "pg";
import pg from "pg";
import { runningConnection } from "#storage/embedded.ts";
import { stateFile } from "#test/e2e/sample-files.ts";
import { upload } from "#test/e2e/upload.ts";
import { Exchange } from "#test/support/exchange.ts";
import type { Scope } from "./figure.ts";
import { requestText } from "./http-load.ts";

export interface Market {
  readonly exchange: Exchange;
  /** A protection series of Texas that can be traded. */
  readonly seriesId: string;
  /** When that series ends, YYYY-MM. */
  readonly expiry: string;
}

export const emptyExchange = (scope: Scope): Promise<Exchange> =>
  Exchange.start(scope, {
    FIRSTPRINT_PUBLIC_RATE: "10000000",
    FIRSTPRINT_MAX_KEY_RATE: "10000000",
  });

export async function openMarket(scope: Scope): Promise<Market> {
  const exchange = await emptyExchange(scope);
  const { text, publishedAt, lastMonth, monthAYearOn } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const { status, text: said } = await upload(exchange, text, query);
  if (status !== 200) throw new Error(said);
  const seriesId = `srs.zhvi.state-tx.b${lastMonth}.e${monthAYearOn}.L0200-1000`;
  return { exchange, seriesId, expiry: monthAYearOn };
}

export const portOf = ({ url }: Exchange): number => Number(new URL(url).port);

/** A buyer's and a seller's order that meet each other, so that no book grows. */
export async function meetingOrders({ exchange, seriesId }: Market): Promise<readonly string[]> {
  const orders: string[] = [];
  for (const side of ["BUY", "SELL"]) {
    const { key } = await exchange.trader(side, "1000000");
    const order = { marketId: seriesId, outcomeIndex: 0, side, amount: "0.01", price: 0.05 };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    orders.push(requestText("POST", "/api/trading/orders", headers, JSON.stringify(order)));
  }
  return orders;
}

/** A look into the store of a running exchange. */
export async function lookInto(scope: Scope, { dataDir }: Exchange): Promise<Client> {
  const connection = await runningConnection(dataDir);
  if (connection === undefined) throw new Error("the store is running");
  const client = new pg.Client({ ...connection, application_name: "bench" });
  await client.connect();
  client.on("error", () => undefined);
  scope.after(() => client.end());
  return client;
}
