// The rows of release windows and their auctions in the table of commands.
// Invariant: people open a window, and only the clock, marks or a judged file end one.
import type { CommandOf } from "../command.ts";
import { changes, fallsDue, fallsDueOver, waitingIn } from "../work.ts";
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
  ForgetAwaited: {
    by: "system",
    decide: forgetAwaited,
    action: "release.forgotten",
    ...fallsDueOver<CommandOf<"ForgetAwaited">>((_, state) => waitingIn(state)),
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
    ...fallsDue,
  },
  EndWindow: {
    by: "system",
    decide: endWindow,
    action: "release.overdue",
    severity: "warning",
    ...fallsDueOver<CommandOf<"EndWindow">>((_, state) => waitingIn(state)),
  },
  EndAuction: {
    by: "system",
    decide: endAuction,
    action: "auction.ended",
    ...fallsDueOver<CommandOf<"EndAuction">>((_, state) => waitingIn(state)),
  },
  ResumeMatching: { by: "system", decide: resumeMatching, action: "market.matched", ...fallsDue },
} as const;
