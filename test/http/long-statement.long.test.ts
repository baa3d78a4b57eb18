// The statement of a month with a million lines, asked for by one who reads it and by one who does
// not.
// Invariant: it is made as it is taken; nobody else waits for it, and memory does not grow with it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { Entry } from "#core/outcome.ts";
import { showStatement } from "#http/trading/show-statement.ts";
import type { StatementPorts } from "#http/trading/statement.ts";
import type { TouchRange } from "#journal/journal.ts";
import { at, listAt, textAt } from "#test/support/exchange.ts";
import { until } from "../e2e/until.ts";
import { type Closing, World } from "./world.ts";

const PATH = "/api/trading/long-statement";
const query = "month=2024-11";

/** A route like the exchange's own, over a journal in which one funding stands `count` times. */
async function stage(t: Closing, count: number) {
  const read = { entries: 0 };
  let ports: StatementPorts | undefined;
  const given = (): StatementPorts => ports ?? assert.fail("the world is open");
  const route = showStatement({
    get view() {
      return given().view;
    },
    get engine() {
      return given().engine;
    },
  });
  const world = await World.open(t, [{ ...route, url: PATH }]);
  const holder = await world.trader("busy", "1");
  const all = { after: 0, before: Number.MAX_SAFE_INTEGER, order: "newest" } as const;
  const [funding] = await world.engine.history.touching({ subjects: [holder.id], ...all }, 1);
  assert.ok(funding !== undefined);
  const touching = async (range: TouchRange, limit: number): Promise<readonly Entry[]> => {
    // As a database has it: the loop has its turn.
    await nextTurn();
    const { after, before, order } = range;
    const from = order === "oldest" ? after + 1 : Math.max(after + 1, before - limit);
    const last = Math.min(order === "oldest" ? after + limit : before - 1, count);
    const length = Math.max(0, last - from + 1);
    read.entries += length;
    const entries = Array.from({ length }, (_, step) => ({ ...funding, sequence: from + step }));
    return order === "oldest" ? entries : entries.reverse();
  };
  const sequenceBefore = async (millis: number) => (millis <= Date.UTC(2024, 10) ? 0 : count);
  const history = { touching, sequenceBefore };
  ports = { view: world.view, engine: { status: () => world.engine.status(), history } };
  await world.listen();
  return { world, holder, read };
}

test("a statement longer than a chunk is whole as JSON and CSV; its digest holds", async (t) => {
  const { world, holder } = await stage(t, 3_000);
  const headers = { authorization: `Bearer ${holder.secret}` };
  const json = await fetch(`${world.url}${PATH}?${query}`, { headers });
  assert.equal(json.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(json.headers.get("cache-control"), "private, no-store");
  const body: unknown = await json.json();
  assert.equal(listAt(body, "data", "postings").length, 3_000);
  assert.equal(at(body, "data", "postings", 2_999, "sequence"), 3_000);
  const csv = await (await fetch(`${world.url}${PATH}?${query}&format=csv`, { headers })).text();
  const covered = csv.split("\nperiod,")[0];
  const digest = createHash("sha256").update(`${covered}\n`).digest("hex");
  assert.equal(textAt(body, "data", "sha256"), digest);
  assert.ok(csv.endsWith(`\nsha256,${digest}\n`));
});

test("one who asks for a million lines and reads none holds up nobody, and is cut", async (t) => {
  const { world, holder, read } = await stage(t, 1_000_000);
  const before = process.memoryUsage().rss;
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.pause();
  let isCut = false;
  world.server.server.once("request", (_request, { socket: served }) => {
    served?.once("close", () => {
      isCut = true;
    });
  });
  const lines = [
    `GET ${PATH}?${query} HTTP/1.1`,
    `host: ${new URL(world.url).host}`,
    `authorization: Bearer ${holder.secret}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let longest = 0;
  await until("it is cut", async () => {
    const asked = performance.now();
    assert.equal((await fetch(`${world.url}/api/status`)).status, 200);
    longest = Math.max(longest, performance.now() - asked);
    await wait(50);
    return isCut;
  });
  const grown = (process.memoryUsage().rss - before) / 1e6;
  assert.ok(read.entries > 0 && read.entries < 100_000, `${read.entries} of a million were read`);
  t.diagnostic(
    `of 1,000,000 lines ${read.entries} were read, memory rose by ${grown.toFixed(0)} MB, ` +
      `another's request took ${longest.toFixed(0)} ms at most`,
  );
});
