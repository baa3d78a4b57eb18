// POST /api/admin/accounts/:id/halt and …/resume: an account that may cancel and not trade.
// Invariant: a halt refuses orders and never a cancel.
import { Type } from "typebox";
import { accountId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { AccountRecord, accountRecord } from "./account-record.ts";
import { Reason } from "./reason.ts";

const haltRoute = (type: "HaltAccount" | "ResumeAccount", verb: "halt" | "resume"): Route =>
  admin.write({
    method: "POST",
    url: `/api/admin/accounts/:id/${verb}`,
    access: "admin:accounts",
    summary: `${verb === "halt" ? "Halts" : "Resumes"} an account`,
    refusals: [
      "CONFLICT_OF_INTEREST",
      "ACCOUNT_NOT_FOUND",
      ...(verb === "halt" ? [] : (["IN_DEFAULT"] as const)),
    ],
    params: Type.Object({ id: Type.String() }),
    body: closed({ reason: Type.Optional(Reason) }),
    data: Type.Object({ ...AccountRecord.properties, halted: Type.Boolean() }),
    toCommand: ({ params, body }) => ({
      command: { type, accountId: accountId(params.id), reason: body.reason ?? null },
    }),
    render: ({ events }) => {
      const changed = events.findLast((event) => event.type === "AccountChanged");
      invariant(changed !== undefined, `a ${verb} changes its account`);
      const { account } = changed;
      return { data: { ...accountRecord(account), halted: account.halted } };
    },
  });

export const haltAccount = (): Route => haltRoute("HaltAccount", "halt");
export const resumeAccount = (): Route => haltRoute("ResumeAccount", "resume");
