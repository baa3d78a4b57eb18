// An exchange behind a real reverse proxy, with callers at several addresses of this machine.
// Invariant tested: each caller has the rate of its own address, whatever headers it writes.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { ADMIN_SECRET, type ExchangeClient, listAt } from "#test/support/exchange.ts";
import { freePort } from "#test/support/free-port.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { until } from "./until.ts";

/** Linux answers on every address of 127.0.0.0/8: the proxy is at the first, callers at others. */
const PROXY = "127.0.0.1";
const RATE = 60;

interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks from one address of this machine, on a connection of its own. */
function ask(
  url: string,
  localAddress: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { localAddress, headers, agent: false });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      text(answer).then(
        (body) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
        reject,
      );
    });
    sent.end();
  });
}

/** Passes everything on, and appends where it came from, as proxies do. */
async function nodeProxy(t: TestContext, target: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = "", headers, socket } = incoming;
    const before = headers["x-forwarded-for"];
    const hop = socket.remoteAddress ?? "";
    const forwarded = before === undefined ? hop : `${String(before)}, ${hop}`;
    const passed = request(target + url, {
      method,
      headers: { ...headers, "x-forwarded-for": forwarded },
      localAddress: PROXY,
      agent: false,
    });
    passed.on("error", () => outgoing.destroy());
    passed.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "0.0.0.0", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${PROXY}:${port}`;
}

/** nginx with the one line everybody gives it. */
async function nginxProxy(t: TestContext, target: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "firstprint-nginx-"));
  const port = await freePort();
  const scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  const config = `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off;
  ${scratch}
  server {
    listen ${port};
    location / {
      proxy_pass ${target};
      proxy_bind ${PROXY};
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`;
  await writeFile(join(folder, "nginx.conf"), config);
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const child = spawn("nginx", args, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://${PROXY}:${port}`;
  await until("nginx serves", async () =>
    ask(`${url}/api/health/live`, PROXY).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return url;
}

/** Time is real: what came back meanwhile is spent, too. */
async function spend(asking: () => Promise<Heard>): Promise<Heard> {
  for (let sent = 0; sent < 4 * RATE; sent += 1) {
    const heard = await asking();
    if (heard.status === 429) return heard;
  }
  return assert.fail(`${4 * RATE} requests were all answered`);
}

const startBehind = (t: TestContext): Promise<ExchangeClient> =>
  InProcessExchange.start(t, {
    FIRSTPRINT_PUBLIC_RATE: String(RATE),
    FIRSTPRINT_TRUSTED_PROXIES: `${PROXY}/32`,
  });

const policyOf = ({ headers }: Heard): unknown => headers["ratelimit-policy"];

async function eachItsOwnRate(proxy: string): Promise<void> {
  const time = `${proxy}/api/time`;
  const first = await ask(time, "127.0.0.2");
  assert.deepEqual([first.status, policyOf(first)], [200, `"ip";q=${RATE};w=60`]);
  const refused = await spend(() => ask(time, "127.0.0.2"));
  assert.ok(Number(refused.headers["retry-after"]) <= 11, "backing off soon helps");
  assert.equal((await ask(time, "127.0.0.3")).status, 200, "another caller of the same proxy");

  // The caller's own text stands left of the proxy's, and is not read.
  let number = 0;
  const spoofed = () => ask(time, "127.0.0.2", { "x-forwarded-for": `203.0.113.${++number}` });
  for (let sent = 0; sent < 5; sent += 1) assert.equal((await spoofed()).status, 429);
  const asProxy = () => ask(time, "127.0.0.2", { "x-forwarded-for": `${PROXY}, ${PROXY}` });
  assert.equal((await asProxy()).status, 429);
  // The header this proxy lets pass names another: all who do so share the proxy's own bucket.
  await spend(() => ask(time, "127.0.0.2", { forwarded: `for=203.0.113.${++number}` }));

  const local = await ask(time, PROXY);
  assert.equal(policyOf(local), `"ip";q=${RATE};w=60`, "behind a proxy nobody is local");
}

async function toldByAddress(exchange: ExchangeClient, proxy: string): Promise<void> {
  const wrong = { "x-admin-secret": `${ADMIN_SECRET.slice(1)}x` };
  const { status } = await ask(`${proxy}/api/admin/accounts`, "127.0.0.4", wrong);
  assert.equal(status, 401);
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const { body } = await exchange.get("/api/audit/logs?limit=100", { key: auditor.key });
  const told = listAt(body, "data").map((entry) => JSON.stringify(entry));
  assert.ok(
    told.some((entry) => entry.includes("x-admin-secret from 127.0.0.4")),
    "the audit names the caller, not the proxy",
  );
}

test("behind a Node proxy each caller has its own rate, and is named in the audit", async (t) => {
  const exchange = await startBehind(t);
  const proxy = await nodeProxy(t, exchange.url);
  await eachItsOwnRate(proxy);
  await toldByAddress(exchange, proxy);
});

test("behind nginx each caller has its own rate, and is named in the audit", async (t) => {
  if (spawnSync("nginx", ["-v"]).error !== undefined) return t.skip("nginx is not installed");
  const exchange = await startBehind(t);
  const proxy = await nginxProxy(t, exchange.url);
  await eachItsOwnRate(proxy);
  await toldByAddress(exchange, proxy);
});

test("without a proxy a header changes nothing, and local callers have a bucket", async (t) => {
  const exchange = await startBehind(t);
  const time = `${exchange.url}/api/time`;
  let number = 0;
  const spoofed = () => ask(time, "127.0.0.5", { "x-forwarded-for": `203.0.113.${++number}` });
  assert.equal(policyOf(await spoofed()), `"ip";q=${RATE};w=60`);
  await spend(spoofed);
  for (let sent = 0; sent < 3 * RATE; sent += 1) {
    const heard = await ask(time, "127.0.0.5");
    assert.deepEqual([heard.status, policyOf(heard)], [200, '"loopback";q=6000;w=60']);
  }
});
