// The rows of release windows and their auctions in the table of commands.
// Invariant: people open a window, and only the clock, marks or a judged file end one.
import { changes, fallsDue } from "../work.ts";
import {
  awaitRelease,
  cancelForRelease,
  endAuction,
  endWindow,
  forgetAwaited,
  openWindow,
  resumeMatching,
} from "./window.ts";

export const windowRows = {
  AwaitRelease: { by: "system", decide: awaitRelease, action: "release.awaited", ...fallsDue },
  ForgetAwaited: { by: "system", decide: forgetAwaited, action: "release.forgotten", ...fallsDue },
  OpenWindow: {
    by: "admin:markets",
    decide: openWindow,
    action: "release.called",
    severity: "warning",
    ...changes,
  },
  CancelForRelease: {
    by: "system",
    decide: cancelForRelease,
    action: "order.release_cancelled",
    ...fallsDue,
  },
  EndWindow: {
    by: "system",
    decide: endWindow,
    action: "release.overdue",
    severity: "warning",
    ...fallsDue,
  },
  EndAuction: { by: "system", decide: endAuction, action: "auction.ended", ...fallsDue },
  ResumeMatching: { by: "system", decide: resumeMatching, action: "market.matched", ...fallsDue },
} as const;
