// Rows of the audit trail of commands that two people give: rules, busts, places.
// Invariant: the rows are a part of those in audit-rows.ts.
import { announcementId, fillId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { Command } from "#core/command.ts";
import { bela } from "./audit-stage.ts";

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
  [
    { type: "SetCaps", accountId: bela, maxDailyMicros: micros(5_000_000n), maxOpenOrders: null },
    "account.caps_set",
    bela,
    { accountId: bela, maxDaily: "5", maxOpenOrders: null },
  ],
  [{ type: "WithdrawRules", ...ofOne }, "rules.withdrawn", "rules", ofOne],
  [{ type: "ApplyRules", ...ofOne }, "rules.in_force", "rules", ofOne],
];
