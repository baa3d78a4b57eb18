// The lines a start prints for the person who made it: the exchange's address, and what to try
// first.
// Invariant: on the sample every printed command works as it stands, and its order fills.

import type { NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Month, monthAt } from "#base/month.ts";
import { tickPrice } from "#base/price.ts";
import type { DeclinePayoff } from "#contract/series.ts";
import { priceOf } from "#quoting/quote-price.ts";
import type { ReferenceData } from "#quoting/reference.ts";

/** The worth of a home in the example command that asks for a quote. */
const HOME_USD = 480_000;
const ORDER_CONTRACTS = 500;

interface BannerParts {
  readonly version: string;
  readonly address: string;
  readonly clock: string;
  /** Where a first start has put the admin secret; the secret itself for a terminal alone. */
  readonly admin: { readonly path: string; readonly shown: string | undefined } | undefined;
  /** Of a first start that has played the sample. */
  readonly sample: Sample | undefined;
}

interface Sample {
  readonly demoKey: string;
  readonly operatorKeys: readonly string[];
  readonly interesting: Interesting;
}

/** A series with a two-sided book. */
interface Interesting {
  readonly nodeId: NodeId;
  readonly seriesId: string;
  readonly expiry: Month;
  readonly payoff: DeclinePayoff;
}

export function bannerText(
  parts: BannerParts,
  referenceData: ReferenceData,
  nowMillis: number,
): string {
  const { version, address, clock, admin, sample } = parts;
  const shown = admin?.shown === undefined ? "" : `${admin.shown} (shown once; `;
  const lines = [
    `Firstprint ${version} serves at ${address} (clock: ${clock})`,
    `Open:         ${address}/ in a browser`,
    `Reference:    ${address}/docs in a browser`,
    ...(admin === undefined ? [] : [`Admin secret: ${shown || "("}kept in ${admin.path})`]),
    ...(sample === undefined ? [] : triesOf(sample, address, referenceData, nowMillis)),
  ];
  return `${lines.join("\n")}\n`;
}

function triesOf(
  { demoKey, operatorKeys, interesting }: Sample,
  address: string,
  referenceData: ReferenceData,
  nowMillis: number,
): readonly string[] {
  const { nodeId, seriesId } = interesting;
  const at = `--url ${address}`;
  const price = limitPriceOf(interesting, referenceData, nowMillis);
  const order = `${seriesId} buy ${ORDER_CONTRACTS} ${price}`;
  return [
    `Demo key:     ${demoKey} (shown once)`,
    ...operatorKeys.map((key) => `Operator key: ${key} (shown once)`),
    "Try:",
    `  bin/firstprint index ${nodeId} ${at}`,
    `  bin/firstprint quote ${nodeId} --home ${HOME_USD} ${at}`,
    `  bin/firstprint order place ${order} ${at} --key ${demoKey}`,
  ];
}

/** The limit price that the printed quote shows. */
function limitPriceOf(
  { nodeId, expiry, payoff }: Interesting,
  referenceData: ReferenceData,
  nowMillis: number,
): number {
  const node = referenceData.exchange.geo.get(nodeId);
  invariant(node !== undefined, `${nodeId} is a place of the sample`);
  const asked = { node, expiry, coverageUsd: ORDER_CONTRACTS, index: "zhvi", payoff } as const;
  const priced = priceOf(referenceData, asked, monthAt(nowMillis));
  invariant("quote" in priced, `${nodeId} has a price in the sample`);
  return tickPrice(priced.quote.limitTick);
}
