// The part of the tour that sets a mandate, and asks for quotes: one request is filled, another is
// cancelled.
// Invariant: its legs are bespoke, so that no other part of the tour trades in their markets.
import { type Trader, textAt } from "#test/support/exchange.ts";
import type { Recorder } from "./recorder.ts";

const rfqs = "/api/trading/rfqs";
const one = `${rfqs}/:rfqId`;
const at = (hour: number): number => Date.UTC(2024, 10, 20, hour) / 1000;

export async function negotiate(recorder: Recorder, buyer: Trader, seller: Trader): Promise<void> {
  const leg = { index: "zhvi", place: "state:tx", measurementMonth: "2025-09" };
  const legs = [
    { ...leg, attachBps: 300, exhaustBps: 1200, amount: "100" },
    { ...leg, strikeBps: 650, amount: "50" },
  ];
  const body = { legs, side: "BUY", audience: null, closesAt: at(12) };
  const { key } = buyer;
  const params = { rfqId: textAt(await recorder.do("POST", rfqs, { key, body }), "id") };
  const quoted = await recorder.do("POST", `${one}/quotes`, {
    ...{ key: seller.key, params },
    body: { prices: ["0.08", "0.11"], validUntil: at(13) },
  });
  const quoteId = textAt(quoted, "id");
  await recorder.do("PATCH", `${rfqs}/quotes/:quoteId`, {
    ...{ key: seller.key, params: { quoteId } },
    body: { prices: ["0.08", "0.1"] },
  });
  await recorder.do("GET", rfqs, { key });
  await recorder.do("GET", one, { key, params });
  await recorder.do("POST", `${one}/accept`, { key, params, body: { quoteId } });
  const again = { rfqId: textAt(await recorder.do("POST", rfqs, { key, body }), "id") };
  await recorder.do("DELETE", one, { key, params: again });
}

/** A mandate from its setting to its end. */
export async function stand(recorder: Recorder, { key }: Trader): Promise<void> {
  const mandates = "/api/trading/mandates";
  const limits = { maxPerMarketUsd: "1000", maxPerStateUsd: "5000", maxTotalUsd: "5000" };
  const scope = { index: "zhvi", places: ["state:tx"], maxMonths: 24 };
  const body = { ...scope, side: "SELL", spreadBps: 150, spreadBpsPerYear: 50, ...limits };
  const params = { mandateId: textAt(await recorder.do("POST", mandates, { key, body }), "id") };
  const one = `${mandates}/:mandateId`;
  await recorder.do("GET", mandates, { key });
  await recorder.do("GET", one, { key, params });
  await recorder.do("PATCH", one, { key, params, body: { spreadBps: 200 } });
  await recorder.do("GET", `${one}/usage`, { key, params });
  await recorder.do("POST", `${one}/lower`, { key, params, body: limits });
  await recorder.do("DELETE", one, { key, params });
  await recorder.do("DELETE", mandates, { key });
}
