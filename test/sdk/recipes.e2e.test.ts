// The recipes of sdk/README.md, as they stand: compiled strictly against the built SDK, then run
// with the machine's own Node against an exchange with the sample; and the homeowner's in the other
// languages that the console shows it in.
// Invariant: a recipe finds the SDK as a package of its own, with nothing of this checkout but its
// two dependencies.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { at, checkout, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { installedSdk, run } from "./installed.ts";

const readme = readFileSync(join(checkout, "sdk/README.md"), "utf8");

/** The code of a recipe, by the first word of its heading that tells it from the others. */
function recipe(who: string): string {
  const code = new RegExp(`^### An? ${who}.*?^\`\`\`ts\n(.*?)^\`\`\`$`, "ms").exec(readme)?.[1];
  assert.ok(code !== undefined, `the README has a recipe of a ${who}`);
  return code;
}

const people = [
  ...(["homeowner", "market maker", "lender"] as const),
  ...(["portfolio", "auditor", "archive", "data consumer"] as const),
];
const fileOf = (who: string): string => who.replace(" ", "-");

/** Each recipe a file beside the installed SDK. */
async function project(t: TestContext): Promise<string> {
  const folder = await installedSdk(t);
  for (const who of people) {
    const code = recipe(who);
    writeFileSync(join(folder, `${fileOf(who)}.ts`), code);
    writeFileSync(join(folder, `${fileOf(who)}.mjs`), stripTypeScriptTypes(code));
  }
  return folder;
}

const compilerOptions = {
  ...{ strict: true, noEmit: true, module: "nodenext", target: "esnext", types: ["node"] },
  ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
};

async function newestRfq(exchange: Exchange, key: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const open = await exchange.get("/api/trading/rfqs", { key });
    if (listAt(open.body, "data").length > 0) return textAt(open.body, "data", 0, "id");
    await sleep(50);
  }
  return assert.fail("no request was opened");
}

function assertBought(output: string): void {
  assert.match(output, /^78704\b.*: [\d.]+ USD now, 40000 USD at most$/m);
  assert.match(output, /^order ord-\d+: 40000 of 40000 bought$/m);
}

/** Somebody sells what the recipes of three homeowners and a lender buy. */
async function offer(exchange: Exchange) {
  const seller = await exchange.trader("Seller", "200000");
  const quoted = await exchange.get("/api/index/zip:78704");
  const [year, month] = textAt(quoted.body, "data", "asOfMonth").split("-");
  const nextYear = Number(year) + 1;
  const query = `node=zip:78704&expiry=${nextYear}-${month}&notional=40000`;
  const layer = "kind=layered&attachBps=200&exhaustBps=1000";
  const quote = await exchange.get(`/api/quotes?${query}&${layer}`);
  const marketId = textAt(quote.body, "data", "seriesMarketId");
  const limit = String(numberAt(quote.body, "data", "limitPrice"));
  const ask = { marketId, outcomeIndex: 0, side: "SELL", amount: "120100", price: limit };
  const offered = await exchange.post("/api/trading/orders", ask, { key: seller.key });
  assert.equal(offered.status, 200, offered.text);
  return { marketId, limit, nextYear };
}

/** The homeowner's recipe as the console shows it in other languages. */
async function buyIn(
  t: TestContext,
  language: "sh" | "python3",
  exchange: Exchange,
): Promise<void> {
  const [file, needed] = language === "sh" ? ["homeowner.sh", "jq"] : ["homeowner.py", "python3"];
  if (spawnSync(needed, ["--version"]).status !== 0) return void t.skip(`no ${needed} here`);
  const { key } = await exchange.trader("Other Owner", "20000");
  const env = { FIRSTPRINT_URL: exchange.url, FIRSTPRINT_KEY: key };
  const path = join(checkout, "console/recipes", file);
  const { status, output } = await run(language, [path], checkout, env);
  assert.equal(status, 0, output);
  assertBought(output);
}

function assertArchive(output: string, folder: string): void {
  assert.match(output, /^written to prints\.csv$/m);
  const csv = readFileSync(join(folder, "prints.csv"), "utf8");
  const [head, ...rows] = csv.trimEnd().split("\n");
  const vintage = "releaseId,publishedAt,ingestedAt,attribution";
  assert.equal(head, `nodeId,month,value,level,backfill,${vintage}`);
  assert.ok(rows.length > 1_000, `${rows.length} rows`);
  for (const row of rows) assert.match(row, /,rel-[^,]+,.*,Data from Firstprint Sample Data$/);
  assert.ok(rows.some((row) => row.startsWith("zip:78704,20")));
}

test("the recipes of the SDK's README", async (t) => {
  const folder = await project(t);
  const exchange = await Exchange.start(t, { FIRSTPRINT_SAMPLE: "1" });
  const env = { FIRSTPRINT_URL: exchange.url };
  const cook = async (who: string, more: Readonly<Record<string, string>> = {}) => {
    const ran = await run("node", [`${fileOf(who)}.mjs`], folder, { ...env, ...more });
    assert.equal(ran.status, 0, `${who}: ${ran.output}`);
    return ran.output;
  };
  const owner = await exchange.trader("Owner", "20000");
  const { marketId, limit, nextYear } = await offer(exchange);

  await t.test("they compile strictly", async () => {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const compiled = await run(join(checkout, "node_modules/.bin/tsc"), ["-p", "."], folder);
    assert.equal(compiled.status, 0, compiled.output);
  });

  await t.test("a homeowner buys what was quoted", async () => {
    assertBought(await cook("homeowner", { FIRSTPRINT_KEY: owner.key }));
    const held = await exchange.get("/api/trading/positions", { key: owner.key });
    assert.equal(textAt(held.body, "data", 0, "amount"), "40000");
  });

  for (const language of ["sh", "python3"] as const)
    await t.test(`the same in ${language}`, (t) => buyIn(t, language, exchange));

  await t.test("a market maker's quotes go when it is gone", async () => {
    const { key } = await exchange.trader("Maker", "10000");
    const output = await cook("market maker", { FIRSTPRINT_KEY: key, MARKET: marketId });
    const ids = [...output.matchAll(/^(ord-\d+): (?:BUY|SELL) at /gm)].map(([, id]) => id);
    assert.equal(ids.length, 2, output);
    const statuses = async () => {
      const orders = await exchange.get("/api/trading/orders", { key });
      return listAt(orders.body, "data").map((one) => at(one, "status"));
    };
    assert.deepEqual(await statuses(), ["OPEN", "OPEN"]);
    for (let tries = 0; (await statuses()).includes("OPEN") && tries < 200; tries += 1)
      await sleep(50);
    assert.deepEqual(await statuses(), ["CANCELLED", "CANCELLED"]);
  });

  await t.test("a lender pays at funding", async () => {
    await exchange.admin("financing", { amount: "1000" });
    const more = { FIRSTPRINT_KEY: owner.key, MARKET: marketId, LIMIT: limit };
    const output = await cook("lender", more);
    assert.match(output, /^acp-\d+: current\n[\d.]+ USD due on \d{4}-\d\d-\d\d$/m);
    const first = { ...more, LIMIT: "0.0001" };
    assert.match(await cook("lender", first), /^acp-\d+: not_filled$/m);
  });

  await t.test("a portfolio takes the first quote that costs little enough", async () => {
    const [dear, cheap] = [
      await exchange.trader("Dear", "10000"),
      await exchange.trader("Cheap", "10000"),
    ];
    const month = `${nextYear}-03`;
    const asking = cook("portfolio", { FIRSTPRINT_KEY: owner.key, MONTH: month });
    const id = await newestRfq(exchange, dear.key);
    const validUntil = Math.floor(Date.now() / 1000) + 600;
    for (const [{ key }, prices] of [
      [dear, ["0.5"]],
      [cheap, ["0.2", "0.15"]],
    ] as const) {
      const quote = { prices, validUntil };
      const quoted = await exchange.post(`/api/trading/rfqs/${id}/quotes`, quote, { key });
      assert.equal(quoted.status, 200, quoted.text);
      await sleep(1_500);
    }
    const output = await asking;
    const lines = [
      "rfq-\\d+: 600 USD asked for",
      "400 of srs\\S+ at 0.2",
      "200 of srs\\S+ at 0.15",
    ];
    assert.match(output, new RegExp(`^${lines.join("\n")}$`, "m"));
  });

  await t.test("an auditor recomputes every hash, and sees one that is not right", async () => {
    const opened = await exchange.admin("accounts", { name: "Auditor", role: "auditor" });
    const key = { FIRSTPRINT_KEY: textAt(opened, "key", "secret") };
    const output = await cook("auditor", key);
    const [, entries, , signed] = /^(\d+) entries hold; (\S+) has signed (\d+) of them$/m.exec(
      output,
    ) ?? [""];
    assert.ok(Number(entries) > 400 && Number(signed) > 400, output);
    const code = readFileSync(join(folder, "auditor.mjs"), "utf8");
    const flipped = code.replace(
      "let previousHash",
      'entries[99].bytes = "AAAA";\nlet previousHash',
    );
    writeFileSync(join(folder, "flipped.mjs"), flipped);
    const ran = await run("node", ["flipped.mjs"], folder, { ...env, ...key });
    assert.equal(ran.status, 1);
    assert.match(ran.output, /entry 100 is not what was hashed/);
  });

  const archive = "an archive has the prints of a state, each with its release";
  await t.test(archive, async () => assertArchive(await cook("archive"), folder));

  await t.test("a data consumer has every first print once, with its attribution", async () => {
    const output = await cook("data consumer");
    assert.match(output, /^state:\w\w \d{4}-\d\d [\d.]+ \(Data from Firstprint Sample Data\)$/m);
    const [, prints = "", after = ""] = /^(\d+) first prints; go on with AFTER=(\d+)$/m.exec(
      output,
    ) ?? [""];
    assert.ok(Number(prints) > 1_000, output);
    assert.match(await cook("data consumer", { AFTER: after }), /^0 first prints;/m);
  });
});
