// Orders beyond what there is room for, at a server that takes a hundred at a time: what counts is
// how many are refused for each that is taken, not how long it lasts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { Type } from "typebox";
import { closed, nothing, trading } from "#http/route/route.ts";
import { OverloadGuard } from "#http/server/overload.ts";
import { until } from "../e2e/until.ts";
import { type Heard, Wire } from "../e2e/wire.ts";

const MOST = 1_000;
const FEW = 10;
const AT_ONCE = 100;
const CONNECTIONS = 40;
const ORDERS_EACH = 500;
/** Node reads 64 kB at a time, and these are of 330 bytes. */
const ORDERS_A_READING = 199;

const place = trading.read({
  url: "/api/trading/orders",
  access: "create:orders",
  summary: "For a test",
  params: nothing,
  query: closed({}),
  data: Type.Unknown(),
  read: () => ({ data: null }),
});

const order = (path: string): string => {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 200\r\nx-filling: `;
  return `${head}${"x".repeat(330 - head.length - 4 - 200)}\r\n\r\n${"{".repeat(200)}`;
};

/** Answers what was read whole, a hundred a turn, as a journal does. */
class Taking {
  readonly taken: Heard[] = [];
  readonly refused: Heard[] = [];
  readonly #waiting: ServerResponse[] = [];
  readonly #guard: OverloadGuard;
  port = 0;
  mostWaiting = 0;
  /** Requests whose head has come. */
  begun = 0;

  constructor(mostUnderWay = MOST) {
    this.#guard = new OverloadGuard({
      routes: [{ ...place, method: "POST" }],
      mostUnderWay,
      refuse: async (_route, _request, response) => answer(response, 503),
    });
  }

  async serve(t: TestContext): Promise<void> {
    const server = createServer((request, response) => {
      this.begun += 1;
      if (this.#guard.take(request, response)) this.#read(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    this.port = address.port;
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Without end until it is told to: the answers of a turn go out together. */
  answerSome(): void {
    for (const response of this.#waiting.splice(0, AT_ONCE)) {
      this.#guard.answered(response.req);
      answer(response, 200);
    }
  }

  readonly hear = (heard: Heard): void => {
    (heard.status === 200 ? this.taken : this.refused).push(heard);
  };

  #read(request: IncomingMessage, response: ServerResponse): void {
    request.on("data", () => undefined);
    request.once("end", () => {
      if (request.url === "/api/never") return;
      this.#waiting.push(response);
      this.mostWaiting = Math.max(this.mostWaiting, this.#waiting.length);
    });
  }
}

function answer(response: ServerResponse, status: number): void {
  const body = "x".repeat(500);
  response.writeHead(status, { "content-length": body.length }).end(body);
}

test("orders that there is no room for are left unread, not read and refused", async (t) => {
  const taking = new Taking();
  await taking.serve(t);
  const wires = Array.from({ length: CONNECTIONS }, () => new Wire(taking.port));
  t.after(() => wires.forEach((wire) => void wire.close()));
  const request = order("/api/trading/orders");
  for (const wire of wires) {
    for (let one = 0; one < ORDERS_EACH; one += 1) wire.ask(request, 0, taking.hear);
    wire.flush();
  }
  const all = CONNECTIONS * ORDERS_EACH;
  await until("each is answered", () => {
    taking.answerSome();
    return taking.taken.length + taking.refused.length === all;
  });

  // Requests a connection had sent before there was no room are read once.
  assert.ok(taking.refused.length <= CONNECTIONS * ORDERS_A_READING, `${taking.refused.length}`);
  assert.ok(taking.mostWaiting <= MOST, `${taking.mostWaiting} under way`);
  t.diagnostic(`${taking.taken.length} taken, ${taking.refused.length} refused`);
});

test("orders behind an answer that never ends hold no room once they have theirs", async (t) => {
  const taking = new Taking();
  await taking.serve(t);
  const request = order("/api/trading/orders");
  const hung = Array.from({ length: 20 }, () => new Wire(taking.port));
  t.after(() => hung.forEach((wire) => void wire.close()));
  for (const wire of hung) {
    wire.ask(order("/api/never"), 0, () => assert.fail("it never ends"));
    for (let one = 0; one < 100; one += 1) wire.ask(request, 0, taking.hear);
    wire.flush();
  }
  await until("they fill the room", () => taking.mostWaiting >= 900);

  const own = new Wire(taking.port);
  t.after(() => own.close());
  for (let tries = 0; taking.taken.length === 0 && tries < 1_000; tries += 1) {
    own.ask(request, 0, taking.hear);
    own.flush();
    await until("somebody else is answered", () => {
      taking.answerSome();
      return own.waiting === 0;
    });
  }
  assert.ok(taking.taken.length > 0, "somebody else's order is taken");
});

test("orders whose bodies do not come hold no room", async (t) => {
  const taking = new Taking(FEW);
  await taking.serve(t);
  const request = order("/api/trading/orders");
  const slow = Array.from({ length: FEW }, () => new Wire(taking.port));
  const own = new Wire(taking.port);
  t.after(() => [...slow, own].forEach((wire) => void wire.close()));
  for (const wire of slow) {
    wire.ask(request.slice(0, -1), 0, () => assert.fail("it never comes whole"));
    wire.flush();
  }
  await until("all of them have begun", () => taking.begun === FEW);
  own.ask(request, 0, taking.hear);
  own.flush();
  await until("somebody else is answered", () => {
    taking.answerSome();
    return own.waiting === 0;
  });
  assert.deepEqual([taking.taken.length, taking.refused.length], [1, 0]);
});
