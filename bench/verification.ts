// An export checked by the console in a browser's worker, beside the offline program on the same
// file.
// Invariant: both judge the whole export, and find it good.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Exchange, numberAt, textAt } from "#test/support/exchange.ts";
import { openBrowser, openTab, signIn, type Tab } from "../test/console/browser.ts";
import { verifyAudit } from "../tools/verify-audit.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { digits, type Figure, median, type Scope, times } from "./figure.ts";
import { LoadClient } from "./http-load.ts";

const ENTRIES = 20_000;
const FILL_MILLIS = 1_000;
const TURNS = 5;

export async function verification(scope: Scope): Promise<readonly Figure[]> {
  const market = await openMarket(scope);
  const { exchange } = market;
  const auditor = await exchange.trader("auditor", "0", "auditor");
  const load = { port: portOf(exchange), connections: 64, millis: FILL_MILLIS };
  const requests = await meetingOrders(market);
  const client = new LoadClient(scope);
  while (numberAt((await exchange.get("/api/status")).body, "durableSequence") < ENTRIES) {
    await client.run({ ...load, requests });
  }
  const kept = await keep(exchange, auditor.key);

  const look = { width: 1400, colorScheme: "light" } as const;
  const tab = await openTab(await openBrowser(scope), exchange.url, look);
  await tab.page.goto("/audit");
  await signIn(tab, auditor.key);
  await tab.page.getByRole("button", { name: "Pin this key" }).click();
  await tab.page.getByText("Check an export kept in a file").click();
  const here: number[] = [];
  const offline: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { hashes, seconds } = await judgedHere(tab, kept, turn);
    here.push(hashes / seconds);
    offline.push(hashes / (await judgedOffline(kept)));
  }
  const [least, most] = [Math.min(...here), Math.max(...here)];
  const [pace, beside] = [median(here), median(offline)];
  return [
    {
      what: "an export checked in the browser",
      value: `${digits(pace)} hashes a second (${digits(least)} to ${digits(most)})`,
      against: `offline, the same file: ${digits(beside)}`,
      ratio: times(pace / beside),
    },
  ];
}

/** An export and what it is judged by. */
interface Kept {
  readonly text: string;
  readonly folder: string;
  readonly notes: string;
  readonly key: string;
}

async function keep(exchange: Exchange, key: string): Promise<Kept> {
  const { text } = await exchange.get("/api/audit/export", { key });
  const { body } = await exchange.get("/api/checkpoint");
  const folder = exchange.dataDir;
  const notes = join(folder, "notes");
  await writeFile(notes, textAt(body, "data", "note"));
  return { text, folder, notes, key: textAt(body, "data", "verifierKey") };
}

async function judgedHere({ page }: Tab, { text, folder, notes }: Kept, turn: number) {
  const file = join(folder, `turn-${turn}.json`);
  await writeFile(file, text);
  await page.getByLabel("Export", { exact: true }).setInputFiles(file);
  await page.getByLabel("Signed checkpoints kept with it").setInputFiles(notes);
  await page.getByRole("button", { name: "Check this file" }).click();
  const verdict = page.locator(".verdict").filter({ hasText: `turn-${turn}.json` });
  const said = await verdict.locator(".source").innerText({ timeout: 120_000 });
  const [, hashes, seconds] = /([\d,]+) hashes of [\d,]+ entries in ([\d.]+) s/.exec(said) ?? [];
  if (hashes === undefined) throw new Error(said);
  return { hashes: Number(hashes.replaceAll(",", "")), seconds: Number(seconds) };
}

/** Seconds. */
async function judgedOffline({ folder, notes, key }: Kept): Promise<number> {
  const started = performance.now();
  const file = join(folder, "turn-0.json");
  const judged = await verifyAudit([file, "--checkpoint", notes, "--key", key, "--json"]);
  if (judged.code !== 0) throw new Error(judged.text);
  return (performance.now() - started) / 1_000;
}
