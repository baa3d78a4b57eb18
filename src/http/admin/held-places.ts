// GET /api/admin/held-places: the places of releases that validation holds back.
// Invariant: a place is listed until two operators release it or one rejects its release for it.
import { Type } from "typebox";
import { pageOf, pageQuery, pageSiblings } from "../public/paging.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { type HeldPlacePorts, HeldPlaceRecord, heldPlaceRecord } from "./held-place-record.ts";

/** Longest held first. */
export const listHeldPlaces = (ports: HeldPlacePorts): Route =>
  admin.read({
    url: "/api/admin/held-places",
    access: "admin:read",
    summary: "Places that validation holds back while the rest of their release counts",
    params: nothing,
    query: closed({ ...pageQuery, release: Type.Optional(Type.String()) }),
    data: Type.Array(HeldPlaceRecord),
    siblings: pageSiblings,
    read: ({ query }) => {
      const { release } = query;
      const places = [...ports.exchange.heldPlaces.values()].filter(
        ({ releaseId: id }) => release === undefined || id === release,
      );
      const { items, siblings } = pageOf(places, query);
      return { data: items.map((place) => heldPlaceRecord(ports, place)), siblings };
    },
  });
