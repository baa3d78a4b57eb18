// POST /api/admin/windows: an operator says that a print of an index is out.
// Invariant: no endpoint ends a window: marks, a judged file or the clock do.
import { Type } from "typebox";
import { indexKinds } from "#base/index-kind.ts";
import { invariant } from "#base/invariant.ts";
import { windowEndsAtMillis } from "#core/market/window-times.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { Reason } from "./reason.ts";

export const openWindow = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/windows",
    access: "admin:markets",
    summary:
      "Stops matching in the markets of an index until its release is read, for a day at most",
    params: nothing,
    body: closed({
      index: Type.Enum([...indexKinds], { description: "zhvi, zori, vacancy or weather" }),
      reason: Reason,
    }),
    data: Type.Object({ index: Type.Enum([...indexKinds]), endsAt: Type.String() }),
    refusals: ["WINDOW_STATE"],
    toCommand: ({ body }) => ({ command: { type: "OpenWindow", ...body } }),
    render: ({ events }) => {
      const window = events.find((event) => event.type === "WindowChanged")?.window;
      invariant(window != null, "a call opens a window");
      const endsAtMillis = windowEndsAtMillis(window);
      invariant(endsAtMillis !== undefined, "a window that is opened has an end");
      return { data: { index: window.index, endsAt: new Date(endsAtMillis).toISOString() } };
    },
  });
