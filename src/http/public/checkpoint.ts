// GET /api/checkpoint: the newest signed note of the journal's length and head.
// Invariant: the note is given as it was signed, byte for byte.
import { Type } from "typebox";
import type { History } from "#engine/engine.ts";
import { refuse } from "../route/errors.ts";
import { nothing, publicData, type Route } from "../route/route.ts";

export const showCheckpoint = (ports: { readonly history: Pick<History, "checkpoint"> }): Route =>
  publicData.read({
    url: "/api/checkpoint",
    access: "public",
    summary: "The newest signed note of the journal's length and head, and the key to check it",
    refusals: ["NOT_FOUND"],
    params: nothing,
    query: nothing,
    data: Type.Object({ note: Type.String(), verifierKey: Type.String() }),
    read: () => {
      const checkpoint = ports.history.checkpoint();
      if (checkpoint === undefined) {
        return refuse("NOT_FOUND", {
          message: "No checkpoint has been signed yet; try again later",
        });
      }
      return { data: { ...checkpoint } };
    },
  });
