// POST /api/admin/geo: the hierarchy below the states, as the documented CSV.
// Invariant: a file with one bad row changes nothing.
import { Type } from "typebox";
import type { PlaceIntakePort } from "../ports.ts";
import { admin, nothing, type Route } from "../route/route.ts";
import { notTaken } from "./not-taken.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

export const loadGeo = (ports: { readonly places: PlaceIntakePort }): Route =>
  admin.upload({
    method: "POST",
    url: "/api/admin/geo",
    access: "admin:releases",
    summary: "Loads a hierarchy file; rows replace nodes of the same id",
    refusals: ["FILE_REFUSED", "GEO_IN_USE"],
    params: nothing,
    query: nothing,
    data: Type.Object({
      nodes: Type.Integer(),
      added: Type.Integer(),
      changed: Type.Integer(),
      /** Releases with regions nothing matched, whose files are read again from now on. */
      rereading: Type.Integer(),
    }),
    accepts: { types: ["text/csv"], limitBytes: LIMIT_BYTES },
    upload: async ({ upload, submit }) => {
      const answer = await ports.places.load(upload, submit);
      if (!("nodes" in answer)) return notTaken(answer);
      const { nodes, added, changed, rereading } = answer;
      return { data: { nodes, added, changed, rereading } };
    },
  });
