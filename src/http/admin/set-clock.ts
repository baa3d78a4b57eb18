// POST /api/admin/clock: where the clock of a sandbox is to stand.
// Invariant: time only goes forward; everything due on the way happens before the answer.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import type { Engine } from "#engine/engine.ts";
import { invalidField } from "../route/errors.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { instantForm, parseInstant } from "./instant.ts";

/** A hundred years: no sandbox needs more at once. */
const MOST_SECONDS = 3_155_760_000;

export const setClock = (ports: { readonly engine: Pick<Engine, "status"> }): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/clock",
    access: "admin:exchange",
    summary: "Sets a sandbox's clock forward",
    refusals: ["CLOCK_NOT_SANDBOX", "CLOCK_NOT_FORWARD"],
    params: nothing,
    body: closed({
      setTo: Type.Optional(Type.String({ maxLength: 64, description: "an ISO 8601 time" })),
      advanceSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_SECONDS,
          description: "whole seconds, at least 1",
        }),
      ),
    }),
    data: Type.Object({ engineTime: Type.String() }),
    toCommand: ({ body: { setTo, advanceSeconds } }) => {
      if ((setTo === undefined) === (advanceSeconds === undefined)) {
        return invalidField("setTo", "or advanceSeconds must be given, and not both");
      }
      if (advanceSeconds !== undefined) {
        const toMillis = ports.engine.status().engineTimeMillis + advanceSeconds * 1000;
        return { command: { type: "SetClock", toMillis } };
      }
      const toMillis = parseInstant(setTo ?? "");
      if (toMillis === undefined) return invalidField("setTo", instantForm);
      return { command: { type: "SetClock", toMillis } };
    },
    render: ({ events }) => {
      const set = events.findLast((event) => event.type === "ClockSet");
      invariant(set !== undefined, "a clock that is set is an event");
      return { data: { engineTime: new Date(set.toMillis).toISOString() } };
    },
  });
