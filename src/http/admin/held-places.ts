// GET /api/admin/held-places; POST /api/admin/releases/:id/places/:nodeId/approve and …/reject.
// Invariant: what a place would settle is foretold by the rule that settles; nothing is shown of a
// held print anywhere else.
import { type Static, Type } from "typebox";
import { type NodeId, nodeId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { formatMonth } from "#base/month.ts";
import { formatPrintValue } from "#base/print-value.ts";
import type { Event } from "#core/event.ts";
import type { Observation } from "#core/records.ts";
import type { HeldPlace } from "#core/settlement/held-place.ts";
import { wouldSettle } from "#core/settlement/would-settle.ts";
import type { ExchangeView } from "#views/exchange.ts";
import type { PlaceResultPort, ReleaseIntakePort } from "../ports.ts";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { type AttributionPorts, attributionOfRelease } from "../records/attribution.ts";
import type { Refused } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { notTaken } from "./not-taken.ts";
import { Reason } from "./reason.ts";
import { eventsOf } from "./result-events.ts";

const FULL_MILLIONTHS = 1_000_000;

export const WouldSettle = Type.Array(
  Type.Object({
    marketId: Type.String(),
    frontendId: Type.String(),
    nodeId: Type.String(),
    month: Type.String(),
    payoutFraction: Type.Union([Type.Number(), Type.Null()], {
      description: "of the coverage, to longs; null: no chain leads to the print, and it waits on",
    }),
  }),
  { description: "markets that wait for these prints, and what each would pay by them" },
);

export const showWouldSettle = (
  { markets }: Pick<ExchangeView, "markets">,
  index: IndexKind,
  prints: readonly Observation[],
): Static<typeof WouldSettle> =>
  wouldSettle(markets, index, prints).map(({ market, settlement }) => ({
    marketId: market.id,
    frontendId: market.frontendId,
    nodeId: market.terms.nodeId,
    month: formatMonth(market.terms.measurementMonth),
    payoutFraction:
      settlement === undefined ? null : Number(settlement.payoutMillionths) / FULL_MILLIONTHS,
  }));

const HeldPlaceShape = Type.Object(
  {
    nodeId: Type.String(),
    regionId: Type.String({ description: "the provider's" }),
    releaseId: Type.String({ description: "the earliest release undecided for the place" }),
    index: Type.String(),
    level: Type.String(),
    variable: Type.Union([Type.String(), Type.Null()]),
    status: Type.Enum(["held", "released", "rejected"]),
    heldAt: Type.String(),
    reasons: Type.Array(Type.String()),
    approvedBy: Type.Array(Type.String()),
    prints: Type.Array(
      Type.Object({ month: Type.String(), value: Type.String(), backfill: Type.Boolean() }),
      { description: "what the release carries of the place and nobody is shown" },
    ),
    wouldSettle: WouldSettle,
    attribution: Type.String(),
  },
  { title: "HeldPlace" },
);

type PlacePorts = AttributionPorts & { readonly exchange: ExchangeView };

const show = (
  ports: PlacePorts,
  place: HeldPlace,
  status: "held" | "released" | "rejected" = "held",
): Static<typeof HeldPlaceShape> => ({
  nodeId: place.nodeId,
  regionId: place.regionId,
  releaseId: place.releaseId,
  index: place.index,
  level: place.level,
  variable: place.variable ?? null,
  status,
  heldAt: new Date(place.heldAtMillis).toISOString(),
  reasons: place.reasons.map(({ code, message }) => `${code}: ${message}`),
  approvedBy: place.approvedBy === null ? [] : [place.approvedBy],
  prints: place.observations.map(({ month, valueE15, backfill }) => ({
    month: formatMonth(month),
    value: formatPrintValue(valueE15),
    backfill,
  })),
  wouldSettle:
    status === "held" ? showWouldSettle(ports.exchange, place.index, place.observations) : [],
  attribution: attributionOfRelease(ports, place.releaseId),
});

/** Longest held first. */
export const listHeldPlaces = (ports: PlacePorts): Route =>
  admin.read({
    url: "/api/admin/held-places",
    access: "admin:read",
    summary: "Places that validation holds back while the rest of their release counts",
    params: nothing,
    query: closed({ ...pageQuery, release: Type.Optional(Type.String()) }),
    data: Type.Array(HeldPlaceShape),
    siblings: pageSiblings,
    read: ({ query }) => {
      const { release } = query;
      const places = [...ports.exchange.heldPlaces.values()].filter(
        ({ releaseId: id }) => release === undefined || id === release,
      );
      const { items, siblings } = pageOf(places, query);
      return { data: items.map((place) => show(ports, place)), siblings };
    },
  });

const PlaceParams = Type.Object({ id: Type.String(), nodeId: Type.String() });

const refusals = [
  "PLACE_NOT_HELD",
  "PLACE_HELD",
  "RELEASE_SAME_OPERATOR",
  "FILE_REFUSED",
  "RELEASE_FROM_FUTURE",
  "PRINT_EXISTS",
] as const;

const DecidedShape = Type.Object(
  {
    ...HeldPlaceShape.properties,
    resolvedMarkets: Type.Array(Type.String()),
    heldAnew: Type.Union([HeldPlaceShape, Type.Null()], {
      description: "where a later release holds the place again",
    }),
  },
  { title: "DecidedPlace" },
);

function showDecided(
  ports: PlacePorts,
  answer: PlaceResultPort,
): { readonly data: Static<typeof DecidedShape> } | Refused {
  if ("refusal" in answer) return notTaken(answer);
  const events = eventsOf(answer.decided);
  if ("refused" in events) return events;
  const [place, anew] = events.filter((event) => event.type === "HeldPlaceChanged");
  invariant(place !== undefined, "a word changes what is held");
  return {
    data: {
      ...show(ports, place.place, place.status),
      resolvedMarkets: resolvedIn(events),
      heldAnew: anew === undefined ? null : show(ports, anew.place),
    },
  };
}

const resolvedIn = (events: readonly Event[]): string[] =>
  events.flatMap((event) =>
    event.type === "MarketChanged" && event.market.status === "RESOLVED" ? [event.market.id] : [],
  );

const idsOf = (params: { readonly id: string; readonly nodeId: string }) =>
  [releaseId(params.id), nodeId(params.nodeId.toLowerCase())] satisfies [unknown, NodeId];

/** One word of two: the first is kept, the second, of another person, releases the place. */
export const approvePlace = (ports: PlacePorts & { readonly releases: ReleaseIntakePort }): Route =>
  admin.perform({
    method: "POST",
    url: "/api/admin/releases/:id/places/:nodeId/approve",
    access: "admin:releases",
    summary: "Says that a held place is right; the second operator's word releases it",
    refusals,
    params: PlaceParams,
    body: nothing,
    data: DecidedShape,
    perform: async ({ params, caller, submit }) => {
      const operator = caller.type === "root" ? caller.type : caller.account.id;
      const [id, node] = idsOf(params);
      return showDecided(ports, await ports.releases.approvePlace(id, node, operator, submit));
    },
  });

/** The release does not count for the place; the next one that carries it does. */
export const rejectPlace = (ports: PlacePorts & { readonly releases: ReleaseIntakePort }): Route =>
  admin.perform({
    method: "POST",
    url: "/api/admin/releases/:id/places/:nodeId/reject",
    access: "admin:releases",
    summary: "Takes a release away from a held place; the next release has its print",
    refusals,
    params: PlaceParams,
    body: closed({ reason: Reason }),
    data: DecidedShape,
    perform: async ({ params, body: { reason }, submit }) => {
      const [id, node] = idsOf(params);
      return showDecided(ports, await ports.releases.rejectPlace(id, node, reason, submit));
    },
  });
