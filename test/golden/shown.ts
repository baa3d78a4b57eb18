// The readers' view of a journal, as text: every public event, every account, market and book.
// Invariant: read from the views alone, in an order that they give.
import { auditFacts } from "#core/audit.ts";
import { encode } from "#core/codec.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import type { Entry } from "#core/outcome.ts";
import type { Market } from "#core/records.ts";
import { rulesShown } from "#core/rules.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { liquidityOf } from "#views/liquidity.ts";
import { projectMarket, projectResolution } from "#views/market.ts";
import { ownFills, ownPostings } from "#views/own-entries.ts";
import { publicEvents } from "#views/public-events.ts";
import { hardNames } from "./operations.ts";

/** The view of one entry for auditors, for everybody, and for each account. */
export function shownOfEntry(view: ExchangeView, entry: Entry): string {
  const own = [...view.accounts.keys()].map((id) => [
    ownFills(entry, id),
    ownPostings(entry, id),
    view.available(id),
  ]);
  return encode([auditFacts(entry), publicEvents(entry, (release) => `Data of ${release}`), own]);
}

/** The view at the end; a line a thing. */
export function* shownAtEnd(view: ExchangeView): Generator<string> {
  yield encode([view.facts, rulesShown(view.rules), view.marks, view.publicKeys]);
  yield encode([[...view.ledger], [...view.releases.values()], [...view.quarantine.values()]]);
  for (const { id, address } of view.accounts.values()) {
    const orders = [...view.orders.values()].filter(({ accountId }) => accountId === id);
    const records = [view.keysOf(id), orders, view.acceptancesOf(id)];
    const named = [address.toUpperCase(), address.toLowerCase()].map(
      (text) => view.accountByAddress(text)?.id ?? null,
    );
    const { totals, shorts } = figuresOf(view, id);
    const figures = [view.cash(id), view.available(id), totals, shorts, view.dayVolume(id)];
    yield encode([view.accounts.get(id), named, records, figures, view.alertsOf(id)]);
    yield encode([
      view.positionsOf(id),
      view.limits.makerProtections.get(id),
      view.openOrdersOf(id),
    ]);
  }
  for (const market of view.markets.values()) yield shownMarket(view, market);
  for (const text of ["a", "ı", "İ", "lodz", "Łódź", "ss", "770", "NEW", ...hardNames]) {
    yield encode([text, view.geo.search({ text, limit: 5 }).places.map(({ id }) => id)]);
  }
}

const figuresOf = ({ exposures }: ExchangeView, id: Parameters<ExchangeView["cash"]>[0]) => ({
  totals: exposures.totals(id),
  shorts: [exposures.shortTotals(id), exposures.shorts(id)],
});

function shownMarket(view: ExchangeView, market: Market): string {
  const book = view.book(market.id);
  const { terms } = market;
  const rules = view.rules.liquidity[terms.index];
  const shown = projectMarket(market, {
    node: view.geo.get(terms.nodeId),
    bestBid: book.bestBid(),
    bestAsk: book.bestAsk(),
    spreadMaxTicks: rules.spreadMaxTicks,
    isMatchingHeld: isMatchingHeld(view.waiting, market),
    indicative: view.waiting.heldMatching.get(market.id)?.indicative ?? null,
    isPrintOverdue: view.waiting.windows.get(terms.index)?.isOverdue === true,
    attribution: "Data",
  });
  const levels = [[...book.bids()], [...book.asks()]];
  return encode([shown, projectResolution(market, "Data"), liquidityOf(book, rules), levels]);
}
