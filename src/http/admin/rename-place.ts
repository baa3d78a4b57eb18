// POST /api/admin/places/:nodeId/rename: a place goes on under another id of its provider.
// Invariant: a first word of two; the exchange draws from the files what it rests on.
import { Type } from "typebox";
import { nodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import type { ReleaseIntakePort } from "../ports.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { type HeldPlacePorts, HeldPlaceRecord, heldPlaceRecord } from "./held-place-record.ts";
import { notTaken } from "./not-taken.ts";
import { eventsOf } from "./result-events.ts";

/** The exchange draws the release and the two years compared from the files. */
export const renamePlace = (
  ports: HeldPlacePorts & { readonly releases: ReleaseIntakePort },
): Route =>
  admin.perform({
    method: "POST",
    url: "/api/admin/places/:nodeId/rename",
    access: "admin:releases",
    summary:
      "Says that the provider goes on with a place under another id; the second operator's word " +
      "is the approval of the place",
    refusals: ["RENAME_GROUNDS", "PLACE_HELD", "CONFLICT_OF_INTEREST"],
    params: Type.Object({ nodeId: Type.String() }),
    body: closed({
      index: Type.Enum(["zhvi", "zori", "vacancy"]),
      regionId: Type.String({ minLength: 1, maxLength: 64, description: "the provider's new id" }),
    }),
    data: HeldPlaceRecord,
    perform: async ({ params, body: { index, regionId }, submit }) => {
      const node = nodeId(params.nodeId.toLowerCase());
      const answer = await ports.releases.renamePlace(index, node, regionId, submit);
      if ("refusal" in answer) return notTaken(answer);
      const events = eventsOf(answer.decided);
      if ("refused" in events) return events;
      const held = events.find((event) => event.type === "HeldPlaceChanged");
      invariant(held !== undefined, "a map waits for its second word");
      return { data: heldPlaceRecord(ports, held.place) };
    },
  });
