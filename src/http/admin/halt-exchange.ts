// POST /api/admin/halt and /api/admin/resume: the whole exchange, at once.
// Invariant: a halt refuses orders and never a cancel.
import { Type } from "typebox";
import { invariant } from "#base/invariant.ts";
import { admin, closed, nothing, type Route } from "../route/route.ts";
import { Reason } from "./reason.ts";

const haltRoute = (type: "HaltExchange" | "ResumeExchange", verb: "halt" | "resume"): Route =>
  admin.write({
    method: "POST",
    url: `/api/admin/${verb}`,
    access: "admin:exchange",
    summary: `${verb === "halt" ? "Halts" : "Resumes"} trading on the whole exchange`,
    params: nothing,
    body: closed({ reason: Reason }),
    data: Type.Object({ halted: Type.Boolean(), reason: Type.String() }),
    toCommand: ({ body }) => ({ command: { type, reason: body.reason } }),
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "HaltChanged");
      invariant(changed !== undefined, `a ${verb} is an event`);
      return { data: { halted: changed.halted, reason: changed.reason } };
    },
  });

export const haltExchange = (): Route => haltRoute("HaltExchange", "halt");
export const resumeExchange = (): Route => haltRoute("ResumeExchange", "resume");
