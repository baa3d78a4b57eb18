// The rows of release windows and their auctions in the table of commands.
// Invariant: people open a window, and only the clock, marks or a judged file end one.
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
  AwaitRelease: { by: "system", decide: awaitRelease, action: "release.awaited" },
  ForgetAwaited: { by: "system", decide: forgetAwaited, action: "release.forgotten" },
  OpenWindow: {
    by: "admin:markets",
    decide: openWindow,
    action: "release.called",
    severity: "warning",
  },
  CancelForRelease: { by: "system", decide: cancelForRelease, action: "order.release_cancelled" },
  EndWindow: { by: "system", decide: endWindow, action: "release.overdue", severity: "warning" },
  EndAuction: { by: "system", decide: endAuction, action: "auction.ended" },
  ResumeMatching: { by: "system", decide: resumeMatching, action: "market.matched" },
} as const;
