// GET /api/status: whether the exchange is open, how far its journal is, what time it has.
// Invariant: 200 means ready for orders; anything else is 503, with the reason in `mode`.
import { Type } from "typebox";
import type { ClockKind } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";
import { bare, nothing, type Route } from "./route.ts";

interface StatusPorts {
  readonly engine: Pick<Engine, "status">;
  readonly version: string;
  readonly clock: ClockKind;
}

const StatusReport = Type.Object({
  mode: Type.Enum(["starting", "open", "cancel_only", "halted"]),
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
  capacityUsed: Type.Number({
    description:
      "how much of the room for orders, keys, accounts and answers is used, from 0 to 1; " +
      "at 1 new ones are refused as EXCHANGE_FULL",
  }),
});

export const showStatus = ({ engine, version, clock }: StatusPorts): Route =>
  bare.read({
    url: "/api/status",
    access: "public",
    otherStatuses: [503],
    summary: "Whether the exchange is open, and how far its journal is",
    cost: 0,
    params: nothing,
    query: nothing,
    data: StatusReport,
    read: () => {
      const { mode, sequence, durableSequence, engineTimeMillis, usedShare } = engine.status();
      const engineTime = new Date(engineTimeMillis).toISOString();
      return {
        data: {
          mode,
          sequence,
          durableSequence,
          engineTime,
          version,
          clock,
          capacityUsed: usedShare,
        },
        ...(mode === "open" ? {} : { status: 503, headers: { "retry-after": "1" } }),
      };
    },
  });
