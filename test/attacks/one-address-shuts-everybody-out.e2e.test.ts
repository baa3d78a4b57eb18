// One address without a credential opens all the connections there are, pipelines orders behind
// streams that never end, and holds all the streams: the others, the operator and cancels go on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ADMIN_SECRET, Exchange, textAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { furnish, type TradedWorld } from "../e2e/traded-world.ts";
import { until } from "../e2e/until.ts";

/** Another address of this machine, so that the others are not the attacker. */
const ATTACKER = "127.0.0.2";
const SHARE = 50;
const CONNECTIONS = 300;
const STREAMS = 20;
const ORDERS_BEHIND_EACH = 60;
const noSecondAddress = existsSync("/proc/net/tcp") ? false : "needs Linux: all of 127.0.0.0/8";

/** Asks over the operator's socket. */
function ask(path: string, method: string, url: string, headers: Record<string, string>) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const options = { socketPath: path, method, path: url, headers, agent: false as const };
    const asking = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asking.once("error", reject);
    asking.end(method === "POST" ? "{}" : undefined);
  });
}

class Attacker {
  readonly #sockets: Socket[] = [];
  readonly #port: number;

  constructor(t: TestContext, { exchange }: TradedWorld) {
    this.#port = Number(new URL(exchange.url).port);
    t.after(() => {
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** That the exchange has not hung up on. */
  get open(): number {
    return this.#sockets.filter(({ closed }) => !closed).length;
  }

  get answered(): number {
    return this.#sockets.filter(({ bytesRead }) => bytesRead > 0).length;
  }

  async connect(text: string): Promise<Socket> {
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress: ATTACKER });
    this.#sockets.push(socket);
    socket.on("error", () => undefined);
    // Reads what comes, and lets it go.
    socket.resume();
    await once(socket, "connect");
    socket.write(text);
    return socket;
  }
}

async function placeAndCancel({ exchange, traders, market }: TradedWorld): Promise<void> {
  const [, trader] = traders;
  assert.ok(trader !== undefined);
  const order = { marketId: market, outcomeIndex: 0, side: "BUY", amount: "1", price: 0.01 };
  const placed = await exchange.post("/api/trading/orders", order, trader);
  assert.equal(placed.status, 200, placed.text);
  const taken = await exchange.post("/api/trading/orders/cancel-all", {}, trader);
  assert.equal(taken.status, 200, taken.text);
}

test("one address shuts everybody out", { skip: noSecondAddress }, async (t) => {
  const folder = await temporaryFolder(t, "fp-");
  const socketPath = join(folder, "operator.sock");
  const exchange = await Exchange.startEmbedded(t, {
    FIRSTPRINT_LOCAL_CONNECTIONS: String(SHARE),
    FIRSTPRINT_OPERATOR_LISTEN: socketPath,
  });
  const world = await furnish(exchange, ["loud", "quiet"], "1000000");
  const admin = { "x-admin-secret": ADMIN_SECRET };

  await t.test("with orders behind streams that never end", async (each) => {
    const attacker = new Attacker(each, world);
    const body = "{}";
    const order =
      "POST /api/trading/orders HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
      `content-length: ${body.length}\r\n\r\n${body}`;
    const stream = "GET /api/stream HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for (let at = 0; at < STREAMS; at += 1) {
      await attacker.connect(stream + order.repeat(ORDERS_BEHIND_EACH));
    }
    await until("every stream has begun", () => attacker.answered === STREAMS);
    await placeAndCancel(world);
  });

  await t.test("with all connections", async (each) => {
    const attacker = new Attacker(each, world);
    for (let at = 0; at < CONNECTIONS; at += 1) await attacker.connect("GET /api/st");
    await until("the exchange has hung up", () => attacker.open <= SHARE);
    await placeAndCancel(world);
    const { status, text } = await ask(socketPath, "GET", "/api/admin/accounts", admin);
    assert.equal(status, 200, text);
    t.diagnostic(`after: ${attacker.open} of ${CONNECTIONS} connections kept, all others served`);
  });

  await t.test("the operator's socket is its owner's, and leads to nothing else", async () => {
    assert.equal(statSync(socketPath).mode & 0o777, 0o600);
    const key = textAt(world.traders[0], "key");
    const bearer = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const cancel = await ask(socketPath, "POST", "/api/trading/orders/cancel-all", bearer);
    assert.equal(cancel.status, 200, cancel.text);
    assert.equal((await ask(socketPath, "GET", "/api/status", {})).status, 200);
    for (const [method, url] of [
      ["POST", "/api/trading/orders"],
      ["GET", "/api/markets"],
      ["GET", "/api/stream"],
    ] as const) {
      assert.equal((await ask(socketPath, method, url, bearer)).status, 404, url);
    }
    assert.equal((await ask(socketPath, "GET", "/api/admin/accounts", {})).status, 401);
  });

  await t.test("a killed exchange takes its socket again", async () => {
    await world.exchange.kill();
    assert.ok(existsSync(socketPath), "it was left behind");
    await world.exchange.up();
    assert.equal((await ask(socketPath, "GET", "/api/status", {})).status, 200);
  });
});
