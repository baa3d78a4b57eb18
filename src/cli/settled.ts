// The settlement of a market, in words: how far the index fell, what that pays, to whom and when.
// Invariant: a payout is the exchange's own fraction of the contracts held; nothing is judged here.
import { at, items } from "./answer.ts";
import type { ExchangeClient } from "./exchange.ts";
import { RefusedRequest } from "./faults.ts";
import { dollars, percent } from "./figures.ts";
import { type Field, field, time } from "./table.ts";

/** As many as a page of them has. */
const MOST_LISTED = 100;

/** `fell 7.15 %`; a level's market has no decline. */
export function moveText(resolution: unknown): string {
  const [settled, before] = [at(resolution, "settledValue"), at(resolution, "comparisonValue")];
  const isDecline = String(at(resolution, "metric")).endsWith("_decline");
  if (!isDecline || typeof settled !== "number" || typeof before !== "number") return "-";
  const decline = (1 - settled / before) * 100;
  return `${decline < 0 ? "rose" : "fell"} ${Math.abs(decline).toFixed(2)} %`;
}

/** Of the coverage; undefined until the market is resolved. */
function payoutFraction(resolution: unknown): number | undefined {
  const fraction = at(resolution, "payoutFraction");
  if (typeof fraction === "number") return fraction;
  const outcome = at(resolution, "outcome");
  return outcome === "YES" ? 1 : outcome === "NO" ? 0 : undefined;
}

export function payoutText(resolution: unknown): string {
  const fraction = payoutFraction(resolution);
  return fraction === undefined ? "-" : `${percent(fraction)} of coverage`;
}

export function paidOn(resolution: unknown): string {
  const finalized = at(resolution, "finalizedAt");
  if (typeof finalized === "string") return time(finalized);
  const ends = at(resolution, "disputeWindowEndsAt");
  if (typeof ends !== "string") return "-";
  return at(resolution, "disputed") === true
    ? "when the dispute is decided"
    : `${time(ends)}, unless it is disputed before`;
}

/** Contracts above zero are protection, below zero protection that was sold. */
function shareText(contracts: number, resolution: unknown): string {
  const fraction = payoutFraction(resolution);
  if (fraction === undefined || contracts === 0) return "-";
  // Protection is paid what settles, and who sold it pays that: the premium went before.
  const usd = dollars(Math.abs(contracts) * fraction);
  return contracts > 0 ? `${usd} to you` : `${usd} by you`;
}

/** The amount a market will pay the account, while its position is not paid yet. */
export async function ownShare(exchange: ExchangeClient, resolution: unknown): Promise<string> {
  const marketId = at(resolution, "marketId");
  if (!exchange.isSignedIn || payoutFraction(resolution) === undefined) return "-";
  const held = await exchange.read("/api/trading/positions", { marketId, held: "true" }).then(
    (answer) => at(answer.json, "data.0.amount"),
    (fault: unknown) => {
      // A key that may not read the account's positions still reads the market.
      if (fault instanceof RefusedRequest && fault.answer.status === 403) return undefined;
      throw fault;
    },
  );
  return held === undefined ? "-" : shareText(Number(held), resolution);
}

export const settledFields: readonly Field[] = [
  field("marketId", "market"),
  field("move", "index"),
  field("pays"),
  field("share", "to be paid"),
  field("paidOn", "on"),
];

/** Positions whose market is resolved and not paid yet, as rows of `settledFields`. */
export async function settledRows(
  exchange: ExchangeClient,
  positions: readonly unknown[],
): Promise<readonly unknown[]> {
  if (positions.length === 0) return [];
  const query = { status: "RESOLVED", limit: MOST_LISTED };
  const listed = items(at((await exchange.read("/api/markets", query)).json, "data"));
  const resolved = new Set(listed.map((market) => at(market, "id")));
  const rows: unknown[] = [];
  for (const position of positions) {
    const marketId = at(position, "marketId");
    if (typeof marketId !== "string" || !resolved.has(marketId)) continue;
    const answer = await exchange.read("/api/markets/{id}/resolution", { id: marketId });
    const resolution = at(answer.json, "data");
    rows.push({
      marketId,
      move: moveText(resolution),
      pays: payoutText(resolution),
      share: shareText(Number(at(position, "amount")), resolution),
      paidOn: paidOn(resolution),
    });
  }
  return rows;
}
