// A market as an operator sees it: its state, and what in it waits for a second person.
// Invariant: what is shown is drawn from the market's record and the words about it alone.
import { type Static, Type } from "typebox";
import { formatMicros } from "#base/money.ts";
import type { Market } from "#core/records.ts";
import { voidSubject, wordLapsesAtMillis } from "#core/words/word.ts";
import type { ExchangeView } from "#views/exchange.ts";

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const VoidProposal = Type.Object(
  {
    by: Type.String({ description: "the operator's account, or root" }),
    reason: Type.String(),
    proposedAt: Type.String(),
    lapsesAt: Type.String({ description: "a second person has until then" }),
  },
  { title: "VoidProposal" },
);

export const MarketRecord = Type.Object(
  {
    id: Type.String(),
    frontendId: Type.String(),
    status: Type.String(),
    tradingClosed: Type.Boolean(),
    reason: TextOrNull,
    shortfall: Type.String(),
    updatedAt: Type.String(),
    voidProposal: Type.Union([VoidProposal, Type.Null()]),
    fallbackSince: TextOrNull,
  },
  { title: "OperatorMarket" },
);

export const marketRecord = (
  exchange: Pick<ExchangeView, "wordsAbout">,
  market: Market,
): Static<typeof MarketRecord> => ({
  id: market.id,
  frontendId: market.frontendId,
  status: market.status,
  tradingClosed: market.tradingClosed,
  reason: market.reason,
  shortfall: formatMicros(market.shortfallMicros),
  updatedAt: instant(market.updatedAtMillis),
  voidProposal: voidProposalOf(exchange, market),
  fallbackSince:
    market.fallbackSinceMillis === undefined ? null : instant(market.fallbackSinceMillis),
});

function voidProposalOf(
  exchange: Pick<ExchangeView, "wordsAbout">,
  { id }: Market,
): Static<typeof VoidProposal> | null {
  const [first] = exchange.wordsAbout(voidSubject(id));
  if (first?.command.type !== "CancelMarket") return null;
  const lapsesAt = instant(wordLapsesAtMillis(first));
  const { reason } = first.command;
  return { by: first.by, reason, proposedAt: instant(first.givenAtMillis), lapsesAt };
}

const instant = (millis: number): string => new Date(millis).toISOString();
