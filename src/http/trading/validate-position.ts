// POST /api/liquidity/validate-position: would a position of this size be let in now?
// Invariant: it is the core's own placing, tried on a copy: what it says is what an order is told.
import { Type } from "typebox";
import type { AccountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Lots, parseLots } from "#base/quantity.ts";
import type { OrderInput } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { liquidityOf } from "#views/liquidity.ts";
import { previewCommand } from "#views/preview.ts";
import { LiquidityRecord, liquidityRecord } from "../records/liquidity.ts";
import { errorTable, invalidField, problemOf, refuse } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import { decimalText } from "../server/json-source.ts";
import type { TradingPorts } from "./ports.ts";

const SIZE = "a decimal from 0.01 to 10000000000 with at most 2 decimals";

export const validatePosition = (ports: TradingPorts): Route =>
  trading.perform({
    method: "POST",
    isRead: true,
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
        code: Type.Optional(
          Type.String({ description: "the code an order would be refused with" }),
        ),
        limit: Type.Optional(Type.String({ description: "the limit that would be exceeded" })),
        required: Type.Optional(Type.String({ description: "USD it would hold back" })),
        available: Type.Optional(Type.String({ description: "USD there are for it" })),
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
      const asked = market === undefined ? listing : { ...market, marketId: market.id };
      if (asked === undefined) return refuse("MARKET_NOT_FOUND");

      const rules = view.rules.liquidity[asked.terms.index];
      const liquidity = liquidityRecord(liquidityOf(view.book(asked.marketId), rules));
      const order = orderAdding(ports, caller.account.id, asked, size);
      const command = { type: "PlaceOrder", order, listing: listing ?? null } as const;
      const { actor } = caller;
      invariant(actor.type === "key", "a trading route is reached with a key");
      const tried = previewCommand(view, actor, command, ports.engine.status().engineTimeMillis);
      if (!("rejection" in tried)) return { data: { valid: true, reason: null, liquidity } };
      const { code, message, details } = problemOf(tried.rejection);
      const reason = message ?? errorTable[code].message;
      return { data: { valid: false, reason, code, ...particulars(details), liquidity } };
    },
  });

/** An order at the mark that adds to what is held: of YES, unless YES is sold short. */
function orderAdding(
  { view }: TradingPorts,
  account: AccountId,
  { marketId, markTick }: Pick<Listing, "marketId" | "markTick">,
  amountLots: Lots,
): OrderInput {
  const held = view.position(account, marketId)?.heldLots ?? 0n;
  return {
    marketId,
    outcomeIndex: 0,
    side: held < 0n ? "SELL" : "BUY",
    priceTick: markTick,
    amountLots,
    expirySeconds: 0,
    timeInForce: "GTC",
    postOnly: false,
    reduceOnly: false,
    clientOrderId: null,
    selfTradePrevention: "cancel_incoming",
  };
}

/** The limit that would be exceeded, or the cash that is lacking. */
function particulars(details: Readonly<Record<string, unknown>> = {}) {
  const { limit, required, available } = details;
  return {
    ...(typeof limit === "string" ? { limit } : {}),
    ...(typeof required === "string" ? { required } : {}),
    ...(typeof available === "string" ? { available } : {}),
  };
}
