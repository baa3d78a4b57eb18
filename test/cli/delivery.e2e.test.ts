// Faults on the way: cut connections, unknown outcomes, files as streams.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { program, run, startRecorder } from "./recorder.ts";

const env = {
  FIRSTPRINT_ADMIN_SECRET: "Qm7dV2xKfT9hW4cZ8rJ3nB6sLy1gP5uXeA0v",
  FIRSTPRINT_KEY: `fp_live_${"a".repeat(36)}`,
};
const cancel = ["order", "cancel-all"];
const ingest = (file: string): readonly string[] => [
  ...["release", "ingest", file, "--provider", "zillow", "--index", "zhvi", "--level", "state"],
  ...["--published", "2024-11-18"],
];

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "firstprint-cli-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const unknown = {
  status: 503,
  json: {
    success: false,
    error: { code: "OUTCOME_UNKNOWN", message: "not known", retryable: true, outcome: "unknown" },
  },
};
const inFlight = {
  status: 409,
  json: {
    success: false,
    error: { code: "IDEMPOTENCY_IN_FLIGHT", message: "still", outcome: "not_applied" },
  },
};
const done = { json: { data: { cancelledCount: 3 } } };

describe("in doubt", { concurrency: 4 }, () => {
  test("a cut connection: asked once more under the same key, and said so", async (t) => {
    const { url, requests } = await startRecorder(t, "cut", done);
    const ran = await run([...cancel, "--url", url], { env });
    assert.deepEqual([ran.status, ran.stdout], [0, "Orders cancelled: 3.\n"]);
    assert.match(
      ran.stderr,
      /connection was cut .*asking once more under the same Idempotency-Key/,
    );
    const [first, second, ...more] = requests;
    assert.equal(more.length, 0);
    assert.match(String(first?.headers["idempotency-key"]), /^[0-9a-f]{32}$/);
    assert.equal(second?.headers["idempotency-key"], first?.headers["idempotency-key"]);
    assert.deepEqual(second?.body, first?.body);
  });

  test("an answer that breaks off is no answer", async (t) => {
    const { url, requests } = await startRecorder(t, "cut in the answer", done);
    assert.equal((await run([...cancel, "--url", url], { env })).status, 0);
    assert.equal(requests.length, 2);
  });

  test("503, outcome unknown, twice: fails and names the key to repeat it with", async (t) => {
    const { url, requests } = await startRecorder(t, unknown);
    const ran = await run([...cancel, "--url", url], { env });
    assert.equal(ran.status, 1);
    assert.equal(requests.length, 2);
    const key = String(requests[0]?.headers["idempotency-key"]);
    assert.ok(ran.stderr.includes(`--idempotency-key ${key}`), ran.stderr);
    const again = await startRecorder(t, done);
    await run([...cancel, "--url", again.url, "--idempotency-key", key], { env });
    assert.equal(again.requests[0]?.headers["idempotency-key"], key);
  });

  test("the first is still being answered: waits for it", async (t) => {
    const { url, requests } = await startRecorder(t, "cut", inFlight, done);
    assert.equal((await run([...cancel, "--url", url], { env })).status, 0);
    assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.equal(requests.length, 3);
  });

  test("an exchange that is gone after the cut leaves it unknown, and says so", async (t) => {
    const { url } = await startRecorder(t, "cut and gone");
    const ran = await run([...cancel, "--url", url], { env });
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /it is not known whether the request took effect/);
  });

  test("a refusal before the key is looked up says nothing of the first request", async (t) => {
    for (const [status, code] of [
      [401, "UNAUTHENTICATED"],
      [403, "FORBIDDEN"],
      [429, "RATE_LIMITED"],
      [503, "STOPPING"],
    ] as const) {
      const error = { code, message: "Not now", retryable: false, outcome: "not_applied" };
      const answer = { status, json: { success: false, error } };
      const { url, requests } = await startRecorder(t, "cut", answer);
      const ran = await run([...cancel, "--url", url], { env });
      assert.equal(ran.status, 1);
      const key = String(requests[0]?.headers["idempotency-key"]);
      assert.ok(ran.stderr.includes(`--idempotency-key ${key}`), ran.stderr);
      assert.match(
        ran.stderr,
        new RegExp(`refused it with ${code}.* it is not known whether`, "s"),
      );
      assert.doesNotMatch(ran.stderr, /nothing was done/);
    }
    const error = { code: "MARKET_STATE", message: "Closed", retryable: false };
    const decided = { status: 422, json: { success: false, error } };
    const { url } = await startRecorder(t, "cut", decided);
    const ran = await run([...cancel, "--url", url], { env });
    assert.match(ran.stderr, /nothing was done; correct it/);
  });

  test("a refusal is final, also one that may pass later; a read is not asked twice", async (t) => {
    const stopping = { code: "STOPPING", message: "Stopping", retryable: true };
    const error = { ...stopping, outcome: "not_applied" };
    const refusing = await startRecorder(t, {
      status: 503,
      json: { success: false, error },
      headers: { "retry-after": "5" },
    });
    const refused = await run([...cancel, "--url", refusing.url], { env });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /nothing was done; the same may succeed in 5 s/);
    assert.equal(refusing.requests.length, 1);
    const cutting = await startRecorder(t, "cut");
    const cut = await run(["market", "list", "--url", cutting.url], { env });
    assert.equal(cut.status, 1);
    assert.match(cut.stderr, /connection was cut before the whole answer was here/);
    assert.equal(cutting.requests.length, 1);
  });
});

describe("too many requests", { concurrency: 4 }, () => {
  const busy = (seconds: string) => ({
    status: 429,
    json: {
      success: false,
      error: { code: "RATE_LIMITED", message: "Rate limit exceeded", retryable: true },
    },
    headers: { "retry-after": seconds },
  });

  test("waits as long as it is told, says so on stderr, and asks the same again", async (t) => {
    const { url, requests } = await startRecorder(t, busy("1"), busy("1"), done);
    const started = performance.now();
    const ran = await run([...cancel, "--json", "--url", url], { env });
    assert.ok(performance.now() - started >= 2_000, "it waited");
    assert.deepEqual([ran.status, ran.stdout], [0, `${JSON.stringify(done.json)}\n`]);
    const line = "firstprint: too many requests; asking again in 1 s (Ctrl-C stops)\n";
    assert.equal(ran.stderr, line.repeat(2));
    assert.equal(requests.length, 3);
    assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1);
  });

  test("a read and an export wait too", async (t) => {
    for (const line of [
      ["market", "list"],
      ["audit", "export"],
    ]) {
      const { url, requests } = await startRecorder(t, busy("1"), { json: { data: [] } });
      const ran = await run([...line, "--url", url], { env });
      assert.equal(ran.status, 0, ran.stderr);
      assert.equal(requests.length, 2);
    }
  });

  test("no longer than a person would, not untold, and not with --no-wait", async (t) => {
    const { headers: _none, ...untold } = busy("");
    for (const [reply, more] of [
      [busy("121"), []],
      [untold, []],
      [busy("Wed, 21 Oct 2026 07:28:00 GMT"), []],
      [busy("1"), ["--no-wait"]],
    ] as const) {
      const { url, requests } = await startRecorder(t, reply, done);
      const ran = await run([...cancel, ...more, "--url", url], { env });
      assert.equal(ran.status, 1);
      assert.match(ran.stderr, /^firstprint: Rate limit exceeded\n/);
      assert.equal(requests.length, 1);
    }
  });

  test("a signal ends the waiting at once", async (t) => {
    const { url, requests } = await startRecorder(t, busy("100"));
    const child = spawn(program, [...cancel, "--url", url], {
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [said] = await once(child.stderr, "data");
    assert.match(String(said), /asking again in 100 s/);
    child.kill("SIGINT");
    const [code, signal] = await once(child, "exit");
    assert.deepEqual([code, signal], [null, "SIGINT"]);
    assert.equal(requests.length, 1);
  });
});

describe("files", { concurrency: 4 }, () => {
  const release = { json: { success: true, data: { id: "rel-1", firstPrints: 51 } } };

  test("sent as they are, by what they hold, with progress on stderr", async (t) => {
    const cwd = folder(t);
    const rows = `RegionID,2024-10-31\n${"9,1.5\n".repeat(1000)}`;
    const zipped = gzipSync(rows);
    writeFileSync(join(cwd, "plain.csv.gz"), rows);
    writeFileSync(join(cwd, "zipped.csv"), zipped);
    const { url, requests } = await startRecorder(t, release);
    const ran = await run([...ingest(join(cwd, "zipped.csv")), "--url", url], { env });
    await run([...ingest(join(cwd, "plain.csv.gz")), "--url", url], { env });
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /^first prints +51$/m);
    assert.match(ran.stderr, /^zipped\.csv: sent 1 kB of 1 kB \(100 %\); the exchange is reading/);
    const [first, second] = requests;
    assert.equal(
      first?.url,
      "/api/admin/releases?provider=zillow&index=zhvi&level=state" +
        "&publishedAt=2024-11-18T00%3A00%3A00.000Z&fileName=zipped.csv",
    );
    assert.equal(first?.headers["content-type"], "application/gzip");
    assert.equal(first?.headers["content-length"], String(zipped.length));
    assert.deepEqual(first?.body, zipped);
    assert.equal(second?.headers["content-type"], "text/csv");
    assert.equal(String(second?.body), rows);
  });

  test("sent again from its start after a cut", async (t) => {
    const cwd = folder(t);
    const bytes = Buffer.alloc(3_000_000, "RegionID,1.25\n");
    writeFileSync(join(cwd, "places.csv"), bytes);
    const { url, requests } = await startRecorder(t, "cut", release);
    const ran = await run(["geo", "load", join(cwd, "places.csv"), "--url", url], { env });
    assert.equal(ran.status, 0, ran.stderr);
    assert.equal(requests.length, 2);
    assert.ok(requests[1]?.body.equals(bytes));
  });

  test("three gigabytes are a stream: a refusal after the first bytes ends it", async (t) => {
    const cwd = folder(t);
    const file = join(cwd, "huge.csv");
    writeFileSync(file, "RegionID\n");
    truncateSync(file, 3 * 2 ** 30);
    const error = { code: "BODY_TOO_LARGE", message: "The body is larger", outcome: "not_applied" };
    const { url, requests } = await startRecorder(t, {
      status: 413,
      json: { success: false, error },
      early: true,
    });
    const ran = await run([...ingest(file), "--url", url], { env });
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /firstprint: The body is larger\n {2}code +BODY_TOO_LARGE \(413\)/);
    assert.equal(requests[0]?.headers["content-length"], String(3 * 2 ** 30));
    assert.equal(requests.length, 1);
  });

  test("a file that is not there, empty, or a folder: wrong usage", async (t) => {
    const cwd = folder(t);
    writeFileSync(join(cwd, "empty.csv"), "");
    const { url, requests } = await startRecorder(t, release);
    for (const file of ["absent.csv", "empty.csv", "."]) {
      const ran = await run([...ingest(join(cwd, file)), "--url", url], { env });
      assert.equal(ran.status, 2, ran.stderr);
    }
    assert.equal(requests.length, 0);
  });

  test("an export is whole, or fails and leaves no file", async (t) => {
    const cwd = folder(t);
    const text = '{"data":[{"id":"aud-1","bytes":"AAEC"}]}';
    const { url } = await startRecorder(t, { text }, { text }, "cut in the answer");
    const line = ["audit", "export", "--from", "2024-11-18", "--url", url];
    assert.equal((await run(line, { env })).stdout, text);
    assert.equal((await run([...line, "--output", join(cwd, "a.json")], { env })).status, 0);
    assert.equal(readFileSync(join(cwd, "a.json"), "utf8"), text);
    const cut = await run([...line, "--output", join(cwd, "b.json")], { env });
    assert.equal(cut.status, 1);
    assert.match(cut.stderr, /connection was cut/);
    assert.deepEqual(readdirSync(cwd), ["a.json"]);
  });
});
