// POST /api/admin/releases/:id/places/:nodeId/approve and …/reject: a held place is decided.
// Invariant: the release intake decides; nothing is shown here but what its events say.
import { type Static, Type } from "typebox";
import { type NodeId, nodeId, releaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { Event } from "#core/event.ts";
import { wordIn } from "#core/words/told.ts";
import type { PlaceResultPort, ReleaseIntakePort } from "../ports.ts";
import type { Refused } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { type HeldPlacePorts, HeldPlaceRecord, heldPlaceRecord } from "./held-place-record.ts";
import { notTaken } from "./not-taken.ts";
import { Reason } from "./reason.ts";
import { eventsOf } from "./result-events.ts";

const PlaceParams = Type.Object({ id: Type.String(), nodeId: Type.String() });

const refusals = [
  "CONFLICT_OF_INTEREST",
  "PLACE_NOT_HELD",
  "PLACE_HELD",
  "RELEASE_SAME_OPERATOR",
  "FILE_REFUSED",
  "RELEASE_FROM_FUTURE",
  "PRINT_EXISTS",
] as const;

const DecidedShape = Type.Object(
  {
    ...HeldPlaceRecord.properties,
    resolvedMarkets: Type.Array(Type.String()),
    heldAnew: Type.Union([HeldPlaceRecord, Type.Null()], {
      description: "where a later release holds the place again",
    }),
  },
  { title: "DecidedPlace" },
);

function showDecided(
  ports: HeldPlacePorts,
  answer: PlaceResultPort,
): { readonly data: Static<typeof DecidedShape> } | Refused {
  if ("refusal" in answer) return notTaken(answer);
  const events = eventsOf(answer.decided);
  if ("refused" in events) return events;
  const [place, anew] = events.filter((event) => event.type === "HeldPlaceChanged");
  if (place === undefined) {
    const held = approvedIn(ports, events);
    invariant(held !== undefined, "a word is about a place, or decides it");
    return { data: { ...heldPlaceRecord(ports, held), resolvedMarkets: [], heldAnew: null } };
  }
  const first = wordIn("confirmed", events);
  const approvedBy = first === undefined ? [] : [first.by];
  return {
    data: {
      ...heldPlaceRecord(ports, place.place, place.status, approvedBy),
      resolvedMarkets: resolvedIn(events),
      heldAnew: anew === undefined ? null : heldPlaceRecord(ports, anew.place),
    },
  };
}

/** The place that a first word is about, as it is held now. */
function approvedIn({ exchange }: HeldPlacePorts, events: readonly Event[]) {
  const word = wordIn("open", events)?.command;
  if (word?.type !== "ApprovePlace") return undefined;
  return [...exchange.heldPlaces.values()].find(
    ({ releaseId: id, nodeId: node }) => id === word.releaseId && node === word.nodeId,
  );
}

const resolvedIn = (events: readonly Event[]): string[] =>
  events.flatMap((event) =>
    event.type === "MarketChanged" && event.market.status === "RESOLVED" ? [event.market.id] : [],
  );

const idsOf = (params: { readonly id: string; readonly nodeId: string }) =>
  [releaseId(params.id), nodeId(params.nodeId.toLowerCase())] satisfies [unknown, NodeId];

/** One word of two: the first is kept, the second, of another person, releases the place. */
export const approvePlace = (
  ports: HeldPlacePorts & { readonly releases: ReleaseIntakePort },
): Route =>
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
export const rejectPlace = (
  ports: HeldPlacePorts & { readonly releases: ReleaseIntakePort },
): Route =>
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
