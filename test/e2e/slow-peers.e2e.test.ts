// Hundreds and thousands who send or read a byte now and then, at a real process: each is cut off, nobody else
// notices, and nothing is left. How soon (15 s are promised) is told, not asserted: this process
// and the exchange share the processors with whatever else runs here.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_SECRET, type Exchange } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { openFiles, residentMegabytes, waitingAt } from "./process-facts.ts";
import { openTradedWorld, type TradedWorld } from "./traded-world.ts";
import { until } from "./until.ts";

/** As many as orders may be under way together, so that they would hold all room. */
const SENDERS_OF_BODIES = 1_000;
const SENDERS = sizeOfRun("FIRSTPRINT_SLOW_PEERS", 1_000);
/** The kernel holds up to 4 MB for each of them. */
const READERS = SENDERS;
const READERS_OF_OWN = 10;
/** Without the cuts they would stay for as long as they dawdle; an answer that grows may stay. */
const PATIENCE_MILLIS = 180_000;
const BYTE_EACH_MILLIS = 2_000;
/** The kernel's list of connections is long, and takes a processor 50 ms to write. */
const LOOK_EACH_MILLIS = 1_000;
/** Between the requests of one who behaves: what counts is that each is answered, not how many. */
const PAUSE_MILLIS = 200;
const OPENED_AT_ONCE = 100;
/** Beyond what they had before: what Node keeps ready, and what a collection has not yet found. */
const MORE_MEGABYTES = 600;
const MORE_FILES = 10;
const noProc = existsSync("/proc/net/tcp") ? false : "needs Linux: /proc tells who is connected";

/** A connection that dawdles; `rest` comes a byte at a time. */
class Peer {
  readonly kind: string;
  readonly #socket: Socket;
  readonly #first: string;
  readonly #rest: string;
  readonly #isReader: boolean;
  #sinceMillis = 0;
  #moved = 0;
  #sent = 0;
  port = 0;
  goneMillis: number | undefined;

  /** A reader has no `rest` to send. */
  constructor(kind: string, port: number, first: string, rest: string | undefined) {
    this.kind = kind;
    this.#first = first;
    this.#rest = rest ?? "";
    this.#isReader = rest === undefined;
    this.#socket = connect({ port, host: "127.0.0.1" });
    this.#socket.on("error", () => undefined);
    // Without a listener for data it reads no more than it is asked to.
    this.#socket.on("readable", () => undefined);
  }

  async begin(): Promise<void> {
    if (this.#socket.connecting) await once(this.#socket, "connect");
    this.port = this.#socket.localPort ?? 0;
    this.#sinceMillis = performance.now();
    this.#socket.write(this.#first);
  }

  dawdle(): void {
    if (this.goneMillis !== undefined) return;
    this.#socket.read(1);
    const byte = this.#rest.charAt(this.#sent);
    this.#sent += 1;
    if (byte !== "" && this.#socket.writable) this.#socket.write(byte);
  }

  /** By what the kernel says of the server's side; a reader's time begins when nothing moves. */
  look(waitingAtServer: ReadonlyMap<number, number>): void {
    const waiting = waitingAtServer.get(this.port);
    if (waiting === undefined) {
      this.goneMillis ??= performance.now() - this.#sinceMillis;
      return;
    }
    // Bytes taken off at one end may be filled up at the other: both are looked at.
    const moved = waiting + this.#socket.bytesRead;
    if (this.#isReader && moved !== this.#moved) this.#sinceMillis = performance.now();
    this.#moved = moved;
  }

  /** For how long it has been there without anything moving. */
  get stoodMillis(): number {
    return this.goneMillis === undefined ? performance.now() - this.#sinceMillis : 0;
  }

  end(): void {
    this.#socket.destroy();
  }
}

const head = (line: string, headers: readonly string[] = []): string =>
  [`${line} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n");

/** Asks for more than the way to a reader holds; what it reads is nothing. */
function readersOf({ auditor }: TradedWorld, port: number): readonly Peer[] {
  const bearer = [`authorization: Bearer ${auditor.key}`];
  const asked: readonly (readonly [string, number, string])[] = [
    ["reference", READERS, head("GET /api/docs/openapi.json").repeat(12)],
    ["bulk index", READERS_OF_OWN, head(`GET ${bulkPath}`, bearer).repeat(300)],
    ["export", 3, head("GET /api/audit/export", bearer)],
  ];
  return asked.flatMap(([kind, count, first]) =>
    Array.from({ length: count }, () => new Peer(kind, port, first, undefined)),
  );
}

const states = "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo tx ny";
const bulkPath = `/api/index?ids=${states.replaceAll(/\S+/g, "state:$&").replaceAll(" ", ",")}`;

function sendersOf({ traders }: TradedWorld, port: number): readonly Peer[] {
  const [trader] = traders;
  const bearer = `authorization: Bearer ${trader?.key}`;
  const json = ["content-type: application/json", "content-length: 100"];
  const body = head("POST /api/trading/orders", [bearer, ...json]);
  const upload = head("POST /api/admin/releases?provider=sample", [
    `x-admin-secret: ${ADMIN_SECRET}`,
    "content-type: text/csv",
    "content-length: 100",
  ]);
  const headers = "GET /api/time HTTP/1.1\r\nhost: localhost\r\nx: ";
  const kinds: readonly (readonly [string, number, string, string])[] = [
    ["header", SENDERS / 2, headers, "x".repeat(50)],
    ["nothing", SENDERS / 2, "", ""],
    ["body", SENDERS_OF_BODIES / 2, body, "{".repeat(50)],
    ["stalled body", SENDERS_OF_BODIES / 2, `${body}{`, ""],
    ["stalled upload", READERS_OF_OWN, `${upload}x`, ""],
  ];
  return kinds.flatMap(([kind, count, first, rest]) =>
    Array.from({ length: count }, () => new Peer(kind, port, first, rest)),
  );
}

/** Batches that rest in a hundred prices and are taken back: entries of many kilobytes each. */
async function growJournal({ exchange, traders, market }: TradedWorld, batches: number) {
  const [trader] = traders;
  assert.ok(trader !== undefined);
  const order = { marketId: market, outcomeIndex: 0, side: "BUY", amount: "1" };
  const orders = Array.from({ length: 100 }, (_, at) => ({ ...order, price: (100 + at) / 10_000 }));
  for (let batch = 1; batch <= batches; batch += 1) {
    const placed = await exchange.post("/api/trading/orders/batch", { orders }, trader);
    assert.equal(placed.status, 200, placed.text);
    if (batch % 5 > 0) continue;
    const taken = await exchange.post("/api/trading/orders/cancel-all", {}, trader);
    assert.equal(taken.status, 200, taken.text);
  }
}

/** One who asks, waits for the answer, and asks again; every answer must come, and be good. */
async function behave({ exchange, traders, market }: TradedWorld, isOver: () => boolean) {
  const [, trader] = traders;
  assert.ok(trader !== undefined);
  const order = { marketId: market, outcomeIndex: 0, side: "BUY", amount: "1", price: 0.01 };
  let answered = 0;
  let longestMillis = 0;
  while (!isOver()) {
    const askedMillis = performance.now();
    for (const reply of [
      await exchange.get("/api/index/state:tx"),
      await exchange.post("/api/trading/orders", order, trader),
      await exchange.post("/api/trading/orders/cancel-all", {}, trader),
    ]) {
      assert.equal(reply.status, 200, reply.text);
      answered += 1;
    }
    longestMillis = Math.max(longestMillis, performance.now() - askedMillis);
    await sleep(PAUSE_MILLIS);
  }
  return { answered, longestMillis };
}

async function dawdleAll(peers: readonly Peer[], port: number, watch: () => void): Promise<void> {
  for (let at = 0; at < peers.length; at += OPENED_AT_ONCE) {
    await Promise.all(peers.slice(at, at + OPENED_AT_ONCE).map((peer) => peer.begin()));
  }
  let nextByteMillis = 0;
  while (peers.some(({ goneMillis }) => goneMillis === undefined)) {
    if (peers.some(({ stoodMillis }) => stoodMillis > PATIENCE_MILLIS)) return;
    if (performance.now() > nextByteMillis) {
      nextByteMillis = performance.now() + BYTE_EACH_MILLIS;
      for (const peer of peers) peer.dawdle();
    }
    const waiting = waitingAt(port);
    for (const peer of peers) peer.look(waiting);
    watch();
    await sleep(LOOK_EACH_MILLIS);
  }
}

function told(t: TestContext, peers: readonly Peer[]): void {
  for (const [kind, some = []] of Object.entries(Object.groupBy(peers, ({ kind }) => kind))) {
    const gone = some.map(({ goneMillis = Infinity }) => goneMillis).sort((a, b) => a - b);
    const [first = 0, last = 0] = [gone[0], gone.at(-1)].map((millis) => (millis ?? 0) / 1_000);
    t.diagnostic(
      `${some.length} × ${kind}: gone after ${first.toFixed(1)} to ${last.toFixed(1)} s`,
    );
  }
}

async function survive(t: TestContext, world: TradedWorld, peers: readonly Peer[]): Promise<void> {
  const { exchange } = world;
  t.after(async () => {
    for (const peer of peers) peer.end();
  });
  const before = facts(exchange);
  let most = before;
  let isOver = false;
  const behaving = behave(world, () => isOver);
  // A refusal is told once the others have been looked at.
  behaving.catch(() => undefined);
  await dawdleAll(peers, Number(new URL(exchange.url).port), () => {
    const now = facts(exchange);
    most = { files: Math.max(most.files, now.files), memory: Math.max(most.memory, now.memory) };
  });
  isOver = true;
  told(t, peers);
  const { answered, longestMillis } = await behaving;
  for (const peer of peers) {
    assert.ok(peer.goneMillis !== undefined, `${peer.kind} is still there`);
  }
  assert.ok(answered >= 9, `somebody was served all along: ${answered}`);
  assert.ok(most.files >= before.files + peers.length / 4, "many were there together");
  const megabytes = `${before.memory.toFixed(0)} MB before, ${most.memory.toFixed(0)} at most`;
  t.diagnostic(`${answered} answered beside them, three within ${longestMillis.toFixed(0)} ms`);
  t.diagnostic(`${megabytes}; ${before.files} files before, ${most.files} at most`);
  assert.ok(most.memory < before.memory + MORE_MEGABYTES, megabytes);
  await until(
    "no connection is left open",
    () => facts(exchange).files <= before.files + MORE_FILES,
  );
}

const facts = ({ pid }: Exchange) => ({ files: openFiles(pid), memory: residentMegabytes(pid) });

test("slow senders and slow readers are cut off", { skip: noProc }, async (t) => {
  const world = await openTradedWorld(t, ["loud", "quiet"], "1000000");
  const port = Number(new URL(world.exchange.url).port);
  await t.test(`${SENDERS + SENDERS_OF_BODIES} who send`, (each) =>
    survive(each, world, sendersOf(world, port)),
  );
  await growJournal(world, 50);
  await t.test(`${READERS} and more who read`, (each) =>
    survive(each, world, readersOf(world, port)),
  );
});
