// A proposal that waits for a second person, as a record, and how long it waits.
// Invariant: a proposal has changed nothing; after ten days it is gone, agreed to or not.
import { DAY_MILLIS } from "#base/day.ts";
import type { ProposalId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import type { CommandOf } from "../command.ts";
import type { OperatorName } from "../records.ts";

/** Commands that may take two people; which of them do, each decides where it is decided. */
type TwoWordCommand = CommandOf<
  | "OpenAccount"
  | "IssueKey"
  | "SetOwner"
  | "FundAccount"
  | "SetCaps"
  | "FundGuarantee"
  | "FundFinancing"
  | "SetRules"
  | "WithdrawRules"
  | "SetFundingLimit"
  | "SetRoot"
  | "SettleByFallback"
  | "BustFill"
>;

export interface Proposal {
  readonly id: ProposalId;
  /** As the first person gave it. */
  readonly command: TwoWordCommand;
  readonly by: OperatorName;
  readonly proposedAtMillis: number;
}

/** How much an operator has funded alone on the last day it did, in and out added up. */
export interface FundingDay {
  readonly operator: OperatorName;
  /** UTC days since 1970. */
  readonly day: number;
  readonly movedMicros: Micros;
}

/** Open ones an operator may have at a time. */
export const MOST_PROPOSALS = 20;

const LAPSES_AFTER_MILLIS = 10 * DAY_MILLIS;

export const proposalLapsesAtMillis = ({ proposedAtMillis }: Proposal): number =>
  proposedAtMillis + LAPSES_AFTER_MILLIS;
