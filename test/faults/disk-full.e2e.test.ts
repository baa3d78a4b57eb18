// Small disks, filled under load: that of the tables, that of the write-ahead log; and freed again.
// Invariant: a full disk costs time, and nothing that was acknowledged; once free, all goes on.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { runningConnection, startEmbedded } from "#storage/embedded.ts";
import { withClient } from "#storage/with-client.ts";
import { until } from "#test/e2e/until.ts";
import { upload } from "#test/e2e/upload.ts";
import { stateFile } from "#test/ingest/wide-file.ts";
import { Exchange, listAt, type Trader, textAt } from "#test/support/exchange.ts";
import { canMount, SmallDisk } from "#test/support/small-disk.ts";
import { anyRate, DepositLoad } from "./deposit-load.ts";

const CLIENTS = 6;
/** Of each client after a deposit and after a refusal: a full disk says so to few as to many. */
const PAUSE_MILLIS = 100;
const REFUSED_MILLIS = 200;

interface World {
  readonly exchange: Exchange;
  readonly payee: Trader;
  readonly auditor: Trader;
  readonly disk: SmallDisk;
}

/** An exchange that has the folder of its data folder on a small disk; undefined where none is. */
async function onSmallDisk(
  t: TestContext,
  folder: readonly string[],
  megabytes: number,
  run: (world: World) => Promise<void>,
): Promise<void> {
  if (!canMount(t)) return;
  let mounted: SmallDisk | undefined;
  const exchange = await Exchange.startEmbedded(t, anyRate, async (dataDir) => {
    // There is a cluster before a part of it moves onto the disk.
    await (await startEmbedded({ dataDir })).stop();
    mounted = new SmallDisk(join(dataDir, ...folder), megabytes);
  });
  const disk = mounted ?? assert.fail("the folder was prepared");
  try {
    const payee = await exchange.trader("payee", "0");
    const auditor = await exchange.trader("auditor", "0", "auditor");
    await run({ exchange, payee, auditor, disk });
    const verified = await exchange.get("/api/audit/verify", { key: auditor.key });
    assert.match(verified.text, /"valid":true/);
    assert.equal(await exchange.stop(), 0);
  } catch (error) {
    t.diagnostic(`the exchange said last: ${exchange.output.slice(-2_000)}`);
    throw error;
  } finally {
    await exchange.kill();
    await endServer(exchange);
    disk.remove();
  }
}

/** Ends the server that a killed exchange leaves running: it would keep the small disk. */
async function endServer(exchange: Exchange): Promise<void> {
  const left = await startEmbedded({ dataDir: exchange.dataDir }).catch(() => undefined);
  await left?.stop();
}

/** Under load, `fill` fills the disk; when it is free again, everything is as it must be. */
async function fillUnderLoad(t: TestContext, world: World, fill: () => Promise<void>) {
  const { exchange, payee, auditor, disk } = world;
  const load = new DepositLoad(exchange, payee.id, auditor.key, "deposit");
  try {
    load.start(CLIENTS, PAUSE_MILLIS, REFUSED_MILLIS);
    await until("deposits are answered", () => load.answers > 40);
    await fill();
    await until("the full disk shows", () => load.refusals > 30);
    await sleep(1_000);
    const live = await exchange.get("/api/health/live");
    assert.equal(live.status, 200, "the node is there to be asked");
    await disk.free();
    const before = load.answers;
    await until("deposits are answered again", () => load.answers > before + 40);
  } finally {
    await disk.free();
    await load.end();
  }
  const { stored, absent } = await load.settle();
  const codes = [...load.codes].map(([code, count]) => `${count} ${code}`).join(", ");
  t.diagnostic(`${load.answers} answers; ${codes}; unknown: ${stored} stored, ${absent} not`);
}

test("the disk of the tables is full: deposits wait, and a release is refused whole", (t) =>
  onSmallDisk(t, ["postgresql", "cluster", "base"], 64, async (world) => {
    await fillUnderLoad(t, world, () => world.disk.fill());
    assert.match(world.exchange.output, /No space left on device/, "it says why");
    await refuseRelease(world);
  }));

test("the disk of the write-ahead log is full: the server ends, and comes back", (t) =>
  onSmallDisk(t, ["postgresql", "cluster", "pg_wal"], 80, async (world) => {
    const connection = await runningConnection(world.exchange.dataDir);
    assert.ok(connection !== undefined);
    await fillUnderLoad(t, world, async () => {
      await world.disk.fill();
      await useUpLog(connection);
      await until("the server has given up", () =>
        /PostgreSQL does not start in/.test(world.exchange.output),
      );
      const { exchange, auditor, payee } = world;
      const history = await exchange.get("/api/audit/export", { key: auditor.key });
      assert.equal(history.status, 503);
      assert.equal(textAt(history.body, "code"), "STORAGE_UNAVAILABLE");
      assert.ok((await exchange.cash(payee.id)) > 0n, "balances are read from memory");
    });
    const { output } = world.exchange;
    assert.match(output, /The PostgreSQL server, process \d+, ended on its own/);
    assert.match(output, /PostgreSQL does not start in .*No space left on device/, "it says why");
  }));

/** Sixteen megabytes of log are reserved at a time: on to the next, until there is none. */
async function useUpLog(connection: ConstructorParameters<typeof Client>[0]): Promise<void> {
  const client = new Client(connection);
  client.on("error", () => undefined);
  try {
    // The load may have used it up already: then the server takes nobody any more.
    await client.connect();
    for (let at = 0; at < 20; at += 1) {
      await client.query("SELECT pg_switch_wal(), txid_current()");
      await sleep(20);
    }
    assert.fail("the log has no end");
  } catch (error) {
    assert.ok(!(error instanceof assert.AssertionError), String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** On the disk of the tables: it is refused whole, and taken when the disk is free again. */
async function refuseRelease({ exchange, disk }: World): Promise<void> {
  const release = {
    provider: "zillow",
    index: "zhvi",
    level: "state",
    publishedAt: "2026-02-16T00:00:00Z",
  } as const;
  await disk.fill();
  // More than PostgreSQL finds room for in pages it has.
  const refused = await upload(exchange, new Uint8Array(randomBytes(4_000_000)), release);
  assert.equal(refused.status, 503, refused.text);
  assert.equal(textAt(refused.body, "code"), "STORAGE_UNAVAILABLE");
  const listed = await exchange.get("/api/admin/releases", { admin: true });
  assert.equal(listAt(listed.body, "data").length, 0);
  assert.match(exchange.output, /No space left on device/, "the operator is told why");

  await disk.free();
  const connection = await runningConnection(exchange.dataDir);
  assert.ok(connection !== undefined);
  await until("nothing half-done is left", async () => {
    const count = (client: Client) => client.query("SELECT FROM raw_chunk");
    return (await withClient({ ...connection }, count)).rowCount === 0;
  });
  const taken = await upload(exchange, stateFile(), release);
  assert.ok(taken.status < 300, taken.text);
}
