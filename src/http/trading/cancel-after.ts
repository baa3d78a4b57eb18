// POST /api/trading/cancel-after: a dead man's switch; send it again and again while all is well.
// Invariant: the answer says when it fires; each call replaces the one before it.
import { Type } from "typebox";
import { type MarketId, marketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { invalidField } from "../route/errors.ts";
import { closed, nothing, type Route, trading } from "../route/route.ts";
import type { TradingPorts } from "./ports.ts";

const LEAST_SECONDS = 5;
const MOST_SECONDS = 86_400;
const seconds = `0 to disarm, or whole seconds from ${LEAST_SECONDS} to ${MOST_SECONDS}`;

export const cancelAfter = (ports: TradingPorts): Route =>
  trading.write({
    method: "POST",
    url: "/api/trading/cancel-after",
    access: "cancel:orders",
    summary: "Cancels all open orders after so many seconds, unless it is sent again in time",
    refusals: ["MARKET_NOT_FOUND"],
    params: nothing,
    body: closed({
      seconds: Type.Integer({ minimum: 0, maximum: MOST_SECONDS, description: seconds }),
      marketId: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "a market's id" }),
      ),
    }),
    data: Type.Object({
      /** Unix seconds; null = disarmed. */
      cancelAt: Type.Union([Type.Integer(), Type.Null()]),
      marketId: Type.Union([Type.String(), Type.Null()]),
    }),
    toCommand: ({ body }) => {
      if (body.seconds > 0 && body.seconds < LEAST_SECONDS) {
        return invalidField("seconds", `must be ${seconds}`);
      }
      const market = body.marketId === undefined ? null : named(body.marketId, ports);
      return { command: { type: "SetCancelAfter", seconds: body.seconds, marketId: market } };
    },
    render: ({ events }) => {
      const set = events.find((event) => event.type === "CancelAfterChanged");
      invariant(set !== undefined, "a switch that is set is an event");
      return { data: { cancelAt: set.atSeconds, marketId: set.marketId } };
    },
  });

const named = (text: string, { view }: TradingPorts): MarketId =>
  view.marketByAnyId(text)?.id ?? marketId(text);
