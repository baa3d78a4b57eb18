// POST /api/admin/fills/:id/bust: undoes a fill that was made off the reference.
// Invariant: the core alone says whether the fill may be busted; two people say that it is.
import { Type } from "typebox";
import { fillId } from "#base/ids.ts";
import { admin, closed, type Route } from "../route/route.ts";
import { Waiting, waitingIn } from "./proposal-record.ts";
import { Reason } from "./reason.ts";

export const bustFill = (): Route =>
  admin.write({
    method: "POST",
    url: "/api/admin/fills/:id/bust",
    access: "admin:settle",
    summary: "Proposes to bust a fill that is off the reference, while its window lasts",
    refusals: [
      "BUST_NOT_OPEN",
      "MARKET_STATE",
      "BUST_AFTER_PRINT",
      "CONFLICT_OF_INTEREST",
      "BUST_FINANCED",
      "BUST_SOLD_ON",
      "BUST_NOT_COVERED",
      "PROPOSAL_SAME_OPERATOR",
      "PROPOSAL_LIMIT",
    ],
    otherStatuses: [202],
    params: Type.Object({ id: Type.String() }),
    body: closed({ reason: Reason }),
    data: Type.Object(Waiting),
    toCommand: ({ params, body: { reason } }) => ({
      command: { type: "BustFill", fillId: fillId(params.id), reason },
    }),
    render: ({ events }) => {
      const { proposal, status } = waitingIn(events);
      return { data: proposal, ...status };
    },
  });
