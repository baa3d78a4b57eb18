// GET /api/markets, /api/markets/:id and /api/markets/:id/resolution.
// Invariant: fields of a stage that has not happened are null; that is no error.

import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { formatMonth } from "#base/month.ts";
import type { Terms } from "#contract/terms.ts";
import { refuseClosed } from "#core/order/checks.ts";
import type { Market } from "#core/records.ts";
import { geoLevels } from "#geo/node.ts";
import type { AttributionPorts } from "../records/attribution.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, nothing, publicData, type Route } from "../route/route.ts";
import { type KeepingPorts, keptUntil, LIVELY_SECONDS } from "./kept-until.ts";
import {
  MarketShape,
  marketStatuses,
  ResolutionShape,
  showMarket,
  showResolution,
} from "./market-shape.ts";
import { cursorQuery, cursorSiblings, pageAfter, pageQuery } from "./paging.ts";

const IdParams = Type.Object({ id: Type.String() });

/** In the order they were listed, so that a page read again holds the same markets. */
export const listMarkets = (ports: AttributionPorts): Route =>
  publicData.read({
    url: "/api/markets",
    access: "public",
    summary: "Markets, in the order they were listed",
    params: nothing,
    query: closed({
      zip: Type.Optional(Type.String({ pattern: "^[0-9]{5}$" })),
      level: Type.Optional(Type.Enum([...geoLevels])),
      state: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2}$" })),
      status: Type.Optional(Type.Enum([...marketStatuses])),
      index: Type.Optional(Type.Enum([...indexKinds])),
      expiry: Type.Optional(
        Type.String({
          pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$",
          description: "the measurement month, written YYYY-MM",
        }),
      ),
      layer: Type.Optional(
        Type.String({
          pattern: "^[0-9]{1,5}-[0-9]{1,5}$",
          description: "attachBps-exhaustBps of a layered market, such as 200-1000",
        }),
      ),
      text: Type.Optional(
        Type.String({
          minLength: 2,
          maxLength: 100,
          description: "stands in an id of the market, or in the id or the name of its place",
        }),
      ),
      tradable: Type.Optional(
        Type.Enum(["true", "false"], {
          description: "true: markets that take orders now; false: all others",
        }),
      ),
      ...pageQuery,
      ...cursorQuery,
    }),
    data: Type.Array(MarketShape),
    siblings: cursorSiblings,
    read: ({ query }) => {
      const text = query.text?.toLowerCase();
      const isWanted = (market: Market): boolean =>
        fits(ports, market, query) && (text === undefined || reads(ports, market, text));
      const all = [...ports.exchange.markets.values()];
      const page = pageAfter(all, isWanted, query, placeOfMarket);
      if (page === undefined) return invalidField("cursor", "must be the nextCursor of a page");
      return { data: page.items.map((one) => showMarket(ports, one)), siblings: page.siblings };
    },
  });

const placeOfMarket = {
  millis: ({ createdAtMillis }: Market): number => createdAtMillis,
  id: ({ id }: Market): string => id,
};

export const showOneMarket = (ports: AttributionPorts): Route =>
  publicData.read({
    url: "/api/markets/:id",
    access: "public",
    summary: "One market, by its id or its frontend id",
    refusals: ["MARKET_NOT_FOUND"],
    params: IdParams,
    query: nothing,
    data: MarketShape,
    read: ({ params }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { data: showMarket(ports, market) };
    },
  });

export const showMarketResolution = (ports: AttributionPorts & KeepingPorts): Route =>
  publicData.read({
    url: "/api/markets/:id/resolution",
    access: "public",
    summary: "How far a market has been resolved",
    refusals: ["MARKET_NOT_FOUND"],
    params: IdParams,
    query: nothing,
    data: ResolutionShape,
    read: ({ params }) => {
      const market = ports.exchange.marketByAnyId(params.id);
      if (market === undefined) return refuse("MARKET_NOT_FOUND");
      return { data: showResolution(ports, market), headers: keptWhile(ports, market) };
    },
  });

/** A market that is over stays so; while one waits for its print people may act at any moment. */
function keptWhile(ports: KeepingPorts, { status, terms }: Market) {
  if (status === "FINALIZED" || status === "CANCELLED") {
    return keptUntil(ports, Number.POSITIVE_INFINITY);
  }
  if (status === "RESOLVED") return {};
  return keptUntil(ports, terms.expectedAtMillis, LIVELY_SECONDS);
}

interface MarketFilter {
  readonly zip?: string;
  readonly level?: string;
  readonly state?: string;
  readonly status?: string;
  readonly tradable?: "true" | "false";
  readonly index?: string;
  readonly expiry?: string;
  readonly layer?: string;
}

function fits({ exchange }: AttributionPorts, market: Market, filter: MarketFilter): boolean {
  const { zip, level, state, status, tradable, index, expiry, layer } = filter;
  const { terms } = market;
  const takesOrders = refuseClosed(market) === undefined;
  const node = exchange.geo.get(market.terms.nodeId);
  return (
    (status === undefined || market.status === status) &&
    (tradable === undefined || takesOrders === (tradable === "true")) &&
    (index === undefined || terms.index === index) &&
    (expiry === undefined || formatMonth(terms.measurementMonth) === expiry) &&
    (layer === undefined || layerOf(terms) === layer) &&
    (zip === undefined || market.terms.nodeId === `zip:${zip}`) &&
    (level === undefined || node?.level === level) &&
    (state === undefined || node?.stateCode === state.toUpperCase())
  );
}

const layerOf = ({ payoff }: Terms): string | undefined =>
  payoff.kind === "layered" ? `${payoff.attachBps}-${payoff.exhaustBps}` : undefined;

/** `text` is in lower case, as ids of markets and places are. */
function reads({ exchange }: AttributionPorts, market: Market, text: string): boolean {
  const { id, frontendId, terms } = market;
  if ([id, frontendId, terms.nodeId].some((one) => one.toLowerCase().includes(text))) return true;
  return exchange.geo.get(terms.nodeId)?.name.toLowerCase().includes(text) === true;
}
