// The auditor's story in a real browser, on the sample: the key is pinned, the whole trail checked
// here, an entry looked up; then kept exports, honest and tampered with, which the browser must
// judge as the offline program does, word for word: one of each kind, since both judge by the same
// files, which test/http/verify-audit.long.test.ts tries with every kind there is.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { TestContext } from "node:test";
import { textAt } from "#test/support/exchange.ts";
import { type Exported, spelledExports } from "#test/support/spelled-exports.ts";
import { temporaryFolder } from "#test/support/temporary-folder.ts";
import { verifyAudit } from "../../tools/verify-audit.ts";
import { openTab, signIn, type Tab } from "./browser.ts";
import { checkScreen } from "./screens.ts";
import { desk, type Stage } from "./stage.ts";

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
const spellings: ReadonlySet<string> = new Set(["bytes that are no UTF-8", "a byte order mark"]);

const tampered = (entries: readonly Exported[]): readonly (readonly [string, string])[] => {
  const place = SEQUENCE - 1;
  const other = (change: (entry: Exported) => object): string =>
    JSON.stringify(entries.map((entry, here) => (here === place ? change(entry) : entry)));
  return [
    ["a flipped byte", other((entry) => ({ ...entry, bytes: flipped(entry.bytes) }))],
    [
      "a flipped byte of a part",
      other((entry) => ({
        ...entry,
        parts: entry.parts.map((part) => ({ ...part, bytes: flipped(part.bytes) })),
      })),
    ],
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

export async function audit(t: TestContext, { exchange, browser }: Stage): Promise<void> {
  const auditor = await exchange.trader("Ada Auditor", "0", "auditor");
  const folder = await temporaryFolder(t, "firstprint-auditor-");
  const tab = await openTab(browser, exchange.url, desk);
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
    ...spelledExports(entries.slice(0, SOME_ENTRIES))
      .filter(({ what }) => spellings.has(what))
      .map((one) => ({ ...one, signed: [] })),
  ];
  assert.equal(cases.length, 6);
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
}
