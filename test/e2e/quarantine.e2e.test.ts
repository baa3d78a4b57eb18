// Files that validation holds back, over HTTP, on a provider's files and spoilt copies of them:
// nothing moves until two different operators say so, whatever happens in between.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import {
  at,
  type ExchangeClient,
  type Json,
  listAt,
  numberAt,
  type Reply,
  textAt,
} from "#test/support/exchange.ts";
import { InProcessExchange } from "#test/support/in-process.ts";
import { scenarioFile, zhviState } from "#test/support/shared-data.ts";
import { until } from "./until.ts";

const METRO = "Metro_zhvi_uc_sfrcondo_tier_0.33_0.67_sm_sa_month.csv.gz";
const METRO_RENTS = "Metro_zori_uc_sfrcondomfr_sm_month.csv.gz";
const SERIES = "srs.zhvi.state-tx.b2024-10.e2025-04.K1000";

const query = (published: string, level = "state"): Record<string, string> => ({
  provider: "zillow",
  index: "zhvi",
  level,
  publishedAt: `${published}T00:00:00Z`,
});

const ok = (reply: Reply): Json => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return at(reply.body, "data");
};

type Change = (value: number, cell: { readonly row: number; readonly last: boolean }) => number;

/** A state file, every value through `change`, without its last `missing` regions. */
async function spoilt(
  exchange: ExchangeClient,
  file: URL,
  change: Change,
  missing = 0,
): Promise<URL> {
  const [header = "", ...lines] = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
  const kept = lines.slice(0, lines.length - missing).map((line, row) => {
    const cells = line.split(",");
    return cells
      .map((cell, place) => {
        if (place < 5 || cell === "") return cell;
        return String(change(Number(cell), { row, last: place === cells.length - 1 }));
      })
      .join(",");
  });
  const text = `${[header, ...kept].join("\n")}\n`;
  const path = join(exchange.dataDir, `spoilt-${text.length}-${missing}.csv`);
  await writeFile(path, text);
  return pathToFileURL(path);
}

/**
 * Everything that a held release must not move. Marks of an accepted one may follow a moment after
 * its answer, and touch the market. Whether orders match, and whether the print is overdue, is
 * asserted apart: a held file changes both.
 */
async function visible(exchange: ExchangeClient): Promise<Json> {
  const paths = [
    "/api/index/state:tx",
    "/api/releases?limit=100",
    `/api/markets/${SERIES}`,
    `/api/markets/${SERIES}/resolution`,
    "/api/quotes?node=state:tx&expiry=2025-11&notional=1000&strikeBps=500",
  ];
  const texts = await Promise.all(paths.map(async (path) => (await exchange.get(path)).text));
  const moving = /"updatedAt":"[^"]*"|"matching":"[^"]*"|"printOverdue":(true|false)/g;
  return texts.map((text) => text.replace(moving, ""));
}

/** Whether orders match, and whether the print is overdue. */
async function matching(exchange: ExchangeClient): Promise<Json> {
  const market = ok(await exchange.get(`/api/markets/${SERIES}`));
  return [at(market, "matching"), at(market, "printOverdue")];
}

/** No print has come for months: the market trades. */
const overdue = ["awaiting_release", true];
/** A file has been seen. */
const awaiting = ["awaiting_release", false];

const show = async (exchange: ExchangeClient, id: string): Promise<Json> =>
  ok(await exchange.get(`/api/admin/releases/${id}`, { admin: true }));

const codesOf = (release: Json): readonly string[] =>
  listAt(release, "reasons").map((reason) => String(reason).split(":")[0] ?? "");

const code = (reply: Reply): Json => [reply.status, at(reply.body, "code")];

async function actionsOf(exchange: ExchangeClient, key: string, id: string): Promise<Json> {
  const logs = await exchange.get("/api/audit/logs?limit=200", { key });
  return listAt(logs.body, "data")
    .filter((entry) => at(entry, "resource") === id)
    .map((entry) => [at(entry, "action"), at(entry, "severity")])
    .reverse();
}

/** October known, a protection on Texas sold and bought, its month over and not yet printed. */
async function opened(t: TestContext) {
  const [october, april, september] = [
    scenarioFile(zhviState("2024-10")),
    scenarioFile(zhviState("2025-04")),
    scenarioFile(zhviState("2025-09")),
  ];
  const exchange = await InProcessExchange.start(t, { FIRSTPRINT_CLOCK: "sandbox" });
  await exchange.admin("clock", { setTo: "2024-11-20T00:00:00Z" });
  ok(await exchange.ingest(october, query("2024-11-16")));
  const hedger = await exchange.trader("hedger", "5000");
  const seller = await exchange.trader("seller", "20000");
  const operator = await exchange.trader("operator", "0", "operator");
  const sell = { marketId: SERIES, outcomeIndex: 0, side: "SELL", amount: "100", price: 0.05 };
  ok(await exchange.post("/api/trading/orders", sell, { key: seller.key }));
  const buy = { ...sell, side: "BUY" };
  ok(await exchange.post("/api/trading/orders", buy, { key: hedger.key }));
  await exchange.admin("clock", { setTo: "2025-05-20T00:00:00Z" });
  return { exchange, operator, hedger, files: { october, april, september } };
}

test("spoilt, stale and foreign files are held back, and nothing moves", async (t) => {
  const { exchange, files } = await opened(t);
  const values = scenarioFile(`zhvi/metro/2024-10/${METRO}`);
  const rents = scenarioFile(`zori/metro/2024-11/${METRO_RENTS}`);
  const old = scenarioFile(zhviState("2023-12"));
  ok(await exchange.ingest(values, query("2024-11-16", "metro")));
  await until(
    "its marks have come",
    async () => String(await matching(exchange)) === String(overdue),
  );
  const before = await visible(exchange);

  const same: Change = (value) => value;
  const held: readonly (readonly [string, URL, Record<string, string>])[] = [
    [
      "UNIT_SLIP",
      await spoilt(exchange, files.april, (value) => value / 1000),
      query("2025-05-16"),
    ],
    ["UNIT_SLIP", await spoilt(exchange, files.april, (value) => value / 10), query("2025-05-16")],
    ["UNIT_SLIP", rents, query("2025-05-16", "metro")],
    ["REGIONS_MISSING", await spoilt(exchange, files.april, same, 6), query("2025-05-16")],
    ["STALE_FILE", old, query("2024-01-16")],
    ["WRONG_MONTH", files.april, query("2025-04-30")],
  ];
  for (const [reason, file, sent] of held) {
    const release = ok(await exchange.ingest(file, sent));
    assert.equal(textAt(release, "status"), "quarantined", reason);
    assert.ok(codesOf(release).includes(reason), `${reason}: ${codesOf(release)}`);
    assert.deepEqual(await visible(exchange), before, `${reason} moves nothing`);
    assert.deepEqual(await matching(exchange), awaiting, `${reason} stops trading`);
    const again = ok(await exchange.ingest(file, sent));
    assert.deepEqual(again, release, "the same bytes again are the same release");
  }
  const all = ok(await exchange.get("/api/admin/releases?limit=100", { admin: true }));
  assert.equal(listAt(all).length, held.length + 2);
  const future = await exchange.ingest(files.september, query("2025-10-16"));
  assert.deepEqual(code(future), [422, "RELEASE_FROM_FUTURE"]);

  // April was sent under a wrong date: rejected by one, it is taken under the right one.
  const wrong = listAt(all).find((release) => codesOf(release).includes("WRONG_MONTH"));
  const id = textAt(wrong, "id");
  const reason = { reason: "published a month later" };
  const rejected = await exchange.admin(`releases/${id}/reject`, reason);
  assert.equal(textAt(rejected, "status"), "rejected");
  assert.deepEqual(at(rejected, "rejection"), { by: "root", ...reason });
  const taken = ok(await exchange.ingest(files.april, query("2025-05-16")));
  assert.equal(textAt(taken, "id"), id);
  assert.equal(textAt(taken, "status"), "accepted");
  assert.deepEqual(at(taken, "resolvedMarkets"), [SERIES]);
});

test("two different operators release a fall that is real; then it settles", async (t) => {
  const { exchange, operator, hedger, files } = await opened(t);
  const crash: Change = (value, { row, last }) => (row < 3 && last ? value * 0.8 : value);
  const file = await spoilt(exchange, files.april, crash);
  const before = await visible(exchange);
  assert.deepEqual(await matching(exchange), overdue);
  const release = ok(await exchange.ingest(file, query("2025-05-16")));
  const id = textAt(release, "id");
  assert.deepEqual(codesOf(release), ["MOVE_TOO_LARGE"]);

  const approve = `/api/admin/releases/${id}/approve`;
  const first = ok(await exchange.post(approve, {}, { admin: true }));
  assert.deepEqual(at(first, "approvedBy"), ["root"]);
  const twice = await exchange.post(approve, {}, { admin: true });
  assert.deepEqual(code(twice), [409, "RELEASE_SAME_OPERATOR"]);
  assert.equal((await exchange.post(approve, {}, { key: hedger.key })).status, 403);
  assert.deepEqual(await visible(exchange), before);
  assert.deepEqual(await matching(exchange), awaiting);

  await exchange.stop();
  await exchange.up();
  assert.deepEqual(at(await show(exchange, id), "approvedBy"), ["root"], "a restart keeps it");
  assert.equal(listAt(await show(exchange, id), "wouldSettle").length, 1);
  assert.deepEqual(await visible(exchange), before);
  assert.deepEqual(await matching(exchange), awaiting, "a restart keeps that too");

  const retried = { key: operator.key, headers: { "idempotency-key": "second word" } };
  const accepted = ok(await exchange.post(approve, {}, retried));
  assert.equal(textAt(accepted, "status"), "accepted");
  assert.deepEqual(at(accepted, "approvedBy"), ["root", operator.id]);
  assert.deepEqual(codesOf(accepted), ["MOVE_TOO_LARGE"], "why it was held stays with it");
  assert.deepEqual(at(accepted, "resolvedMarkets"), [SERIES]);
  const resolved = ok(await exchange.get(`/api/markets/${SERIES}/resolution`));
  assert.equal(textAt(resolved, "outcome"), "YES");
  assert.deepEqual(ok(await exchange.post(approve, {}, retried)), accepted, "asked again");
  assert.deepEqual(code(await exchange.post(approve, {}, { admin: true })), [
    409,
    "RELEASE_NOT_QUARANTINED",
  ]);
  assert.deepEqual(await actionsOf(exchange, operator.key, id), [
    ["release.awaited", "info"],
    ["release.quarantined", "warning"],
    ["release.approved", "info"],
    ["release.accepted", "info"],
  ]);

  await exchange.stop();
  await exchange.up();
  assert.equal(at(await show(exchange, id), "status"), "accepted");
  const verified = ok(await exchange.get("/api/audit/verify", { key: operator.key }));
  assert.equal(at(verified, "valid"), true);
});

test("another file settles meanwhile; what nobody has seen holds a release anew", async (t) => {
  const { exchange, operator, files } = await opened(t);
  const crash: Change = (value, { row, last }) => (row < 3 && last ? value * 0.8 : value);
  const file = await spoilt(exchange, files.april, crash);
  const id = textAt(ok(await exchange.ingest(file, query("2025-05-16"))), "id");
  const approve = `/api/admin/releases/${id}/approve`;
  ok(await exchange.post(approve, {}, { key: operator.key }));

  const good = ok(await exchange.ingest(files.april, query("2025-05-17")));
  assert.equal(textAt(good, "status"), "accepted");
  assert.deepEqual(at(good, "resolvedMarkets"), [SERIES]);
  const settled = await visible(exchange);

  const anew = ok(await exchange.post(approve, {}, { admin: true }));
  assert.equal(textAt(anew, "status"), "quarantined");
  // The good file's last month is known now, and this one says another of one state.
  assert.deepEqual(codesOf(anew), ["RESTATED", "STALE_FILE"]);
  assert.deepEqual(at(anew, "approvedBy"), []);
  assert.deepEqual(await visible(exchange), settled);

  ok(await exchange.post(approve, {}, { admin: true }));
  const released = ok(await exchange.post(approve, {}, { key: operator.key }));
  assert.equal(textAt(released, "status"), "accepted");
  assert.equal(numberAt(released, "firstPrints"), 0, "its months are printed, for good");
  assert.deepEqual(at(released, "resolvedMarkets"), []);
  const resolution = `/api/markets/${SERIES}/resolution`;
  assert.ok(
    JSON.stringify(settled).includes(JSON.stringify((await exchange.get(resolution)).text)),
  );
});

test("a method is declared by whoever sends the file, and shown to everybody", async (t) => {
  const { exchange, files } = await opened(t);
  const sent = query("2025-05-16");
  const odd = await exchange.ingest(files.april, { ...sent, methodology: "No Blanks" });
  assert.deepEqual(code(odd), [400, "INVALID_REQUEST"]);
  const declared = { ...sent, methodology: "zhvi/2025" };
  const release = ok(await exchange.ingest(files.april, declared));
  assert.equal(textAt(release, "methodologyChange"), "declared");
  const [newest, first] = listAt((await exchange.get("/api/releases")).body, "data");
  assert.equal(textAt(newest, "methodologyVersion"), "zhvi/2025");
  assert.equal(textAt(first, "methodologyVersion"), "zhvi/1");
  assert.equal(at(first, "methodologyChange"), null);
});
