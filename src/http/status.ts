// GET /api/status and /api/health: how far the exchange is, and what a balancer needs to know.
// Invariant: only /api/health/ready answers 503; the others answer 200 while the process answers.
import { Type } from "typebox";
import type { ClockKind } from "#core/command.ts";
import type { Engine, Mode } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { bare, nothing, type Route } from "./route/route.ts";

interface StatusPorts {
  readonly engine: Pick<Engine, "status" | "isCurrent">;
  readonly view: Pick<ExchangeView, "isFundShort" | "storage">;
  readonly version: string;
  readonly clock: ClockKind;
}

const ModeShape = Type.Enum([
  ...(["starting", "standby", "follower", "open", "cancel_only", "halted"] as const),
]);

const StatusReport = Type.Object({
  mode: ModeShape,
  role: Type.Enum(["leader", "standby", "follower"], {
    description: "the part of this node: it takes orders, waits to, or only reads",
  }),
  lagMillis: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "how old what this node shows may be, from the leader's newest sign that it has seen; " +
      "null at the leader, and where it has seen none",
  }),
  sequence: Type.Integer({
    description:
      "the newest entry that was decided; beyond durableSequence nobody has been answered yet, " +
      "and after a crash it may be less",
  }),
  durableSequence: Type.Integer({
    description: "the newest entry that is durable and shown; it never goes back",
  }),
  engineTime: Type.String(),
  version: Type.String(),
  clock: Type.Enum(["real", "sandbox"]),
  storage: Type.Enum(["checked", "managed"], {
    description:
      "whether the newest leader saw that its database is durable, or a managed service hides " +
      "that and the operator answers for it",
  }),
  capacityUsed: Type.Number({
    description:
      "how much of the room for orders, keys, accounts and answers is used, or of the memory " +
      "where that is more, from 0 to 1; " +
      "at 1 new ones are refused as EXCHANGE_FULL",
  }),
  cover2: Type.Boolean({
    description:
      "whether the guarantee fund holds the two weakest owners; while it does not, orders that " +
      "add a short are refused as FUND_SHORT",
  }),
});

/** Free, and open to everybody. */
export const statusRoutes = (ports: StatusPorts): readonly Route[] => [
  showStatus(ports),
  showLive(),
  showReady(ports),
];

const free = { access: "public", cost: 0, params: nothing, query: nothing } as const;

const showStatus = ({ engine, view, version, clock }: StatusPorts): Route =>
  bare.read({
    ...free,
    url: "/api/status",
    summary: "Whether the exchange is open, and how far its journal is",
    data: StatusReport,
    read: () => {
      const { engineTimeMillis, usedShare, ...position } = engine.status();
      const engineTime = new Date(engineTimeMillis).toISOString();
      const { storage, isFundShort } = view;
      const said = { storage, capacityUsed: usedShare, cover2: !isFundShort };
      return { data: { ...position, engineTime, version, clock, ...said } };
    },
  });

const showLive = (): Route =>
  bare.read({
    ...free,
    url: "/api/health/live",
    summary: "Answers 200 while the process answers: restart a node that does not",
    data: Type.Object({ live: Type.Literal(true) }),
    read: () => ({ data: { live: true as const } }),
  });

const Readiness = Type.Object({
  ready: Type.Boolean({ description: "true with 200, false with 503" }),
  mode: ModeShape,
  reason: Type.Union([Type.String(), Type.Null()], {
    description: "why not, or what is not taken; null where all is",
  }),
});

const showReady = ({ engine }: StatusPorts): Route =>
  bare.read({
    ...free,
    url: "/api/health/ready",
    otherStatuses: [503],
    summary: "Whether to send it requests: of a leader orders and cancels, of a follower reads",
    data: Readiness,
    read: () => {
      const { mode } = engine.status();
      const isBehind = mode === "follower" && !engine.isCurrent("public");
      const ready = mode !== "starting" && mode !== "standby" && !isBehind;
      const reason = isBehind ? tooFarBehind : reasons[mode];
      return {
        data: { ready, mode, reason },
        ...(ready ? {} : { status: 503, headers: { "retry-after": "1" } }),
      };
    },
  });

const onlyCancels = "Trading is halted: only cancels are taken";

const tooFarBehind = "This follower has not heard of the leader for too long";

const reasons: Readonly<Record<Mode, string | null>> = {
  open: null,
  cancel_only: onlyCancels,
  halted: onlyCancels,
  starting: "This node does not lead: it is starting, stopping or has lost its database",
  follower: "This node only reads: orders and cancels are the leader's",
  standby: "This node stands by: another one leads, and takes orders",
};
