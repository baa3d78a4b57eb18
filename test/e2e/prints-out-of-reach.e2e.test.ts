// A node that stands by, and cannot read the prints of a release that the leader has accepted.
// Invariant tested: a table out of reach for a while ends no node, and is read once it is back.
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { grantServing } from "#storage/serving-role.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { Exchange } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { shared } from "./two-nodes.ts";
import { until } from "./until.ts";
import { upload } from "./upload.ts";

const ROLE = "firstprint_standby";

test("a node that cannot read prints for a while goes on, and then shows them", async (t) => {
  const config = await createDatabase(t);
  const leader = await Exchange.start(t, { DATABASE_URL: urlOf(config) });
  const owner = new Client(config);
  await owner.connect();
  await owner.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${ROLE}'`);
  await grantServing(config, ROLE);
  const url = urlOf({ ...config, user: ROLE, password: ROLE });
  const standby = await Exchange.start(t, { DATABASE_URL: url }, async (dataDir) => {
    for (const name of shared) await copyFile(join(leader.dataDir, name), join(dataDir, name));
  });
  await owner.query(`REVOKE SELECT ON print_latest, print_block FROM ${ROLE}`);
  const { text, publishedAt } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  assert.ok((await upload(leader, text, query)).status < 300);
  await until("it says so", () => /marks wait for the database/.test(standby.output));
  await sleep(500);
  assert.equal((await standby.get("/api/status")).status, 200, "it runs");
  await owner.query(`GRANT SELECT ON print_latest, print_block TO ${ROLE}`);
  const path = "/api/index/state:tx?index=zhvi";
  const told = (await leader.get(path)).body;
  await until("it shows them", async () => {
    const { body } = await standby.get(path);
    return JSON.stringify(body) === JSON.stringify(told);
  });
  await standby.stop();
  await owner.query(`DROP OWNED BY ${ROLE}`);
  await owner.query(`DROP ROLE ${ROLE}`);
  await owner.end();
});
