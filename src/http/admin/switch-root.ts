// POST /api/admin/root/on and /api/admin/root/off: the admin secret counts, or counts no more.
// Invariant: nothing is switched before a second person confirms the proposal.
import { Type } from "typebox";
import { admin, nothing, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";

const rootRoute = (verb: "on" | "off"): Route =>
  admin.write({
    method: "POST",
    url: `/api/admin/root/${verb}`,
    access: "admin:exchange",
    summary: `Proposes to switch the admin secret ${verb}, which takes two operators`,
    refusals: [
      "CONFLICT_OF_INTEREST",
      "OPERATORS_MISSING",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: nothing,
    body: nothing,
    data: Type.Object(Waiting),
    toCommand: () => ({ command: { type: "SetRoot", on: verb === "on" } }),
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      return { data: proposal, ...status };
    },
  });

export const switchRootOff = (): Route => rootRoute("off");
export const switchRootOn = (): Route => rootRoute("on");
