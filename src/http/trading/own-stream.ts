// GET /api/trading/stream: what becomes durable of the caller's own account, under its sequence.
// Invariant: a reader is sent its own account's pieces alone, and nothing once its key is over.
import { Type } from "typebox";
import { isKeyLive } from "#core/person.ts";
import { lastEventIdQuery, lastRead, StreamCut, StreamHeartbeat } from "../public/stream.ts";
import { invalidField, refuse } from "../route/errors.ts";
import { closed, keyCaller, nothing, type Route } from "../route/route.ts";
import { requestShape } from "../route/shape.ts";
import { OwnStreamEntry, ownEventTypes } from "./own-message.ts";
import { nowSeconds, type TradingPorts } from "./ports.ts";

const schemas = {
  params: nothing,
  query: closed({
    types: Type.Optional(
      Type.String({
        description: `types of events, separated by commas: ${ownEventTypes.join(", ")}`,
      }),
    ),
    ...lastEventIdQuery,
  }),
  body: nothing,
  data: Type.Union([OwnStreamEntry, StreamHeartbeat, StreamCut]),
  siblings: nothing,
};

export function streamOwnEvents(ports: Pick<TradingPorts, "view" | "engine" | "ownFeed">): Route {
  const shape = requestShape(schemas);
  return {
    method: "GET",
    url: "/api/trading/stream",
    surface: "events",
    access: "read:portfolio",
    summary: "Own orders, fills, cash, positions, margin and alerts as they become durable",
    refusals: ["SEQUENCE_AHEAD", "STREAM_LIMIT", "OVERLOADED", "STOPPING"],
    otherStatuses: [],
    cost: 2,
    isForAnyNode: true,
    body: "json",
    schemas,
    handle: async (request) => {
      const { account, key } = keyCaller(request.caller);
      const asked = shape({ ...request, body: undefined });
      if ("refused" in asked) return asked;
      const { types: names } = asked.query;
      const types = names === undefined ? undefined : new Set(names.split(","));
      const unknown = [...(types ?? [])].find((name) => !isType(name));
      if (unknown !== undefined) {
        return invalidField("types", `must be some of ${ownEventTypes.join(", ")}`);
      }
      const after = lastRead(request, asked.query.lastEventId);
      if (typeof after === "object") return after;
      const over = () => {
        const now = ports.view.keys.get(key.id);
        if (now === undefined || !isKeyLive(now, nowSeconds(ports))) return "KEY_ENDED" as const;
        // A key that was revoked meanwhile would not be known to be.
        return ports.engine.isCurrent("private") ? undefined : ("INTERRUPTED" as const);
      };
      const filter = { account: account.id, markets: undefined, types, over };
      const opened = ports.ownFeed.open(request.bucket, filter, after);
      return "refused" in opened ? refuse(opened.refused) : { events: opened.reader };
    },
  };
}

const isType = (name: string): boolean => ownEventTypes.some((type) => type === name);
