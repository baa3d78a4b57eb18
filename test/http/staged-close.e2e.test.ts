// An answer that closes its connection while the request is still being sent.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { closeInStages } from "#http/server/staged-close.ts";
import { until } from "../e2e/until.ts";

const MEGABYTE = 1_048_576;
const PATIENCE_MILLIS = 15_000;
const part = Buffer.alloc(MEGABYTE);

/** Refuses each request by its head, and reads on for so long. */
async function refusing(t: TestContext, lingerMillis: number): Promise<Server> {
  const server = createServer((request, response) => {
    closeInStages(request, response, lingerMillis);
    response.writeHead(413, { "content-length": 7 }).end("refused");
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** It does not hang up when the other side has: what closes the connection is the server. */
async function announced(server: Server, bytes: number, connection = "close"): Promise<Socket> {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const socket = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.setTimeout(PATIENCE_MILLIS, () => socket.destroy(new Error("no end of it")));
  await once(socket, "connect");
  const headers = `host: localhost\r\nconnection: ${connection}\r\ncontent-length: ${bytes}`;
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\n`);
  return socket;
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

async function send(socket: Socket, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += MEGABYTE) {
    if (!socket.write(part)) await once(socket, "drain");
  }
}

test("a client that reads its answer after it has sent everything gets it", async (t) => {
  const socket = await announced(await refusing(t, 60_000), 32 * MEGABYTE);
  await send(socket, 32 * MEGABYTE);
  assert.match(await text(socket), /^HTTP\/1\.1 413 .*\r\n\r\nrefused$/s);
});

test("the connection is closed with the end of the request", async (t) => {
  const server = await refusing(t, 60_000);
  const socket = await announced(server, MEGABYTE);
  assert.match(await text(socket), /refused$/);
  assert.equal(await connectionsOf(server), 1);
  await send(socket, MEGABYTE);
  await until("the server has closed it", async () => (await connectionsOf(server)) === 0);
});

test("a client that never stops sending is hung up on", async (t) => {
  const socket = await announced(await refusing(t, 200), 1_000_000 * MEGABYTE);
  assert.match(await text(socket), /refused$/);
  await assert.rejects(send(socket, 1_000_000 * MEGABYTE), { code: /^(EPIPE|ECONNRESET)$/ });
});

test("a connection that goes on is closed at once by the next request that asks so", async (t) => {
  const server = await refusing(t, 60_000);
  const socket = await announced(server, MEGABYTE, "keep-alive");
  await send(socket, MEGABYTE);
  const heard = text(socket);
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  assert.match(await heard, /refused.*refused$/s);
  await until("the server has closed it", async () => (await connectionsOf(server)) === 0);
});
