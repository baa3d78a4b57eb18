// GET /api/time: the exchange's own clock, by which keys, orders and markets end.
// Invariant: a sandbox says that it is one.
import { Type } from "typebox";
import type { ClockKind } from "#core/command.ts";
import type { Engine } from "#engine/engine.ts";
import { nothing, publicData, type Route } from "../route/route.ts";

export interface TimePorts {
  readonly engine: Pick<Engine, "status">;
  readonly clock: ClockKind;
}

export const showTime = (ports: TimePorts): Route =>
  publicData.read({
    url: "/api/time",
    access: "public",
    summary: "Shows the exchange's time",
    params: nothing,
    query: nothing,
    data: Type.Object({
      unixSeconds: Type.Integer(),
      iso: Type.String(),
      clock: Type.Enum(["real", "sandbox"]),
    }),
    read: () => {
      const { engineTimeMillis } = ports.engine.status();
      const unixSeconds = Math.floor(engineTimeMillis / 1000);
      return {
        data: { unixSeconds, iso: new Date(engineTimeMillis).toISOString(), clock: ports.clock },
      };
    },
  });
