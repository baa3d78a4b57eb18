// The rows of an account's own limits in the table of commands: those an operator sets for it, and
// those it sets for itself.
// Invariant: an operator sets nothing for an account of its own.

import { wordKinds } from "../words/word.ts";
import { changes, leaves } from "../work.ts";
import { setCaps } from "./caps.ts";
import { reportTrip, resetMakerProtection, setMakerProtection } from "./maker-protection.ts";
import { resetGroup, setGroup } from "./order-groups.ts";

export const limitRows = {
  SetCaps: {
    by: wordKinds.SetCaps.permission,
    decide: setCaps,
    action: "account.caps_set",
    severity: "warning",
    ...changes,
  },
  SetProtection: {
    by: "create:orders",
    decide: setMakerProtection,
    action: "protection.set",
    resource: "protection",
    ...changes,
  },
  ResetProtection: {
    by: "create:orders",
    decide: resetMakerProtection,
    action: "protection.reset",
    resource: "protection",
    ...changes,
  },
  SetGroup: {
    by: "create:orders",
    decide: setGroup,
    action: "group.set",
    resource: "group",
    ...leaves,
  },
  ResetGroup: {
    by: "create:orders",
    decide: resetGroup,
    action: "group.reset",
    resource: "group",
    ...changes,
  },
  ReportTrip: {
    by: "system",
    decide: reportTrip,
    action: "protection.tripped",
    severity: "warning",
    resource: "protection",
    ...changes,
  },
} as const;
