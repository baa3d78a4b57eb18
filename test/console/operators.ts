// Two operators' story in a real browser, on a sandbox with the sample: a held file is released by
// two people and by no fewer, its market settles, and is paid once the clock has passed the window.
// Then an inquiry, a dispute and a halt, and both screens looked at by axe.
import assert from "node:assert/strict";
import { at, listAt } from "#test/support/exchange.ts";
import { openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

const WINDOW_SECONDS = 72 * 3600;

export async function releaseAndHalt({ exchange, browser }: Stage): Promise<void> {
  const [one = "", two = ""] = [...exchange.output.matchAll(/Operator key: (\S+)/g)].map(
    ([, key]) => key,
  );
  const first = await openTab(browser, exchange.url, desk);
  const second = await openTab(browser, exchange.url, desk);
  for (const [tab, key] of [[first, one] as const, [second, two] as const]) {
    await tab.page.goto("/ops");
    await tab.page.getByText("Sign in with an operator’s key").waitFor();
    await signIn(tab, key);
  }
  const releases = (tab: Tab) => tab.page.getByRole("region", { name: /Releases held/ });
  const held = releases(first);
  await held.getByText("MOVE_TOO_LARGE").waitFor();
  assert.match(await held.innerText(), /Rents by county/);
  await held.getByRole("row", { name: /mkt-005.*100\.0% of coverage/ }).waitFor();
  const calendar = first.page.getByRole("region", { name: "Calendar" });
  await calendar.getByRole("row", { name: /First print awaited.*rents.*overdue/ }).waitFor();
  const rules = first.page.getByRole("region", { name: "Rules" });
  await rules.getByRole("row", { name: /institutional \$250,000,000/ }).waitFor();
  await first.page.getByText(/since this node started/).waitFor();
  await first.page.getByText("none from this node’s folder").waitFor();
  await checkScreen(first, "/ops");

  await held.getByRole("button", { name: "give the first word" }).click();
  await first.page.getByText(/Your word on rel-\w+ is kept/).waitFor();
  await held.getByText("Another person has to give the second").waitFor();
  assert.ok(await held.getByRole("button", { name: "release it" }).isDisabled());
  const waiting = await exchange.get("/api/markets/mkt-005/resolution");
  assert.equal(at(waiting.body, "data", "resolvedAt"), null, "one word settles nothing");

  await second.page.reload();
  await signIn(second, two);
  await releases(second).getByText("Sample Operations Desk").waitFor();
  await releases(second).getByRole("button", { name: "release it" }).click();
  await second.page.getByText(/rel-\w+ is released\. It has settled one market/).waitFor();
  await releases(second).waitFor({ state: "detached" });

  await second.page.goto("/market/mkt-005");
  await second.page.getByText("pays 100.0% of the coverage").waitFor();
  await exchange.admin("clock", { advanceSeconds: WINDOW_SECONDS });
  await second.page.reload();
  await second.page.locator("li.done", { hasText: "Paid and final" }).waitFor();

  await printed(second, "/terms/mkt-005", "In full");
  await second.page.goto("/certificate/mkt-005");
  await signIn(second, two);
  await second.page.getByText("it is right").waitFor();
  await printed(second, "/certificate/mkt-005", "To check it without us");

  // The other desk has already said that the disputed resolution stands.
  const { page } = first;
  const disputes = page.getByRole("region", { name: /Disputes/ });
  await disputes.getByText("Sample Second Desk").waitFor();
  await disputes.getByRole("button", { name: "Agree: it stands" }).click();
  await page.getByText(/The dispute of mkt-\d+ is decided/).waitFor();

  const inquiries = page.getByRole("region", { name: /Identity checks/ });
  assert.ok(await inquiries.getByRole("button", { name: "Approve" }).isDisabled());
  await inquiries.getByLabel("Country, two letters").fill("us");
  for (const screening of ["Sanctions", "Political exposure"]) {
    await inquiries.getByLabel(new RegExp(`^${screening} w`)).check();
  }
  assert.ok(await inquiries.getByRole("button", { name: "Approve" }).isDisabled());
  await inquiries.getByLabel(/^Adverse media w/).check();
  await inquiries.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Sample Newcomer is approved, basic").waitFor();
  await page.getByText("Nothing waits").waitFor();
  const left = await exchange.get("/api/admin/queue", { admin: true });
  assert.deepEqual(listAt(left.body, "data"), []);

  const halts = page.getByRole("region", { name: "Halt or resume" });
  await halts.getByLabel("What").selectOption("market");
  await halts.getByLabel(/^Market/).fill("mkt-010");
  await halts.getByLabel(/^Reason/).fill("the book looks wrong");
  const halt = halts.getByRole("button", { name: "Halt it" });
  await halts.getByLabel(/^Type/).fill("halt mkt-01");
  assert.ok(await halt.isDisabled(), "the words are not whole");
  await halts.getByLabel(/^Type/).fill("halt mkt-010");
  await halt.click();
  await page.getByText("mkt-010 takes cancels only").waitFor();
  const halted = await exchange.get("/api/markets/mkt-010");
  assert.equal(at(halted.body, "data", "status"), "PAUSED");

  await page.goto("/risk");
  await page.getByRole("heading", { name: "2005 to 2011 again" }).waitFor();
  assert.match(await page.innerText("main"), /Every claim would have been paid in full/);
  assert.match(await page.innerText("main"), /Data from Zillow/);
  assert.ok(!/\b(?:YES|NO)\b/.test(await page.innerText("main")), "no word of the outcomes");
  await checkScreen(first, "/risk");
  assert.deepEqual(second.trouble, []);
}

/** The page is there, passes axe, and is one sheet of paper. */
async function printed(tab: Tab, path: string, heading: string): Promise<void> {
  const { page } = tab;
  if (!page.url().endsWith(path)) await page.goto(path);
  await page.getByRole("heading", { name: heading }).waitFor();
  assert.ok(!/\b(?:YES|NO)\b/.test(await page.innerText("main")), `no outcome on ${path}`);
  await checkScreen(tab, path);
  const paper = (await page.pdf({ format: "Letter" })).toString("latin1");
  assert.equal(paper.match(/\/Type\s*\/Page\b/g)?.length, 1, `${path} is one sheet`);
}

export async function turnTraderAway({ exchange, browser }: Stage): Promise<void> {
  const trader = await exchange.trader("Tom Trader", "0");
  const tab = await openTab(browser, exchange.url, desk);
  await tab.page.goto("/ops");
  await signIn(tab, trader.key);
  await tab.page.getByText("This key is not an operator’s").waitFor();
  assert.equal(await tab.page.getByRole("button", { name: "Halt it" }).count(), 0);
  assert.deepEqual(tab.trouble, []);
}
