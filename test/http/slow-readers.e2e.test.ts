// Slow readers against a real port and the real clock, of every kind of answer there is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { after, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Type } from "typebox";
import { closed, nothing, publicData, type Route } from "#http/route/route.ts";
import { until } from "../e2e/until.ts";
import { World } from "./world.ts";

const LONGEST_WAIT_MILLIS = 15_000;
/** More than the kernel holds for a connection on its way. */
const BIG_BYTES = 16_000_000;

async function* endless(): AsyncGenerator<string> {
  for (;;) yield "x".repeat(10_000);
}

async function* seldom(): AsyncGenerator<string> {
  for (let at = 0; at < 2; at += 1) {
    await wait(6_000);
    yield `${at}`;
  }
}

const place = { access: "public", params: nothing, query: closed({}) } as const;
const items = (url: string, source: () => AsyncGenerator<string>): Route =>
  publicData.read({
    ...place,
    url,
    summary: "Items",
    data: Type.Array(Type.String()),
    read: () => ({ items: source() }),
  });

/** The routes to ask; `endless` where nothing that is sent ends it. */
const routes: readonly Route[] = [
  publicData.read({
    ...place,
    url: "/api/json",
    summary: "One big answer",
    data: Type.String(),
    read: () => ({ data: "x".repeat(BIG_BYTES) }),
  }),
  publicData.read({
    ...place,
    url: "/api/page",
    summary: "A big page",
    data: Type.String(),
    otherTypes: ["text/plain"],
    read: () => ({ contentType: "text/plain", bytes: Buffer.alloc(BIG_BYTES), headers: {} }),
  }),
  items("/api/items", endless),
  items("/api/seldom", seldom),
  {
    ...items("/api/events", endless),
    surface: "events",
    handle: async () => ({ events: Readable.from(endless()) }),
  },
];

const sockets: Socket[] = [];
const ask = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;

/** A connection that asks and then reads nothing. */
async function asking(world: World, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.pause();
  socket.write(text);
  return socket;
}

describe("slow readers", { concurrency: true, timeout: 60_000 }, () => {
  const closing: (() => Promise<void>)[] = [];
  const served = new Map<number, Socket>();
  const opened = World.open({ after: (end) => closing.push(end) }, routes).then(async (world) => {
    await world.listen();
    world.server.server.on("connection", (socket) => served.set(socket.remotePort ?? 0, socket));
    return world;
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    for (const end of closing) await end();
  });

  const cases: readonly (readonly [string, string])[] = [
    ["one big answer", ask("/api/json")],
    ["a page", ask("/api/page")],
    ["items without an end", ask("/api/items")],
    ["events without an end", ask("/api/events")],
    ["thousands of answers at once", ask("/api/status").repeat(12_000)],
    ["a big answer, and a request begun behind it", `${ask("/api/json")}GET /api/status HT`],
  ];
  for (const [name, text] of cases) {
    test(`who does not take ${name} is cut within 15 s`, async () => {
      const asked = await asking(await opened, text);
      let waiting: Socket | undefined;
      await until("an answer waits", () => {
        waiting = served.get(asked.localPort ?? 0);
        return (waiting?.writableLength ?? 0) > 0;
      });
      assert.ok(waiting !== undefined);
      const cut = await Promise.race([
        once(waiting, "close").then(() => true),
        wait(LONGEST_WAIT_MILLIS, false, { ref: false }),
      ]);
      assert.equal(cut, true, `${waiting.writableLength} bytes wait still`);
    });
  }

  test("who takes what there is has the time that the answer takes", async () => {
    const world = await opened;
    const slow = await fetch(`${world.url}/api/seldom`);
    assert.deepEqual(await slow.json(), { success: true, data: ["0", "1"] });
  });

  test("who takes a big answer in pieces, with pauses, gets all of it", async () => {
    const socket = await asking(await opened, ask("/api/page", "connection: close\r\n"));
    let taken = 0;
    socket.on("data", (chunk: Buffer) => {
      const before = Math.floor(taken / 4_000_000);
      taken += chunk.length;
      if (Math.floor(taken / 4_000_000) === before) return;
      socket.pause();
      setTimeout(() => socket.resume(), 3_000);
    });
    socket.resume();
    await once(socket, "end");
    assert.ok(taken > BIG_BYTES, `${taken} bytes came`);
  });
});

test("a known connection that asks nothing is closed in its time", {
  timeout: 60_000,
}, async (t) => {
  const world = await World.open(t);
  await world.listen();
  // Longer than an answer waits for its reader.
  world.server.server.keepAliveTimeout = 6_000;
  const { secret } = await world.trader("ada");
  const path = "/api/trading/account";
  const known = await asking(world, ask(path, `authorization: Bearer ${secret}\r\n`));
  known.resume();
  await once(known, "close");
  assert.ok(known.bytesRead > 0);
});
