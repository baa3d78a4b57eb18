// The stories of the golden journals, made by the program itself: random worlds, a story, a script.
// Invariant: a golden holds made-up data only, and meets everything it names.
import type { Entry } from "#core/outcome.ts";
import { RandomTrading, tradingKinds, usualMix } from "#test/core/random-trading.ts";
import { Scenario } from "#test/scenarios/exchange.ts";
import { tell } from "#test/scenarios/language.ts";
import { defaults } from "./defaults.ts";
import { governance } from "./governance.ts";
import { operations } from "./operations.ts";
import { premiums } from "./premiums.ts";
import { standing } from "./standing.ts";
import { withoutPrints } from "./without-prints.ts";

export interface Golden {
  readonly name: string;
  readonly make: () => readonly Entry[];
  /** Words of test/core/words.ts. */
  readonly meets: readonly string[];
}

type Weights = Partial<(typeof usualMix)["weights"]>;

/** Only what has a weight happens. */
function random(seed: number, commands: number, traders: number, wanted: Weights) {
  const weights = { ...usualMix.weights };
  for (const kind of tradingKinds) weights[kind] = wanted[kind] ?? 0;
  const trading = new RandomTrading(seed, { ...usualMix, traders, weights });
  for (let at = 0; at < commands; at += 1) trading.next();
  return trading.world.journal;
}

const trading = { placement: 55, batch: 9, amendment: 8, cancel: 6, guard: 5, cancelAll: 1 };

/** Levels and no chain: a quarterly rate, then the weather of two windows. */
const levels = `
the index is vacancy
print 2024-09 7.6
trader anna 1000
trader bela 1000 basic
series A gte 8 to 2025-03 mark 0.3
anna sells 100 YES at 0.3 on A
clock 2025-01-28
print 2024-12 7.9
bela buys 60 YES at 0.3 on A
series F lte 6 to 2025-06 mark 0.1
anna buys 10 YES at 0.1 on F (until 2025-03-30 01:30:00)
bela sells 4 YES at 0.1 on F
clock 2025-03-31 23:59:59
open olga as operator
root voids F
olga voids F
clock 2025-04-28
print 2025-03 8
clock 2025-05-02
the index is weather
print 2024-07 512
print 2024-08 9.31
series B gte 540 to 2025-07 mark 0.2
bela buys 50 NO at 0.85 on B
anna sells 40 NO at 0.8 on B
series C lte 9.5 to 2025-08 mark 0.2
anna buys 20 YES at 0.25 on C
bela sells 20 YES at 0.25 on C
fund the guarantee 12.5
mark B 0.35 stressed 0.8
clock 2025-08-10
print 2025-07 541.25`;
const levelsAfterDispute = `
clock 2025-09-12
print 2025-08 9.4999
clock 2026-01-01 00:00:00
balances`;

/** Anna disputes B, which is amended to 539.75. */
function toldLevels(): readonly Entry[] {
  const told = new Scenario();
  const tellAll = (text: string): void => {
    for (const line of text.trim().split("\n")) tell(told, line);
  };
  tellAll(levels);
  const { world } = told;
  const marketId = told.market("B");
  const { valueE15 } = world.observe("2025-07", "539.75");
  world.do(told.actor("anna"), { type: "OpenDispute", marketId, reason: "why", evidence: null });
  for (const name of ["olga", "root"]) {
    const amend = { type: "DecideDispute", marketId, decision: "amend", valueE15 } as const;
    world.do(told.actor(name), { ...amend, evidence: null });
  }
  tellAll(levelsAfterDispute);
  return world.journal;
}

export const goldens: readonly Golden[] = [
  {
    name: "trading",
    make: () => random(4, 180, 3, { ...trading, funding: 8, marks: 2 }),
    meets: [
      ...["FILLED", "PARTIALLY_FILLED", "SELF_TRADE", "REDUCE_ONLY", "FILL_OR_KILL", "fee-share"],
      ...["AmendOrder", "PlaceBatch", "CancelAll", "PROTECTION"],
    ],
  },
  {
    name: "margin",
    make: () => {
      const market = { marks: 20, rule: 2, guarantee: 2, release: 5, wait: 6 };
      return random(65, 360, 6, { ...trading, ...market, funding: 12 });
    },
    meets: [
      ...["liquidation", "takeover", "the fund holds", "the fund settles"],
      ...["FINALIZED lacks", "haircut", "SetRules", "FundGuarantee", "fund-loss"],
      ...["ReportMarginCall", "EndMarginCalls", "CloseAuction"],
    ],
  },
  {
    name: "settlement",
    make: () => {
      const market = { dispute: 24, voiding: 30, wait: 12, release: 12 };
      return random(980, 480, 3, { ...trading, ...market, funding: 6 });
    },
    meets: ["settlement", "void", "DecideDispute", "CloseTrading", "CancelMarket"],
  },
  {
    name: "premiums",
    make: premiums,
    meets: [
      ...["AcceptQuote", "PayAcceptance", "installment", "interest", "CollectPayment"],
      ...["DefaultAcceptance", "PAYMENT_OVERDUE", "DecideKyc", "CreateKey"],
    ],
  },
  {
    name: "levels",
    make: toldLevels,
    meets: ["RESOLVED", "FINALIZED", "CANCELLED", "EXPIRED", "DecideDispute", "settlement"],
  },
  {
    name: "defaults",
    make: defaults,
    meets: [
      ...["LIQUIDATION", "PlaceBid", "WithdrawBid", "CloseAuction"],
      ...["BustFill", "WithdrawRules", "ApplyRules"],
    ],
  },
  {
    name: "standing",
    make: standing,
    meets: [
      ...["SetMandate", "LowerMandate", "CancelMandates", "ExpireMandate"],
      ...["OpenRfq", "QuoteRfq", "ImproveQuote", "AcceptRfq", "CancelRfq"],
      ...["CloseRfq", "LapseQuote", "SetGroup", "ResetGroup"],
      ...["SetWebhook", "RotateWebhook", "SuspendWebhook", "ReplayWebhook", "RemoveWebhook"],
    ],
  },
  {
    name: "without-prints",
    make: withoutPrints,
    meets: ["RenamePlace", "GiveMark", "CloseMarks", "RESOLVED", "partial payout"],
  },
  {
    name: "operations",
    make: operations,
    meets: [
      ...["LoadGeo", "RereadReleases", "QuarantineRelease", "KeepSubject", "NOT_OPERATOR"],
      ...["ReportTrip", "ResetProtection", "FireCancelAfter", "RecordRefusal"],
      ...["RecordMaintenance"],
      ...["AwaitRelease", "EndWindow", "EndAuction", "ResumeMatching", "ForgetAwaited"],
      ...["OpenWindow", "CancelForRelease"],
      ...["BeginFallback", "SettleByFallback"],
    ],
  },
  {
    name: "governance",
    make: governance,
    meets: [
      ...["SetOwner", "RevokeKeys", "WithdrawVoid", "UpholdDispute"],
      ...["ReleasePlace", "RejectPlace", "ExpireAccreditation", "SetCredit", "SetCaps"],
    ],
  },
];
