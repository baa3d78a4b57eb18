// Places for connections at a real port: whose they are, who loses one, and who keeps one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type ConnectionLimits, Connections } from "#http/server/connections.ts";
import { OriginFinder } from "#http/server/origin.ts";
import { until } from "../e2e/until.ts";

/** Answers at once, but for /hold; /known is asked with a right credential. */
class Place {
  readonly held: ServerResponse[] = [];
  readonly #t: TestContext;
  readonly #connections: Connections;
  #newest: Socket | undefined;
  #port = 0;

  constructor(t: TestContext, limits: ConnectionLimits) {
    this.#t = t;
    const origins = new OriginFinder([{ address: "127.0.0.9", prefix: 32, family: "ipv4" }]);
    // Here, an address of this machine is like any other, but for the proxy's.
    this.#connections = new Connections(limits, (address) => {
      const { network } = origins.connection(address);
      return { network, isLocal: network === "127.0.0.9" };
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Of the only connection, asked later. */
  arrival(): () => boolean {
    assert.ok(this.#newest !== undefined);
    return this.#connections.arrival(this.#newest);
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      this.#connections.asked(request, response);
      this.#newest = request.socket;
      if (request.url === "/known") this.#connections.know(request.socket);
      if (request.url === "/hold") this.held.push(response);
      else response.end("x");
    });
    this.#connections.watch(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    this.#port = address.port;
    this.#t.after(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Asks, and waits for the answer where one comes. */
  async from(localAddress: string, url?: string): Promise<Socket> {
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress });
    this.#t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.resume();
    await once(socket, "connect");
    if (url !== undefined) socket.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    if (url === undefined || url === "/hold") return socket;
    await new Promise<unknown>((resolve) => {
      socket.once("data", resolve);
      socket.once("close", resolve);
    });
    return socket;
  }
}

const wide = { anAddress: 100, aLocalAddress: 100, all: 100, idleSeconds: 3_600 };

test("an address has its share, whatever others have; a proxy has more", async (t) => {
  const place = new Place(t, { ...wide, anAddress: 3, aLocalAddress: 6 });
  await place.open();
  for (const [address, most] of [
    ["127.0.0.2", 3],
    ["127.0.0.3", 3],
    ["127.0.0.9", 6],
  ] as const) {
    const sockets: Socket[] = [];
    for (let one = 0; one < most + 5; one += 1) sockets.push(await place.from(address));
    const open = () => sockets.filter(({ closed }) => !closed);
    await until("what is too many is hung up on", () => open().length === most);
    open()[0]?.destroy();
    await until("one has left", () => open().length === most - 1);
    await until("its place is free", async () => {
      const next = await place.from(address, "/");
      return !next.closed;
    });
  }
});

test("a newcomer has the place that was idle longest, not one in use or known", async (t) => {
  const place = new Place(t, { ...wide, all: 4 });
  await place.open();
  const known = await place.from("127.0.0.2", "/known");
  const busy = await place.from("127.0.0.3", "/hold");
  const older = await place.from("127.0.0.4", "/");
  const newer = await place.from("127.0.0.5", "/");
  await until("all have come", () => place.size === 4 && place.held.length === 1);

  await place.from("127.0.0.6", "/hold");
  await until("the oldest idle one has left", () => older.closed);
  assert.deepEqual(
    [known, busy, newer].map(({ closed }) => closed),
    [false, false, false],
  );
  await place.from("127.0.0.7", "/hold");
  await until("then the next", () => newer.closed);
  await until("their requests have come", () => place.held.length === 3);
  const late = await place.from("127.0.0.8");
  await until("and then the newcomer", () => late.closed);
  assert.deepEqual(
    [known, busy].map(({ closed }) => closed),
    [false, false],
  );
  assert.equal(place.size, 4);
});

test("a connection that asks nothing is closed, unless it showed a credential", async (t) => {
  const place = new Place(t, { ...wide, idleSeconds: 1 });
  await place.open();
  const known = await place.from("127.0.0.2", "/known");
  const busy = await place.from("127.0.0.3", "/hold");
  const stranger = await place.from("127.0.0.4", "/");
  const halfway = await place.from("127.0.0.5", "/");
  halfway.write("GET / HT");
  await until("the stranger has left", () => stranger.closed);
  assert.deepEqual(
    [known, busy, halfway].map(({ closed }) => closed),
    [false, false, false],
  );
});

test("a request that was on its way has come once it is whole, and stays so", async (t) => {
  const place = new Place(t, wide);
  await place.open();
  const socket = await place.from("127.0.0.2", "/");
  const headHasCome = place.arrival();
  socket.write("POST /hold HTTP/1.1\r\nhost: local");
  assert.equal(headHasCome(), false, "the one before it is not it");
  socket.write("host\r\ncontent-length: 4\r\n\r\n01");
  await until("its head is there", () => place.held.length === 1);
  const bodyHasCome = place.arrival();
  assert.deepEqual([headHasCome(), bodyHasCome()], [false, false], "its body is not whole");
  const whole = once(place.held[0]?.req.resume() ?? assert.fail("it is held"), "end");
  socket.write("23");
  await whole;
  assert.deepEqual([headHasCome(), bodyHasCome()], [true, true], "it is whole");
  place.held[0]?.end("x");
  socket.write("POST /hold HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n\r\n01");
  await until("the next has begun", () => place.held.length === 2);
  assert.deepEqual([headHasCome(), bodyHasCome()], [true, true], "the next is another");
});
