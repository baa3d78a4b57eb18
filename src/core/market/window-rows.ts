// The rows of release windows and their auctions in the table of commands.
// Invariant: people open a window, and only the clock, marks or a judged file end one.
import type { CommandOf } from "../command.ts";
import { changes, changesMany, waitingIn } from "../work.ts";
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
  AwaitRelease: { by: "system", decide: awaitRelease, action: "release.awaited", ...changes },
  ForgetAwaited: {
    by: "system",
    decide: forgetAwaited,
    action: "release.forgotten",
    ...changesMany<CommandOf<"ForgetAwaited">>((_, state) => waitingIn(state)),
  },
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
    ...changes,
  },
  EndWindow: {
    by: "system",
    decide: endWindow,
    action: "release.overdue",
    severity: "warning",
    ...changesMany<CommandOf<"EndWindow">>((_, state) => waitingIn(state)),
  },
  EndAuction: {
    by: "system",
    decide: endAuction,
    action: "auction.ended",
    ...changesMany<CommandOf<"EndAuction">>((_, state) => waitingIn(state)),
  },
  ResumeMatching: { by: "system", decide: resumeMatching, action: "market.matched", ...changes },
} as const;
