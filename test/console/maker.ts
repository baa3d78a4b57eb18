// A maker's story in a real browser, on a sandbox with the sample: 200 markets are quoted anew with
// one button, and everything is pulled with one key. Then the desk, looked at by axe.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import {
  at,
  type Exchange,
  listAt,
  numberAt,
  type Trader,
  textAt,
} from "#test/support/exchange.ts";
import { openTab, signIn } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

const MARKETS = 200;

/** The maker quotes series that nobody has listed yet: its quotes list them. */
async function quoteSeries(exchange: Exchange, maker: Trader, series: readonly string[]) {
  const side = (price: string) => ({ price, amount: "10" });
  const quotes = series.map((marketId) => ({
    marketId,
    bid: side("0.0002"),
    ask: side("0.9"),
  }));
  const placed = await exchange.post("/api/trading/quotes/mass", { quotes }, maker);
  const refused = listAt(placed.body, "data", "quotes").flatMap((one) => at(one, "error") ?? []);
  assert.deepEqual(refused, [], placed.text.slice(0, 300));
}

async function seriesOf(exchange: Exchange): Promise<readonly string[]> {
  const series: string[] = [];
  const layers = [
    { attachBps: 500, exhaustBps: 1_500 },
    { attachBps: 200, exhaustBps: 1_000 },
  ];
  // Standard lengths: whatever today's date is, an account may list as many as that.
  const wanted = [12, 24].flatMap((months) => layers.map((layer) => ({ months, layer })));
  for (const { months, layer } of wanted) {
    const asked = `/api/overview?index=zhvi&level=state&months=${months}`;
    const places = listAt((await exchange.get(asked)).body, "data");
    const quotes = places.map((place) => ({
      ...{ node: textAt(place, "nodeId"), expiry: textAt(place, "expiry") },
      ...{ notional: 1_000, kind: "layered", ...layer },
    }));
    const priced = await exchange.post("/api/quotes/bulk", { quotes });
    for (const one of listAt(priced.body, "data")) {
      const id = at(one, "quote") === null ? null : at(one, "quote", "seriesMarketId");
      if (typeof id === "string") series.push(id);
    }
  }
  return series.slice(0, MARKETS);
}

const openOrders = async (exchange: Exchange, { key }: Trader): Promise<number> => {
  let count = 0;
  for (let cursor = ""; ; ) {
    const page = await exchange.get(`/api/trading/orders?status=OPEN&limit=200${cursor}`, { key });
    assert.equal(page.status, 200, page.text);
    count += listAt(page.body, "data").length;
    const next = at(page.body, "nextCursor");
    if (typeof next !== "string") return count;
    cursor = `&cursor=${next}`;
  }
};

export async function quoteAndPull({ exchange, browser }: Stage): Promise<void> {
  const maker = await exchange.trader("Mara Maker", "1000000");
  const series = await seriesOf(exchange);
  assert.equal(series.length, MARKETS, "the sample prices so many series");
  await quoteSeries(exchange, maker, series);
  const mandate = {
    ...{ index: "zhvi", places: ["state:tx"], side: "SELL", spreadBps: 900 },
    ...{ maxPerMarketUsd: "1000", maxPerStateUsd: "1000", maxTotalUsd: "1000" },
  };
  const set = await exchange.post("/api/trading/mandates", mandate, maker);
  assert.equal(set.status, 200, set.text);

  const tab = await openTab(browser, exchange.url, desk);
  const { page } = tab;
  await page.goto("/desk");
  await page.getByText("Sign in to quote").waitFor();
  await signIn(tab, maker.key);
  const table = page.getByRole("region", { name: "Markets and quotes" });
  await table.waitFor();
  assert.equal(await table.locator("tbody tr").count(), MARKETS);
  assert.match(await table.locator("tbody tr").first().innerText(), /0\.0002\s+0\.9000/);
  const rule = page.getByRole("region", { name: "Quote by rule" });
  await rule.getByLabel("Bid below the mark").fill("20");
  await rule.getByLabel("Ask above the mark").fill("120");
  await rule.getByLabel("Contracts a side").fill("25");
  await rule.getByRole("button", { name: `Quote ${MARKETS} markets` }).click();
  await page.getByText(/200 markets are quoted anew: \d+ orders rest, in place of 400\./).waitFor();
  const said = await page.getByRole("status").first().innerText();
  const resting = Number(/(\d+) orders rest/.exec(said)?.[1]);
  assert.ok(resting > MARKETS, said);
  assert.equal(await openOrders(exchange, maker), resting);
  const first = await exchange.get(`/api/markets/${series[0]}`);
  const mark = numberAt(first.body, "data", "mark");
  await table
    .getByText(`${(mark + 0.012).toFixed(4)}`)
    .first()
    .waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const lines = (await readFile(await (await saved).path(), "utf8")).trimEnd().split("\r\n");
  assert.equal(lines.length, 1 + MARKETS);
  assert.ok(
    lines.some((line) => /,TX,/.test(line) && /,25,/.test(line)),
    lines[1],
  );

  const pull = page.getByRole("region", { name: "Pull quotes" });
  await pull.getByLabel("Pull when I am gone").check();
  await pull.getByText("On: all is cancelled 60 s after this page is closed").waitFor();
  await pull.getByLabel("Side to pull").selectOption("ask");
  await pull.getByLabel("State to pull").selectOption("TX");
  await page.keyboard.press("F9");
  const part = page.getByText(/\d+ orders? to sell in TX pulled/);
  const inTexas = Number(/\d+/.exec(await part.innerText())?.[0]);
  assert.ok(inTexas >= 1 && inTexas <= 4, `${inTexas} of a state's four series`);
  assert.equal(await openOrders(exchange, maker), resting - inTexas);
  const texas = page.getByRole("row", { name: /^Texas/ }).first();
  assert.match(await texas.innerText(), /0\.\d{4}\s+–/, "the bid stands, the ask is gone");

  // The sample's own makers have the first ones.
  const own = textAt(set.body, "data", "id");
  const next = `mnd-${Number(own.slice("mnd-".length)) + 1}`;
  const mandates = page.getByRole("region", { name: "Mandates" });
  await mandates.getByRole("button", { name: `Change ${own}` }).click();
  const form = mandates.getByRole("form", { name: `Change ${own}` });
  assert.equal(await form.getByLabel("Places").inputValue(), "state:tx");
  await form.getByLabel("Beyond the mark").fill("950");
  await form.getByRole("button", { name: `Save ${own}` }).click();
  await page.getByText(`${own} stands in state:tx.`).waitFor();
  const blank = mandates.getByRole("form", { name: "Set a mandate" });
  await blank.getByLabel("Places").fill("state:az, state:nv");
  await blank.getByRole("button", { name: "Set it" }).click();
  await page.getByText(`${next} stands in state:az, state:nv.`).waitFor();
  await blank.getByLabel("Places").fill("state:nowhere");
  await blank.getByRole("button", { name: "Set it" }).click();
  await page.getByText(/^Setting a mandate: .*places/).waitFor();
  const told = tab.trouble.splice(0);
  assert.equal(told.length, 1, "the refusal is in the browser's log, and nothing else");
  assert.match(told[0] ?? "", /status of 400 .*\/api\/trading\/mandates$/);
  const standing = async () => {
    const all = await exchange.get("/api/trading/mandates", maker);
    return listAt(all.body, "data").map((one) => [
      ...[textAt(one, "id"), numberAt(one, "spreadBps"), listAt(one, "places")],
    ]);
  };
  assert.deepEqual(await standing(), [
    [own, 950, ["state:tx"]],
    [next, 150, ["state:az", "state:nv"]],
  ]);
  await mandates.getByRole("button", { name: `Change ${next}` }).click();
  await mandates.getByLabel("Places").fill("state:az");
  await mandates.getByRole("button", { name: `Save ${next}` }).click();
  await page.getByText(`${next} stands in state:az.`).waitFor();
  await mandates.getByRole("button", { name: `Cancel ${next}` }).click();
  await page.getByText(`${next} is cancelled; its positions stay.`).waitFor();
  assert.deepEqual(await standing(), [[own, 950, ["state:tx"]]]);
  await checkScreen(tab, "/desk");

  await page.keyboard.press("F8");
  await page
    .getByText(`Everything is pulled: ${resting - inTexas} orders and 1 mandate.`)
    .waitFor();
  assert.equal(await openOrders(exchange, maker), 0);
  const left = await exchange.get("/api/trading/mandates", maker);
  assert.deepEqual(listAt(left.body, "data"), []);
  await page.getByText("No mandate stands").waitFor();
  assert.deepEqual(tab.trouble, []);
}
