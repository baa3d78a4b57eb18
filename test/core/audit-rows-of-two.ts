// Rows of the audit trail of commands that two people give: rules, busts, places.
// Invariant: the rows are a part of those in audit-rows.ts.
import { announcementId, fillId } from "#base/ids.ts";
import type { Command } from "#core/command.ts";

/** The command, its action, what it is about, its details. */
export type Row = readonly [Command, string, string, Readonly<Record<string, unknown>>];

const ann = announcementId("ann-7");
const ofOne = { announcementId: ann };

export const ofGovernance = (): readonly Row[] => [
  [
    { type: "SetRules", rules: { tiers: { basic: { feeBps: 300 } } } },
    "rules.changed",
    "rules",
    { "tiers.basic.tradingFee": 0.03 },
  ],
  [
    { type: "BustFill", fillId: fillId("fil-7"), reason: "drill" },
    "fill.busted",
    "fil-7",
    { fillId: "fil-7", reason: "drill" },
  ],
  [{ type: "WithdrawRules", ...ofOne }, "rules.withdrawn", "rules", ofOne],
  [{ type: "ApplyRules", ...ofOne }, "rules.in_force", "rules", ofOne],
];
