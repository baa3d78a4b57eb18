// The owner's story in a real browser, on the sample: a place is found, its protection priced,
// previewed, accepted in monthly payments, and stands in the portfolio. Then every screen, looked
// at by axe in light and dark, on a telephone and on a desk.
import assert from "node:assert/strict";
import type { Exchange } from "#test/support/exchange.ts";
import { openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

function demoKeyOf(exchange: Exchange): string {
  const key = /Demo key:\s+(\S+)/.exec(exchange.output)?.[1] ?? "";
  assert.match(key, /^fp_live_/, "the sample prints a demo key");
  return key;
}

const text = (tab: Tab, name: string): Promise<string> =>
  tab.page.getByRole("region", { name }).innerText();

export async function buyProtection({ exchange, browser }: Stage): Promise<void> {
  // Monthly payments are lent from the pool, which the operator fills.
  await exchange.admin("financing", { amount: "5000" });
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  await page.goto("/");
  await page.getByRole("combobox", { name: "Place" }).fill("10001");
  await page.getByRole("option", { name: "10001, NY" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "10001" }).waitFor();
  assert.match(page.url(), /\/place\/zip:10001$/);
  await page.waitForFunction("/^10001, New York, New York County NY/.test(document.title)");
  assert.match(await text(tab, "Home values"), /Data from Firstprint Sample Data/);

  await page.getByText("As first published, and as revised since").click();
  await page.getByRole("row", { name: /^as revised since .*\$[\d,]+, [+−]?\d/ }).waitFor();
  assert.match(await text(tab, "Home values"), /As first published on [A-Z][a-z]+ \d+, \d{4}\./);

  const builder = page.getByRole("region", { name: "Protect a home here" });
  await builder.getByText("How good the price has been").click();
  await builder.getByText(/would have cost buyers \$\d\.\d\d for each \$1/).waitFor();
  await builder.getByLabel("Your home is worth").fill("100,000");
  await builder.getByText("A deeper fall").click();
  await builder.getByText("pays up to $10,000").waitFor();
  await builder.getByText("All of it is for sale now").waitFor();
  const told = await builder.innerText();
  assert.match(told, /10\.0%\s+\$10,000\s+\$5,000/, "half the layer pays half");
  assert.match(told, /about 1 in \d+/);
  assert.ok(!/\b(?:YES|NO)\b/.test(await page.innerText("main")), "no word of the outcomes");

  await builder.getByText("Monthly", { exact: true }).click();
  await builder.getByRole("button", { name: "Protect this home" }).click();
  await page.getByLabel("Trading key").fill(demoKeyOf(exchange));
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await builder.getByRole("button", { name: "Protect this home" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("$10,000", { exact: true }).waitFor();
  assert.match(await dialog.innerText(), /later revisions do not count/);
  await dialog.getByRole("button", { name: "Accept these terms" }).click();
  await dialog.getByText("You are protected").waitFor();
  assert.match(await dialog.innerText(), /Up to \$10,000 until [A-Z][a-z]+ \d{4}/);

  await dialog.getByRole("link", { name: "See it in your portfolio" }).click();
  await page.getByRole("heading", { level: 1, name: "Portfolio" }).waitFor();
  // The sample's trader had 600 of this series already.
  await page.getByRole("row", { name: /10001, NY.*5% to 15%.*\$10,600/ }).waitFor();
  assert.match(await text(tab, "Payments due"), /acp-\d+, payment 12/);
  await page.getByRole("button", { name: "Read and check" }).click();
  await page.getByText("The digest is right").waitFor();
  assert.deepEqual(tab.trouble, []);
}

export async function buyOfMandates({ exchange, browser }: Stage): Promise<void> {
  const tab = await openTab(browser, exchange.url, desk);
  await tab.page.goto("/place/state:tx");
  const builder = tab.page.getByRole("region", { name: "Protect a home here" });
  await builder.getByText(/is for sale now|are for sale now|Nobody sells this now/).waitFor();
  assert.match(await builder.innerText(), /All of it is for sale now, for at most \$/);
  assert.deepEqual(tab.trouble, []);
}

export async function refuseKeys({ exchange, browser }: Stage): Promise<void> {
  const key = demoKeyOf(exchange);
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  await page.goto("/portfolio");
  await page.getByRole("button", { name: "Sign in with a key" }).click();
  await page.getByLabel("Trading key").fill(`${key.slice(0, -1)}?`);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Not now" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await signIn(tab, key);
  await page.getByRole("heading", { name: /protected against/ }).waitFor();
  const kept = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  );
  assert.equal(kept, '[{},{},""]');
  await page.reload();
  await page.getByRole("button", { name: "Sign in with a key" }).waitFor();
}

export async function lookAtScreens({ exchange, browser }: Stage): Promise<void> {
  const screens: readonly (readonly [path: string, heading: string | RegExp])[] = [
    ["/", "Open markets"],
    ["/place/state:tx", "Markets here"],
    ["/market/mkt-010", "Book"],
    ["/market/mkt-003", "The way to its payout"],
    ["/portfolio", "Statements"],
    ["/nothing/here", ""],
  ];
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  for (const [path, heading] of screens) {
    await page.goto(path);
    if (path === "/portfolio") await signIn(tab, demoKeyOf(exchange));
    if (heading === "") await page.getByText("There is no such page").waitFor();
    else await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    if (heading === "Book") await page.getByRole("cell", { name: "mandate" }).first().waitFor();
    await checkScreen(tab, path);
  }
}
