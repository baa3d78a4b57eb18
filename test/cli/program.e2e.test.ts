// The command line as a process against a real HTTP server: what it sends, shows and ends with.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { run, runProcess, startRecorder } from "./recorder.ts";

const KEY = `fp_live_${"a".repeat(36)}`;
const SECRET = "s".repeat(40);

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "firstprint-cli-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const market = (id: string, price: number) => ({
  id: `lvl.${id}`,
  frontendId: id,
  status: "ACTIVE",
  geoNodeId: "state:tx",
  metricType: "zhvi_level",
  threshold: "300000",
  measurementMonth: "2025-04",
  outcomes: [{ price, priceBasis: "mark" }, { price: 1 - price }],
});

const markets = {
  success: true,
  data: [market("mkt-001", 0.5), market("mkt-002", 0.0412)],
  pagination: { page: 1, limit: 2, total: 3, hasMore: true },
};

describe("answers", { concurrency: 2 }, () => {
  test("a table for a person, remarks beside it, no colours in a pipe", async (t) => {
    const { url, requests } = await startRecorder(t, { json: markets });
    const ran = await run(["market", "list", "--state", "TX", "--limit", "2", "--url", url]);
    assert.equal(ran.status, 0, ran.stderr);
    const lines = ran.stdout.trimEnd().split("\n");
    assert.match(
      lines[0] ?? "",
      /^market +status +place +metric +threshold +month +YES +from +id$/,
    );
    assert.match(lines[2] ?? "", /^mkt-002 +ACTIVE +state:tx .* 0\.0412 +mark +lvl\.mkt-002$/);
    assert.equal(lines.length, 3);
    assert.equal(ran.stderr, "Page 1 of 3 in all; the next is --page 2.\n");
    assert.equal(requests[0]?.url, "/api/markets?state=TX&limit=2");
    assert.equal(requests[0]?.headers.authorization, undefined);
  });

  test("--json is the answer byte for byte and nothing else", async (t) => {
    const text = '{ "success":true,"data":[ {"price":0.10,"n":12345678901234567890} ] }';
    const { url } = await startRecorder(t, { text });
    const ran = await run(["--json", "market", "list"], { env: { FIRSTPRINT_URL: url } });
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, `${text}\n`, ""]);
  });

  test("colours where they are wanted, and not elsewhere", async (t) => {
    const { url } = await startRecorder(t, { json: markets });
    const env = { FIRSTPRINT_URL: url, FORCE_COLOR: "1" };
    const { stdout } = await runProcess(["market", "list"], { env });
    assert.ok(stdout.startsWith("\u001b[1mmarket"), stdout);
  });

  test("a refusal: the exchange's words on stderr, exit 1; with --json the raw body", async (t) => {
    const error = {
      code: "INVALID_PRICE",
      message: "Invalid price range",
      field: "price",
      details: { tick: "0.0001", nearest: ["0.0412", "0.0413"] },
      retryable: false,
      outcome: "not_applied",
      requestId: "req-9",
    };
    const json = { success: false, error, code: error.code, message: error.message };
    const { url } = await startRecorder(t, { status: 400, json });
    const line = ["order", "place", "mkt-001", "buy", "10", "0.04125", "--url", url, "--key", KEY];
    const ran = await runProcess(line);
    assert.equal(ran.status, 1);
    assert.equal(ran.stdout, "");
    assert.equal(
      ran.stderr,
      [
        "firstprint: Invalid price range",
        "  code       INVALID_PRICE (400)",
        "  field      price",
        "  tick       0.0001",
        "  nearest    0.0412, 0.0413",
        "  request    req-9",
        "  next       nothing was done; correct it and ask again",
        "",
      ].join("\n"),
    );
    const raw = await run([...line, "--json"]);
    assert.deepEqual([raw.status, raw.stdout, raw.stderr], [1, `${JSON.stringify(json)}\n`, ""]);
  });

  test("wrong usage ends with 2 and sends nothing", async (t) => {
    const { url, requests } = await startRecorder(t, {});
    const env = { FIRSTPRINT_URL: url, FIRSTPRINT_KEY: KEY };
    const lines = [
      ["quote", "state:tx", "--expiry", "2025-04"],
      ["quote", "state:tx", "--home", "1", "--notional", "1"],
      ["quote", "state:tx", "--home", "1", "--strike", "5"],
      ["quote", "us", "--notional", "1", "--index", "vacancy"],
      ["statement", "Octember 2027"],
      ["order", "place", "mkt-001", "hold", "1", "0.5"],
      ["account", "lost"],
      ["search"],
      ["status", "--url", "ftp://example.org"],
    ];
    for (const line of lines) {
      const ran = await run(line, { env });
      assert.equal(ran.status, 2, line.join(" "));
      assert.equal(ran.stdout, "");
      assert.match(ran.stderr, /^firstprint: /);
    }
    assert.equal(requests.length, 0);
  });

  test("help is on stdout and no failure", async () => {
    const [whole, one] = await Promise.all([run(["help"]), run(["order", "place", "--help"])]);
    assert.equal(whole.status, 0);
    assert.match(whole.stdout, /^ {2}audit verify {2,}Have chain and first prints recomputed/m);
    assert.equal(one.status, 0);
    assert.match(one.stdout, /firstprint order place <market> <buy\|sell> <amount> <price>/);
  });

  test("nobody there: says how to start one", async () => {
    const ran = await run(["status", "--url", "http://127.0.0.1:9"]);
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /no exchange answers at http:\/\/127\.0\.0\.1:9 .*`firstprint up`/);
  });
});

describe("commands", { concurrency: 2 }, () => {
  test("status: what is not open is shown, and fails", async (t) => {
    const report = { mode: "halted", sequence: 7, durableSequence: 7, clock: "real" };
    const env = { FIRSTPRINT_KEY: "never sent" };
    const shut = await startRecorder(t, { json: report });
    const ran = await run(["status", "--url", shut.url], { env });
    assert.equal(ran.status, 1);
    assert.match(ran.stdout, /^mode +halted$/m);
    const open = await startRecorder(t, { json: { ...report, mode: "open" } });
    assert.equal((await run(["status", "--url", open.url])).status, 0);
    assert.equal(open.requests[0]?.headers.authorization, undefined);
  });

  test("order place: digits as typed, the key as Bearer, an Idempotency-Key", async (t) => {
    const { url, requests } = await startRecorder(t, { json: { data: { id: "ord-1" } } });
    const line = ["order", "place", "mkt-001", "sell", "10.50", "0.0410", "--no", "--url", url];
    const ran = await run([...line, "--expiry", "2025-01-01"], { env: { FIRSTPRINT_KEY: KEY } });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^id +ord-1$/m);
    const [request] = requests;
    assert.equal(`${request?.method} ${request?.url}`, "POST /api/trading/orders");
    assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
    assert.match(String(request?.headers["idempotency-key"]), /^[0-9a-f]{32}$/);
    assert.deepEqual(JSON.parse(String(request?.body)), {
      marketId: "mkt-001",
      outcomeIndex: 1,
      side: "SELL",
      amount: "10.50",
      price: "0.0410",
      expiry: 1_735_689_600,
    });
  });

  test("ids are encoded, numbers and layers translated", async (t) => {
    const { url, requests } = await startRecorder(t, {});
    const env = { FIRSTPRINT_URL: url, FIRSTPRINT_ADMIN_SECRET: SECRET, FIRSTPRINT_KEY: KEY };
    const lines = [
      ["index", "state:tx"],
      ["index", "state:tx", "zip:10001", "--index", "zori"],
      ["quote", "state:tx", "--expiry", "2025-04", "--notional", "5e4", "--layer", "2-10"],
      ["quote", "us", "--expiry", "2025-07", "--notional", "1", "--threshold", "540.5"],
      ["account", "fund", "../acc-1", "-5.25"],
      ["release", "diff", "rel-a", "rel-b", "--fall", "2.5"],
      ["release", "approve", "rel-a"],
      ["release", "reject", "rel-a", "--reason", "rents"],
      ["clock", "advance", "3d"],
      ["order", "cancel", "ord-1"],
      ["kyc", "reject", "acc-2", "--failed", "sanctions,pep"],
      ["kyc", "approve", "acc-3", "--cleared", "sanctions,adverse-media"],
    ];
    for (const line of lines) assert.equal((await run(line, { env })).status, 0, line.join(" "));
    assert.deepEqual(
      requests.map(({ method, url: place, body }) => `${method} ${place} ${body}`.trim()),
      [
        "GET /api/index/state%3Atx",
        "GET /api/index?ids=state%3Atx%2Czip%3A10001&index=zori",
        "GET /api/quotes?node=state%3Atx&expiry=2025-04&notional=5e4" +
          "&kind=layered&attachBps=200&exhaustBps=1000",
        "GET /api/quotes?node=us&expiry=2025-07&notional=1&kind=binary&threshold=540.5",
        'POST /api/admin/accounts/..%2Facc-1/funding {"amount":"-5.25"}',
        "GET /api/admin/releases/rel-a/diff?against=rel-b&fallBps=250",
        "POST /api/admin/releases/rel-a/approve {}",
        'POST /api/admin/releases/rel-a/reject {"reason":"rents"}',
        'POST /api/admin/clock {"advanceSeconds":259200}',
        "DELETE /api/trading/orders/ord-1",
        'POST /api/admin/accounts/acc-2/kyc {"decision":"reject",' +
          '"sanctionsCleared":false,"pepScreened":false}',
        'POST /api/admin/accounts/acc-3/kyc {"decision":"approve",' +
          '"sanctionsCleared":true,"adverseMediaCleared":true}',
      ],
    );
  });

  test("release diff prints both counts with the attribution", async (t) => {
    const data = {
      fromMonth: "2025-04",
      toMonth: "2025-09",
      fallBps: 200,
      compared: 51,
      rawFalls: 10,
      chainedFalls: 2,
      attribution: "Data from Somebody",
    };
    const { url } = await startRecorder(t, { json: { success: true, data } });
    const env = { FIRSTPRINT_ADMIN_SECRET: SECRET };
    const ran = await run(["release", "diff", "rel-a", "rel-b", "--url", url], { env });
    assert.match(ran.stdout, /^From 2025-04 to 2025-09, 51 places\.$/m);
    assert.match(ran.stdout, /^raw first prints +10$/m);
    assert.match(ran.stdout, /^chained first prints +2$/m);
    assert.match(ran.stdout, /^Data from Somebody$/m);
  });

  test("whatever shows an index value shows whose it is", async (t) => {
    const value = { nodeId: "state:tx", value: 1, series: [], attribution: "Data from Somebody" };
    const settled = { settledValue: 1, attribution: "Data from Somebody" };
    const lines: readonly (readonly [readonly string[], unknown])[] = [
      [["index", "state:tx"], value],
      [
        ["index", "state:tx", "state:ny"],
        [value, value],
      ],
      [["quote", "state:tx", "--expiry", "2025-04", "--notional", "5", "--strike", "5"], value],
      [["market", "show", "mkt-001"], { outcomes: [], resolution: settled, ...settled }],
      [["market", "resolution", "mkt-001"], settled],
    ];
    for (const [line, data] of lines) {
      const { url } = await startRecorder(t, { json: { success: true, data } });
      const ran = await run([...line, "--url", url]);
      assert.equal(ran.status, 0, line.join(" "));
      const rows = Array.isArray(data) ? data.length : 1;
      assert.equal(ran.stdout.split("Data from Somebody").length - 1, rows, line.join(" "));
    }
  });

  test("a release that is held back says why, and what to do about it", async (t) => {
    const reasons = ["UNIT_SLIP: The known values of state:tx are multiplied by 10."];
    const data = { id: "rel-a", status: "quarantined", reasons, approvedBy: ["root"] };
    const { url } = await startRecorder(t, { json: { success: true, data } });
    const env = { FIRSTPRINT_ADMIN_SECRET: SECRET };
    const ran = await run(["release", "approve", "rel-a", "--url", url], { env });
    assert.equal(ran.status, 0);
    assert.match(ran.stdout, /^reasons +UNIT_SLIP: The known values of state:tx/m);
    assert.match(ran.stdout, /^approved by +root$/m);
    assert.match(ran.stderr, /^It is held back: .*`firstprint release approve rel-a`/);
    const bare = await run(["release", "approve", "rel-a", "--json", "--url", url], { env });
    assert.equal(bare.stderr, "");
  });

  test("audit verify fails where the chain does", async (t) => {
    const ends = { head: "h".repeat(64), stateHash: "5a", damagedReleases: [] };
    const data = { valid: true, totalEntries: 9, size: 9, ...ends };
    const good = await startRecorder(t, { json: { data } });
    const ran = await run(["audit", "verify", "--url", good.url, "--key", KEY]);
    assert.equal(ran.status, 0);
    for (const shown of [/^valid +yes$/m, /^entries +9$/m, /^size +9$/m, /^state hash +5a$/m]) {
      assert.match(ran.stdout, shown);
    }
    assert.match(ran.stdout, /^head +h{64}$/m);
    const broken = { data: { ...data, valid: false, brokenAt: 4, reason: "hash differs" } };
    const bad = await startRecorder(t, { json: broken });
    const failed = await run(["audit", "verify", "--url", bad.url, "--key", KEY, "--json"]);
    assert.deepEqual([failed.status, failed.stdout], [1, `${JSON.stringify(broken)}\n`]);
    const spoilt = { data: { ...data, damagedReleases: ["rel-a", "rel-b"] } };
    const prints = await startRecorder(t, { json: spoilt });
    const found = await run(["audit", "verify", "--url", prints.url, "--key", KEY]);
    assert.equal(found.status, 1);
    assert.match(found.stdout, /^damaged releases +rel-a, rel-b$/m);
  });

  test("account open shows the secret once, and says when a replay lost it", async (t) => {
    const key = { id: "key-1", permissions: ["read:markets"] };
    const first = {
      success: true,
      data: { account: { id: "acc-1" }, key: { ...key, secret: KEY } },
    };
    const replay = { success: true, data: { account: { id: "acc-1" }, key } };
    const { url } = await startRecorder(t, { json: first }, { json: replay });
    const env = { FIRSTPRINT_ADMIN_SECRET: SECRET, FIRSTPRINT_URL: url };
    const opened = await run(["account", "open", "Harbor"], { env });
    assert.match(opened.stdout, new RegExp(`^secret +${KEY}$`, "m"));
    assert.match(opened.stderr, /shown this once/);
    const again = await run(["account", "open", "Harbor"], { env });
    assert.match(again.stderr, /the answer that got lost; make another key/);
  });
});

describe("credentials", { concurrency: 2 }, () => {
  const kept = (t: TestContext): string => {
    const cwd = folder(t);
    mkdirSync(join(cwd, ".firstprint"));
    writeFileSync(join(cwd, ".firstprint/admin-secret"), `${SECRET}\n`, { mode: 0o600 });
    return cwd;
  };

  test("the kept secret is found here, or where FIRSTPRINT_DATA_DIR says", async (t) => {
    const cwd = kept(t);
    const { url, requests } = await startRecorder(t, { json: { success: true, data: [] } });
    const here = await runProcess(["account", "list", "--url", url], { cwd });
    assert.deepEqual([here.status, here.stdout], [0, "No accounts.\n"], here.stderr);
    const env = { FIRSTPRINT_DATA_DIR: join(cwd, ".firstprint") };
    await run(["account", "list", "--url", url], { env });
    for (const { headers } of requests) {
      assert.deepEqual([headers["x-admin-secret"], headers.authorization], [SECRET, undefined]);
    }
    assert.equal(requests.length, 2);
  });

  test("first a key on the line, then the environment's secret, then the kept one", async (t) => {
    const { url, requests } = await startRecorder(t, { json: { success: true, data: [] } });
    const env = {
      FIRSTPRINT_DATA_DIR: join(kept(t), ".firstprint"),
      ...{ FIRSTPRINT_ADMIN_SECRET: "e".repeat(32), FIRSTPRINT_KEY: "fp_live_other" },
    };
    await run(["account", "list", "--url", url, "--key", KEY], { env });
    await run(["account", "list", "--url", url], { env });
    const [byKey, bySecret] = requests.map(({ headers }) => headers);
    assert.deepEqual(
      [byKey?.authorization, byKey?.["x-admin-secret"]],
      [`Bearer ${KEY}`, undefined],
    );
    assert.deepEqual(
      [bySecret?.authorization, bySecret?.["x-admin-secret"]],
      [undefined, "e".repeat(32)],
    );
  });

  test("the kept secret stays here; with no credential nothing is sent", async (t) => {
    const env = { FIRSTPRINT_DATA_DIR: join(kept(t), ".firstprint") };
    const { url, requests } = await startRecorder(t, {});
    const elsewhere = url.replace("127.0.0.1", "0.0.0.0");
    const ran = await run(["account", "list", "--url", elsewhere], { env });
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /needs the operator's credential: set FIRSTPRINT_ADMIN_SECRET/);
    const keyless = await run(["order", "cancel", "ord-1", "--url", url], { env });
    assert.equal(keyless.status, 2);
    assert.match(keyless.stderr, /needs an API key: give --key or set FIRSTPRINT_KEY/);
    assert.equal(requests.length, 0);
  });

  test("a secret that may not be read is said to be there", async (t) => {
    const cwd = folder(t);
    // Root may read any file, but nobody a folder.
    mkdirSync(join(cwd, ".firstprint/admin-secret"), { recursive: true });
    const env = { FIRSTPRINT_DATA_DIR: join(cwd, ".firstprint") };
    const ran = await run(["account", "list", "--url", "http://127.0.0.1:9"], { env });
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /cannot be read .*run this as the user the server runs as/);
  });

  test("a public key goes as x-api-key; a secret with a blank in it goes nowhere", async (t) => {
    const { url, requests } = await startRecorder(t, {});
    await run(["market", "show", "mkt-001", "--url", url, "--key", "fp_pub_abc"]);
    assert.equal(requests[0]?.headers["x-api-key"], "fp_pub_abc");
    const ran = await run(["key", "list", "--url", url, "--key", "fp_live_a\nb"]);
    assert.equal(ran.status, 2);
    assert.ok(!ran.stderr.includes("fp_live_a"));
    assert.equal(requests.length, 1);
  });
});
