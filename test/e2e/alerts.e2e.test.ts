// Each alert of the rules that ship is made to fire by its cause, on a leader and a node that
// stands by. A rule without a row here fails the first test.
// Invariant tested: what the rule is for moves the numbers of a real exchange so that it fires, and
// before that it does not.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { marketId, releaseId } from "#base/ids.ts";
import { parseMonth } from "#base/month.ts";
import { parseTick } from "#base/price.ts";
import type { AcceptedRelease } from "#core/records.ts";
import { RefusalCounts } from "#http/server/refusal-counts.ts";
import type { DownloadSource } from "#ingest/downloads/plan.ts";
import { type DownloadState, noVisits, stateOf, type Visits } from "#ingest/downloads/state.ts";
import { cosignerKey, generateSigningKey } from "#journal/note.ts";
import { Metrics } from "#node/metrics.ts";
import { noteBackup } from "#storage/last-backup.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { PublicWorld } from "#test/http/public-world.ts";
import { order } from "#test/http/world.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { ADMIN_SECRET, checkout, Exchange } from "#test/support/exchange.ts";
import { assertFired, noPromtool, ruleNames, type Told } from "#test/support/fired.ts";
import { canMount, SmallDisk } from "#test/support/small-disk.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { runProgram } from "./program.ts";
import { scraped, seriesValue } from "./scrape.ts";
import { copySecrets } from "./two-nodes.ts";
import { until } from "./until.ts";

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 1_440 * MINUTE_MILLIS;
/** More than a leader decides ahead of its journal without being watched, and orders under way. */
const MANY = 1_100;
/** Shorter than the silence after which a node leads no more. */
const HELD_MILLIS = 3_000;

/** A node under test, and the file by which it is led astray. */
class Watched {
  readonly exchange: Exchange;
  readonly socket: string;
  readonly #folder: string;

  private constructor(exchange: Exchange, socket: string, folder: string) {
    this.exchange = exchange;
    this.socket = socket;
    this.#folder = folder;
  }

  static async start(
    t: TestContext,
    more: Readonly<Record<string, string>>,
    prepare?: (dataDir: string) => Promise<void>,
  ): Promise<Watched> {
    const folder = await temporaryFolder(t, "firstprint-alerts-");
    const socket = join(folder, "operators.sock");
    const environment = {
      NODE_OPTIONS: `--max-old-space-size=384 --import=${join(checkout, "test/support/caused-faults.ts")}`,
      TEST_CLOCK_FILE: join(folder, "ahead"),
      TEST_FAULTS_FILE: join(folder, "faults"),
      FIRSTPRINT_OPERATOR_LISTEN: socket,
      FIRSTPRINT_MAX_KEY_RATE: "1000000",
      ...more,
    };
    return new Watched(await Exchange.start(t, environment, prepare), socket, folder);
  }

  /** Undefined where nobody answers. */
  scrape(): Promise<string | undefined> {
    return scraped(this.socket).catch(() => undefined);
  }

  async metric(series: string): Promise<number | undefined> {
    return seriesValue((await this.scrape()) ?? "", `firstprint_${series}`);
  }

  async is(series: string, value: number): Promise<void> {
    await until(`${series} is ${value}`, async () => (await this.metric(series)) === value);
  }

  setClock(aheadMillis: number): Promise<void> {
    return writeFile(join(this.#folder, "ahead"), String(aheadMillis));
  }

  fault(faults: object): Promise<void> {
    return writeFile(join(this.#folder, "faults"), JSON.stringify(faults));
  }
}

interface Stage {
  readonly t: TestContext;
  readonly leader: Watched;
  readonly standby: Watched;
  /** A session of its own in their database. */
  readonly database: Client;
  readonly trader: { readonly id: string; readonly key: string };
}

const ARCHIVE_LOCK = "hashtextextended('firstprint/archive', 0)";
const LOCK = "hashtextextended('firstprint/leader', 0)";

const fund = ({ leader, trader }: Stage): Promise<unknown> =>
  leader.exchange.admin(`accounts/${trader.id}/funding`, { amount: "1", memo: "m" });

/** While the other session has what the leader waits for. */
async function whileLocked<T>(
  { database }: Stage,
  lock: string,
  work: () => Promise<T>,
): Promise<T> {
  await database.query("BEGIN");
  await database.query(lock);
  try {
    return await work();
  } finally {
    await database.query("ROLLBACK");
  }
}

const APPENDS = "SELECT FROM leader FOR UPDATE";

const around = async (node: Watched, cause: () => Promise<unknown>) => {
  const before = await node.scrape();
  await cause();
  return { a: [before, await node.scrape()] as const };
};

interface Alert {
  readonly cause: string;
  readonly raise: (stage: Stage) => Promise<Omit<Told, "alert">>;
}

/** In the order they are caused: the last ends the nodes. */
const alerts: Readonly<Record<string, Alert>> = {
  FirstprintArchiveStalls: {
    cause: "another process has been archiving for ever",
    raise: async ({ leader, standby }) => {
      await leader.is("archive_failed_runs", 1);
      return { nodes: { a: [await standby.scrape(), await leader.scrape()] } };
    },
  },
  FirstprintWitnessRefuses: {
    cause: "a witness answers 403",
    raise: async ({ leader, standby }) => ({
      nodes: { a: [await standby.scrape(), await leader.scrape()] },
    }),
  },
  FirstprintOverlapEnds: {
    cause: "the pepper was changed, and the old one counts two days more",
    raise: async ({ leader, standby }) => ({
      nodes: { a: [await standby.scrape(), await leader.scrape()] },
    }),
  },
  FirstprintLoopHeld: {
    cause: "the process is held off the processor",
    raise: async ({ leader }) => {
      // It begins anew with each scrape.
      await leader.scrape();
      await sleep(300);
      const nodes = await around(leader, async () => {
        for (let times = 0; times < 3; times += 1) {
          leader.exchange.signal("SIGSTOP");
          await sleep(500);
          leader.exchange.signal("SIGCONT");
          await sleep(20);
        }
      });
      return { nodes };
    },
  },
  FirstprintBackupOld: {
    cause: "no backup of the folder was taken",
    raise: async ({ leader }) => {
      const { dataDir } = leader.exchange;
      await noteBackup(dataDir, new Date().toISOString());
      const nodes = await around(leader, () => rm(join(dataDir, "last-backup")));
      return { nodes };
    },
  },
  FirstprintDiskShort: {
    cause: "the disk of the data folder is filled",
    raise: async ({ leader }) => {
      const disk = new SmallDisk(leader.exchange.dataDir, 16);
      try {
        return { nodes: await around(leader, () => disk.fill(8_192)) };
      } finally {
        disk.remove();
      }
    },
  },
  FirstprintWebhooksFail: {
    cause: "a webhook's address answers 500",
    raise: async (stage) => {
      const { t, leader, trader } = stage;
      const url = await answering(t, 500);
      const nodes = await around(leader, async () => {
        const created = await leader.exchange.post("/api/trading/webhooks", { url }, trader);
        assert.ok(created.status < 300, created.text);
        await fund(stage);
        await leader.is("webhooks_failing", 1);
      });
      return { nodes };
    },
  },
  FirstprintWebhookRowRefused: {
    cause: "the database takes no row of an attempt",
    raise: async (stage) => {
      const { t, leader, trader, database } = stage;
      const url = await answering(t, 200);
      await database.query(
        "ALTER TABLE webhook_cursor ADD CONSTRAINT caused CHECK (run IS NULL) NOT VALID",
      );
      const nodes = await around(leader, async () => {
        await leader.exchange.post("/api/trading/webhooks", { url }, trader);
        await fund(stage);
        const refused = async () => (await leader.metric("webhook_rows_refused_total")) ?? 0;
        await until("a row was refused", async () => (await refused()) > 0);
      });
      await database.query("ALTER TABLE webhook_cursor DROP CONSTRAINT caused");
      return { nodes };
    },
  },
  FirstprintHalted: {
    cause: "an operator halts the exchange",
    raise: async ({ leader }) => {
      const nodes = await around(leader, () => leader.exchange.admin("halt", { reason: "a test" }));
      await leader.exchange.admin("resume", { reason: "a test" });
      return { nodes };
    },
  },
  FirstprintAppendsSlow: {
    cause: "the database keeps an append waiting",
    raise: async (stage) => ({
      nodes: await around(stage.leader, async () => {
        const funded = await whileLocked(stage, APPENDS, async () => {
          const asked = fund(stage);
          await sleep(600);
          return [asked];
        });
        await Promise.all(funded);
      }),
      goesOn: true,
    }),
  },
  FirstprintFaults: {
    cause: "a table that a request reads is not there",
    raise: async ({ leader, database }) => {
      const nodes = await around(leader, async () => {
        await database.query("ALTER TABLE snapshot RENAME TO caused");
        const { status } = await leader.exchange.get("/api/admin/upkeep", { admin: true });
        assert.equal(status, 500);
        await database.query("ALTER TABLE caused RENAME TO snapshot");
      });
      return { nodes };
    },
  },
  FirstprintViewRedrawn: {
    cause: "what is shown fails to take an entry in",
    raise: async (stage) => {
      const nodes = await around(stage.leader, async () => {
        await stage.leader.fault({ viewFault: 1 });
        await fund(stage);
        await stage.leader.is("view_redrawn_total", 1);
      });
      return { nodes };
    },
  },
  FirstprintRoomShort: {
    cause: "the memory of the process is in use",
    raise: async (stage) => {
      const { leader, standby } = stage;
      // While it collects a full heap it may be silent for seconds: nobody is to lead in its place.
      standby.exchange.signal("SIGSTOP");
      const nodes = await around(leader, async () => {
        await leader.fault({ viewFault: 1, ballast: 240_000 });
        await until("it is in use", async () => {
          // Each command looks at the room; whether this one is taken matters to nobody.
          await fund(stage).catch(() => undefined);
          return ((await leader.metric("room_used_ratio")) ?? 0) > 0.8;
        });
      });
      await leader.fault({ viewFault: 1 });
      await until("it leads", async () => (await leader.metric("leads")) === 1);
      standby.exchange.signal("SIGCONT");
      return { nodes };
    },
  },
  FirstprintClockJumped: {
    cause: "the machine's clock is set two minutes ahead",
    raise: async ({ leader }) => {
      const nodes = await around(leader, async () => {
        await leader.setClock(9 * MINUTE_MILLIS);
        await leader.is("clock_jumps_total", 1);
      });
      return { nodes };
    },
  },
  FirstprintTimeStands: {
    cause: "it is set back behind the newest entry",
    raise: async (stage) => {
      const { leader } = stage;
      await fund(stage);
      const nodes = await around(leader, async () => {
        await leader.setClock(0);
        await leader.is("clock_jumps_total", 2);
      });
      return { nodes };
    },
  },
  FirstprintClockDoubted: {
    cause: "the machine's clock is set a day ahead",
    raise: async ({ leader }) => {
      const nodes = await around(leader, async () => {
        await leader.setClock(DAY_MILLIS);
        await leader.is("clock_doubted", 1);
      });
      await leader.setClock(0);
      await leader.is("clock_doubted", 0);
      return { nodes };
    },
  },
  FirstprintFundShort: {
    cause: "a mark makes two owners owe more than the fund has",
    raise: async ({ t }) => inWorld(t, "50000", "4000", "0.05", "0.6"),
  },
  FirstprintInDefault: {
    cause: "a margin call is not met for a day",
    raise: async ({ t }) => inWorld(t, "1000", "300", "0.4", "0.7", 86_400),
  },
  FirstprintWaits: {
    cause: "one operator voids a market, and a second has to agree",
    raise: async ({ t }) => inWorld(t, "1000", "3000", "0.4", "0.4", 60, true),
  },
  FirstprintDownloadFails: {
    cause: "a source has answered nothing three times",
    raise: async ({ t }) => ofDownloads(t, { failures: 3, failingSinceMillis: Date.now() }, 0),
  },
  FirstprintPrintOverdue: {
    cause: "two years have gone by since the newest print",
    raise: async ({ t }) => ofDownloads(t, {}, 730 * DAY_MILLIS),
  },
  FirstprintNodeBehind: {
    cause: "the journal cannot be read",
    raise: async (stage) => {
      const { standby } = stage;
      const before = await standby.scrape();
      const after = await whileLocked(stage, "LOCK TABLE journal", async () => {
        const lag = async (): Promise<number> => (await standby.metric("lag_seconds")) ?? 0;
        await until("it is behind", async () => (await lag()) > 2.5);
        return standby.scrape();
      });
      return { nodes: { a: [before, after] } };
    },
  },
  FirstprintTwoLead: {
    cause: "two exchanges that lead stand in one job",
    raise: async ({ leader, standby }) => {
      const [leads, stands] = await Promise.all([leader.scrape(), standby.scrape()]);
      return { nodes: { a: [leads, leads], b: [stands, leads] } };
    },
  },
  FirstprintLeadChanges: {
    cause: "the lead is handed over again and again",
    raise: async ({ leader, standby }) => {
      const nodes = [leader, standby] as const;
      const told: (readonly [string | undefined, string | undefined])[] = [];
      const look = async () => void told.push([await leader.scrape(), await standby.scrape()]);
      await look();
      for (let times = 0; times < 4; times += 1) {
        const [from, to] = times % 2 === 0 ? nodes : [nodes[1], nodes[0]];
        from.exchange.signal("SIGUSR2");
        await to.is("leads", 1);
        await from.is('mode{mode="standby"}', 1);
        await look();
      }
      const [first, ...rest] = told;
      assert.ok(first !== undefined);
      const of = (node: 0 | 1) => [first[node], ...rest.map((pair) => pair[node])] as const;
      return { nodes: { a: of(0), b: of(1) } };
    },
  },
  FirstprintNobodyStandsBy: {
    cause: "the other node is ended",
    raise: async ({ leader, standby }) => {
      const before = await standby.scrape();
      await standby.exchange.kill();
      const leads = await leader.scrape();
      return { nodes: { a: [leads, leads], b: [before, await standby.scrape()] } };
    },
  },
  FirstprintEntriesWait: {
    cause: "the database takes no entry while deposits come",
    raise: async (stage) => {
      const { t, leader, trader } = stage;
      const body = JSON.stringify({ amount: "1", memo: "m" });
      const path = `/api/admin/accounts/${trader.id}/funding`;
      const one = rawPost(path, `x-admin-secret: ${ADMIN_SECRET}`, body);
      const before = await leader.scrape();
      const after = await whileLocked(stage, APPENDS, async () => {
        const [connection] = await connected(t, leader, 1);
        connection?.write(one.repeat(MANY));
        let text = "";
        const waits = async (): Promise<number> => {
          text = (await leader.scrape()) ?? "";
          const [decided = 0, durable = 0] = ["sequence", "durable_sequence"].map((name) =>
            seriesValue(text, `firstprint_${name}`),
          );
          return decided - durable;
        };
        await until("they wait", async () => (await waits()) > 1_000);
        return text;
      });
      await untilServed(stage);
      return { nodes: { a: [before, after] } };
    },
  },
  FirstprintOverloaded: {
    cause: "more orders are under way than a node takes",
    raise: async (stage) => {
      const { t, leader, trader } = stage;
      const placed = {
        marketId: "no-market",
        outcomeIndex: 0,
        side: "BUY",
        amount: "1",
        price: 0.5,
      };
      const credential = `authorization: Bearer ${trader.key}`;
      const one = rawPost("/api/trading/orders", credential, JSON.stringify(placed));
      const before = await leader.scrape();
      const refused = async (): Promise<number> =>
        (await leader.metric('refusals_total{code="OVERLOADED"}')) ?? 0;
      // A leader whose appends wait for 5 s leads no more: whatever came too slowly is sent again.
      while ((await refused()) <= 20) {
        const connections = await connected(t, leader, MANY);
        const [funded] = await whileLocked(stage, APPENDS, async () => {
          // Each answer waits for everything that was decided before it.
          const asked = fund(stage).catch(() => undefined);
          await until("a deposit waits", async () => {
            const [decided = 0, durable = 0] = [
              await leader.metric("sequence"),
              await leader.metric("durable_sequence"),
            ];
            return decided > durable;
          });
          for (const connection of connections) connection.write(one);
          const end = performance.now() + HELD_MILLIS;
          while ((await refused()) <= 20 && performance.now() < end) await sleep(100);
          return [asked];
        });
        await funded;
        for (const connection of connections) connection.destroy();
        await untilServed(stage);
      }
      return { nodes: { a: [before, await leader.scrape()] }, goesOn: true };
    },
  },
  FirstprintNobodyLeads: {
    cause: "another session has the lock that a node leads under",
    raise: async ({ leader, database }) => {
      const nodes = await around(leader, async () => {
        const locked = database.query(`SELECT pg_advisory_lock(${LOCK})`);
        leader.exchange.signal("SIGUSR2");
        await locked;
        await leader.is("leads", 0);
      });
      await database.query(`SELECT pg_advisory_unlock(${LOCK})`);
      return { nodes };
    },
  },
  FirstprintNodeDown: {
    cause: "the process is killed",
    raise: async ({ leader }) => ({ nodes: await around(leader, () => leader.exchange.kill()) }),
  },
};

const rawPost = (path: string, credential: string, body: string): string =>
  [
    ...[`POST ${path} HTTP/1.1`, "host: localhost", credential, "content-type: application/json"],
    ...[`content-length: ${body.length}`, "", body],
  ].join("\r\n");

/** So many connections whose answers are not kept. */
function connected(
  t: TestContext,
  { exchange }: Watched,
  count: number,
): Promise<readonly Socket[]> {
  const port = Number(new URL(exchange.url).port);
  const opened = Array.from({ length: count }, async () => {
    const socket = connect(port, "127.0.0.1");
    t.after(() => void socket.destroy());
    await once(socket, "connect");
    socket.on("error", () => undefined);
    return socket.resume();
  });
  return Promise.all(opened);
}

const untilServed = ({ leader }: Stage): Promise<void> =>
  until("what waited is answered", async () => {
    const { status } = await leader.exchange.get("/api/health/ready");
    const [decided, durable] = [
      await leader.metric("sequence"),
      await leader.metric("durable_sequence"),
    ];
    return status === 200 && decided === durable;
  });

/** The address of a server that answers everything with this status. */
async function answering(t: TestContext, status: number): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}/`;
}

/** Two sellers against one buyer, a mark, and time that goes by, in the exchange of the HTTP tests. */
async function inWorld(
  t: TestContext,
  amount: string,
  deposit: string,
  price: string,
  marked: string,
  seconds = 0,
  isVoided = false,
): Promise<Omit<Told, "alert">> {
  const open = await PublicWorld.open(t);
  const { world } = open;
  const metrics = metricsOf(world);
  const text = async (): Promise<string> => (await metrics.text()).text;
  const market = await world.market();
  const buyer = await world.trader("buyer", "1000000");
  const mark = async (to: string): Promise<void> => {
    const tick = parseTick(to) ?? assert.fail(to);
    const marks = [{ marketId: marketId(market), markTick: tick, stressedTick: tick }];
    const command = publishMarks(marks);
    const own = { actor: { type: "system" }, requestId: "marks", idempotency: null } as const;
    await world.engine.submit({ ...own, command });
  };
  await mark(price);
  const sale = order(market, { side: "SELL", amount, price: Number(price) });
  for (const name of ["first", "second"]) {
    const seller = await world.trader(name, deposit);
    await world.post("/api/trading/orders", seller.secret, sale);
    await world.post("/api/trading/orders", buyer.secret, { ...sale, side: "BUY" });
  }
  const before = await text();
  await mark(marked);
  if (isVoided) await open.admin("POST", `markets/${market}/cancel`, { reason: "listed wrongly" });
  if (seconds > 0) await open.admin("POST", "clock", { advanceSeconds: seconds });
  return { nodes: { a: [before, await text()] } };
}

/** A source whose newest release is of September 2024, before and after its visits or that time. */
async function ofDownloads(
  t: TestContext,
  visits: Partial<Visits>,
  laterMillis: number,
): Promise<Omit<Told, "alert">> {
  const { world } = await PublicWorld.open(t);
  const month = parseMonth("2024-09") ?? assert.fail();
  const now = Date.UTC(2024, 10, 1);
  const release: AcceptedRelease = {
    ...{ id: releaseId("rel-1"), provider: "zillow", index: "zhvi", level: "state" },
    ...{ publishedAtMillis: now, ingestedAtMillis: now, resolvedMarkets: [], rows: 1 },
    ...{ firstMonth: month, lastMonth: month, firstPrints: 1, revisions: 0, unchanged: 0 },
    ...{ rescaled: 0, unmatched: 0, methodologyVersion: "1", printsDigest: "", latestDigest: "" },
    sha256: "b".repeat(64),
  };
  const releases = new Map([[release.id, release]]);
  const source: DownloadSource = {
    ...{ provider: "zillow", index: "zhvi", level: "state", everyHours: 24 },
    url: new URL("https://files.example/state.csv"),
  };
  const told = (of: Partial<Visits>, nowMillis: number) => {
    const whole = { ...noVisits(), ...of };
    const state = stateOf(source, whole, releases, nowMillis, nowMillis);
    return metricsOf(world, () => [state]).text();
  };
  const [before, after] = [await told({}, now), await told(visits, now + laterMillis)];
  return { nodes: { a: [before.text, after.text] } };
}

function metricsOf(
  world: PublicWorld["world"],
  states: () => readonly DownloadState[] = () => [],
): Metrics {
  const metrics = new Metrics();
  metrics.watch({
    ...{ engine: { ...engineOf(world), history: world.engine.history }, exchange: world.view },
    ...{ refusalCounts: new RefusalCounts(), streams: {}, clock: undefined, dataDir: checkout },
    ...{ leads: () => true, deliverer: { cursorOf: () => undefined }, witnesses: { states: [] } },
    ...{ archiving: { failedRuns: 0, underWaySeconds: 0 }, overlaps: new Map() },
    downloads: { states },
  });
  return metrics;
}

const engineOf = ({ engine }: PublicWorld["world"]) => ({
  status: () => engine.status(),
  epoch: () => engine.epoch(),
});

async function open(t: TestContext): Promise<Stage> {
  const connection = await createDatabase({ after });
  const folder = await temporaryFolder(t, "firstprint-alerts-");
  const archive = join(folder, "archive");
  const witness = `${cosignerKey(generateSigningKey(), "w.example/1")} ${await answering(t, 403)}`;
  const given = {
    ...{ DATABASE_URL: urlOf(connection), FIRSTPRINT_WEBHOOK_NETWORKS: "127.0.0.0/8" },
    FIRSTPRINT_PARTITION_ENTRIES: "4096",
  };
  const leader = await Watched.start(t, {
    ...given,
    FIRSTPRINT_WITNESSES: witness,
    FIRSTPRINT_ARCHIVE: archive,
    FIRSTPRINT_ARCHIVE_DAYS: "0",
  });
  const trader = await leader.exchange.trader("a", "1000");
  const database = new Client(connection);
  await database.connect();
  t.after(() => database.end());
  const { rows } = await database.query("SELECT entries FROM journal_layout");
  assert.deepEqual(rows, [{ entries: "4096" }]);
  await database.query(`SELECT pg_advisory_lock(${ARCHIVE_LOCK})`);
  const program = join(checkout, "bin/firstprint");
  const rotate = ["secret", "rotate", "pepper", "--reason", "Mina Roth: yearly", "--overlap", "2d"];
  const rotated = await runProgram(program, rotate, leader.exchange.place);
  assert.equal(rotated.code, 0, rotated.output);
  await leader.exchange.stop();
  await leader.exchange.up();
  const copy = (dataDir: string) => copySecrets(leader.exchange.dataDir, dataDir);
  const standby = await Watched.start(t, given, copy);
  return { t, leader, standby, database, trader };
}

test("each rule that ships has its cause here", () => {
  assert.deepEqual(Object.keys(alerts).sort(), [...ruleNames].sort());
});

test("each alert fires by its cause, and not before", { skip: noPromtool }, async (t) => {
  if (!canMount(t)) return;
  const stage = await open(t);
  const told: Told[] = [];
  for (const [alert, { raise }] of Object.entries(alerts)) {
    const at = performance.now();
    told.push({ alert, ...(await raise(stage)) });
    t.diagnostic(`${alert} ${Math.round(performance.now() - at)} ms`);
  }
  assertFired(told);
});
