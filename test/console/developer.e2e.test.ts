// A developer's story in a real browser, on the sample: a guide is found by its title, a request
// tried with the tab's key, and the recipe is copied from the page in each of its languages and run
// against the exchange that served the page. Then the pages, looked at by axe.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { installedSdk, run } from "#test/sdk/installed.ts";
import { at, Exchange, listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { noBrowser, openBrowser, openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";

const skip = noBrowser ?? false;
const look = { width: 1400, colorScheme: "light" } as const;
const CONTRACTS = 40_000;

async function opened(t: TestContext) {
  const exchange = await Exchange.start(t, { FIRSTPRINT_SAMPLE: "1" });
  const developer = await exchange.trader("Dev Eloper", "100000");
  const tab = await openTab(await openBrowser(t), exchange.url, look);
  return { exchange, developer, tab };
}

/** Offers what the recipe buys, once for each language. */
async function offer(exchange: Exchange, times: number): Promise<string> {
  const seller = await exchange.trader("Seller", "500000");
  const index = await exchange.get("/api/index/zip:78704");
  const [year, month] = textAt(index.body, "data", "asOfMonth").split("-");
  const asked = `node=zip:78704&expiry=${Number(year) + 1}-${month}&notional=${CONTRACTS}`;
  const quote = await exchange.get(
    `/api/quotes?${asked}&kind=layered&attachBps=200&exhaustBps=1000`,
  );
  const marketId = textAt(quote.body, "data", "seriesMarketId");
  const price = numberAt(quote.body, "data", "limitPrice").toFixed(4);
  const side = { marketId, outcomeIndex: 0, side: "SELL" };
  const order = { ...side, amount: String(CONTRACTS * times), price };
  const placed = await exchange.post("/api/trading/orders", order, seller);
  assert.equal(placed.status, 200, placed.text);
  return marketId;
}

async function copied({ page }: Tab, language: string): Promise<string> {
  const recipe = page.getByRole("region", { name: "From a zip code to protection" });
  await recipe.getByText(language, { exact: true }).click();
  await recipe.getByRole("button", { name: "Copy" }).click();
  await recipe.getByText("Copied").waitFor();
  return String(await page.evaluate("navigator.clipboard.readText()"));
}

const has = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

test("a recipe is copied from the page and runs against the exchange that showed it", {
  skip,
}, async (t) => {
  const { exchange, developer, tab } = await opened(t);
  const marketId = await offer(exchange, 3);
  const folder = await installedSdk(t);
  const { page } = tab;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await page.getByRole("navigation").getByRole("link", { name: "Docs" }).click();
  await page.getByRole("heading", { level: 1, name: "Build on this exchange" }).waitFor();

  const env = { FIRSTPRINT_KEY: developer.key };
  const cook = async (language: string, command: string, file: string, more = "") => {
    const code = await copied(tab, language);
    assert.ok(code.includes(exchange.url), `${language} asks this exchange: ${code}`);
    assert.ok(!code.includes(developer.key));
    writeFileSync(join(folder, file), file.endsWith(".mjs") ? stripTypeScriptTypes(code) : code);
    if (more !== "" && !has(more)) return t.diagnostic(`no ${more}: apt-get install -y ${more}`);
    const { status, output } = await run(command, [file], folder, env);
    assert.equal(status, 0, `${language}: ${output}`);
    assert.match(output, /^78704: [\d.]+ USD now, 40000 USD at most$/m);
    assert.match(output, /^order ord-\d+: 40000 of 40000 bought$/m);
  };
  await cook("curl", "sh", "recipe.sh", "jq");
  await cook("Python", "python3", "recipe.py", "python3");
  await cook("TypeScript", "node", "recipe.mjs");
  const held = await exchange.get("/api/trading/positions", developer);
  const [position] = listAt(held.body, "data");
  assert.equal(textAt(position, "marketId"), marketId);
  assert.deepEqual(tab.trouble, []);
});

test("guides are found by title, and a request is tried with the tab's key", {
  skip,
}, async (t) => {
  const { exchange, developer, tab } = await opened(t);
  const { page } = tab;
  await page.goto("/docs");
  await page.getByLabel("Search guides and the reference").fill("requests for quotes");
  await page.getByRole("link", { name: "Requests for quotes", exact: true }).click();
  await page.waitForURL("**/docs/guides/concepts/rfq");
  await page.getByRole("heading", { level: 2, name: "Accepting" }).waitFor();
  await checkScreen(tab, "/docs/guides/concepts/rfq");
  await page.getByRole("link", { name: "All guides and the reference" }).click();
  await checkScreen(tab, "/docs");

  await page.goto("/docs/reference/previewOrders");
  await page.getByRole("button", { name: "Sign in to try it" }).waitFor();
  await signIn(tab, developer.key);
  const markets = await exchange.get("/api/markets?status=ACTIVE&limit=100");
  const open = listAt(markets.body, "data").find((one) => at(one, "tradingClosed") === false);
  const series = textAt(open, "id");
  const order = { marketId: series, outcomeIndex: 0, side: "BUY", amount: "1", price: "0.0100" };
  await page.getByRole("textbox", { name: "Body" }).fill(JSON.stringify(order));
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText(/^Status 200 after \d+ ms/).waitFor();
  const answer = await page.getByRole("region", { name: "The exchange’s answer" }).innerText();
  assert.match(answer, /"data": \{/);
  const before = await exchange.get("/api/trading/orders", developer);
  assert.deepEqual(listAt(before.body, "data"), [], "a preview does nothing");
  await checkScreen(tab, "/docs/reference/previewOrders");

  await page.goto("/docs/reference/getQuote");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText(/^Status 200 after \d+ ms/).waitFor();
  await page.goto("/docs/guides/nothing");
  await page.getByText("There is no such page").waitFor();
  await page.goto("/api/docs");
  await page.waitForFunction("document.title !== ''");
  assert.deepEqual(tab.trouble, []);
});
