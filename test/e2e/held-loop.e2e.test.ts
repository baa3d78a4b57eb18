// A node whose process stands still for longer than any patience of its own, and then goes on.
// Invariant tested: what has come meanwhile is answered as if it had just come: nobody is told
// that he was slow, or that another node may lead, because this one was not looking.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_SECRET, Exchange } from "#test/support/exchange.ts";
import { until } from "./until.ts";

/** Longer than a request may take to come, and twice as long as a leader may be silent. */
const HELD_MILLIS = 12_500;

/** A client that writes when it is told to, and keeps all that it hears. */
class Caller {
  readonly #socket: Socket;
  #heard = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", (error) => (this.#heard += `${error.message}\n`));
    socket.on("data", (chunk: Buffer) => (this.#heard += chunk.toString()));
  }

  static async to(t: TestContext, url: string): Promise<Caller> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    t.after(() => void socket.destroy());
    const caller = new Caller(socket);
    await once(socket, "connect");
    return caller;
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** The status lines so far, each with its code where it has one. */
  get answers(): readonly string[] {
    const statuses = [...this.#heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    const codes = [...this.#heard.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code);
    const said = [...statuses, ...codes].map(String);
    return this.#socket.destroyed && said.length === 0 ? ["closed"] : said;
  }
}

const requestOf = (method: string, path: string, more: readonly string[], body = ""): string =>
  [`${method} ${path} HTTP/1.1`, "host: localhost", ...more, "", body].join("\r\n");

const admin = `x-admin-secret: ${ADMIN_SECRET}`;

test("what came while the process stood still is answered, not refused as late", async (t) => {
  const exchange = await Exchange.start(t);
  const { id, key } = await exchange.trader("a", "100");
  const credential = `authorization: Bearer ${key}`;
  const funding = JSON.stringify({ amount: "1", memo: "m" });
  const typed = ["content-type: application/json", `content-length: ${funding.length}`];
  const path = `/api/admin/accounts/${id}/funding`;
  const file = "id,level,name\n";
  const upload = requestOf("POST", "/api/admin/geo", [
    ...[admin, "content-type: text/csv", `content-length: ${file.length}`],
  ]);
  const read = requestOf("GET", "/api/trading/account", [credential]);
  const [head, body, geo, idle, fresh, plain] = await Promise.all(
    Array.from({ length: 6 }, () => Caller.to(t, exchange.url)),
  );
  assert.ok(head && body && geo && idle && fresh && plain);
  head.write("GET /api/trading/account HTTP/1.1\r\nhost: loc");
  body.write(requestOf("POST", path, [admin, ...typed], funding.slice(0, 5)));
  geo.write(upload + file.slice(0, 5));
  idle.write(requestOf("GET", "/api/time", []));
  await until("the idle one has its answer", () => idle.answers.length > 0);
  // The pieces have been read: what follows them is in the kernel's hands.
  await exchange.get("/api/time");

  exchange.signal("SIGSTOP");
  head.write(`alhost\r\n${credential}\r\n\r\n`);
  body.write(funding.slice(5));
  geo.write(file.slice(5));
  idle.write(requestOf("GET", "/api/time", []));
  fresh.write(read);
  plain.write(requestOf("GET", "/api/markets", []));
  await sleep(HELD_MILLIS);
  exchange.signal("SIGCONT");

  const told = (callers: readonly Caller[]) => callers.map(({ answers }) => answers.join(" "));
  const all = [head, body, idle, fresh, plain, geo];
  await until("all have heard", () =>
    all.every((one) => one.answers.length > (one === idle ? 1 : 0)),
  );
  assert.deepEqual(told([head, body, fresh, plain]), ["200", "200", "200", "200"]);
  assert.deepEqual(told([idle]), ["200 200"]);
  assert.match(told([geo]).join(), /^422 FILE_REFUSED/, "the file was read to its end");
  assert.equal((await exchange.get("/api/trading/account", { key })).status, 200);
});
