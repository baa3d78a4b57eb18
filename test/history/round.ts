// One round: fifty clients and three readers of the stream, while the exchange is killed, paused
// and cut off; then everything is read, and the checker judges.
// Invariant: nothing reaches the checker but what came over HTTP, and when.
import assert from "node:assert/strict";
import { loadavg } from "node:os";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { furnish, type TradedWorld } from "#test/e2e/traded-world.ts";
import { until } from "#test/e2e/until.ts";
import { eventsOf, type ServerSent } from "#test/http/event-reader.ts";
import { randomFrom } from "#test/ingest/wide-file.ts";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { cashOf, emptyBook, heldIn, orderIn, toldIn } from "./answers.ts";
import { faultsIn } from "./checker.ts";
import { Client } from "./client.ts";
import type { History, Row } from "./history.ts";
import { rowsOf } from "./journal-rows.ts";
import { Nemesis } from "./nemesis.ts";
import { Recorder } from "./recorder.ts";
import { Wire } from "./wire.ts";

const CLIENTS = 50;
const ACCOUNTS = 10;
const STREAMS = 3;
const DEPOSIT = "100000";
const PAGE = 200;
const STREAM_WAITS_MILLIS = 50;
const LATEST_FAULTS = 20;

export async function playRound(t: TestContext, seed: number, seconds: number): Promise<void> {
  const exchange = await Exchange.startEmbedded(t, { FIRSTPRINT_MAX_KEY_RATE: "1000000" });
  const names = Array.from({ length: ACCOUNTS }, (_, number) => `trader ${number}`);
  const world = await furnish(exchange, names, DEPOSIT);
  const random = randomFrom(seed);
  const draw = (bound: number): number => Math.floor(random() * bound);
  const wire = await Wire.start(draw);
  t.after(() => wire.stop());
  wire.target = exchange.url;

  const recorder = new Recorder(wire.port);
  const nemesis = new Nemesis(exchange, wire, recorder, draw);
  const endsAt = performance.now() + seconds * 1_000;
  let isWatched = true;
  const befalling = nemesis
    .run(() => performance.now() > endsAt)
    .finally(() => {
      isWatched = false;
    });
  const players = { market: world.market, auditor: world.auditor, recorder, draw };
  const clients = Array.from({ length: CLIENTS }, (_, number) => {
    const trader = world.traders[number % ACCOUNTS] ?? assert.fail("there are traders");
    return new Client(`client-${number}`, trader, players);
  });
  const cut = new AbortController();
  const streams = Array.from({ length: STREAMS }, (_, number) =>
    readStream(`stream-${number}`, wire, recorder, cut.signal),
  );
  // After any failure, nothing may go on that could start the exchange again.
  const runs = clients.map((client) => client.run(() => !isWatched));
  await Promise.allSettled([befalling, ...runs]);
  cut.abort();
  await Promise.all([befalling, ...runs, ...streams]);

  const { rows, final } = await readEnd(world);
  const { operations } = recorder;
  const faults = [...recorder.oddities, ...faultsIn({ operations, rows, final })];
  tell(t, seed, seconds, recorder, rows, nemesis, wire);
  assert.deepEqual(faults.slice(0, LATEST_FAULTS), [], `${faults.length} faults, seed ${seed}`);
  assertCoverage(recorder, rows, nemesis, wire);
}

/** Comes back with the last id it read, whenever it was cut off. */
async function readStream(
  client: string,
  wire: Wire,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<void> {
  let last = 0;
  while (!signal.aborted) {
    try {
      const response = await fetch(`http://127.0.0.1:${wire.port}/api/stream`, {
        headers: { "last-event-id": String(last) },
        signal,
      });
      if (response.status === 200 && response.body !== null) {
        for await (const message of eventsOf(response.body)) {
          if (message.event === "error") break;
          last = Number(message.id);
          record(recorder, client, message);
        }
      } else {
        const { status } = response;
        const said = await response.text();
        // It asks with an id that it was given: no exchange may say it has not come so far.
        if (status !== 503) recorder.oddities.push(`odd: the stream answered ${status} ${said}`);
      }
    } catch {
      // Cut off, or nobody there.
    }
    await sleep(STREAM_WAITS_MILLIS);
  }
}

function record(recorder: Recorder, client: string, { event, id, data }: ServerSent): void {
  const claims = new Map(event === "entry" ? toldIn(data) : []);
  const time = at(data, "time");
  recorder.operations.push({
    client,
    key: null,
    bringsMicros: 0n,
    // An item read from a stream was sent then, not when the stream was asked for.
    invokedAt: 0,
    returnedAt: recorder.now(),
    outcome: {
      type: "ok",
      claims,
      text: "",
      isReplay: false,
      sequence: Number(id),
      timeMillis: typeof time === "string" ? Date.parse(time) : null,
    },
  });
}

/** The whole journal and all that is shown, when everything taken in has become durable. */
async function readEnd(world: TradedWorld): Promise<Pick<History, "rows" | "final">> {
  const { exchange, traders, auditor, market } = world;
  await until("all that was taken in is durable", async () => {
    const { body } = await exchange.get("/api/status");
    return numberAt(body, "sequence") === numberAt(body, "durableSequence");
  });
  const exported = await exchange.get("/api/audit/export", { key: auditor.key });
  const [first, ...others] = rowsOf(exported.body);
  assert.ok(first !== undefined);
  // Of the book and the auditor's cash, nothing is ever posted that says they are empty.
  const changes = new Map([...emptyBook(), ...first.changes]);
  changes.set(`ledger:cash:${auditor.id}`, "0");
  const founded = { ...first, changes };
  const final = new Map<string, string>();
  const listed = await exchange.get("/api/admin/accounts?limit=100", { admin: true });
  for (const account of listAt(listed.body, "data")) {
    for (const claim of cashOf(textAt(account, "id"), account)) final.set(...claim);
  }
  for (const { id, key } of traders) {
    const { body } = await exchange.get(`/api/trading/positions?marketId=${market}`, { key });
    for (const claim of heldIn(id, listAt(body, "data"))) final.set(...claim);
    await readOrders(exchange, key, final);
  }
  const verified = await exchange.get("/api/audit/verify", { key: auditor.key });
  assert.equal(at(verified.body, "data", "valid"), true, verified.text);
  return { rows: [founded, ...others], final };
}

async function readOrders(
  exchange: Exchange,
  key: string,
  final: Map<string, string>,
): Promise<void> {
  let cursor = "";
  for (;;) {
    const page = await exchange.get(`/api/trading/orders?limit=${PAGE}${cursor}`, { key });
    for (const order of listAt(page.body, "data")) {
      for (const claim of orderIn(order)) {
        assert.ok(!final.has(claim[0]), `${claim[0]} is listed once`);
        final.set(...claim);
      }
    }
    const next = at(page.body, "nextCursor");
    if (typeof next !== "string") return;
    cursor = `&cursor=${next}`;
  }
}

const countOf = <T>(items: readonly T[], is: (item: T) => boolean): number =>
  items.filter(is).length;

/** Writes that nobody was ever told of, and whether the journal has them. */
function lostIn({ operations }: Recorder, rows: readonly Row[]): Map<string, boolean> {
  const entered = new Set(rows.filter((row) => row.isAccepted).map(({ key }) => key));
  const lost = new Map<string, boolean>();
  for (const { key, outcome } of operations) {
    if (key === null) continue;
    if (outcome.type === "unknown") lost.set(key, entered.has(key));
    else lost.delete(key);
  }
  return lost;
}

function assertCoverage(
  recorder: Recorder,
  rows: readonly Row[],
  nemesis: Nemesis,
  wire: Wire,
): void {
  const { operations } = recorder;
  const lost = new Set(lostIn(recorder, rows).values());
  assert.equal(lost.size, 2, "of what stayed unknown some was applied, and some was not");
  for (const [act, count] of Object.entries(nemesis.counts)) {
    assert.ok(count > 0, `${act} happened`);
  }
  for (const [side, count] of Object.entries(wire.cuts)) {
    assert.ok(count > 0, `a connection was cut in the middle of its ${side}`);
  }
  const writes = operations.filter(({ key }) => key !== null);
  for (const type of ["ok", "refused", "unknown"]) {
    assert.ok(countOf(writes, ({ outcome }) => outcome.type === type) > 0, `some were ${type}`);
  }
  assert.ok(
    countOf(writes, ({ outcome }) => outcome.type === "ok" && outcome.isReplay) > 0,
    "something was asked for twice",
  );
}

function tell(
  t: TestContext,
  seed: number,
  seconds: number,
  recorder: Recorder,
  rows: readonly Row[],
  { counts }: Nemesis,
  { cuts }: Wire,
): void {
  const { operations } = recorder;
  const lost = [...lostIn(recorder, rows).values()];
  const writes = operations.filter(({ key }) => key !== null);
  const of = (type: string) => countOf(writes, ({ outcome }) => outcome.type === type);
  const replays = countOf(writes, ({ outcome }) => outcome.type === "ok" && outcome.isReplay);
  const reads = countOf(operations, ({ key, invokedAt }) => key === null && invokedAt > 0);
  const told = countOf(operations, ({ invokedAt }) => invokedAt === 0);
  t.diagnostic(
    `${seconds} s from seed ${seed}: ${writes.length} writes (${of("ok")} ok, ${replays} of them ` +
      `replays; ${of("refused")} refused, ${of("unknown")} unknown; ${lost.length} for ever, of ` +
      `these ${countOf(lost, Boolean)} applied), ${reads} reads, ${told} messages of streams, ` +
      `${rows.length} entries; ${counts.kill} kills, ` +
      `${counts.pause} pauses, ${counts.pauseDatabase} of the database, ` +
      `${cuts.request} requests and ${cuts.answer} answers cut ` +
      `(load ${loadavg()[0]?.toFixed(1)})`,
  );
}
