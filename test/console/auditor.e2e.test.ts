// The auditor's story in a real browser, on the sample: the key is pinned, the whole trail checked
// here, an entry looked up; then kept exports, honest and tampered with, which the browser must
// judge as the offline program does, word for word.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { Exchange, textAt } from "#test/support/exchange.ts";
import { type Exported, spelledExports } from "#test/support/spelled-exports.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { verifyAudit } from "../../tools/verify-audit.ts";
import { noBrowser, openBrowser, openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";

/** One bit of the text's middle byte is another, under the base64. */
function flipped(bytes: string): string {
  const raw = Buffer.from(bytes, "base64");
  const middle = raw.length >> 1;
  raw[middle] = (raw[middle] ?? 0) ^ 1;
  return raw.toString("base64");
}

const SEQUENCE = 40;
/** Of those that are spelled otherwise; no checkpoint is of their length. */
const SOME_ENTRIES = 60;

const tampered = (entries: readonly Exported[]): readonly (readonly [string, string])[] => {
  const place = SEQUENCE - 1;
  const other = (change: (entry: Exported) => object): string =>
    JSON.stringify(entries.map((entry, here) => (here === place ? change(entry) : entry)));
  const swapped = entries.toSpliced(place, 2, ...entries.slice(place, place + 2).reverse());
  return [
    ["a flipped byte", other((entry) => ({ ...entry, bytes: flipped(entry.bytes) }))],
    [
      "a flipped byte of a part",
      other((entry) => ({
        ...entry,
        parts: entry.parts.map((part) => ({ ...part, bytes: flipped(part.bytes) })),
      })),
    ],
    ["another salt", other((entry) => ({ ...entry, parts: [{ salt: "0", bytes: "AAAA" }] }))],
    ["bytes that are none", other((entry) => ({ ...entry, bytes: ` ${entry.bytes}` }))],
    ["another time", other((entry) => ({ ...entry, timestamp: 1 }))],
    ["another person", other((entry) => ({ ...entry, userId: "root" }))],
    ["another hash", other((entry) => ({ ...entry, hash: "0".repeat(64) }))],
    ["a dropped entry", JSON.stringify(entries.toSpliced(place, 1))],
    ["a swapped pair", JSON.stringify(swapped)],
    ["a cut tail", JSON.stringify(entries.slice(0, -1))],
  ];
};

/** The verdict as data, or why there is none, as the offline program has it. */
async function judgedHere({ page }: Tab, file: string, notes: string[]): Promise<unknown> {
  await page.getByLabel("Export", { exact: true }).setInputFiles(file);
  await page.getByLabel("Signed checkpoints kept with it").setInputFiles(notes);
  await page.getByRole("button", { name: "Check this file" }).click();
  const verdict = page.locator(".verdict").filter({ hasText: basename(file) });
  const unusable = page.getByRole("alert").filter({ hasText: "Nothing could be judged" });
  await verdict.or(unusable).waitFor();
  if (await unusable.isVisible()) return unusable.innerText();
  return JSON.parse((await verdict.locator("pre").textContent()) ?? "");
}

test("an auditor checks the trail in the browser, as the offline program would", {
  skip: noBrowser ?? false,
}, async (t) => {
  const exchange = await Exchange.start(t, { FIRSTPRINT_SAMPLE: "1" });
  const auditor = await exchange.trader("Ada Auditor", "0", "auditor");
  const folder = await temporaryFolder(t, "firstprint-auditor-");
  const browser = await openBrowser(t);
  const tab = await openTab(browser, exchange.url, { width: 1400, colorScheme: "light" });
  const { page } = tab;
  await page.goto("/audit");
  await signIn(tab, auditor.key);

  await page.getByRole("button", { name: "Pin this key" }).click();
  await page.getByText("Pinned in this browser").waitFor();
  await page.getByRole("button", { name: "Check the whole trail" }).click();
  await page.getByRole("heading", { name: "The export holds" }).waitFor();
  assert.match(await page.locator(".verdict").innerText(), /A signed checkpoint vouches for \d+/);
  t.diagnostic((await page.locator(".verdict .source").textContent()) ?? "");

  await page.getByLabel("Action").selectOption("account.opened");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL(/action=account\.opened/);
  await page.getByRole("row", { name: /account opened root acc-1/ }).waitFor();
  await checkScreen(tab, "/audit");
  await page
    .getByRole("row", { name: /acc-1$/ })
    .getByRole("link")
    .click();
  await page.getByText("this browser computed the hash from the bytes below").waitFor();
  await checkScreen(tab, "/audit/:sequence");
  await page.goBack();

  const signed = await exchange.get("/api/checkpoint");
  const answer = await exchange.get("/api/audit/export", { key: auditor.key });
  const entries: readonly Exported[] = JSON.parse(answer.text).data;
  const note = textAt(signed.body, "data", "note");
  const key = textAt(signed.body, "data", "verifierKey");
  const notes = join(folder, "notes");
  await writeFile(notes, note);
  await page.getByText("Check an export kept in a file").click();
  const cases = [
    { what: "whole", content: answer.text, code: 0, signed: [notes] },
    ...tampered(entries).map(([what, content]) => ({ what, content, code: 1, signed: [notes] })),
    ...spelledExports(entries.slice(0, SOME_ENTRIES)).map((one) => ({ ...one, signed: [] })),
  ];
  for (const [number, { what, content, code, signed }] of cases.entries()) {
    const file = join(folder, `export-${number}-.json`);
    await writeFile(file, content);
    const witness = signed.flatMap((name) => ["--checkpoint", name, "--key", key]);
    const offline = await verifyAudit([file, ...witness, "--json"]);
    assert.equal(offline.code, code, `${what}: ${offline.text}`);
    const said: unknown = code === 2 ? offline.text : JSON.parse(offline.text);
    assert.deepEqual(await judgedHere(tab, file, signed), said, what);
    if (what === "a flipped byte") {
      const words = await page.locator(".verdict").innerText();
      assert.match(words, new RegExp(`not as it was sealed: ${SEQUENCE}\\.`));
    }
  }
  assert.deepEqual(tab.trouble, []);
});
