// The product with nothing injected: processes and a database of its own, with real randomness, a
// real clock and real delays, under webhooks that fail, streams, a follower, KYC and files.
// Invariant tested: nothing is logged as an error that was not caused on purpose, the database
// refuses no statement, and a restart posts nothing again that had arrived.
// FIRSTPRINT_REAL_PORTS_SECONDS=12 node --test test/e2e/real-ports.e2e.test.ts
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MILLIS } from "#base/day.ts";
import { addMonths, formatMonth, monthEndMillis, monthOf } from "#base/month.ts";
import { runningConnection } from "#storage/embedded.ts";
import { SERVING_ROLE } from "#storage/embedded-folder.ts";
import { anyRate } from "#test/faults/deposit-load.ts";
import { openStream, type ServerSent } from "#test/http/event-reader.ts";
import { urlOf } from "#test/support/database.ts";
import {
  at,
  Exchange,
  type Json,
  listAt,
  numberAt,
  type Reply,
  type Trader,
  textAt,
} from "#test/support/exchange.ts";
import { freePort } from "#test/support/free-port.ts";
import { madeFile } from "#test/support/made-files.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { checkOrder, Receiver } from "#test/webhooks/receiver.ts";
import { atLeast, sequenceOf } from "./followed.ts";
import { stateFile } from "./sample-files.ts";
import { furnish, type TradedWorld } from "./traded-world.ts";
import { shared } from "./two-nodes.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

/** How long the load runs, half of it before the restart. */
const SECONDS = sizeOfRun("FIRSTPRINT_REAL_PORTS_SECONDS", 120);
/** Between two rounds, so that the load does not take all of a processor. */
const PAUSE_MILLIS = 100;
const WEBHOOKS = "/api/trading/webhooks";
/** Made-up files there are, a month each; a longer run brings them in again. */
const FIRST_RENTS = monthOf(2024, 1);
const MONTHS_OF_RENTS = 20;
/** A clear name, and one that the sandbox's rule takes for a hit. */
const LEGAL_NAMES = ["Plain Holdings", "Sanctioned Holdings"];

test(`nothing goes wrong by itself in ${SECONDS} seconds of everything at once`, async (t) => {
  const scene = await Scene.open(t);
  await scene.load(SECONDS / 2);
  await scene.restart();
  await scene.load(SECONDS / 2);
  await scene.settle();
  await scene.check();
});

/** Of a webhook: how its receiver answers, and the fault that its log has to show. */
interface Receiving {
  readonly fault: string | number;
  readonly answer: Receiver["answer"];
}

const failing: readonly Receiving[] = [
  { fault: 500, answer: (_, response) => void response.writeHead(500).end() },
  {
    fault: 429,
    answer: (_, response) => void response.writeHead(429, { "retry-after": "7" }).end(),
  },
  { fault: "BROKEN_OFF", answer: (_, response) => void response.destroy() },
  { fault: 410, answer: (_, response) => void response.writeHead(410).end() },
];

interface Hook {
  readonly id: string;
  readonly by: Trader;
  readonly fault: string | number;
}

/** A stream that is read to its end, and all that it told. */
interface Read {
  readonly node: Exchange;
  readonly told: ServerSent[];
  /** Of the buyer's own entries. */
  readonly isOwn: boolean;
}

class Scene {
  readonly #leader: Exchange;
  readonly #follower: Exchange;
  readonly #world: TradedWorld;
  readonly #well: Receiver;
  readonly #trail: Receiver;
  #wellId = "";
  #trailId = "";
  readonly #failing: Hook[] = [];
  /** Those of the node as it runs now, and how each there was has ended. */
  #streams: readonly Read[] = [];
  readonly #ends: Promise<string>[] = [];
  /** The buyer's entries, by the private stream. */
  readonly #entries = new Map<number, Json>();
  /** Where the follower's output tells of the restart: the leader keeps the database of both. */
  #outage = { from: 0, to: 0 };
  #rounds = 0;
  #releases = 0;

  private constructor(
    nodes: readonly [Exchange, Exchange],
    world: TradedWorld,
    receivers: readonly [Receiver, Receiver],
  ) {
    [this.#leader, this.#follower] = nodes;
    this.#world = world;
    [this.#well, this.#trail] = receivers;
  }

  /** The part that was started last ends first. */
  static async open(t: TestContext): Promise<Scene> {
    const ends: (() => Promise<void>)[] = [];
    t.after(async () => {
      for (const end of ends.reverse()) await end();
    });
    const scope = { after: (end: () => Promise<void>) => void ends.push(end) };
    // The database is the leader's own: its log is of this test alone.
    const leader = await Exchange.startEmbedded(scope, {
      FIRSTPRINT_WEBHOOK_NETWORKS: "127.0.0.0/8",
      FIRSTPRINT_KYC: "sandbox",
      PORT: String(await freePort()),
      ...anyRate,
    });
    const connection = await runningConnection(leader.dataDir, SERVING_ROLE);
    assert.ok(connection !== undefined, "the leader keeps a database of its own");
    const follower = await Exchange.start(
      scope,
      {
        DATABASE_URL: urlOf(connection),
        FIRSTPRINT_ROLE: "follower",
        FIRSTPRINT_LEADER_URL: leader.url,
        ...anyRate,
      },
      async (dataDir) => {
        for (const name of shared) await copyFile(join(leader.dataDir, name), join(dataDir, name));
      },
    );
    const world = await furnish(leader, ["buyer", "seller"], "1000000");
    const receivers = [await Receiver.open(scope), await Receiver.open(scope)] as const;
    const scene = new Scene([leader, follower], world, receivers);
    await scene.#setWebhooks(scope);
    await scene.#openStreams();
    return scene;
  }

  /** Rounds of everything for so long, and until each receiver that fails has failed. */
  async load(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await this.#round();
      await sleep(PAUSE_MILLIS);
    }
    for (const hook of this.#failing) {
      await until(`${hook.fault} is met`, async () => (await this.#failures(hook)).length > 0);
    }
  }

  /** As an operator does. No message that had arrived is posted again; each pause goes on. */
  async restart(): Promise<void> {
    await this.#allArrived();
    const before = await this.#progresses();
    this.#checkStreams();
    const counts = [this.#well, this.#trail].map(({ sequences }) => sequences.length);
    const from = this.#follower.output.length;
    assert.equal(await this.#leader.stop(), 0);
    await this.#leader.up();
    const { key } = this.#buyer;
    const shown = async () => (await this.#follower.get("/api/trading/account", { key })).status;
    await until("the follower reads again", async () => (await shown()) === 200);
    this.#outage = { from, to: this.#follower.output.length };
    const after = await this.#progresses();
    for (const [at, progress] of before.entries()) {
      const now = after[at];
      assert.ok(now !== undefined);
      assert.ok(now.attempts >= progress.attempts, "a failure is remembered");
      assert.equal(now.failingSince, progress.failingSince);
    }
    await this.#openStreams();
    await this.#allArrived();
    const [well = 0, trail = 0] = counts;
    assert.ok(this.#well.sequences.length > well && this.#trail.sequences.length > trail);
  }

  async settle(): Promise<void> {
    await this.#allArrived();
    const { status, text } = await this.#leader.get("/api/audit/verify", this.#world.auditor);
    assert.equal(status, 200, text);
    assert.equal(at(JSON.parse(text), "data", "valid"), true, text);
  }

  async check(): Promise<void> {
    const arrived = () => {
      const posted = new Set(this.#well.sequences);
      return [...this.#entries.keys()].every((sequence) => posted.has(sequence));
    };
    await until("the webhook has each entry that the stream has", arrived);
    for (const receiver of [this.#well, this.#trail]) {
      checkOrder(receiver.got);
      assert.equal(receiver.got.length, receiver.sequences.length, "nothing came twice");
      assert.ok(receiver.got.every(({ signatures: [right] }) => right === 1));
    }
    const posted = new Map(
      this.#well.got.map(({ sequence, body }) => [sequence, at(body, "data")]),
    );
    for (const [sequence, told] of this.#entries) assert.deepEqual(posted.get(sequence), told);
    assert.ok(posted.size > this.#rounds, "each round made an entry of the buyer's");
    const log = join(this.#leader.dataDir, "postgresql", "server.log");
    const refusals = errorsOfDatabase(await readFile(log, "utf8"));
    assert.deepEqual(refusals, [], "the database refused nothing");
    this.#checkStreams();
    assert.equal(await this.#follower.stop(), 0);
    assert.equal(await this.#leader.stop(), 0);
    assert.deepEqual(
      await Promise.all(this.#ends),
      this.#ends.map(() => "ended"),
    );
    const { from, to } = this.#outage;
    const { output } = this.#follower;
    const outage = errorsIn(output.slice(from, to));
    assert.deepEqual(
      outage.filter((line) => !isOfOutage(line)),
      [],
      "the database was away",
    );
    const calm = [this.#leader.output, output.slice(0, from), output.slice(to)];
    assert.deepEqual(calm.flatMap(errorsIn), [], "no error was logged");
  }

  get #buyer(): Trader {
    return this.#world.traders[0] ?? assert.fail("there is a buyer");
  }

  get #seller(): Trader {
    return this.#world.traders[1] ?? assert.fail("there is a seller");
  }

  async #setWebhooks(scope: { after(end: () => Promise<void>): void }): Promise<void> {
    const { auditor } = this.#world;
    this.#wellId = await this.#set(this.#buyer, this.#well);
    this.#trailId = await this.#set(auditor, this.#trail, { scope: "trail" });
    for (const { fault, answer } of failing) {
      const receiver = await Receiver.open(scope);
      receiver.answer = answer;
      this.#failing.push({ id: await this.#set(this.#seller, receiver), by: this.#seller, fault });
    }
    const nobody = await freePort();
    const url = `http://127.0.0.1:${nobody}/hook`;
    const id = await this.#setUrl(this.#buyer, { url });
    this.#failing.push({ id: textAt(id, "id"), by: this.#buyer, fault: "NOT_CONNECTED" });
  }

  async #set(by: Trader, receiver: Receiver, more: object = {}): Promise<string> {
    const made = await this.#setUrl(by, { url: receiver.url, ...more });
    receiver.secrets.add(textAt(made, "secret"));
    return textAt(made, "id");
  }

  async #setUrl(by: Trader, body: object): Promise<Json> {
    return at((await this.#taken(this.#leader.post(WEBHOOKS, body, by))).body, "data");
  }

  async #openStreams(): Promise<void> {
    const sequence = sequenceOf(await this.#leader.get("/api/status"));
    const { key } = this.#buyer;
    const open = async (node: Exchange, path: string): Promise<Read> => {
      const headers = { authorization: `Bearer ${key}`, ...atLeast(sequence).headers };
      const events = await openStream(node.url, {}, headers, undefined, path);
      const told: ServerSent[] = [];
      const isOwn = path !== "/api/stream";
      const read = async (): Promise<void> => {
        for await (const one of events) {
          told.push(one);
          if (isOwn && node === this.#leader && one.event === "entry") {
            this.#entries.set(numberAt(one.data, "sequence"), one.data);
          }
        }
      };
      this.#ends.push(read().then(() => "ended", String));
      return { node, told, isOwn };
    };
    const streams: Read[] = [];
    for (const node of [this.#leader, this.#follower]) {
      for (const path of ["/api/stream", "/api/trading/stream"]) {
        streams.push(await open(node, path));
      }
    }
    this.#streams = streams;
  }

  /** One of everything; which orders, amounts and prices is really drawn. */
  async #round(): Promise<void> {
    this.#rounds += 1;
    await this.#trade();
    await this.#fund(Math.random() < 0.5 ? this.#buyer : this.#seller);
    await this.#read();
    if (this.#rounds % 10 === 1) await this.#inquire(LEGAL_NAMES[this.#rounds % 20 === 1 ? 0 : 1]);
    if (this.#rounds % 15 === 5) await this.#bringFile();
  }

  async #trade(): Promise<void> {
    const { market: marketId } = this.#world;
    const price = Math.round(1_000 + Math.random() * 500) / 10_000;
    const amount = String(1 + Math.floor(Math.random() * 20));
    const order = { marketId, outcomeIndex: 0, amount, price };
    for (const [by, side] of [
      [this.#seller, "SELL"],
      [this.#buyer, "BUY"],
    ] as const) {
      await this.#taken(this.#leader.post("/api/trading/orders", { ...order, side }, by));
    }
    if (this.#rounds % 5 === 0) {
      await this.#taken(this.#leader.post("/api/trading/orders/cancel-all", {}, this.#seller));
    }
  }

  async #fund({ id }: Trader): Promise<Json> {
    const amount = (1 + Math.random() * 100).toFixed(2);
    return this.#leader.admin(`accounts/${id}/funding`, { amount });
  }

  /** A follower shows everything that the leader has shown. */
  async #read(): Promise<void> {
    const { market } = this.#world;
    const { key } = this.#buyer;
    const month = new Date().toISOString().slice(0, "2026-11".length);
    const notional = (100 + Math.random() * 1_000).toFixed(2);
    const layer = "kind=layered&attachBps=200&exhaustBps=1000";
    const asked = `node=state:tx&expiry=${stateFile().monthAYearOn}&notional=${notional}&${layer}`;
    const own = await this.#taken(this.#leader.get("/api/trading/account", { key }));
    const minimum = atLeast(sequenceOf(own));
    for (const node of [this.#leader, this.#follower]) {
      for (const path of [
        "/api/trading/account",
        `/api/trading/statement?month=${month}`,
        "/api/trading/positions",
        "/api/trading/fills",
        "/api/liquidity/margin-health",
        `/api/markets/${market}/book`,
        `/api/quotes?${asked}`,
      ]) {
        await this.#taken(this.#shown(node, path, { key, ...minimum }));
      }
    }
  }

  /** A follower that gets no processor for a second says so, and is asked again. */
  async #shown(node: Exchange, path: string, by: Parameters<Exchange["get"]>[1]): Promise<Reply> {
    let reply = await node.get(path, by);
    await until("it is not behind", async () => {
      if (reply.status === 503 && node === this.#follower) reply = await node.get(path, by);
      return reply.status !== 503 || node === this.#leader;
    });
    return reply;
  }

  async #inquire(legalName = ""): Promise<void> {
    const name = `account ${this.#rounds}`;
    const opened = await this.#leader.admin("accounts", { name, role: "trader" });
    const key = textAt(opened, "key", "secret");
    const subject = { kind: "person", legalName, countryCode: "US", dateOfBirth: "1970-01-02" };
    const given = { ...subject, address: "1 Plain Lane" };
    await this.#taken(this.#leader.post("/api/kyc/subject", given, { key }));
    await this.#taken(this.#leader.post("/api/kyc/inquiry", { tier: "basic" }, { key }));
    const status = async (): Promise<string> => {
      const reply = await this.#taken(this.#leader.get("/api/kyc/status", { key }));
      return textAt(reply.body, "data", "status");
    };
    await until("it is decided", async () => (await status()) !== "pending");
    assert.equal(await status(), legalName.startsWith("Plain") ? "approved" : "rejected");
    const path = `/api/admin/accounts/${textAt(opened, "account", "id")}/subject`;
    await this.#taken(this.#leader.request("DELETE", path, undefined, { admin: true }));
  }

  /** The next month of rents, then the same file again, and one that is refused. */
  async #bringFile(): Promise<void> {
    const month = addMonths(FIRST_RENTS, this.#releases % MONTHS_OF_RENTS);
    this.#releases += 1;
    const bytes = madeFile(`zori/state/${formatMonth(month)}/rents.csv.gz`);
    assert.ok(bytes !== undefined, "rents are made up for each month");
    const publishedAt = new Date(monthEndMillis(month) + 15 * DAY_MILLIS).toISOString();
    const query = { provider: "zillow", index: "zori", level: "state", publishedAt } as const;
    const file = new Uint8Array(bytes);
    for (const bytesSent of [file, file]) {
      const taken = await upload(this.#leader, bytesSent, query, "application/gzip");
      assert.ok(taken.status < 300, taken.text);
    }
    const cut = await upload(this.#leader, file.slice(0, 9_999), query, "application/gzip");
    assert.equal(cut.status, 422, cut.text);
  }

  /** Until the receivers that are well have everything, and are known to. */
  async #allArrived(): Promise<void> {
    const { auditor } = this.#world;
    // The newest entry is one that each of them is told of.
    await this.#fund(this.#buyer);
    const sequence = sequenceOf(await this.#leader.get("/api/status"));
    for (const [id, by] of [
      [this.#wellId, this.#buyer],
      [this.#trailId, auditor],
    ] as const) {
      const delivered = async () => (await this.#progress(id, by)).delivered >= sequence;
      await until("all came", delivered);
    }
    for (const { told, isOwn } of this.#streams) {
      const reached = () => {
        const newest = told.at(-1);
        if (newest === undefined) return false;
        return isInterrupted(newest) || numberAt(newest.data, "sequence") >= sequence;
      };
      if (isOwn) await until("it is told", reached);
    }
  }

  /** They end when their node does, or where it has no database. */
  #checkStreams(): void {
    for (const { told, node } of this.#streams) {
      const isFollowed = node === this.#follower;
      const broken = told.filter((one) => one.event === "error");
      // A follower that gets no processor for a second ends what only a key may read.
      assert.ok(
        broken.every((one) => isFollowed && isInterrupted(one)),
        "none is broken off",
      );
      const isHeard = told.some(({ event }) => event === "entry") || broken.length > 0;
      assert.ok(isHeard, "a stream told of an entry");
    }
  }

  async #failures({ id, by, fault }: Hook): Promise<readonly Json[]> {
    const reply = await this.#taken(this.#leader.get(`${WEBHOOKS}/${id}/deliveries`, by));
    const attempts = listAt(reply.body, "data");
    return attempts.filter((one) => at(one, "status") === fault || at(one, "fault") === fault);
  }

  async #progresses() {
    return Promise.all(this.#failing.map(({ id, by }) => this.#progress(id, by)));
  }

  async #progress(id: string, by: Trader) {
    const reply = await this.#taken(this.#leader.get(`${WEBHOOKS}/${id}`, by));
    const progress = at(reply.body, "data", "progress");
    return {
      delivered: numberAt(progress, "deliveredSequence"),
      attempts: numberAt(progress, "attempts"),
      failingSince: at(progress, "failingSince"),
    };
  }

  async #taken(asking: Promise<Reply>): Promise<Reply> {
    const reply = await asking;
    assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
    return reply;
  }
}

const isInterrupted = ({ event, data }: ServerSent): boolean =>
  event === "error" && at(data, "code") === "INTERRUPTED";

/** pino's number of the level. */
const ERROR = 50;

/** Lines of level error and above. */
function errorsIn(output: string): readonly string[] {
  return output.split("\n").filter((line) => {
    if (!line.startsWith("{")) return false;
    return numberAt(JSON.parse(line), "level") >= ERROR;
  });
}

/** A node says this whose database is stopped and started under it. */
const isOfOutage = (line: string): boolean =>
  /^(ENOENT|ECONNREFUSED|ECONNRESET|57P0[13])$/.test(String(at(JSON.parse(line), "error", "code")));

/** Of PostgreSQL's log: statements refused, and sessions that no stop of ours ended. */
function errorsOfDatabase(log: string): readonly string[] {
  const ours =
    /terminating connection due to administrator command|database system is (starting|shutting)/;
  return log.split("\n").filter((line) => / (ERROR|FATAL|PANIC):/.test(line) && !ours.test(line));
}
