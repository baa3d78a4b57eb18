// POST /api/liquidity/validate-position: would a position of this size be let in now?
// Invariant: it asks what an order is asked, of the same records; nothing is changed by asking.
import { Type } from "typebox";
import type { MarketId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import { faceOf, parseLots } from "#base/quantity.ts";
import { accountTerms } from "#core/kyc/tiers.ts";
import type { Account, Market } from "#core/records.ts";
import { filledToday } from "#core/volume.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { liquidityOf } from "#views/liquidity.ts";
import { errorTable, invalidField, refuse } from "../errors.ts";
import { decimalText } from "../json-source.ts";
import { LiquidityRecord, liquidityRecord } from "../liquidity-record.ts";
import { closed, nothing, type Route, trading } from "../route.ts";
import type { TradingPorts } from "./ports.ts";

const SIZE = "a decimal from 0.01 to 10000000000 with at most 2 decimals";

export const validatePosition = (ports: TradingPorts): Route =>
  trading.perform({
    method: "POST",
    url: "/api/liquidity/validate-position",
    access: "read:markets",
    summary: "Whether a position of this size, USD of coverage, could be added now",
    refusals: ["MARKET_NOT_FOUND"],
    params: nothing,
    body: closed({
      positionSize: Type.Number({ description: SIZE }),
      marketId: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "a market's id, frontend id or series id",
      }),
    }),
    data: Type.Object(
      {
        valid: Type.Boolean(),
        reason: Type.Union([Type.String(), Type.Null()]),
        limit: Type.Optional(Type.String({ description: "the limit that would be exceeded" })),
        liquidity: LiquidityRecord,
      },
      { title: "PositionValidation" },
    ),
    perform: async ({ caller, body }) => {
      const { view } = ports;
      const size = parseLots(decimalText(body, "positionSize", body.positionSize) ?? "");
      if (size === undefined) return invalidField("positionSize", `must be ${SIZE}`);
      const market = view.marketByAnyId(body.marketId);
      const listing = market === undefined ? ports.listingFor(body.marketId) : undefined;
      const id = market?.id ?? listing?.marketId;
      const terms = market?.terms ?? listing?.terms;
      if (id === undefined || terms === undefined) return refuse("MARKET_NOT_FOUND");

      const rules = view.rules.liquidity[terms.index];
      const liquidity = liquidityRecord(liquidityOf(view.book(id), rules));
      if (market !== undefined && !isOpenForOrders(view, market)) {
        const reason = errorTable.MARKET_CLOSED.message;
        return { data: { valid: false, reason, liquidity } };
      }
      const limit = exceededLimit(ports, caller.account, id, faceOf(size));
      if (limit === undefined) return { data: { valid: true, reason: null, liquidity } };
      const reason = errorTable.POSITION_LIMIT.message;
      return { data: { valid: false, reason, limit, liquidity } };
    },
  });

const isOpenForOrders = ({ facts }: ExchangeView, market: Market): boolean =>
  market.status === "ACTIVE" && !market.tradingClosed && !facts.halted;

/** What is held and ordered counts, as it does for an order; before approval all is zero. */
function exceededLimit(
  { view, engine }: TradingPorts,
  account: Account,
  market: MarketId,
  size: Micros,
): string | undefined {
  if (account.kyc.status !== "approved") return "maxPosition";
  const terms = accountTerms(view.rules, account);
  const totals = view.exposures.totals(account.id);
  const before = view.exposures.coverageWith(account.id, market, []);
  const filled = filledToday(view.dayVolume(account.id), engine.status().engineTimeMillis);
  const daily = faceOf(filled) + totals.openMicros + size;
  const positions = totals.openPositions + (before === 0n ? 1 : 0);
  const limits: readonly (readonly [string, bigint, bigint])[] = [
    ["maxPosition", before + size, terms.maxPositionMicros],
    ["maxPositionSize", before + size, terms.maxPositionSizeMicros],
    ["maxDaily", daily, terms.maxDailyMicros],
    ["maxDailyVolume", daily, terms.maxDailyVolumeMicros],
    ["maxTotal", totals.coverageMicros + size, terms.maxTotalMicros],
    ["maxOpenPositions", BigInt(positions), BigInt(terms.maxOpenPositions)],
  ];
  return limits.find(([, value, allowed]) => value > allowed)?.[0];
}
