// A developer's story in a real browser, on the sample: a guide is found by its title, a request
// tried with the tab's key, and the recipe copied from the page in each of its languages, which
// test/sdk/recipes.e2e.test.ts runs. Then the pages, looked at by axe.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { at, checkout, listAt, textAt } from "#test/support/exchange.ts";
import { openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

const textOf = (path: string): string => readFileSync(join(checkout, path), "utf8");

async function copied({ page }: Tab, language: string): Promise<string> {
  const recipe = page.getByRole("region", { name: "From a zip code to protection" });
  await recipe.getByText(language, { exact: true }).click();
  await recipe.getByRole("button", { name: "Copy" }).click();
  await recipe.getByText("Copied").waitFor();
  return String(await page.evaluate("navigator.clipboard.readText()"));
}

export async function copyRecipes({ exchange, browser }: Stage): Promise<void> {
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await page.getByRole("navigation").getByRole("link", { name: "Docs" }).click();
  await page.getByRole("heading", { level: 1, name: "Build on this exchange" }).waitFor();
  const usual = "http://127.0.0.1:4600";
  for (const [language, text] of [
    ["curl", textOf("console/recipes/homeowner.sh")],
    ["Python", textOf("console/recipes/homeowner.py")],
  ] as const)
    assert.equal(await copied(tab, language), text.replaceAll(usual, exchange.url));
  const own = await copied(tab, "TypeScript");
  assert.ok(own.includes(exchange.url), own);
  assert.ok(textOf("sdk/README.md").includes(own.replaceAll(exchange.url, usual)), own);
  assert.deepEqual(tab.trouble, []);
}

export async function readAndTry({ exchange, browser }: Stage): Promise<void> {
  const developer = await exchange.trader("Dev Eloper", "100000");
  const tab = await openTab(browser, exchange.url, desk);
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
}
