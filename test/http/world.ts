// A whole exchange in one process for tests of the HTTP surface: real engine, journal in memory.
// Invariant: requests go through the real server; the journal is in PostgreSQL where a test asks.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import type { FastifyInstance } from "fastify";
import { accountId, nodeId, releaseId, webhookId } from "#base/ids.ts";
import { parseMicros } from "#base/money.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick, type Tick } from "#base/price.ts";
import { firstLevel, parsePrintValue } from "#base/print-value.ts";
import { encode } from "#core/codec.ts";
import type { Actor, Command } from "#core/command.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import {
  type AdminPermission,
  adminPermissions,
  type Permission,
  type Role,
} from "#core/records.ts";
import { MarketHistory } from "#engine/market-history.ts";
import { Sequencer } from "#engine/sequencer.ts";
import type { Route } from "#http/route/route.ts";
import { assembleRoutes } from "#http/routes.ts";
import { HostList } from "#http/server/hosts.ts";
import { newSecret } from "#http/server/key-codec.ts";
import { KeyUse } from "#http/server/key-use.ts";
import { RefusalCounts } from "#http/server/refusal-counts.ts";
import { buildServer } from "#http/server/server.ts";
import { statusRoutes } from "#http/status.ts";
import { Feed } from "#http/stream/feed.ts";
import { ownMessage } from "#http/trading/own-message.ts";
import type { TradingPorts } from "#http/trading/ports.ts";
import { tradingRoutes } from "#http/trading/routes.ts";
import type { Journal } from "#journal/journal.ts";
import { MemoryMarketDays } from "#journal/market-days.ts";
import { MemoryJournal } from "#journal/memory.ts";
import { generateSigningKey } from "#journal/note.ts";
import { ShownExchange, type ViewFault } from "#node/shown-exchange.ts";
import { flatRisk } from "#test/core/publish-marks.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { readAddress } from "#webhooks/address.ts";
import { secretOf, secretShown } from "#webhooks/signature.ts";
import { Contract } from "./contract.ts";

export const ADMIN_SECRET = "an-admin-secret-of-enough-characters-01";
export const PEPPER = "a-pepper-for-tests";

export interface Holder {
  readonly id: string;
  readonly address: string;
  readonly secret: string;
}

/** A buy of YES that rests where nobody sells. */
export const order = (marketId: string, more: object = {}) => ({
  marketId,
  outcomeIndex: 0,
  side: "BUY",
  amount: "10",
  price: 0.4,
  ...more,
});

/** A test, or whoever else ends what it opened. */
export interface Closing {
  after(end: () => Promise<void>): void;
}

/** The runner keeps every test's hooks to its end: with the world, 2 MB a test (2026-11-23). */
function closeAfter(t: Closing, opened: World): void {
  let world: World | undefined = opened;
  t.after(async () => {
    await world?.close();
    world = undefined;
  });
}

export class World {
  readonly engine: Sequencer;
  readonly server: FastifyInstance;
  readonly routes: readonly Route[];
  readonly faults: unknown[] = [];
  readonly viewFaults: ViewFault[] = [];
  #second: string | undefined;
  readonly contract: Contract;
  readonly refusalCounts = new RefusalCounts();
  readonly #days: MarketHistory;
  /** The listing an order brings with it: none, where there are no prints to list it from. */
  listingFor: TradingPorts["listingFor"] = () => undefined;
  negotiatedListing: TradingPorts["negotiatedListing"] = () => undefined;
  /** The reference model's price for protection, whatever its terms. */
  limitTick: Tick | undefined = parseTick("0.9999");
  /** Without a database nothing is delivered here. */
  webhooks: TradingPorts["webhooks"] = {
    readAddress: (text) => readAddress(text, { networks: new BlockList() }),
    draw: () => ({
      id: webhookId(`whk-${randomBytes(8).toString("hex")}`),
      salt: randomBytes(16).toString("hex"),
    }),
    secretOf: (salt) => secretShown(secretOf("a-webhook-key-for-tests", salt)),
    progressOf: () => undefined,
    attempts: () => Promise.resolve([]),
  };
  /** Of the heap, what is in use. */
  memoryShare = 0;
  /** The rate limiter's clock; tests move it. */
  nowMillis = 1_000_000;
  /** Told of every entry once it is shown. */
  onDurable: (entry: Entry) => void = () => undefined;
  readonly #shown = new ShownExchange({
    tell: (entry) => {
      this.#feed?.take(entry);
      this.#ownFeed?.take(entry);
      this.#days.take(entry);
      this.onDurable(entry);
      return undefined;
    },
    failed: (fault) => this.viewFaults.push(fault),
  });
  #url = "";
  #feed: Feed | undefined;
  #ownFeed: Feed | undefined;

  private constructor(extraRoutes: readonly Route[], journal: Journal) {
    this.engine = new Sequencer({
      memoryShare: () => this.memoryShare,
      journal,
      key: generateSigningKey(),
      file: undefined,
      logFile: undefined,
      onLogSigned: () => undefined,
      clock: "sandbox",
      now: () => 0,
      chainId: () => "test",
      log: () => undefined,
      checkpoints: { entries: 1_000, millis: 1_000 },
      snapshotEntries: 1_000_000,
      waitingLimit: 1_000,
      standsBy: false,
      onLeading: () => undefined,
      onRecovered: (state) => this.#shown.recover(state),
      shown: this.#shown,
      onDurable: (entry) => this.#shown.take(entry),
      onFatal: (error) => this.faults.push(error),
    });
    this.#days = new MarketHistory({
      store: new MemoryMarketDays(),
      history: this.engine.history,
      durableSequence: () => this.engine.status().durableSequence,
      onFault: (error) => this.faults.push(error),
    });
    const keyUse = new KeyUse();
    const { refusalCounts } = this;
    const world = this;
    const status = statusRoutes({
      engine: this.engine,
      view: {
        get storage() {
          return world.view.storage;
        },
        get isFundShort() {
          return world.view.isFundShort;
        },
      },
      version: "0.0.0",
      clock: "sandbox",
    });
    this.routes = assembleRoutes(status, tradingRoutes(this.#ports(keyUse)), extraRoutes);
    this.server = buildServer({
      routes: this.routes,
      engine: this.engine,
      directory: {
        keyByDigest: (digest) => this.view.keyByDigest(digest),
        publicKeyByDigest: (digest) => this.view.publicKeyByDigest(digest),
        accounts: { get: (id) => this.view.accounts.get(id) },
        isRootOff: (at) => this.view.isRootOff(at),
      },
      keyUse,
      refusalCounts,
      pepper: PEPPER,
      formerPepper: () => undefined,
      adminSecret: ADMIN_SECRET,
      connections: { anAddress: 100, aLocalAddress: 5_000, all: 10_000, idleSeconds: 5 },
      publicRatePerMinute: 6_000,
      maxKeyRatePerMinute: 6_000,
      trustedProxies: [],
      hosts: HostList.for("127.0.0.1", ["exchange.example"]),
      nowMillis: () => this.nowMillis,
      onAnswered: () => undefined,
      onFault: (error) => this.faults.push(error),
    });
    this.contract = new Contract(this.routes);
    this.contract.watch(this.server);
  }

  static async open(
    t: Closing,
    extraRoutes: readonly Route[] = [],
    journal: Journal = new MemoryJournal(),
  ): Promise<World> {
    const world = new World(extraRoutes, journal);
    await world.engine.start();
    world.#openOwnFeed();
    closeAfter(t, world);
    await world.root({ type: "SetClock", toMillis: Date.UTC(2024, 10, 20) });
    return world;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.engine.stop();
    assert.deepEqual(this.faults, [], "no request led to a fault");
    assert.deepEqual(this.viewFaults, [], "every entry was taken in");
    assert.deepEqual(this.contract.breaches, [], "every answer keeps the contract");
  }

  #openOwnFeed(): void {
    const feed = new Feed({
      history: this.engine.history,
      durableSequence: () => this.engine.status().durableSequence,
      telling: (entry) => ownMessage(entry, this.view.accounts),
      onFault: (error) => this.faults.push(error),
    });
    this.server.addHook("preClose", async () => feed.end());
    this.#ownFeed = feed;
  }

  /** Counted up to now whenever it is read. */
  readonly marketHistory: Pick<MarketHistory, "daysOf" | "daysOfAll"> = {
    daysOf: async (...asked) => {
      await this.#days.caughtUp();
      return this.#days.daysOf(...asked);
    },
    daysOfAll: (...asked) => this.#daysOfAll(...asked),
  };

  async *#daysOfAll(...asked: Parameters<MarketHistory["daysOfAll"]>) {
    await this.#days.caughtUp();
    yield* this.#days.daysOfAll(...asked);
  }

  get ownFeed(): Feed {
    assert.ok(this.#ownFeed !== undefined, "the engine has started");
    return this.#ownFeed;
  }

  /** Durable entries go to it from here on. */
  show(feed: Feed): void {
    this.#feed = feed;
  }

  /** Entries that a verification would have to prove. */
  unproven = 0;

  get view(): ExchangeView {
    return this.#shown.view;
  }

  #ports(keyUse: KeyUse): TradingPorts {
    const world = this;
    return {
      get view() {
        return world.view;
      },
      engine: this.engine,
      get ownFeed() {
        return world.ownFeed;
      },
      listingFor: (id) => world.listingFor(id),
      negotiatedListing: (id) => world.negotiatedListing(id),
      limitTickFor: () => world.limitTick,
      verification: async () => ({
        ...(await world.engine.history.verify()),
        damagedReleases: [],
      }),
      unproven: () => world.unproven,
      newSecret: () => newSecret("test", PEPPER),
      get webhooks() {
        return world.webhooks;
      },
      keyUse,
      maxKeyRatePerMinute: 6_000,
    };
  }

  /** Gives a command as the bootstrap operator, past the HTTP surface. */
  root(command: Command): Promise<void> {
    return this.#give({ type: "root" }, command);
  }

  async #give(actor: Actor, command: Command): Promise<void> {
    const result = await this.engine.submit({
      actor,
      command,
      requestId: "setup",
      idempotency: null,
    });
    assert.ok("outcome" in result, `${command.type} is answered`);
    const { outcome } = result;
    assert.ok(!isRejected(outcome), `${command.type} is accepted: ${encode(result)}`);
  }

  /** The same of a second person, for what takes two. */
  async second(command: Command): Promise<void> {
    this.#second ??= (await this.account("second", "operator")).id;
    await this.by(this.#second, command);
  }

  /** Gives a command by the first key of an account. */
  async by(id: string, command: Command): Promise<void> {
    const [key] = this.view.keysOf(accountId(id));
    assert.ok(key !== undefined, `${id} has a key`);
    await this.#give({ type: "key", accountId: key.accountId, keyId: key.id }, command);
  }

  /** Of an operator's account the key holds `admin`: every permission of operators, unless said. */
  async account(
    name: string,
    role: Role = "trader",
    admin: readonly AdminPermission[] = adminPermissions,
  ): Promise<Holder> {
    const { secret, prefix, digest } = newSecret("test", PEPPER);
    const address = `0x${name.padEnd(40, "0").slice(0, 40)}`;
    await this.root({
      type: "OpenAccount",
      name,
      role,
      address,
      key: {
        label: "first",
        prefix,
        digest,
        permissions: role === "operator" ? admin : [],
        ratePerMinute: 6_000,
        expiresAtSeconds: null,
      },
    });
    const account = this.view.accountByAddress(address);
    assert.ok(account !== undefined, "the account is in the view");
    return { id: account.id, address, secret };
  }

  /** An account that may trade and has `cash`. */
  async trader(name: string, cash = "100000"): Promise<Holder> {
    return this.funded(await this.account(name), cash);
  }

  /** Cleared, and with so much cash. */
  async funded(holder: Holder, cash: string): Promise<Holder> {
    await this.root({
      type: "DecideKyc",
      accountId: accountId(holder.id),
      decision: "approve",
      tier: "institutional",
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: null,
      provider: "manual",
      accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
    });
    const amountMicros = parseMicros(cash);
    assert.ok(amountMicros !== undefined, "cash is money");
    await this.root({
      type: "FundAccount",
      accountId: accountId(holder.id),
      amountMicros,
      memo: null,
    });
    return holder;
  }

  /** Puts so much into the pool that premiums are lent from. */
  async lend(amount: string): Promise<void> {
    const amountMicros = parseMicros(amount);
    assert.ok(amountMicros !== undefined, "amount is money");
    await this.root({ type: "FundFinancing", amountMicros, memo: null });
  }

  /** Lists a market on the level of Texas' index in 2025-04; returns its id. */
  async market(threshold = "300000"): Promise<string> {
    if (this.view.releases.size === 0) await this.root(firstRelease());
    const listing = levelListing(threshold);
    await this.root({ type: "ListMarket", listing, frontendId: null });
    return listing.marketId;
  }

  /** A further key of an account, with these permissions only. */
  async narrowKey(holder: Holder, wanted: readonly Permission[]): Promise<string> {
    const made = await this.post("/api/trading/keys", holder.secret, {
      label: "narrow",
      permissions: wanted,
    });
    assert.equal(made.statusCode, 200, made.body);
    const { data } = made.json();
    return String(data.secret);
  }

  /** Opens a port of its own, for what cannot be tried without a socket. */
  async listen(): Promise<void> {
    this.#url = await this.server.listen({ host: "127.0.0.1", port: 0 });
  }

  get url(): string {
    return this.#url;
  }

  get(url: string, secret?: string, headers: Record<string, string> = {}) {
    return this.server.inject({ method: "GET", url, headers: { ...bearer(secret), ...headers } });
  }

  /** `body` as text goes out as it is; anything else as JSON. */
  post(
    url: string,
    secret: string | undefined,
    body: unknown,
    headers: Record<string, string> = {},
  ) {
    return this.server.inject({
      method: "POST",
      url,
      headers: { "content-type": "application/json", ...bearer(secret), ...headers },
      payload: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  remove(url: string, secret: string, headers: Record<string, string> = {}) {
    return this.server.inject({
      method: "DELETE",
      url,
      headers: { ...bearer(secret), ...headers },
    });
  }
}

const bearer = (secret: string | undefined): Record<string, string> =>
  secret === undefined ? {} : { authorization: `Bearer ${secret}` };

function levelListing(threshold: string): Listing {
  const measurementMonth = parseMonth("2025-04");
  const thresholdE15 = parsePrintValue(threshold);
  const markTick = parseTick("0.5");
  assert.ok(measurementMonth !== undefined && thresholdE15 !== undefined && markTick !== undefined);
  const terms: Listing["terms"] = {
    index: "zhvi",
    nodeId: nodeId("state:tx"),
    measurementMonth,
    payoff: { kind: "level", comparator: "gte", thresholdE15 },
    baseline: null,
    rounding: "payout-millionths-down",
    fallback: "fallbacks-1",
    successor: null,
    methodologyVersion: "1",
    expectedAtMillis: Date.UTC(2025, 4, 20),
  };
  const marks = { markTick, stressedTick: markTick, riskTicks: flatRisk(markTick) };
  return { marketId: marketIdOf(terms), terms, ...marks, within: [] };
}

/** Brings the first print of Texas, without which no market of Texas can be listed. */
function firstRelease(): Command {
  const month = parseMonth("2024-10");
  const valueE15 = parsePrintValue("301234.5");
  assert.ok(month !== undefined && valueE15 !== undefined);
  const counts = { revisions: 0, unchanged: 0, rescaled: 0, unmatched: 0 };
  return {
    type: "AcceptRelease",
    release: {
      id: releaseId("rel-1"),
      provider: "zillow",
      index: "zhvi",
      level: "state",
      publishedAtMillis: Date.UTC(2024, 10, 16),
      sha256: "",
      rows: 1,
      firstMonth: month,
      lastMonth: month,
      firstPrints: 1,
      ...counts,
      methodologyVersion: "1",
      printsDigest: "",
      latestDigest: "",
    },
    observations: [
      {
        nodeId: nodeId("state:tx"),
        month,
        valueE15,
        levelE12: firstLevel,
        link: null,
        backfill: true,
        gaps: [],
      },
    ],
  };
}
