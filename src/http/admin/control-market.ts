// GET /api/admin/markets/:id; POST …/pause, …/resume, …/cancel and …/cancel-withdrawal.
// Invariant: a paused market takes cancels only; it takes two people to void one.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import type { Event } from "#core/event.ts";
import type { Market } from "#core/records.ts";
import { wordIn } from "#core/words/told.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { type ErrorCode, refuse } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { MarketRecord, marketRecord } from "./market-record.ts";
import { Reason } from "./reason.ts";

interface ControlPorts {
  readonly exchange: ExchangeView;
}

const IdParams = Type.Object({ id: Type.String() });

export const showMarketToOperator = (ports: ControlPorts): Route =>
  admin.read({
    url: "/api/admin/markets/:id",
    access: "admin:read",
    summary: "A market, and what in it waits for a second person",
    refusals: ["MARKET_NOT_FOUND"],
    params: IdParams,
    query: nothing,
    data: MarketRecord,
    read: ({ params }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      return market === undefined
        ? refuse("MARKET_NOT_FOUND")
        : { data: marketRecord(ports.exchange, market) };
    },
  });

interface Control {
  readonly verb: string;
  readonly type: "PauseMarket" | "ResumeMarket" | "CancelMarket" | "WithdrawVoid";
  readonly access: "admin:markets" | "admin:settle";
  readonly summary: string;
  readonly refusals?: readonly ErrorCode[];
}

const controlRoute = (ports: ControlPorts, control: Control): Route =>
  admin.write({
    method: "POST",
    url: `/api/admin/markets/:id/${control.verb}`,
    access: control.access,
    summary: control.summary,
    refusals: [
      "CONFLICT_OF_INTEREST",
      "MARKET_NOT_FOUND",
      "MARKET_STATE",
      ...(control.refusals ?? []),
    ],
    params: IdParams,
    body: closed({ reason: Reason }),
    data: MarketRecord,
    toCommand: ({ params, body: { reason } }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { command: { type: control.type, marketId: market.id, reason } };
    },
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "MarketChanged")?.market;
      const market = changed ?? voidedBy(ports.exchange, events);
      invariant(market !== undefined, `a ${control.verb} changes its market, or is a word`);
      return { data: marketRecord(ports.exchange, market) };
    },
  });

/** The market that a word about its void was given for, or taken back. */
function voidedBy({ markets }: ExchangeView, events: readonly Event[]): Market | undefined {
  const word = (wordIn("open", events) ?? wordIn("withdrawn", events))?.command;
  return word?.type === "CancelMarket" ? markets.get(word.marketId) : undefined;
}

export const controlRoutes = (ports: ControlPorts): readonly Route[] =>
  controls.map((control) => controlRoute(ports, control));

const controls: readonly Control[] = [
  {
    verb: "pause",
    type: "PauseMarket",
    access: "admin:markets",
    summary: "Pauses a market: it takes cancels only",
  },
  {
    verb: "resume",
    type: "ResumeMarket",
    access: "admin:markets",
    summary: "Resumes a paused market",
  },
  {
    verb: "cancel",
    type: "CancelMarket",
    access: "admin:settle",
    summary:
      "Says that a market is void; the second person who says it reverses every payment in it",
    refusals: ["VOID_SAME_OPERATOR", "VOID_AFTER_PRINT"],
  },
  {
    verb: "cancel-withdrawal",
    type: "WithdrawVoid",
    access: "admin:settle",
    summary: "Takes back one's own word that a market is void",
    refusals: ["VOID_NOT_PROPOSED"],
  },
];
