// A maker's new prices after a release: one request an order, mass quotes, or one mandate's change.
// Invariant: every way moves all prices of the same markets on one exchange, and is timed until the
// last of them is answered, which is when it is durable.
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invariant } from "#base/invariant.ts";
import { addMonths, formatMonth, parseMonth } from "#base/month.ts";
import { upload } from "#test/e2e/upload.ts";
import { type Exchange, type Json, listAt, textAt } from "#test/support/exchange.ts";
import { emptyExchange } from "./exchange.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { fullSizePlaces, writeFullSize } from "./full-size.ts";
import { requestText } from "./http-load.ts";
import { loadPlaces } from "./national.ts";

const ZIPS = 200;
/** Until a June: standard series, of which an account may list as many as quotes ask for. */
const MONTHS = 318;
const LAYERS = ["L0200-1000", "L0500-1500", "L0800-2000"];
/** As many single requests are under way at a time. */
const AT_ONCE = 16;

type Method = "POST" | "PATCH";
interface Sent {
  readonly method: Method;
  readonly path: string;
  readonly body: Json;
  readonly key: string;
}

interface Way {
  readonly requests: number;
  readonly bytes: number;
  readonly millis: number;
}

/** An account for each layer: one may list 200 standard series that nobody has traded. */
export async function requote(scope: Scope): Promise<readonly Figure[]> {
  const exchange = await emptyExchange(scope);
  const zips = fullSizePlaces("zip", ZIPS);
  await loadPlaces(exchange, zips);
  await ingest(exchange);
  const prints = await exchange.get(`/api/index/${zips[0]?.id}`);
  const newest = parseMonth(textAt(prints.body, "data", "asOfMonth"));
  invariant(newest !== undefined, "the zips have an index");
  const names = zips.map(({ id }) => id.replace(":", "-"));
  const tail = `b${formatMonth(newest)}.e${formatMonth(addMonths(newest, 12))}`;
  const books = await Promise.all(
    LAYERS.map(async (layer) => ({
      key: (await exchange.trader(layer, "20000000")).key,
      markets: names.map((name) => `srs.zhvi.${name}.${tail}.${layer}`),
    })),
  );
  const quotes = (bid: string, ask: string): readonly Sent[] =>
    books.map(({ key, markets }) => ({
      method: "POST",
      path: "/api/trading/quotes/mass",
      body: {
        quotes: markets.map((marketId) => ({
          marketId,
          bid: { price: bid, amount: "10" },
          ask: { price: ask, amount: "10" },
        })),
      },
      key,
    }));
  await sendAll(exchange, quotes("0.0100", "0.3000"), 1);
  const singles = await amendments(exchange, books);
  const single = await sendAll(exchange, singles, AT_ONCE);
  const mass = await sendAll(exchange, quotes("0.0120", "0.2800"), 1);
  const mandate = await sendAll(exchange, [await mandateChange(exchange, zips)], 1);
  const shown = ({ requests, bytes, millis }: Way): string =>
    `${requests} requests, ${digits(bytes)} bytes, ${digits(millis)} ms`;
  const figure = (what: string, way: Way): Figure => ({
    what,
    value: shown(way),
    against: `order by order: ${shown(single)}`,
    ratio: [way.requests / single.requests, way.bytes / single.bytes, way.millis / single.millis]
      .map(times)
      .join(" / "),
  });
  return [
    figure("requoting 600 markets by mass quotes", mass),
    figure("requoting them by a mandate's change", mandate),
  ];
}

async function ingest(exchange: Exchange): Promise<void> {
  const path = join(tmpdir(), `firstprint-bench-${randomUUID()}.csv.gz`);
  try {
    await writeFullSize(path, { level: "zip", rows: ZIPS, months: MONTHS, vintage: 0 });
    const publishedAt = new Date(Date.now() - 86_400_000).toISOString();
    const query = { provider: "zillow", index: "zhvi", level: "zip", publishedAt };
    const bytes = new Uint8Array(await readFile(path));
    const { status, text } = await upload(exchange, bytes, query, "application/gzip");
    invariant(status === 200, text);
  } finally {
    await rm(path, { force: true });
  }
}

/** Every resting order to a price of its side, by its id. */
async function amendments(
  exchange: Exchange,
  books: readonly { readonly key: string }[],
): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (const { key } of books) {
    for (let cursor = ""; ; ) {
      const query = `status=OPEN&limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body } = await exchange.get(`/api/trading/orders?${query}`, { key });
      for (const order of listAt(body, "data")) {
        const price = textAt(order, "side") === "BUY" ? "0.0110" : "0.2900";
        const path = `/api/trading/orders/${textAt(order, "id")}`;
        sent.push({ method: "PATCH", path, body: { price }, key });
      }
      const next: unknown = Reflect.get(Object(body), "nextCursor");
      if (typeof next !== "string") break;
      cursor = next;
    }
  }
  return sent;
}

/** A mandate over the states that the zips lie in, and the change of its spread. */
async function mandateChange(
  exchange: Exchange,
  zips: readonly { readonly stateCode: string }[],
): Promise<Sent> {
  const { key } = await exchange.trader("mandate", "20000000");
  const states = [...new Set(zips.map(({ stateCode }) => `state:${stateCode.toLowerCase()}`))];
  const payoffs = LAYERS.map((layer) => {
    const [attach = "", exhaust = ""] = layer.slice(1).split("-");
    return { attachBps: Number(attach), exhaustBps: Number(exhaust) };
  });
  const limit = "1000000";
  const terms = {
    ...{ index: "zhvi", places: states, side: "SELL", spreadBps: 150, payoffs },
    ...{ maxPerMarketUsd: limit, maxPerStateUsd: limit, maxTotalUsd: limit },
  };
  const set = await exchange.post("/api/trading/mandates", terms, { key });
  const path = `/api/trading/mandates/${textAt(set.body, "data", "id")}`;
  return { method: "PATCH", path, body: { spreadBps: 180 }, key };
}

async function sendAll(exchange: Exchange, all: readonly Sent[], atOnce: number): Promise<Way> {
  const left = [...all];
  let bytes = 0;
  const started = performance.now();
  const send = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const { method, path, body, key } = one;
      const { status, text } = await exchange.request(method, path, body, { key });
      invariant(status === 200 && !text.includes('"error":{'), text.slice(0, 500));
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      bytes += requestText(method, path, headers, JSON.stringify(body)).length;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return { requests: all.length, bytes, millis: performance.now() - started };
}
