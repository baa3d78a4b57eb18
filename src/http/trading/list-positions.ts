// GET /api/trading/positions: what the account holds in each market it ever traded.
// Invariant: a position is listed once, flat and settled ones too, in a place that never changes.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { marginRates } from "#core/kyc/tiers.ts";
import type { Account, Position } from "#core/records.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import {
  type Looked,
  listQuery,
  listSiblings,
  marketFilter,
  marketOf,
  ownScope,
  pageOf,
  startOf,
} from "./own-list.ts";
import type { TradingPorts } from "./ports.ts";
import { PositionRecord, positionRecord } from "./position-record.ts";

export const listPositions = (ports: TradingPorts): Route =>
  trading.read({
    url: "/api/trading/positions",
    access: "read:portfolio",
    summary: "Lists the account's positions by market, the newest market first",
    refusals: ["MARKET_NOT_FOUND"],
    params: nothing,
    query: closed({
      marketId: marketFilter,
      held: Type.Optional(
        Type.Boolean({ description: "true leaves out the flat ones, false the others" }),
      ),
      ...listQuery,
    }),
    data: Type.Array(PositionRecord),
    siblings: listSiblings,
    read: async ({ caller, query }) => {
      const { account } = caller;
      const found = marketOf(query, ports);
      if ("refused" in found) return found;
      const { held } = query;
      const isWanted = ({ marketId, heldLots }: Position): boolean =>
        (found.market === undefined || marketId === found.market.id) &&
        (held === undefined || held === (heldLots !== 0n));
      const scope = ownScope("positions", caller, found.market?.id, String(held));
      const start = startOf(scope, query);
      if ("refused" in start) return start;
      const positions = ports.view.positionsOf(account.id);
      const from = start.place === undefined ? positions.length : Number(start.place);
      const page = await pageOf(scope, query, looked(positions.slice(0, from), isWanted));
      const data = page.items.map((position) => shown(position, account, ports.view));
      return { data, siblings: page.siblings };
    },
  });

/** Positions are counted in the order of their first trade, so a number is a place. */
function* looked(
  positions: readonly Position[],
  isWanted: (position: Position) => boolean,
): Generator<Looked<Position>> {
  for (const [index, position] of [...positions.entries()].reverse()) {
    yield { place: String(index), ...(isWanted(position) ? { item: position } : {}) };
  }
}

function shown(
  position: Position,
  account: Account,
  { markets, rules }: Pick<ExchangeView, "markets" | "rules">,
) {
  const market = markets.get(position.marketId);
  invariant(market !== undefined, `the market of a position in ${position.marketId} is known`);
  return positionRecord(position, market, marginRates(rules, account));
}
