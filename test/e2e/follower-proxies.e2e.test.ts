// HAProxy and nginx as deploy/ configures them, over a leader and two followers.
// Invariant tested: commands reach the leader and reads the followers, by the lists the reference
// has; a follower that is killed under load, or hangs behind nginx, costs no reader an answer.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_SECRET, at, checkout, type Exchange, textAt } from "#test/support/exchange.ts";
import { startFollowed } from "./followed.ts";
import { configOf, type ProxyConfig, ReverseProxy, whyNotProxied } from "./reverse-proxy.ts";

const READERS = 6;
const LOAD_MILLIS = 4_000;
const PATIENCE_MILLIS = 5_000;
const HANG_MILLIS = 6_000;
/** Between two requests of a reader. */
const PAUSE_MILLIS = 25;

const followed = await startFollowed({ after }, 0, 2, {
  FIRSTPRINT_TRUSTED_PROXIES: "127.0.0.1/32",
});

/** The one text between two others. */
function between(config: string, before: string, after: string): RegExp {
  const [, rest] = config.split(before);
  const found = rest?.split(after)[0];
  assert.ok(found !== undefined, `${before} stands in the file`);
  return new RegExp(found);
}

const lists = {
  "haproxy.cfg": [
    ["acl of_leader path_reg ", "\n"],
    ["acl asks path_reg ", "\n"],
  ],
  "nginx.conf": [
    ["~^(GET|HEAD) /api/(admin", '"'],
    ["~^POST ", '"'],
  ],
  Caddyfile: [
    ["@of_leader path_regexp ", "\n"],
    ["method POST\n\t\tpath_regexp ", "\n"],
  ],
} as const;

test("the files send each request to a node that answers it", async () => {
  const reference = JSON.parse(await readFile(join(checkout, "sdk/openapi.json"), "utf8"));
  for (const [name, [[beforeLeaders, afterLeaders], [beforeAsks, afterAsks]]] of Object.entries(
    lists,
  )) {
    const config = await configOf(name);
    const isNginx = name === "nginx.conf";
    const leaders = between(config, isNginx ? "~^(GET|HEAD) " : beforeLeaders, afterLeaders);
    const asks = between(config, beforeAsks, afterAsks);
    for (const [path, operations] of Object.entries(reference.paths)) {
      assert.ok(typeof operations === "object" && operations !== null);
      for (const [method, operation] of Object.entries(operations)) {
        const isForLeader = JSON.stringify(operation).includes("LEADER_ONLY");
        const asked = path.replaceAll(/\{\w+\}/g, "x");
        const toLeader = method === "get" ? leaders.test(asked) : !asks.test(asked);
        assert.equal(toLeader, isForLeader, `${name}: ${method} ${path}`);
      }
    }
  }
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly from: string;
}

/** One request on a connection that is kept. */
function ask(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      const from = String(answer.headers["firstprint-sequence"]);
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body, from }), reject);
    });
    sent.end();
  });
}

async function throughProxy(t: TestContext, name: ProxyConfig, killed: Exchange): Promise<void> {
  const { leader } = followed;
  const running = await ReverseProxy.start(t, name, followed);
  const proxy = running.url;
  const { id, key } = await leader.trader("seller", "250");
  const { key: auditor } = await leader.trader("auditor", "0", "auditor");
  const funded = await fetch(`${proxy}/api/admin/accounts/${id}/funding`, {
    method: "POST",
    body: JSON.stringify({ amount: "1" }),
    headers: { "content-type": "application/json", "x-admin-secret": ADMIN_SECRET },
  });
  assert.equal(funded.status, 200, "a command reaches the leader");
  const minimum = funded.headers.get("firstprint-sequence") ?? "";
  // A follower that has not come to a key's entry knows no such key, and says so.
  for (const follower of followed.followers) {
    const reached = await follower.get("/api/status", {
      headers: { "firstprint-min-sequence": minimum },
    });
    assert.equal(reached.status, 200, reached.text);
  }
  const own = await fetch(`${proxy}/api/trading/account`, {
    headers: { authorization: `Bearer ${key}`, "firstprint-min-sequence": minimum },
  });
  assert.equal(at(await own.json(), "data", "cash"), "251");
  const status = await fetch(`${proxy}/api/status`);
  assert.equal(textAt(await status.json(), "role"), "follower", "a read reaches a follower");

  let isOver = false;
  const bad: string[] = [];
  let good = 0;
  let longest = 0;
  const agent = new Agent({ keepAlive: true });
  const reader = async (number: number): Promise<void> => {
    const credential = number % 2 === 0 ? key : auditor;
    const paths = ["/api/markets", "/api/kyc/status", "/api/time", "/api/limits"];
    for (let count = number; !isOver; count += 1) {
      const path = paths[count % paths.length] ?? "";
      const headers = count % 3 === 0 ? {} : { authorization: `Bearer ${credential}` };
      const isPublic = path !== "/api/kyc/status";
      const sent = isPublic ? headers : { authorization: `Bearer ${credential}` };
      const begun = performance.now();
      const said = await ask(agent, proxy + path, sent).catch((error: Error) => error);
      longest = Math.max(longest, performance.now() - begun);
      if (!(said instanceof Error) && said.status === 200) good += 1;
      else bad.push(said instanceof Error ? said.message : `${said.status} ${said.body}`);
      await sleep(PAUSE_MILLIS);
    }
  };
  const reading = Array.from({ length: READERS }, (_, number) => reader(number));
  await sleep(LOAD_MILLIS / 2);
  await killed.kill();
  await sleep(LOAD_MILLIS / 2);
  await killed.up({ PORT: new URL(killed.url).port });
  if (name === "nginx.conf") {
    // It takes connections as before, and answers nobody.
    killed.signal("SIGSTOP");
    await sleep(HANG_MILLIS);
    killed.signal("SIGCONT");
  }
  isOver = true;
  await Promise.all(reading);
  agent.destroy();
  t.diagnostic(
    `${name}: ${good} answers good, ${bad.length} bad, the longest ${Math.round(longest)} ms`,
  );
  assert.deepEqual(bad.slice(0, 5), [], (await running.complaints()).slice(-4_000));
  assert.ok(good > 500);
  // A client hangs up after so long: a second for a follower that hangs, and the rest for a try.
  assert.ok(longest < PATIENCE_MILLIS, `${longest} ms`);
}

const [first, second] = followed.followers;
for (const [name, killed] of [
  ["haproxy.cfg", first],
  ["nginx.conf", second],
] as const) {
  test(`${name} over followers: one that is killed costs no answer`, async (t) => {
    const why = whyNotProxied(name);
    if (why !== undefined) return t.skip(why);
    await throughProxy(t, name, killed ?? assert.fail("there are two"));
  });
}
