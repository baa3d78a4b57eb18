// A running exchange with one release of states, traders who may trade, and a market they can name.
// Invariant: the market is a series on the newest month of the release, a year ahead.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Exchange, type ExchangeClient, type Trader } from "#test/support/exchange.ts";
import { stateFile } from "./sample-files.ts";
import { upload } from "./upload.ts";

export interface TradedWorld<E extends ExchangeClient = Exchange> {
  readonly exchange: E;
  readonly traders: readonly Trader[];
  readonly auditor: Trader;
  readonly market: string;
}

/** A trader for each name, with `deposit` USD; the auditor's name is the last. */
export async function openTradedWorld(
  t: TestContext,
  names: readonly string[],
  deposit: string,
  auditorName = "auditor",
): Promise<TradedWorld> {
  // Under a flood a leader that others could take over from may go unheard for 5 s, and refuse
  // reads: with a database of its own nobody else can lead.
  const exchange = await Exchange.startEmbedded(t, { FIRSTPRINT_MAX_KEY_RATE: "1000000" });
  return furnish(exchange, names, deposit, auditorName);
}

/** The same, in an exchange that runs already and is empty. */
export async function furnish<E extends ExchangeClient>(
  exchange: E,
  names: readonly string[],
  deposit: string,
  auditorName = "auditor",
): Promise<TradedWorld<E>> {
  const { text, publishedAt, lastMonth, monthAYearOn } = stateFile();
  const query = { provider: "sample", index: "zhvi", level: "state", publishedAt };
  const release = await upload(exchange, text, query);
  assert.ok(release.status < 300, release.text);
  const traders: Trader[] = [];
  for (const name of names) traders.push(await exchange.trader(name, deposit));
  const auditor = await exchange.trader(auditorName, "0", "auditor");
  const market = `srs.zhvi.state-tx.b${lastMonth}.e${monthAYearOn}.L0200-1000`;
  return { exchange, traders, auditor, market };
}
