// A real exchange on a machine whose clock is set a day ahead and back: no entry has that time, the
// operator is told, a restart forgets nothing, and a word on the command line takes it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checkout, Exchange, textAt } from "#test/support/exchange.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { runProgram } from "./program.ts";
import { scraped, seriesValue } from "./scrape.ts";
import { until } from "./until.ts";

const DAY_MILLIS = 86_400_000;
/** Far more than the test takes. */
const HOUR_MILLIS = 3_600_000;

test("a clock a day ahead decides nothing before an operator's word", async (t) => {
  const folder = await temporaryFolder(t, "firstprint-clock-");
  const file = join(folder, "ahead");
  const socket = join(folder, "operators.sock");
  const exchange = await Exchange.startEmbedded(t, {
    NODE_OPTIONS: `--import=${join(checkout, "test/support/set-clock.ts")}`,
    TEST_CLOCK_FILE: file,
    FIRSTPRINT_OPERATOR_LISTEN: socket,
  });
  const { id } = await exchange.trader("a", "100");
  const auditor = await exchange.trader("auditor", "0", "auditor");
  /** Of the newest entry, against the true time. */
  const ahead = async (): Promise<number> => {
    await exchange.admin(`accounts/${id}/funding`, { amount: "1", memo: "m" });
    const { body } = await exchange.get("/api/status");
    return Date.parse(textAt(body, "engineTime")) - Date.now();
  };
  const metric = async (name: string) => seriesValue(await scraped(socket), `firstprint_${name}`);
  assert.ok(Math.abs(await ahead()) < HOUR_MILLIS);

  await writeFile(file, String(DAY_MILLIS));
  assert.ok(Math.abs(await ahead()) < HOUR_MILLIS, "the first command after it has the old time");
  await until("it is told", () => exchange.output.includes('"alert":"clock_doubted"'));
  assert.equal(await metric("clock_doubted"), 1);
  assert.ok(Math.abs(((await metric("clock_off_seconds")) ?? 0) - DAY_MILLIS / 1_000) < 3_600);

  await exchange.stop();
  await exchange.up();
  assert.ok(Math.abs(await ahead()) < HOUR_MILLIS, "the next process knows of it");
  assert.equal(await metric("clock_doubted"), 1);

  const program = join(checkout, "bin/firstprint");
  const reason = "Mina Roth: the clock agrees with the others";
  const said = await runProgram(program, ["accept-clock", "--reason", reason], exchange.place);
  assert.equal(said.code, 0, said.output);
  await until("it is followed", async () => (await metric("clock_doubted")) === 0);
  assert.ok((await ahead()) > DAY_MILLIS - HOUR_MILLIS, "now it decides");
  const trail = "/api/audit/logs?action=maintenance.recorded";
  const told = async (): Promise<string> =>
    JSON.stringify((await exchange.get(trail, auditor)).body);
  for (let tries = 0; tries < 100 && !(await told()).includes("clock_accepted"); tries += 1) {
    await sleep(50);
  }
  assert.match(await told(), /clock_accepted/);
  assert.ok((await told()).includes(reason));

  await writeFile(file, "0");
  await until("back is a jump, too", async () => (await metric("clock_doubted")) === 1);
  const first = await ahead();
  assert.ok(first > DAY_MILLIS - HOUR_MILLIS, "time does not go back");
  assert.equal(await metric("time_stands_seconds"), 0, "nor does it stand still");
  await runProgram(program, ["accept-clock", "--reason", reason], exchange.place);
  await until("it is followed", async () => (await metric("clock_doubted")) === 0);
  await ahead();
  assert.ok(((await metric("time_stands_seconds")) ?? 0) > 3_600, "as the operator was told");
});
