// All a leader needs is in the database: its machine is lost, folder and all, and another node goes
// on with its raw files and its personal data.
// Invariant tested: nothing that was acknowledged lies on one machine alone.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { request } from "node:http";
import { test } from "node:test";
import type { ClientConfig } from "pg";
import { withClient } from "#storage/with-client.ts";
import { createDatabase, urlOf } from "#test/support/database.ts";
import { ADMIN_SECRET, at, type Exchange, type Reply, textAt } from "#test/support/exchange.ts";
import { runFile } from "./program.ts";
import { stateFile } from "./sample-files.ts";
import { TwoNodes } from "./two-nodes.ts";
import { until } from "./until.ts";
import { type Query, upload, uploadPath } from "./upload.ts";

const DAY_MILLIS = 86_400_000;
const older = stateFile(1);

const query = (publishedAt: string): Query => ({
  provider: "sample",
  index: "zhvi",
  level: "state",
  publishedAt,
});

const ok = ({ status, text, body }: Pick<Reply, "status" | "text" | "body">): unknown => {
  assert.ok(status < 300, `${status} ${text}`);
  return at(body, "data");
};

const leads = async (node: Exchange): Promise<boolean> =>
  at((await node.get("/api/status")).body, "mode") === "open";

/** The file of a month before, without its last regions: validation holds it back. */
function heldFile(): { readonly text: string; readonly publishedAt: string } {
  const [header = "", ...lines] = older.text.trimEnd().split("\n");
  const publishedAt = new Date(Date.parse(older.publishedAt) + DAY_MILLIS).toISOString();
  return { text: `${[header, ...lines.slice(0, -6)].join("\n")}\n`, publishedAt };
}

/** The first half of a file, whose sender then says nothing more. */
async function sendHalf(exchange: Exchange, text: string, sent: Query): Promise<void> {
  const { hostname, port } = new URL(exchange.url);
  const headers = { "content-type": "text/csv", "x-admin-secret": ADMIN_SECRET };
  const asked = request({ hostname, port, method: "POST", path: uploadPath(sent), headers });
  asked.on("error", () => undefined);
  asked.write(text.slice(0, text.length / 2));
  await once(asked, "socket");
}

async function countOf(config: ClientConfig, sql: string): Promise<number> {
  const { rows } = await withClient(config, (client) =>
    client.query<{ count: number }>(`SELECT count(*)::int AS count ${sql}`),
  );
  return rows[0]?.count ?? assert.fail("a count");
}

test("a node that takes over has every file and every key of the one that is gone", async (t) => {
  const pair = await TwoNodes.start(t, urlOf(await createDatabase(t)));
  const [first, second] = pair.nodes;
  ok(await upload(first, older.text, query(older.publishedAt)));
  const held = heldFile();
  const release = ok(await upload(first, held.text, query(held.publishedAt)));
  assert.equal(textAt(release, "status"), "quarantined", JSON.stringify(release));
  const id = textAt(release, "id");
  await first.admin(`releases/${id}/approve`, {});
  const { key: operator } = await first.trader("operator", "0", "operator");
  const person = await first.trader("person", "0");
  const subject = { kind: "person", legalName: "Erika Mustermann", countryCode: "DE" };
  ok(await first.post("/api/kyc/subject", subject, { key: person.key }));

  await sendHalf(first, stateFile().text, query(stateFile().publishedAt));
  await first.kill();
  await rm(first.dataDir, { recursive: true });
  await until("the other leads", () => leads(second));

  const approve = `/api/admin/releases/${id}/approve`;
  const released = ok(await second.post(approve, {}, { key: operator }));
  assert.equal(textAt(released, "status"), "accepted");
  const vintages = `/api/index/state:tx/vintages?month=${older.lastMonth}`;
  ok(await second.get(vintages));
  const read = `/api/admin/accounts/${person.id}/subject/read`;
  assert.equal(
    textAt(ok(await second.post(read, {}, { admin: true })), "legalName"),
    "Erika Mustermann",
  );

  assert.equal(await second.stop(), 0);
  await second.up();
  ok(await second.get(vintages));
  const whole = ok(await upload(second, stateFile().text, query(stateFile().publishedAt)));
  assert.ok(textAt(whole, "status") !== "", "the file that was cut off is taken");
  const environment = { DATABASE_URL: pair.databaseUrl, FIRSTPRINT_DATA_DIR: second.dataDir };
  const judged = await runFile("src/verify.ts", environment);
  assert.match(judged.output, /^raw files +of \d+ releases hold$/m);
  assert.equal(judged.code, 0, judged.output);

  const database = { connectionString: pair.databaseUrl };
  const strays =
    "FROM raw_chunk WHERE NOT EXISTS (SELECT FROM raw_file WHERE upload = raw_chunk.upload)";
  assert.equal(await countOf(database, strays), 0, "what was cut off left with the next term");
  const erased = await second.request("DELETE", read.replace("/read", ""), undefined, {
    admin: true,
  });
  assert.equal(erased.status, 200, erased.text);
  assert.equal(await countOf(database, "FROM kyc_key"), 0);
  assert.equal((await second.post(read, {}, { admin: true })).status, 404);
});
