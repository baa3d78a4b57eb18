// Every secret a running exchange is given or makes, looked for wherever it leaves something: the
// database's rows, files and log, the write-ahead log, answers, audit, exports, output, processes.
// Invariant tested: eight characters of one are nowhere but where it belongs, encoded or not; and
// in each place something that is no secret, put there, is found by the same search.
import assert from "node:assert/strict";
import { createPrivateKey, hkdfSync } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import { Client } from "pg";
import { unseal } from "#identity/sealing.ts";
import { readSettings } from "#node/settings.ts";
import { runningConnection, startEmbedded } from "#storage/embedded.ts";
import { runProcess as run } from "#test/cli/recorder.ts";
import { runFile } from "#test/e2e/program.ts";
import { until } from "#test/e2e/until.ts";
import { send } from "#test/http/hostile-wire.ts";
import { PublicWorld } from "#test/http/public-world.ts";
import { tour } from "#test/http/tour.ts";
import { ADMIN_SECRET, at, Exchange, listAt, type Trader } from "#test/support/exchange.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { placeOf } from "../../tools/openapi-document.ts";
import { type Canary, Finder } from "./finder.ts";
import { type Asked, misuses, pasted } from "./misuses.ts";
import { commandLine, family, filesIn, valuesOf } from "./places.ts";
import { Witness } from "./witness.ts";

/** Of the misuses of a route, which begin at another one with the next route: all are met in turn. */
const MISUSED_ONE_IN = sizeOfRun("FIRSTPRINT_MISUSED_ONE_IN", 1);
/** No secret: every place is searched for it too, so that a search that sees nothing fails. */
const CONTROL = "Vx9kTq2mWz7pLr4sNb6h";

/** The persons behind two accounts; the first is erased. */
const persons = [
  {
    kind: "person",
    legalName: "Wilhelmine Zwerchfeller-Oquendo",
    countryCode: "DE",
    dateOfBirth: "1931-07-23",
    registrationNumber: "L01X00T47-Passport",
    address: "17 Quittenbaumallee, 99998 Zwerchfellhausen",
  },
  {
    kind: "organisation",
    legalName: "Jabberwock & Bandersnatch Galumphers",
    countryCode: "US",
    registrationNumber: "EIN 98-7654329-Q",
    address: "4711 Frumious Boulevard, Uffishtown",
  },
] as const;

const personal: readonly Canary[] = persons.flatMap((person, at) =>
  Object.entries(person)
    .filter(([, value]) => value.length >= 8 && value !== "organisation")
    .map(([name, secret]) => ({ name: `${name} of person ${at}`, secret })),
);

/** A running exchange that is watched. */
class Watched {
  readonly exchange: Exchange;
  readonly witness = new Witness();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  sent = 0;

  private constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.witness.canaries.push({ name: "admin secret", secret: ADMIN_SECRET }, ...personal);
  }

  static async start(t: TestContext): Promise<Watched> {
    const exchange = await Exchange.startEmbedded(t, {
      FIRSTPRINT_CLOCK: "sandbox",
      FIRSTPRINT_MAX_KEY_RATE: "1000000",
      FIRSTPRINT_PUBLIC_RATE: "1000000",
    });
    const watched = new Watched(exchange);
    t.after(async () => watched.#agent.destroy());
    return watched;
  }

  /** The whole answer is evidence; `place` is the operation, as the reference names it. */
  async ask(place: string, asked: Asked): Promise<number> {
    this.sent += 1;
    const { method, path: target, headers, body, what } = asked;
    const sent = { method, target, what, headers: Object.entries(headers), field: undefined };
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const heard = await send(this.exchange.url, { ...sent, body: bytes }, this.#agent);
    const whole = `${JSON.stringify(heard.headers)}\n${heard.text}`;
    this.witness.heard(place, whole, `${place} ${what}`);
    return heard.status;
  }

  async get(path: string, key: string): Promise<number> {
    const what = `GET ${path}`;
    return this.ask(what, { method: "GET", path, headers: bearer(key), body: undefined, what });
  }

  async post(url: string, path: string, body: object, headers: Asked["headers"]): Promise<number> {
    const typed = { "content-type": "application/json", ...headers };
    const what = `POST ${path}`;
    return this.ask(`POST ${url}`, {
      method: "POST",
      path,
      headers: typed,
      body: JSON.stringify(body),
      what,
    });
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const asRoot = { "x-admin-secret": ADMIN_SECRET };

/** Text that is no secret goes where free text goes: an entry, a big entry, an order that stays. */
async function leaveControls(watched: Watched, trader: Trader): Promise<void> {
  const funding = "/api/admin/accounts/:id/funding";
  const body = { amount: "1", memo: CONTROL };
  const path = funding.replace(":id", trader.id);
  assert.equal(await watched.post(funding, path, body, asRoot), 200);
  const orders = Array.from({ length: 20 }, (_, number) => ({
    marketId: "srs.zhvi.state-tx.b2024-12.e2025-12.L0200-1000",
    outcomeIndex: 0,
    side: "BUY",
    amount: "1",
    price: 0.01,
    clientOrderId: `${number}-${CONTROL}`,
  }));
  const batch = "/api/trading/orders/batch";
  const status = await watched.post(batch, batch, { orders }, bearer(trader.key));
  assert.equal(status, 200, "the control rests in the book");
}

async function givePersons(watched: Watched): Promise<Trader> {
  const { exchange, witness } = watched;
  const traders = [await exchange.trader("one", "1000"), await exchange.trader("two", "1000")];
  for (const [index, { id, key }] of traders.entries()) {
    witness.canaries.push({ name: `key of person ${index}`, secret: key, shown: 12 });
    const url = "/api/kyc/subject";
    const once = { ...bearer(key), "idempotency-key": `person-${index}` };
    const person = persons[index] ?? assert.fail("a person");
    for (let times = 0; times < 2; times += 1) {
      assert.equal(await watched.post(url, url, person, once), 200);
    }
    for (const name of Object.keys(person)) {
      const wrong = { ...person, [name]: 7, [person.legalName]: person.address };
      assert.equal(await watched.post(url, url, wrong, bearer(key)), 400);
    }
    const read = `/api/admin/accounts/${id}/subject/read`;
    const shown = await exchange.post(read, {}, { admin: true });
    assert.equal(at(shown.body, "data", "legalName"), person.legalName, "an operator may read it");
  }
  const [erased, kept] = traders;
  assert.ok(erased !== undefined && kept !== undefined);
  const gone = await exchange.request(
    "DELETE",
    `/api/admin/accounts/${erased.id}/subject`,
    undefined,
    { admin: true },
  );
  assert.equal(gone.status, 200);
  return kept;
}

/** Each kind of secret in each wrong place of each operation, or in a share of these places. */
async function misuseAll(t: TestContext, watched: Watched, trader: Trader): Promise<void> {
  const { routes } = (await PublicWorld.open(t)).world;
  const { issued } = watched.witness;
  const publicKey = issued.find((secret) => secret.startsWith("fp_pub_"));
  assert.ok(publicKey !== undefined);
  for (const [number, route] of routes.entries()) {
    if (route.surface === "page" || route.surface === "events") continue;
    const secrets = [trader.key, publicKey, ADMIN_SECRET];
    const all = secrets.flatMap((secret) => misuses(route, secret, trader.key));
    for (const asked of all.filter((_, at) => (at + number) % MISUSED_ONE_IN === 0)) {
      const status = await watched.ask(placeOf(route), asked);
      const isNone = status < 500 || status === 503;
      assert.ok(isNone, `${placeOf(route)} ${asked.what}: ${status}`);
    }
    const credential =
      route.surface === "admin" || route.access === "root" ? asRoot : bearer(trader.key);
    for (const asked of pasted(route, trader.key, credential)) {
      const status = await watched.ask(placeOf(route), asked);
      assert.ok(status >= 400 && status < 500, `${placeOf(route)} ${asked.what}: ${status}`);
    }
  }
}

/** Bytes that are no request, with a secret in them. */
async function speakNonsense({ exchange, witness }: Watched, secret: string): Promise<void> {
  const port = Number(new URL(exchange.url).port);
  for (const bytes of [
    `${secret} / HTTP/1.1\r\n\r\n`,
    `GET /${secret} HTTP/9.9\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: localhost\r\n${secret}\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: localhost\r\nauthorization : Bearer ${secret}\r\n\r\n`,
    `POST /api/kyc/inquiry HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${secret}\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${secret.repeat(2_000)}\r\n\r\n`,
  ]) {
    const socket = connect(port, "127.0.0.1");
    socket.end(bytes);
    witness.saw("answers", await text(socket));
  }
}

/** Pages of the trail and its export, whose entries come with the very bytes of the journal. */
async function readTrail({ exchange, witness }: Watched, key: string): Promise<void> {
  for (let offset = 0; ; offset += 1_000) {
    const page = await exchange.get(`/api/audit/logs?limit=1000&offset=${offset}`, { key });
    witness.saw("audit pages", page.text);
    if (listAt(page.body, "data").length === 0) break;
  }
  const exported = await exchange.get("/api/audit/export", { key });
  for (const entry of listAt(exported.body, "data")) {
    witness.saw("audit export", JSON.stringify(entry));
    for (const shown of [entry, ...listAt(entry, "parts")]) {
      witness.saw("entries of the journal", Buffer.from(String(at(shown, "bytes")), "base64"));
    }
  }
}

/** As a person types them, with the key and the secret in the environment; one shows a key. */
async function typeCommands({ exchange, witness }: Watched, key: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "firstprint-home-"));
  const env = { HOME: home, FIRSTPRINT_URL: exchange.url, FIRSTPRINT_KEY: key };
  const operator = { ...env, FIRSTPRINT_ADMIN_SECRET: ADMIN_SECRET };
  const made = await run(["key", "create", "cli", "--permissions", "read:markets"], { env });
  const [secret] = /fp_test_\w{36}/.exec(made.stdout) ?? assert.fail(made.stderr);
  witness.canaries.push({ name: "key made by the command line", secret, shown: 12 });
  assert.equal(made.stdout.split(secret).length, 2, "it is shown once");
  witness.saw("the command line", made.stdout.replace(secret, "") + made.stderr);
  const commands: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
    [["key", "list"], env],
    [["key", "list", "--json"], env],
    [["audit", "list", "--json"], env],
    [["audit", "export"], env],
    [["order", "list", "--json"], env],
    [["portfolio"], env],
    [["account", "list", "--json"], operator],
    [["account", "fund", "acc-1", "1", "--memo", CONTROL, "--json"], operator],
    [["account", "fund", "acc-1", "x", "--memo", ADMIN_SECRET], operator],
    [["halt"], operator],
    [["portfolio", "--json"], { ...env, FIRSTPRINT_KEY: `${key}x` }],
    [["portfolio"], { ...env, FIRSTPRINT_KEY: `${key} ` }],
    [["portfolio"], { ...env, FIRSTPRINT_URL: "http://127.0.0.1:1" }],
    [["account", "list"], { ...operator, FIRSTPRINT_ADMIN_SECRET: `${ADMIN_SECRET}-` }],
  ];
  for (const [words, environment] of commands) {
    const { stdout, stderr } = await run(words, { env: environment, cwd: home });
    witness.saw("the command line", stdout + stderr);
  }
  assert.deepEqual(await readdir(home), [], "the command line keeps no history");
  await rm(home, { recursive: true });
}

/**
 * The parts of the exchange's processes that anybody may read, and what the database's were given.
 */
async function readProcesses({ exchange, witness }: Watched): Promise<void> {
  const cluster = join(exchange.dataDir, "postgresql/cluster");
  const [server = ""] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  const database = await family(Number(server));
  assert.ok(database.length > 4, "the server and its sessions");
  for (const pid of [exchange.pid, ...database]) {
    witness.saw("command lines", `${commandLine(pid)}\n`);
    const { mode } = statSync(`/proc/${pid}/environ`);
    assert.equal(mode & 0o077, 0, "the environment is its owner's alone");
  }
  witness.saw("command lines", basename(exchange.dataDir));
  for (const pid of database) {
    const given = await run([`/proc/${pid}/environ`], { program: "/bin/cat" });
    witness.saw("the database's environment", given.stdout);
  }
}

/** Starts that fail over a setting, each of which holds a secret; two of them as a process. */
async function startWrongly({ exchange, witness }: Watched): Promise<void> {
  const here = { FIRSTPRINT_DATA_DIR: exchange.dataDir, PORT: "0" };
  for (const environment of [
    { FIRSTPRINT_ADMIN_SECRET: ADMIN_SECRET.slice(0, 30) },
    { FIRSTPRINT_SAMPLE: ADMIN_SECRET },
    { FIRSTPRINT_DOWNLOADS: ADMIN_SECRET, FIRSTPRINT_CLOCK: "sandbox" },
    { PORT: ADMIN_SECRET },
    { DATABASE_URL: ADMIN_SECRET },
  ]) {
    assert.throws(
      () => readSettings({ ...here, ...environment }),
      (fault) => {
        witness.saw("output", inspect(fault));
        return true;
      },
    );
  }
  for (const environment of [{ FIRSTPRINT_ADMIN_SECERT: ADMIN_SECRET }, {}]) {
    const ended = await runFile("src/main.ts", { ...here, ...environment });
    assert.notEqual(ended.code, 0, ended.output);
    witness.saw("output", ended.output);
  }
}

/** The database is killed under requests: faults are logged, 503 is answered, a start recovers. */
async function loseDatabase(watched: Watched, trader: Trader): Promise<void> {
  const { exchange } = watched;
  const cluster = join(exchange.dataDir, "postgresql/cluster");
  const [server = ""] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(server), "SIGKILL");
  const url = "/api/trading/keys";
  const body = { label: "lost", permissions: ["read:markets"] };
  const from = exchange.output.length;
  let refused = 0;
  await until("what needs the database is refused, and a fault is logged", async () => {
    // First, since a node that no longer leads refuses what follows before it asks the database.
    await watched.get("/api/audit/logs", trader.key).catch(() => 503);
    const status = await watched.post(url, url, body, bearer(trader.key)).catch(() => 503);
    const person = await watched
      .post("/api/kyc/subject", "/api/kyc/subject", persons[1], bearer(trader.key))
      .catch(() => 503);
    refused += status === 503 && person >= 500 ? 1 : 0;
    return refused > 3 && exchange.output.slice(from).includes("a request met a fault");
  });
  await exchange.stop();
  await exchange.up();
}

/** The exchange's own secrets, each of which is in one file, that its owner alone may read. */
function ownSecrets(dataDir: string): ReadonlyMap<string, Canary> {
  const file = (name: string): string => readFileSync(join(dataDir, name), "utf8");
  const seed = createPrivateKey(file("checkpoint.key"))
    .export({ type: "pkcs8", format: "der" })
    .subarray(-32);
  const names = ["pepper", "admin-secret", "webhook-key", "subjects-key", "postgresql/password"];
  const texts = names.map((name) => [name, { name, secret: file(name) }] as const);
  const key = { name: "checkpoint.key", secret: Uint8Array.from(seed) };
  return new Map<string, Canary>([...texts, ["checkpoint.key", key]]);
}

/** Everything in the data folder, after the end; what is a secret's own file holds it alone. */
async function readFolder({ exchange, witness }: Watched): Promise<void> {
  const own = ownSecrets(exchange.dataDir);
  const finder = new Finder([...witness.canaries, ...own.values()]);
  for await (const { path, bytes } of filesIn(exchange.dataDir)) {
    const canary = own.get(path);
    if (canary !== undefined) {
      assert.deepEqual([...finder.in(bytes)], [canary.name]);
      const { mode } = statSync(join(exchange.dataDir, path));
      assert.equal(mode & 0o777, 0o600, path);
      continue;
    }
    const isLog = path.startsWith("postgresql/cluster/pg_wal/");
    const isOutput = path.startsWith("postgresql/server.log");
    const isDatabase = path.startsWith("postgresql/");
    if (isLog) witness.saw("the write-ahead log", bytes);
    else if (isOutput) witness.saw("the database's log", bytes);
    else witness.saw(isDatabase ? "the database's files" : "other files", bytes, path);
  }
  witness.canaries.push(...own.values());
}

/** The keys of subjects, which are in the database as no reader of it alone can use them. */
async function keysOfSubjects(client: Client, dataDir: string): Promise<readonly Canary[]> {
  const shared = readFileSync(join(dataDir, "subjects-key"), "utf8");
  const key = new Uint8Array(hkdfSync("sha256", shared, "", "firstprint/subjects", 32));
  const { rows } = await client.query<{ id: string; sealed: Buffer }>(
    "SELECT subject_id AS id, sealed FROM kyc_key",
  );
  assert.equal(rows.length, 4, "four subjects' keys are left: three of them the tour's");
  return rows.map(({ id, sealed }) => ({
    name: `key of ${id}`,
    secret: unseal(key, `key of ${id}`, sealed),
  }));
}

/** The rows as whoever may ask gets them, and a statement that fails with the control in it. */
async function readDatabase({ exchange, witness }: Watched): Promise<void> {
  const database = await startEmbedded({ dataDir: exchange.dataDir });
  try {
    assert.ok((await runningConnection(exchange.dataDir)) !== undefined);
    for await (const value of valuesOf(database.connection)) witness.saw("rows", value);
    const client = new Client(database.connection);
    await client.connect();
    await assert.rejects(client.query(`SELECT '${CONTROL}'::integer`));
    for (const canary of await keysOfSubjects(client, exchange.dataDir)) {
      witness.canaries.push(canary);
    }
    const { rows } = await client.query("SHOW wal_compression");
    assert.deepEqual(rows, [{ wal_compression: "off" }], "else it could not be searched");
    await client.end();
  } finally {
    await database.stop();
  }
}

test("no secret is anywhere but where it belongs", async (t) => {
  const watched = await Watched.start(t);
  const { exchange, witness } = watched;
  await tour(exchange, (place, _status, body) => witness.heard(place, body));
  const trader = await givePersons(watched);
  // Now: what follows sends wrong admin secrets, and after too many in a minute none is compared.
  const auditor = await exchange.trader("auditor", "0", "auditor");
  witness.canaries.push({ name: "auditor's key", secret: auditor.key, shown: 12 });
  await leaveControls(watched, trader);
  await misuseAll(t, watched, trader);
  await speakNonsense(watched, trader.key);
  await typeCommands(watched, trader.key);
  await readTrail(watched, auditor.key);
  await readProcesses(watched);
  await startWrongly(watched);
  await exchange.kill();
  await exchange.up();
  await loseDatabase(watched, trader);
  await exchange.stop();
  await exchange.up({ FIRSTPRINT_ADMIN_SECRET: "" });
  await exchange.stop();
  const verified = await runFile("src/verify.ts", exchange.place);
  assert.equal(verified.code, 0, verified.output);
  witness.saw("output", exchange.output + verified.output);
  await readDatabase(watched);
  await readFolder(watched);

  const folder = basename(exchange.dataDir);
  const sizes = witness.judge(
    new Map([
      ...[
        ...["answers", "audit pages", "audit export", "entries of the journal", "rows"],
        ...["the write-ahead log", "the database's files", "the database's log"],
        "the command line",
      ].map((place) => [place, CONTROL] as const),
      ["output", folder],
      ["command lines", folder],
      ["the database's environment", "/usr/bin:/bin"],
      ["other files", "firstprint/"],
    ]),
  );
  t.diagnostic(`${witness.canaries.length} secrets, ${watched.sent} requests that misuse them`);
  t.diagnostic(JSON.stringify(Object.fromEntries(sizes)));
});
