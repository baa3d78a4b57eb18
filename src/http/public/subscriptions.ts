// POST /api/stream/:id/subscriptions: the choice of messages of a running stream, set anew.
// Invariant: only the id that a stream told its own reader changes it; each of its entries is
// judged by one choice, and the answer says after which entry the new one holds.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { publicEventTypes } from "#views/public-events.ts";
import { refuse } from "../route/errors.ts";
import { closed, publicData, type Route } from "../route/route.ts";
import type { StreamPorts } from "./stream.ts";
import { filterOf } from "./stream-filter.ts";

/** Of markets, and of places: 4 MB of a thousand streams that name so many. */
export const MOST_SUBSCRIBED = 2_000;
const LONGEST_ID = 128;
const COST = 2;
const NAMES_A_UNIT = 200;

const names = (what: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: LONGEST_ID }), {
      maxItems: MOST_SUBSCRIBED,
      description: what,
    }),
  );

const Subscriptions = closed(
  {
    markets: names("ids of markets, of either kind"),
    places: names("ids of places: of markets there or in places that lie in them"),
    indexes: Type.Optional(
      Type.Array(Type.Enum([...indexKinds]), {
        maxItems: indexKinds.length,
        description: "of markets of these indices",
      }),
    ),
    expiries: Type.Optional(
      Type.Array(Type.String({ pattern: "^[0-9]{4}-[0-9]{2}$" }), {
        maxItems: 400,
        description: "of markets measured in these months, YYYY-MM",
      }),
    ),
    types: Type.Optional(
      Type.Array(Type.Enum([...publicEventTypes]), {
        maxItems: publicEventTypes.length,
        description: "of these types of events",
      }),
    ),
  },
  { title: "StreamSubscriptions" },
);

const Subscribed = Type.Object(
  {
    stream: Type.String(),
    sequence: Type.Integer({
      description: "entries after it are told by these subscriptions, those up to it by the former",
    }),
  },
  { title: "StreamSubscribed" },
);

export const setSubscriptions = (ports: StreamPorts): Route =>
  publicData.perform({
    method: "POST",
    url: "/api/stream/:id/subscriptions",
    access: "public",
    summary: "Sets anew of which markets and types a running stream tells, without a reconnect",
    refusals: ["STREAM_NOT_FOUND", "MARKET_NOT_FOUND"],
    // The stream is of the node that serves it, which need not lead.
    isRead: true,
    cost: COST,
    costOf: (body) => COST + Math.floor(namesIn(body) / NAMES_A_UNIT),
    params: Type.Object({ id: Type.String() }),
    body: Subscriptions,
    data: Subscribed,
    perform: async ({ params, body }) => {
      const filter = filterOf(ports.exchange, body);
      if ("refused" in filter) return filter;
      const sequence = ports.feed.change(params.id, filter);
      if (sequence === undefined) return refuse("STREAM_NOT_FOUND");
      return { data: { stream: params.id, sequence } };
    },
  });

/** Of a body that nobody has looked at yet. */
function namesIn(body: unknown): number {
  const lists = typeof body === "object" && body !== null ? Object.values(body) : [];
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}
