// The answers of one node of the simulation: every route that only reads, over the view it has now.
// Invariant: a question is asked of the route's own function, past no cache of it, and gives no
// command.
import assert from "node:assert/strict";
import type { ClockKind } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import type { Key } from "#core/records.ts";
import type { Engine } from "#engine/engine.ts";
import { MarketHistory } from "#engine/market-history.ts";
import { adminRoutes } from "#http/admin/routes.ts";
import { noDownloads } from "#http/ports.ts";
import { publicRoutes } from "#http/public/routes.ts";
import { attributionOfRelease } from "#http/records/attribution.ts";
import type { Caller, Response, Route } from "#http/route/route.ts";
import { assembleRoutes } from "#http/routes.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { KeyUse } from "#http/server/key-use.ts";
import { RefusalCounts } from "#http/server/refusal-counts.ts";
import { statusRoutes } from "#http/status.ts";
import { Feed } from "#http/stream/feed.ts";
import { type FeedMessage, tellingOf } from "#http/stream/feed-message.ts";
import { ownMessage } from "#http/trading/own-message.ts";
import { tradingRoutes } from "#http/trading/routes.ts";
import { MemoryMarketDays } from "#journal/market-days.ts";
import { DEFAULT_PRICE_MODEL } from "#pricing/constants.ts";
import { attributionOf, isProviderId } from "#prints/release.ts";
import { limitTicks } from "#quoting/limit-price.ts";
import { listingsFrom } from "#quoting/listing.ts";
import { Reference } from "#quoting/reference.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { SeriesView } from "#views/series.ts";

/** A question that any node is asked with the same words. */
export interface Question {
  readonly place: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: unknown;
  /** The key it is asked with; undefined: by nobody, or by root where the route is an operator's. */
  readonly key: Key | undefined;
}

export interface Answer {
  readonly text: string;
  /** The text is one JSON object. */
  readonly isJson: boolean;
  readonly isRefused: boolean;
}

interface Node {
  readonly clock: ClockKind;
  readonly engine: Pick<Engine, "status" | "history" | "isCurrent">;
  readonly series: SeriesView;
  view(): ExchangeView;
}

/** Nobody counts these requests. */
const BUCKET = "ip simulation";
const NEVER_MILLIS = 1_000_000_000;

const placeOf = ({ method, url }: Pick<Route, "method" | "url">): string => `${method} ${url}`;

const unheard = (): never => assert.fail("no read asks anything outside the exchange");

/** It gives no command: of routes that are no GET, those that the body asks. */
const isRead = ({ method, isForAnyNode }: Route): boolean => method === "GET" || isForAnyNode;

export class Surface {
  readonly #node: Node;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #feeds: { readonly open: Feed; readonly own: Feed };
  readonly #history: MarketHistory;

  constructor(node: Node) {
    this.#node = node;
    const { engine } = node;
    const durableSequence = (): number => engine.status().durableSequence;
    const onFault = (error: unknown): void => {
      throw error;
    };
    const { history } = engine;
    const feed = (telling: (entry: Entry) => FeedMessage | undefined): Feed =>
      new Feed({ history, durableSequence, telling, onFault, heartbeatMillis: NEVER_MILLIS });
    this.#feeds = {
      open: feed((entry) => this.toldOf(entry)),
      own: feed((entry) => this.ownToldOf(entry)),
    };
    const store = new MemoryMarketDays();
    this.#history = new MarketHistory({ store, history, durableSequence, onFault });
    const reads = this.#allRoutes().filter(isRead);
    this.#routes = new Map(reads.map((route) => [placeOf(route), route]));
  }

  get places(): readonly string[] {
    return [...this.#routes.keys()];
  }

  route(place: string): Route {
    return this.#routes.get(place) ?? assert.fail(`${place} is read`);
  }

  /** A durable entry that this node shows, in order. */
  take(entry: Entry): void {
    this.#feeds.open.take(entry);
    this.#feeds.own.take(entry);
  }

  /** Its streams end with it. */
  end(): void {
    this.#feeds.open.end();
    this.#feeds.own.end();
  }

  toldOf(entry: Entry): FeedMessage | undefined {
    const exchange = this.#node.view();
    return tellingOf(entry, (id) => attributionOfRelease({ exchange, attribution }, id));
  }

  ownToldOf(entry: Entry): FeedMessage | undefined {
    return ownMessage(entry, this.#node.view().accounts);
  }

  async ask(question: Question): Promise<Answer> {
    if (isOfDays(question.place)) await this.#history.caughtUp();
    const answer = await this.respond(question);
    const isJson = "pieces" in answer ? isJsonType(answer.contentType) : "data" in answer;
    return { text: await textOf(answer), isJson, isRefused: "refused" in answer };
  }

  /** A key that this node does not know is answered by none of its routes. */
  async respond({ place, params, query, body, key }: Question): Promise<Response> {
    const route = this.route(place);
    const caller = key === undefined ? strangerOf(route) : this.#callerOf(key);
    if (caller === undefined) return { data: "no such key" };
    return route.handle({
      caller,
      bucket: BUCKET,
      requestId: "read",
      params,
      query,
      body,
      accept: "*/*",
      upload: undefined,
      header: () => [],
      submit: unheard,
    });
  }

  /** As admission finds it: by the digest of its secret. */
  #callerOf({ digest }: Key): Caller | undefined {
    const view = this.#node.view();
    const key = view.keyByDigest(digest);
    const account = key && view.accounts.get(key.accountId);
    if (key === undefined || account === undefined) return undefined;
    const actor = { type: "key", accountId: account.id, keyId: key.id } as const;
    return { type: "key", actor, account, key };
  }

  #allRoutes(): readonly Route[] {
    const { engine, clock, series, view } = this.#node;
    const reference = new Reference(series, () => view().geo, DEFAULT_PRICE_MODEL);
    const known = {
      get exchange(): ExchangeView {
        return view();
      },
      series,
      reference,
    };
    const ports = {
      get exchange(): ExchangeView {
        return view();
      },
      get view(): ExchangeView {
        return view();
      },
      series,
      reference,
      engine,
      history: engine.history,
      marketHistory: this.#history,
      attribution,
      ...listingsFrom(known),
      limitTickFor: limitTicks(known, () => engine.status().engineTimeMillis),
      feed: this.#feeds.open,
      ownFeed: this.#feeds.own,
      clock,
      places: { load: unheard },
      // A provider's file is not in the journal: nobody has it here.
      releases: {
        ...{ ingest: unheard, approve: unheard, approvePlace: unheard, rejectPlace: unheard },
        ...{ renamePlace: unheard, diff: unheard, vintage: async () => undefined },
      },
      webhooks: {
        ...{ readAddress: unheard, draw: unheard, secretOf: unheard },
        progressOf: () => undefined,
        attempts: async () => [],
      },
      verification: unheard,
      unproven: () => 0,
      witnesses: () => [],
      downloads: noDownloads,
      upkeep: async () => ({ lastBackupAt: null, snapshot: null, archive: null, copies: null }),
      keyUse: new KeyUse(),
      refusalCounts: new RefusalCounts(),
      newSecret: () => newSecret("test", "pepper"),
      newPublicSecret: () => newSecret("pub", "pepper"),
      routes: () => [],
      publicRatePerMinute: 6_000,
      maxKeyRatePerMinute: 6_000,
    };
    const status = statusRoutes({
      engine,
      get view() {
        return view();
      },
      version: "0.0.0",
      clock,
    });
    return assembleRoutes(status, tradingRoutes(ports), publicRoutes(ports), adminRoutes(ports));
  }
}

const attribution = (provider: string): string =>
  isProviderId(provider) ? attributionOf(provider) : assert.fail(provider);

/** Days of markets are counted behind the exchange: a reader asks once all are. */
const isOfDays = (place: string): boolean => /history|surveillance/.test(place);

const strangerOf = ({ access }: Route): Caller =>
  access === "public" ? { type: "anonymous" } : { type: "root", actor: { type: "root" } };

const isJsonType = (contentType: string): boolean => contentType.startsWith("application/json");

async function textOf(answer: Response): Promise<string> {
  if ("items" in answer) {
    let text = "";
    for await (const item of answer.items) text += `,${JSON.stringify(item)}`;
    return `[${text.slice(1)}]`;
  }
  if ("pieces" in answer) {
    let text = "";
    for await (const piece of answer.pieces) text += piece;
    return text;
  }
  if ("bytes" in answer) return Buffer.from(answer.bytes).toString("latin1");
  if ("text" in answer) return answer.text;
  if ("events" in answer) return assert.fail("a stream is read by its listener");
  return JSON.stringify(answer);
}
