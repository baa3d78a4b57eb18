// Pictures of the console's screens on the sample, at both widths, into docs/screens:
// `node tools/screens.ts` takes all of them, `node tools/screens.ts home desk` those.
// `--dark <folder>` takes them in the dark, whole, for a look before a change is committed.
// Invariant: each shows a screen that has all its data, signed in where it is for an account.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { Exchange } from "#test/support/exchange.ts";
import { smallPng } from "./small-png.ts";

type Who = "anybody" | "trader" | "operator";

const screens: readonly (readonly [name: string, path: string, who: Who])[] = [
  ["home", "/", "anybody"],
  ["place", "/place/zip:10001", "anybody"],
  ["market", "/market/mkt-010", "trader"],
  ["portfolio", "/portfolio", "trader"],
  ["desk", "/desk", "trader"],
  ["lender", "/lender", "trader"],
  ["ops", "/ops", "operator"],
  ["risk", "/risk", "anybody"],
  ["audit", "/audit", "operator"],
  ["terms", "/terms/mkt-010", "anybody"],
  ["certificate", "/certificate/mkt-003", "trader"],
  ["docs", "/docs", "anybody"],
  ["guide", "/docs/guides/concepts/rfq", "anybody"],
  ["reference", "/docs/reference/getQuote", "anybody"],
];
const sizes = [
  { width: 1400, height: 900 },
  { width: 390, height: 900 },
];

/** Loans that the lender's screen shows as a portfolio. */
const LOANS =
  "zip,balance,ltv\n10001,570000,95\n78704,190000,95\n78701,310000,80\n33901,240000,90\n";

const { values, positionals } = parseArgs({
  options: { dark: { type: "string" } },
  allowPositionals: true,
});
const folder = values.dark ?? fileURLToPath(new URL("../docs/screens", import.meta.url));
mkdirSync(folder, { recursive: true });

const endings: (() => Promise<void>)[] = [];
try {
  const scope = { after: (end: () => Promise<void>) => void endings.push(end) };
  const exchange = await Exchange.start(scope, { FIRSTPRINT_SAMPLE: "1" });
  const keyOf = (name: string): string =>
    new RegExp(`${name} key:\\s+(\\S+)`).exec(exchange.output)?.[1] ?? "";
  const keys = { anybody: "", trader: keyOf("Demo"), operator: keyOf("Operator") };
  const executablePath = process.env.FIRSTPRINT_CHROMIUM ?? "/usr/bin/chromium";
  const args = ["--headless", "--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath, args });
  endings.push(() => browser.close());
  const wanted = screens.filter(([name]) => positionals.length === 0 || positionals.includes(name));
  for (const viewport of sizes) {
    for (const [name, path, who] of wanted) {
      const context = await browser.newContext({
        ...{ viewport, baseURL: exchange.url, reducedMotion: "reduce" },
        colorScheme: values.dark === undefined ? "light" : "dark",
      });
      const page = await context.newPage();
      await page.goto(path);
      if (who !== "anybody") await signIn(page, keys[who]);
      if (name === "lender") await giveLoans(page);
      await page.waitForLoadState("networkidle", { timeout: 10_000 }).catch(() => undefined);
      await page.locator(".waiting").first().waitFor({ state: "detached" });
      const picture = await page.screenshot({ fullPage: values.dark !== undefined });
      const file = join(folder, `${name}-${viewport.width}.png`);
      writeFileSync(file, smallPng(picture));
      console.log(file);
      await context.close();
    }
  }
} finally {
  for (const end of endings.reverse()) await end();
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Trading key").fill(key);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

async function giveLoans(page: Page): Promise<void> {
  const buffer = Buffer.from(LOANS);
  const file = { name: "loans.csv", mimeType: "text/csv", buffer };
  await page.getByLabel("File (CSV with zip, balance, ltv)").setInputFiles(file);
  await page.getByText("Show as a table").first().waitFor();
}
