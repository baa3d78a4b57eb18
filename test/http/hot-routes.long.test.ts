// Hot routes answer what the framework answers: two equal exchanges get the same requests in the
// same order, one as they are, one with something about each that sends it to the framework.
//
//   FIRSTPRINT_HOT_CASES=10000 FIRSTPRINT_HOT_SEED=7   more of them, and other ones
//
// Invariant tested: status, headers, their order and every byte of the body are the same.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { accountId, nodeId } from "#base/ids.ts";
import { drawing } from "#test/journal/sealed.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { type Draw, pick } from "./hostile-values.ts";
import { PublicWorld } from "./public-world.ts";
import { ADMIN_SECRET, type Holder } from "./world.ts";

const CASES = sizeOfRun("FIRSTPRINT_HOT_CASES", 500);
const seed = sizeOfRun("FIRSTPRINT_HOT_SEED", 1);

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** One of the two exchanges, on a connection of its own. */
class Side {
  readonly opened: PublicWorld;
  readonly marketId: string;
  readonly traders: readonly Holder[];
  readonly #isUsual: boolean;
  #socket: Socket | undefined;
  /** Requests that the framework was given. */
  routed = 0;
  orders: string[] = [];

  private constructor(
    opened: PublicWorld,
    marketId: string,
    traders: readonly Holder[],
    isUsual: boolean,
  ) {
    this.opened = opened;
    this.marketId = marketId;
    this.traders = traders;
    this.#isUsual = isUsual;
  }

  static async open(t: TestContext, isUsual: boolean): Promise<Side> {
    const opened = await PublicWorld.open(t);
    const { world } = opened;
    await opened.printStates("zhvi");
    const marketId = await world.market();
    const traders = [await world.trader("ada"), await world.trader("ben")];
    await world.listen();
    const side = new Side(opened, marketId, traders, isUsual);
    const { server } = world;
    const routing = server.routing.bind(server);
    server.routing = (request, response) => {
      side.routed += 1;
      routing(request, response);
    };
    t.after(async () => void side.#socket?.destroy());
    return side;
  }

  /** The answer's bytes, but for parts that no two answers have in common. */
  async ask(sent: Sent): Promise<string> {
    const answer = await this.#answered(this.#bytesOf(sent));
    const id = /"id":"(ord-[^"]+)"/.exec(answer)?.[1];
    if (sent.method === "POST" && id !== undefined) this.orders.push(id);
    return answer
      .replace(/\r\ndate: [^\r]+/i, "")
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, "(request)");
  }

  /** A connection is kept as long as the answers say so. */
  async #answered(bytes: string): Promise<string> {
    const socket = this.#socket ?? connect(Number(new URL(this.opened.world.url).port));
    if (this.#socket === undefined) await once(socket, "connect");
    this.#socket = socket;
    const text = await heardOn(socket, bytes);
    if (/\r\nconnection: close/i.test(text)) {
      socket.destroy();
      this.#socket = undefined;
    }
    return text;
  }

  #bytesOf({ method, target, headers, body }: Sent): string {
    const [ada, ben] = this.traders;
    const named = (text: string): string =>
      text
        .replace("(ada)", ada?.secret ?? "")
        .replace("(ben)", ben?.secret ?? "")
        .replace("(market)", this.marketId)
        .replace("(order)", this.orders.at(-1) ?? "ord-1");
    const sentOn = body === "" && !this.#isUsual ? ["content-length: 0"] : [];
    const text = named(body);
    const about = text === "" ? sentOn : [`content-length: ${text.length}`, this.#typeOf()];
    const head = [`${method} ${target} HTTP/1.1`, ...headers, ...about].map(named);
    return `${head.join("\r\n")}\r\n\r\n${text}`;
  }

  #typeOf(): string {
    return `content-type: application/json${this.#isUsual ? "" : " ;charset=utf-8"}`;
  }
}

/** The bytes that come until the answer is whole, or its connection closed. */
function heardOn(socket: Socket, bytes: string): Promise<string> {
  const isHead = bytes.startsWith("HEAD");
  return new Promise((done) => {
    let text = "";
    const end = (): void => {
      socket.off("data", hear).off("close", end);
      done(text);
    };
    const hear = (piece: Buffer): void => {
      text += piece.toString("latin1");
      if (isWhole(text, isHead)) end();
    };
    socket.on("data", hear).once("close", end).write(bytes, "latin1");
  });
}

function isWhole(text: string, isHead: boolean): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
  const isBare = isHead || text.startsWith("HTTP/1.1 304");
  return text.length >= end + 4 + (isBare ? 0 : length);
}

const expiry = "2025-10";
const layer = "kind=layered&attachBps=200&exhaustBps=1000";

const targets: readonly string[] = [
  "/api/index/state:tx",
  "/api/index/state:tx?index=zhvi",
  "/api/index/state:tx?index=zori",
  "/api/index/state:tx?asOf=2024-11-18",
  "/api/index/state:tx?asOf=never",
  "/api/index/state:tx?x=1&y=%zz",
  "/api/index/state:wy",
  "/api/index/state:nowhere",
  "/api/index/state%3Atx",
  "/api/index/%zz",
  "/api/index/",
  "/api/index/..",
  "/api/index//",
  "//api/index/state:tx",
  "/api/index/state:tx/",
  "/api/index/state:tx#f?asOf=never",
  "/api/index/state:tx;index=zori",
  "/API/index/state:tx",
  `/api/index/${"a".repeat(201)}`,
  `/api/index/${"a".repeat(513)}`,
  "http://localhost/api/index/state:tx",
  "http://elsewhere.example/api/index/state:tx",
  "/api/index/state:tx/prints",
  "/api/index?ids=state:tx,state:ca",
  "/api/index?ids=state:tx,state:wy,nowhere",
  "/api/index?ids=",
  "/api/index",
  `/api/quotes?node=state:tx&expiry=${expiry}&notional=50000&${layer}`,
  `/api/quotes?node=state:ca&expiry=${expiry}&notional=1000.5&strikeBps=500`,
  `/api/quotes?node=state:tx&expiry=${expiry}&notional=50000&kind=layered`,
  `/api/quotes?node=state:wy&expiry=${expiry}&notional=50000&${layer}`,
  `/api/quotes?node=nowhere&expiry=${expiry}&notional=50000&${layer}`,
  `/api/quotes?node=state:tx&expiry=2020-01&notional=50000&${layer}`,
  `/api/quotes?node=state:tx&node=state:ca&expiry=${expiry}&notional=50000&${layer}`,
  "/api/quotes",
  "/api/quotes?",
  "/api/quotes?&&",
  "/api/overview?level=state",
  "/api/overview?level=state&months=24&layer=500-1500",
  "/api/overview?level=zip",
  "/api/overview",
  "/api/geo/search?q=tex",
  "/api/geo/search?q=new+york&limit=3&level=state",
  "/api/geo/search?q=%20",
  "/api/geo/search?q=",
  "/api/geo/search?q=a&limit=0",
  "/api/markets/(market)/book",
  "/api/markets/(market)/book?depth=1",
  "/api/markets/(market)/book?depth=101",
  "/api/markets/none/book",
  "/api/markets//book",
  "/api/markets/book",
  "/api/nothing",
];

const extras: readonly (readonly string[])[] = [
  [],
  [],
  ["accept-encoding: br"],
  ["accept-encoding: gzip, deflate, br;q=0.5"],
  ["Accept-Encoding: gzip", "accept-encoding: br"],
  ["accept: application/problem+json"],
  ["accept: text/html", "user-agent: test", "cache-control: no-cache"],
  ["if-none-match: *"],
  ['if-none-match: W/"nothing"'],
  ["x-api-key: fp_pub_000000000000000000000000000000000000"],
  ["authorization: Bearer (ada)"],
  ["authorization: bearer (ben)"],
  ["authorization: Bearer (ada)", "authorization: Bearer (ada)"],
  ["authorization: Bearer fp_test_000000000000000000000000000000000000"],
  [`x-admin-secret: ${ADMIN_SECRET}`],
  ["x-forwarded-for: 203.0.113.9"],
  ["forwarded: for=203.0.113.9"],
  ["firstprint-min-sequence: 1"],
  ["firstprint-min-sequence: x"],
  ["traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
  ["connection: close"],
  ["connection: keep-alive"],
  ["accept-version: 1"],
  ["content-type: text/plain"],
];

const usualHost = ["host: localhost"];
const hosts: readonly (readonly string[])[] = [
  ["Host: 127.0.0.1:80"],
  ["host: exchange.example"],
  ["host: elsewhere.example"],
  ["host: localhost", "host: localhost"],
  [],
];

const anOrder = (price: number): string =>
  JSON.stringify({ marketId: "(market)", outcomeIndex: 0, side: "BUY", amount: "1", price });
const aQuote = JSON.stringify({
  quotes: [{ marketId: "(market)", bid: { price: 0.1, amount: "1" } }],
});

const bodies: readonly string[] = [
  anOrder(0.4),
  anOrder(0.4),
  anOrder(0.31),
  anOrder(7),
  anOrder(0.4).replace("}", ',"x":1}'),
  anOrder(0.4).replace('"amount"', '"amount":"2","amount"'),
  anOrder(0.4).slice(1),
  "{}",
];

const keyed = ["idempotency-key: one", "idempotency-key: two", "expires-after: 1", "x-other: 1"];

function drawn(draw: Draw): Sent {
  const headers = ["host: localhost", `authorization: Bearer (${pick(draw, ["ada", "ben"])})`];
  switch (draw(8)) {
    case 0:
      return {
        ...{ method: "POST", target: "/api/trading/orders", body: pick(draw, bodies) },
        headers: [...headers, pick(draw, keyed)],
      };
    case 1:
      return {
        ...{ method: "DELETE", target: "/api/trading/orders/(order)", body: "" },
        headers: [...headers, pick(draw, keyed)],
      };
    case 2:
      return { method: "POST", target: "/api/trading/quotes/mass", body: aQuote, headers };
    default:
      return {
        method: draw(12) === 0 ? pick(draw, ["HEAD", "DELETE", "POST"]) : "GET",
        target: pick(draw, targets),
        headers: [...(draw(8) === 0 ? pick(draw, hosts) : usualHost), ...pick(draw, extras)],
        body: "",
      };
  }
}

test(`${CASES} requests are answered byte for byte as by the framework`, async (t) => {
  const draw = drawing(seed);
  const [hot, framed] = [await Side.open(t, true), await Side.open(t, false)];
  const statuses = new Map<string, number>();
  for (let at = 0; at < CASES; at += 1) {
    const sent = drawn(draw);
    const expected = await framed.ask(sent);
    assert.equal(await hot.ask(sent), expected, `${at}: ${JSON.stringify(sent)}`);
    const status = expected.slice(9, 12);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    // The buckets fill again, so that refusals for the rate stay few.
    for (const { opened } of [hot, framed]) opened.world.nowMillis += 100;
  }
  t.diagnostic(JSON.stringify(Object.fromEntries([...statuses].sort())));
  for (const status of ["200", "304", "400", "401", "404"]) {
    assert.ok((statuses.get(status) ?? 0) > 0, `some are answered ${status}`);
  }
  assert.equal(framed.routed, CASES, "of the one exchange the framework takes every request");
  assert.ok(hot.routed < 0.7 * CASES, `of the other it takes ${hot.routed}`);
});

test("an answer is kept until there are new prints", async (t) => {
  const side = await Side.open(t, true);
  const index: Sent = {
    ...{ method: "GET", target: "/api/index/state:tx", body: "" },
    headers: ["host: localhost"],
  };
  const before = await side.ask(index);
  assert.equal(await side.ask(index).then(bodyOf), bodyOf(before));
  const { series } = side.opened;
  const newest = series.newest("zhvi", nodeId("state:tx"));
  await side.opened.world.root({ type: "SetClock", toMillis: Date.UTC(2025, 0, 20) });
  await side.opened.printNext("zhvi", "state:tx", "270000");
  const after = await side.ask(index);
  assert.match(after, /"value":270000/);
  assert.notEqual(newest?.month, series.newest("zhvi", nodeId("state:tx"))?.month);
  assert.equal(side.routed, 0);
});

test("a quote is kept while nothing that it is made of changes", async (t) => {
  const side = await Side.open(t, true);
  const { world } = side.opened;
  const parts = ["node=state:tx", `expiry=${expiry}`, "notional=50000", ...layer.split("&")];
  const quote = (turned: number): Sent => {
    const query = [...parts.slice(turned), ...parts.slice(0, turned)].join("&");
    return { method: "GET", target: `/api/quotes?${query}`, headers: usualHost, body: "" };
  };
  /** Parts in another order are another question, of which nothing is kept. */
  const isAsAnew = async (turned: number): Promise<string> => {
    const kept = bodyOf(await side.ask(quote(0)));
    assert.equal(kept, bodyOf(await side.ask(quote(turned))));
    return kept;
  };
  const seen = [await isAsAnew(1)];
  const { price } = world.view.rules;
  await world.root({ type: "SetRules", rules: { price: { ...price, carryBps: 1_000 } } });
  seen.push(await isAsAnew(2));
  const series = /"seriesMarketId":"([^"]+)"/.exec(seen[0] ?? "")?.[1];
  const [ada] = side.traders;
  assert.ok(series !== undefined && ada !== undefined);
  const sell = { marketId: series, outcomeIndex: 0, side: "SELL", amount: "10", price: 0.2 };
  const placed = await world.post("/api/trading/orders", ada.secret, sell);
  assert.equal(placed.statusCode, 200, placed.body);
  seen.push(await isAsAnew(3));
  await world.remove(`/api/trading/orders/${placed.json().data.id}`, ada.secret);
  seen.push(await isAsAnew(4));
  await world.root({ type: "SetClock", toMillis: Date.UTC(2025, 2, 20) });
  seen.push(await isAsAnew(5).then(() => isAsAnew(5)));
  assert.equal(new Set(seen.slice(0, 3)).size, 3, "each change shows");
  assert.notEqual(seen[3], seen[4], "the age of the newest print is in its price");
});

test("a search finds a place that was added", async (t) => {
  const side = await Side.open(t, true);
  const asked: Sent = {
    ...{ method: "GET", target: "/api/geo/search?q=newton", headers: usualHost, body: "" },
  };
  assert.doesNotMatch(await side.ask(asked), /Newton/);
  const { geo } = side.opened.world.view;
  const texas = geo.get("state:tx");
  assert.ok(texas !== undefined);
  geo.put({ ...texas, id: nodeId("county:48351"), level: "county", name: "Newton", aliases: [] });
  assert.match(await side.ask(asked), /Newton/);
});

test("on one connection each request is of the key that it names, while it is live", async (t) => {
  const side = await Side.open(t, true);
  const { world } = side.opened;
  const [ada] = side.traders;
  assert.ok(ada !== undefined);
  const place = (name: string): Sent => ({
    ...{ method: "POST", target: "/api/trading/orders", body: anOrder(0.4) },
    headers: ["host: localhost", `authorization: Bearer (${name})`],
  });
  const placedBy = async (name: string): Promise<string | undefined> =>
    /"maker":"([^"]+)"/.exec(await side.ask(place(name)))?.[1];
  const [first, second] = [await placedBy("ada"), await placedBy("ben")];
  assert.deepEqual([await placedBy("ada"), await placedBy("ben")], [first, second]);
  assert.notEqual(first, second);
  const [key] = world.view.keysOf(accountId(ada.id));
  assert.ok(key !== undefined);
  await world.remove(`/api/trading/keys/${key.id}`, ada.secret);
  assert.match(await side.ask(place("ada")), /^HTTP\/1.1 401 /);
  assert.equal(side.routed, 0);
});

const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n"));
