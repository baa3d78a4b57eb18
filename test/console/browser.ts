// A real browser for the tests of the console: Debian's Chromium, driven without a screen.
// Invariant: it talks to nobody but the exchange under test; each word of its console is kept.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = process.env.FIRSTPRINT_CHROMIUM ?? "/usr/bin/chromium";

/** Why the tests of the console cannot run here; undefined where they can. */
export const noBrowser: string | undefined = existsSync(executablePath)
  ? undefined
  : `no ${executablePath}: apt-get update && apt-get install -y chromium, ` +
    "or name another in FIRSTPRINT_CHROMIUM";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Closed after the test, or whatever else it is opened for. */
export async function openBrowser(t: { after(end: () => Promise<void>): void }): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: flags });
  t.after(() => browser.close());
  return browser;
}

interface Look {
  readonly width: 390 | 1400;
  readonly colorScheme: "light" | "dark";
}

/** Each width and each scheme once: colours do not depend on the width, nor places on colours. */
export const looks: readonly Look[] = [
  { width: 390, colorScheme: "dark" },
  { width: 1400, colorScheme: "light" },
];

/** A tab with a record of everything that should not happen in it. */
export interface Tab {
  readonly page: Page;
  /** Breaches of the policy, errors of scripts, requests that leave the exchange. */
  readonly trouble: string[];
}

export async function openTab(browser: Browser, url: string, look: Look): Promise<Tab> {
  const { width, colorScheme } = look;
  const viewport = { width, height: 900 };
  const context = await browser.newContext({
    ...{ viewport, colorScheme, baseURL: url },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on("pageerror", ({ message }) => trouble.push(`error: ${message}`));
  page.on("console", (said) => {
    const text = said.text();
    // The browser reports by itself that a key was refused: 401, or 403 where it may not.
    const isRefusedKey = /^Failed to load resource.* 40[13] /.test(text);
    if (said.type() === "error" && !isRefusedKey)
      trouble.push(`console: ${text} ${said.location().url}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`) && !/^(?:data|blob):/.test(request.url()))
      trouble.push(`outside: ${request.url()}`);
  });
  return { page, trouble };
}

export async function signIn({ page }: Tab, key: string): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Trading key").fill(key);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
