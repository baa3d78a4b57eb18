// Inquiries and personal data on a running exchange: who decides, what an end leaves undecided,
// and that what was erased is nowhere: not in the database, the journal, the log or an answer.
import assert from "node:assert/strict";
import { hkdfSync } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { unseal } from "#identity/sealing.ts";
import { withClient } from "#storage/with-client.ts";
import { at, Exchange, type ExchangeClient, listAt, textAt } from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { until } from "../e2e/until.ts";

/** A word that is nowhere unless it leaked. */
const CANARY = "Zwerchfellhausen";

const subjectOf = (legalName: string) => ({
  kind: "person",
  legalName,
  countryCode: "DE",
  dateOfBirth: "1970-01-02",
  address: `1 ${CANARY} Lane`,
});

async function open(exchange: ExchangeClient, name: string) {
  const opened = await exchange.admin("accounts", { name, role: "trader" });
  return { id: textAt(opened, "account", "id"), key: textAt(opened, "key", "secret") };
}

const statusOf = async (exchange: ExchangeClient, key: string) =>
  at((await exchange.get("/api/kyc/status", { key })).body, "data");

async function decided(exchange: ExchangeClient, key: string) {
  await until(
    "a decision",
    async () => textAt(await statusOf(exchange, key), "status") !== "pending",
  );
  return statusOf(exchange, key);
}

test("the sandbox's rule decides, names itself, and refuses a hit", async (t) => {
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_KYC: "sandbox" });
  const clear = await open(exchange, "clear");
  const hit = await open(exchange, "hit");
  for (const [{ key }, name] of [
    [clear, `${CANARY} Ltd`],
    [hit, `Sanctioned ${CANARY}`],
  ] as const) {
    const given = await exchange.post("/api/kyc/subject", subjectOf(name), { key });
    assert.equal(given.status, 200, given.text);
    assert.match(textAt(given.body, "data", "subjectId"), /^sub-[0-9a-f]{32}$/);
    assert.ok(!given.text.includes(CANARY), "what was given is not repeated");
    const asked = await exchange.post("/api/kyc/inquiry", { tier: "enhanced" }, { key });
    assert.equal(at(asked.body, "data", "status"), "pending");
    assert.equal(at(asked.body, "data", "limits"), null);
  }
  const approved = await decided(exchange, clear.key);
  assert.equal(at(approved, "status"), "approved");
  assert.equal(at(approved, "tier"), "enhanced");
  assert.equal(at(approved, "provider"), "sandbox");
  assert.equal(at(approved, "countryCode"), "DE");
  const refused = await decided(exchange, hit.key);
  assert.equal(at(refused, "status"), "rejected");
  assert.equal(at(refused, "sanctionsCleared"), false);
  assert.equal(at(refused, "pepScreened"), true);
});

test("an inquiry that an end left undecided is screened at the next start", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { key } = await open(exchange, "waiting");
  await exchange.post("/api/kyc/inquiry", { tier: "basic" }, { key });
  assert.equal(textAt(await statusOf(exchange, key), "status"), "pending", "manual: nobody has");
  await exchange.stop();
  await exchange.up({ FIRSTPRINT_KYC: "sandbox" });
  assert.equal(at(await decided(exchange, key), "status"), "approved");
});

test("personal data are read by operators only, with an entry, and erased for good", async (t) => {
  const exchange = await Exchange.startEmbedded(t);
  const { id, key } = await open(exchange, "subject");
  const given = subjectOf(`${CANARY} Brothers`);
  const headers = { "idempotency-key": "given-once" };
  const first = await exchange.post("/api/kyc/subject", given, { key, headers });
  const again = await exchange.post("/api/kyc/subject", given, { key, headers });
  assert.equal(again.text, first.text, "the same answer");
  const keys = () => keysIn(exchange);
  assert.equal((await keys()).length, 1, "asked twice, kept once");
  await exchange.post("/api/kyc/subject", { ...given, address: "elsewhere" }, { key });
  assert.equal((await keys()).length, 1, "the newer data replace the older");

  const path = `/api/admin/accounts/${id}/subject`;
  const byTrader = await exchange.post(`${path}/read`, {}, { key });
  assert.equal(byTrader.status, 403, "not even one's own");
  const read = await exchange.post(`${path}/read`, {}, { admin: true });
  assert.equal(at(read.body, "data", "legalName"), given.legalName);
  assert.equal(at(read.body, "data", "address"), "elsewhere");

  assert.equal((await exchange.post(`${path}/read`, {}, { admin: true })).status, 200);
  const [kept] = await keys();
  assert.ok(kept !== undefined);
  const erased = await exchange.request("DELETE", path, undefined, { admin: true });
  assert.equal(erased.status, 200, erased.text);
  assert.deepEqual(await keys(), []);
  assert.equal((await exchange.post(`${path}/read`, {}, { admin: true })).status, 404);
  const unknown = await exchange.post(
    "/api/admin/accounts/acc-99/subject/read",
    {},
    { admin: true },
  );
  assert.equal(unknown.status, 404);

  const trail = await exchange.get("/api/audit/logs?limit=100", { key });
  const actions = listAt(trail.body, "data").map((entry) => textAt(entry, "action"));
  assert.equal(actions.filter((action) => action === "kyc.subject_read").length, 3);
  assert.equal(actions.filter((action) => action === "kyc.subject_given").length, 2);
  assert.ok(actions.includes("kyc.subject_erased"));
  assert.ok(!trail.text.includes(CANARY), "nor in the audit trail");
  assert.ok(!exchange.output.includes(CANARY), "nor in the log");
  await assertNowhere(exchange, kept.key);
});

test("a subject no account names is destroyed when the next term begins", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { id, key } = await open(exchange, "cut");
  await exchange.post("/api/kyc/subject", subjectOf("A. Nobody"), { key });
  const [kept] = await keysIn(exchange);
  assert.ok(kept !== undefined);
  await exchange.request("DELETE", `/api/admin/accounts/${id}/subject`, undefined, { admin: true });
  await rowsOf(exchange, "INSERT INTO kyc_key SELECT $1, $2, epoch FROM leader", [
    kept.id,
    kept.sealed,
  ]);
  await rowsOf(exchange, "INSERT INTO kyc_subject VALUES ($1, '')", [kept.id]);
  await exchange.stop();
  await exchange.up();
  assert.deepEqual(await keysIn(exchange), [], "as if the erasure had been cut off");
  assert.deepEqual(await rowsOf(exchange, "SELECT subject_id FROM kyc_subject", []), []);
});

async function rowsOf(exchange: ExchangeClient, sql: string, values: readonly unknown[]) {
  const connection = await exchange.connection();
  const { rows } = await withClient({ ...connection }, (client) => client.query(sql, [...values]));
  return rows;
}

/** Each as the database has it, and as the secret that is beside the database opens it. */
async function keysIn(exchange: ExchangeClient) {
  const secret = await readFile(join(exchange.dataDir, "subjects-key"), "utf8");
  const shared = new Uint8Array(hkdfSync("sha256", secret, "", "firstprint/subjects", 32));
  const rows = await rowsOf(exchange, "SELECT subject_id, sealed FROM kyc_key", []);
  return rows.map((row) => {
    const id = textAt(row, "subject_id");
    const sealed = at(row, "sealed");
    assert.ok(sealed instanceof Uint8Array);
    return { id, sealed, key: unseal(shared, `key of ${id}`, sealed) };
  });
}

/** Every file the exchange wrote: tables, write-ahead log, secrets, checkpoints. */
async function assertNowhere(exchange: Exchange, key: Uint8Array): Promise<void> {
  await exchange.stop();
  const names = await readdir(exchange.dataDir, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name));
    bytes += content.length;
    assert.ok(!content.includes(CANARY), `${entry.name} holds what was erased`);
    assert.ok(
      !content.includes(Buffer.from(key)),
      `${entry.name} holds the key of what was erased`,
    );
  }
  assert.ok(bytes > 1_000_000, "the database was among what was read");
}

test("what is no subject is refused with the field, and kept nowhere", async (t) => {
  const exchange = await InProcessExchange.start(t);
  const { key } = await open(exchange, "strict");
  const bad: readonly (readonly [string, object])[] = [
    ["countryCode", { countryCode: "Germany" }],
    ["legalName", { legalName: "" }],
    ["dateOfBirth", { dateOfBirth: "2.1.1970" }],
    ["kind", { kind: "cat" }],
    ["email", { email: "a@b.c" }],
  ];
  for (const [field, change] of bad) {
    const reply = await exchange.post(
      "/api/kyc/subject",
      { ...subjectOf(CANARY), ...change },
      { key },
    );
    assert.equal(reply.status, 400, reply.text);
    assert.equal(at(reply.body, "error", "field"), field);
    assert.ok(!reply.text.includes(CANARY));
  }
  assert.deepEqual(await keysIn(exchange), []);
});
