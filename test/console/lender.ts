// A lender's story in a real browser, on the sample: a file of loans with bad lines, its exposure,
// a basket, one request for all of it; a maker answers on its desk; the lender takes the quote and
// reads its statement. Then both screens, looked at by axe.
import assert from "node:assert/strict";
import { listAt, numberAt, textAt } from "#test/support/exchange.ts";
import { openTab, signIn } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

const file = `zip,balance,ltv
78704,190000,95
10001,570000,95
2139,250000,80
33131,92000,0.92
33131,92000,92
78701,600000,60
00001,95000,95
`;

export async function protectBook({ exchange, browser }: Stage): Promise<void> {
  const lender = await exchange.trader("Lena Lender", "100000");
  const maker = await exchange.trader("Mara Maker", "200000");
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  const placesRead: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/geo")) placesRead.push(request.url());
  });
  await page.goto("/lender");
  const buffer = Buffer.from(file);
  await page
    .getByLabel("File (CSV with zip, balance, ltv)")
    .setInputFiles({ name: "loans.csv", mimeType: "text/csv", buffer });
  await page.getByText("2 lines do not count").waitFor();
  await page.getByRole("row", { name: /^4 zip .*leading zero/ }).waitFor();
  await page.getByRole("row", { name: /^5 ltv .*in percent/ }).waitFor();
  await page.getByText("Sign in to price it").waitFor();
  await signIn(tab, lender.key);

  const basket = page.getByRole("region", { name: "The basket that protects it" });
  // From 8 to 20 %: 78704 loses 30,000 less 6,000, and so on; 78701 owes too little to lose.
  await basket.getByText(/3 legs, \$108,000 of protection/).waitFor();
  await basket.getByRole("row", { name: /^10001 1 \$570,000 \$72,000/ }).waitFor();
  await basket.getByText(/00001, \$12,000: No such place/).waitFor();
  const places = page.getByRole("region", { name: "Where you stand to lose" });
  await places.getByText("Show as a table").click();
  await places.getByRole("row", { name: "NY $72,000 66.7%" }).waitFor();
  assert.equal(placesRead.length, 1, "all places in one read");
  assert.match(placesRead[0] ?? "", /\/api\/geo\?ids=/);
  await basket.getByRole("button", { name: "Ask for one price" }).click();
  await basket.getByText(/Request rfq-\d+ is open/).waitFor();

  const other = await openTab(browser, exchange.url, desk);
  await other.page.goto("/desk");
  await signIn(other, maker.key);
  const asked = other.page.getByRole("region", { name: "Requests for quotes" });
  await asked.getByText(/somebody buys \$108,000 in 3 legs/).waitFor();
  assert.doesNotMatch(await asked.innerText(), /Lena/);
  await asked.getByLabel("Above the model, in .0001 a leg").fill("50");
  await checkScreen(other, "/desk");
  await asked.getByRole("button", { name: /^Quote \$[\d,.]+ for all$/ }).click();
  await asked.getByText(/Your quote rqt-\d+: \$[\d,.]+ for all, firm until/).waitFor();
  assert.deepEqual(other.trouble, []);

  const request = page.getByRole("article", { name: /^Request rfq-/ });
  const accept = request.getByRole("button", { name: /^Accept for \$/ });
  await accept.waitFor();
  const [, shown = ""] = /\$([\d,.]+)/.exec(await accept.innerText()) ?? [];
  await accept.click();
  await request.getByText(`Bought: 3 legs for $${shown}, before the fee.`).waitFor();
  await request.getByText("filled", { exact: true }).waitFor();
  const held = listAt((await exchange.get("/api/trading/positions", lender)).body, "data");
  const amounts = held.map((one) => Number(textAt(one, "amount")));
  assert.deepEqual(
    amounts.toSorted((a, b) => a - b),
    [12_000, 24_000, 72_000],
  );
  const cost = held.reduce<number>((sum, one) => sum + Number(textAt(one, "cost")), 0);
  assert.ok(Math.abs(cost - Number(shown.replaceAll(",", ""))) < 0.02 * cost, `${cost} ${shown}`);
  assert.ok(numberAt(held[0], "mark") > 0);
  await page.getByRole("button", { name: "Read and check" }).click();
  await page.getByText("The digest is right").waitFor();
  await checkScreen(tab, "/lender");
}

export async function buyInOneBatch({ exchange, browser }: Stage): Promise<void> {
  const lender = await exchange.trader("Lena Lender", "100000");
  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  await page.goto("/lender");
  await signIn(tab, lender.key);
  const buffer = Buffer.from("zip,balance,ltv\n78704,190000,95\n10001,570000,95\n");
  await page
    .getByLabel("File (CSV with zip, balance, ltv)")
    .setInputFiles({ name: "loans.csv", mimeType: "text/csv", buffer });
  await page.getByRole("button", { name: "Or place 2 orders at the model’s prices" }).click();
  await page
    .getByText(/2 orders are placed; \d filled|2 orders are placed; \d are filled/)
    .waitFor();
  const orders = await exchange.get("/api/trading/orders", lender);
  assert.equal(listAt(orders.body, "data").length, 2);
  // A layer of one's own has no series yet: a request is the way to it.
  await page.getByLabel("up to a fall of, in %").fill("25");
  await page.getByLabel("up to a fall of, in %").blur();
  await page.getByText(/a fall of home values from 8% to 25%/).waitFor();
  await page.getByText(/2 of 2 legs are none of them. So no orders are offered/).waitFor();
  assert.equal(await page.getByRole("button", { name: /Or place/ }).count(), 0);
  assert.deepEqual(tab.trouble, []);
}
