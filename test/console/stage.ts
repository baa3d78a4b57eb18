// One exchange with the sample and one browser, on which several stories are played: each has
// traders of its own and opens its own tabs.
import type { Browser } from "playwright-core";
import { Exchange } from "#test/support/exchange.ts";
import { openBrowser } from "./browser.ts";

export interface Stage {
  readonly exchange: Exchange;
  readonly browser: Browser;
}

type Scope = Parameters<typeof Exchange.start>[0];

export async function openStage(
  t: Scope,
  environment: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const exchange = await Exchange.start(t, { FIRSTPRINT_SAMPLE: "1", ...environment });
  return { exchange, browser: await openBrowser(t) };
}

export const desk = { width: 1400, colorScheme: "light" } as const;
