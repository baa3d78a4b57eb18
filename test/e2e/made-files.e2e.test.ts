// The scenarios as a plain clone runs them: on made-up files, where the providers' may be at hand.
// Invariant: nothing is skipped for want of a file; what is meant to be proven anywhere runs here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { checkout } from "#test/support/exchange.ts";

/** A protection's life, its margin, what validation holds, what is refused, and every index. */
const scenarios = [
  "life-on-real-data",
  "margin-on-real-data",
  "held-places",
  "quarantine",
  "refused-files",
  "vacancy-and-weather",
  "quotes-of-levels",
].map((name) => `test/e2e/${name}.e2e.test.ts`);

test("without the providers' files every scenario runs, and none is skipped", async (t) => {
  // Without this a child reports to the runner of this test, in its own format.
  const { NODE_TEST_CONTEXT: _context, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    ["--test", "--test-concurrency=2", "--test-reporter=tap", ...scenarios],
    {
      cwd: checkout,
      env: { ...environment, FIRSTPRINT_MADE_FILES: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  t.after(() => child.kill());
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);

  const count = (what: string): number =>
    Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(report)?.[1] ?? Number.NaN);
  assert.deepEqual(
    [count("fail"), count("cancelled"), count("skipped"), code],
    [0, 0, 0, 0],
    report,
  );
  assert.ok(count("pass") >= scenarios.length, report);
});
