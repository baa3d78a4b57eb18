// Every command there is, a row each: who may give it, what decides it, what the trail calls it.
// Invariant: a command without a row does not compile; what a row says is said nowhere else.
import { acceptQuote } from "./acceptance/accept.ts";
import { collectPayment, defaultAcceptance, payAcceptance } from "./acceptance/collect.ts";
import { fundFinancing } from "./acceptance/pool.ts";
import {
  fundAccount,
  openAccount,
  setAccountHalt,
  setCredit,
  setOwner,
} from "./account/accounts.ts";
import { limitRows } from "./account/rows.ts";
import { applyRules, setRules, withdrawRules } from "./announced-rules.ts";
import { bustFill } from "./busts/bust.ts";
import type { Actor, Command, CommandOf, CommandType } from "./command.ts";
import { beginTerm, found, recordMaintenance, recordRefusal, upgradeRules } from "./exchange.ts";
import { forget } from "./forget.ts";
import { loadGeo } from "./geo.ts";
import { createKey, issueKey, revokeKey, revokeKeys } from "./keys/keys.ts";
import { issuePublicKey, revokePublicKey } from "./keys/public-keys.ts";
import { decideKyc, expireAccreditation, expireKyc, requestKyc } from "./kyc/kyc.ts";
import { decideSubject } from "./kyc/subject.ts";
import { cancelMandates, expireMandate, lowerMandate, setMandate } from "./mandate/set.ts";
import { closeAuction, placeBid, withdrawBid } from "./margin/auction.ts";
import { endMarginCalls, reportMarginCall } from "./margin/default.ts";
import { fundGuarantee } from "./margin/guarantee.ts";
import { cancelAll, cancelOrder, expireOrder } from "./market/cancel.ts";
import { fireCancelAfter, setCancelAfter } from "./market/cancel-after.ts";
import {
  closeTrading,
  publishMarks,
  setClock,
  setExchangeHalt,
  setPaused,
} from "./market/control.ts";
import { listMarket } from "./market/listing.ts";
import { cancelMarket, withdrawVoid } from "./market/voiding.ts";
import { windowRows } from "./market/window-rows.ts";
import { amendOrder } from "./order/amend.ts";
import { massQuote } from "./order/mass-quote.ts";
import { placeBatch, placeOrder } from "./order/place.ts";
import { sidesOf } from "./order/quoted.ts";
import { isAdminPermission, type Permission } from "./records.ts";
import type { Rejection } from "./rejection.ts";
import { rfqRows } from "./rfq/rows.ts";
import { approvePlace, decidePlace } from "./settlement/decide-place.ts";
import { decideDispute, openDispute, upholdUndecided } from "./settlement/dispute.ts";
import { beginFallback, settleByFallback } from "./settlement/fallback.ts";
import { closeMarks, giveMark } from "./settlement/marks.ts";
import { finalizeMarket } from "./settlement/pay.ts";
import { approveRelease, quarantineRelease, rejectRelease } from "./settlement/quarantine.ts";
import { acceptRelease } from "./settlement/release.ts";
import { renamePlace } from "./settlement/rename.ts";
import { rereadReleases } from "./settlement/reread.ts";
import type { State } from "./state.ts";
import type { Step } from "./step.ts";
import { removeWebhook, replayWebhook, rotateWebhook, setWebhook } from "./webhook/set.ts";
import { suspendWebhook } from "./webhook/suspend.ts";
import { setFundingLimit, setRoot } from "./words/control.ts";
import { decideWord } from "./words/say.ts";
import { wordKinds } from "./words/word.ts";
import {
  calledIn,
  changes,
  changesMany,
  everythingIn,
  holdersIn,
  leaves,
  leavesMany,
  mandateWorkOf,
  openOrdersOf,
  partiesOf,
  printsIn,
  settledBy,
  shortsIn,
  standingOf,
  type Work,
  waitingIn,
} from "./work.ts";

export type RequiredAuthority = Permission | "operator" | "system" | "anyone";

interface CommandRow<T extends CommandType> extends Work<CommandByType[T]> {
  /** A permission of the key, any operator, the exchange itself, or anyone at all. */
  readonly by: RequiredAuthority;
  /** Emits events, or answers with a rejection and has emitted none. */
  readonly decide: (step: Step, command: CommandByType[T]) => Rejection | undefined;
  /** The name in the audit trail. */
  readonly action: string;
  /** Of an accepted command without alerts; absent = info. */
  readonly severity?: "warning" | "critical";
  /** Its subject in the trail, where the command names none (`resource.ts`). */
  readonly resource?: string;
  /** Records it adds to, which have a cap (`full.ts`); what falls due is never refused. */
  readonly adds?: "orders" | "accounts" | "publicKeys";
  /** True where it begins something new in a market: operators and auditors do not. */
  readonly trades?: true;
  /**
   * Why an operator may give it about an own matter; absent = it may not: an account of one person
   * with it, or a market, fill, release or place in which it has a stake, is for others to decide.
   */
  readonly ownMatter?: string;
  /** True where it is taken however full or busy the exchange is. */
  readonly cancels?: true;
}

type CommandByType = { readonly [T in CommandType]: CommandOf<T> };

/** Confirms, withdraws or lapses a proposal; a confirmed command is decided by its own row. */
const endProposal = (
  step: Step,
  command: CommandOf<"ConfirmProposal" | "WithdrawProposal" | "LapseProposal" | "CarryOutWord">,
): Rejection | undefined => decideWord(step, command, decide);

/** Of commands that leave orders. */
const placing = { by: "create:orders", adds: "orders", trades: true } as const;

export const commands: { readonly [T in CommandType]: CommandRow<T> } = {
  Genesis: {
    by: "system",
    decide: found,
    action: "exchange.founded",
    resource: "exchange",
    ...changes,
  },
  UpgradeRules: {
    by: "system",
    decide: upgradeRules,
    action: "rules.upgraded",
    severity: "warning",
    resource: "rules",
    ...changes,
  },
  BeginTerm: {
    by: "system",
    decide: beginTerm,
    action: "term.begun",
    severity: "warning",
    resource: "exchange",
    ...changes,
  },
  SetRules: {
    by: wordKinds.SetRules.permission,
    decide: setRules,
    action: "rules.changed",
    severity: "warning",
    resource: "rules",
    ...changesMany<CommandOf<"SetRules">>((_, state) => everythingIn(state) / 2),
  },
  WithdrawRules: {
    by: wordKinds.WithdrawRules.permission,
    decide: withdrawRules,
    action: "rules.withdrawn",
    severity: "warning",
    resource: "rules",
    ...changesMany<CommandOf<"WithdrawRules">>((_, state) => everythingIn(state) / 8),
  },
  ApplyRules: {
    by: "system",
    decide: applyRules,
    action: "rules.in_force",
    severity: "warning",
    resource: "rules",
    ...changesMany<CommandOf<"ApplyRules">>((_, state) => everythingIn(state) / 2),
  },
  SetFundingLimit: {
    by: wordKinds.SetFundingLimit.permission,
    decide: setFundingLimit,
    action: "rules.funding_limit_set",
    severity: "warning",
    resource: "rules",
    ...changesMany<CommandOf<"SetFundingLimit">>((_, { accounts }) => accounts.size / 8),
  },
  SetRoot: {
    by: wordKinds.SetRoot.permission,
    decide: setRoot,
    action: "root.switched",
    severity: "warning",
    resource: "root",
    ...changes,
  },
  ConfirmProposal: {
    by: "operator",
    decide: endProposal,
    action: "proposal.confirmed",
    severity: "warning",
    ...changes,
  },
  WithdrawProposal: {
    by: "operator",
    decide: endProposal,
    action: "proposal.withdrawn",
    severity: "warning",
    ...changes,
  },
  OpenAccount: {
    by: wordKinds.OpenAccount.permission,
    decide: openAccount,
    action: "account.opened",
    adds: "accounts",
    ...leaves,
  },
  SetOwner: {
    by: wordKinds.SetOwner.permission,
    decide: setOwner,
    action: "account.owner_set",
    ...changes,
  },
  CreateKey: {
    by: "manage:custody",
    decide: createKey,
    action: "key.created",
    adds: "accounts",
    ...leaves,
  },
  RevokeKey: { by: "manage:custody", decide: revokeKey, action: "key.revoked", ...changes },
  IssueKey: {
    by: wordKinds.IssueKey.permission,
    decide: issueKey,
    action: "key.issued",
    severity: "warning",
    adds: "accounts",
    ...leaves,
  },
  RevokeKeys: {
    by: "admin:accounts",
    decide: revokeKeys,
    action: "key.all_revoked",
    severity: "warning",
    ...changes,
  },
  IssuePublicKey: {
    by: "admin:accounts",
    decide: issuePublicKey,
    action: "public_key.issued",
    adds: "publicKeys",
    ...leaves,
  },
  RevokePublicKey: {
    by: "admin:accounts",
    decide: revokePublicKey,
    action: "public_key.revoked",
    ...changes,
  },
  RequestKyc: {
    by: "manage:custody",
    decide: requestKyc,
    action: "kyc.requested",
    resource: "kyc",
    ...changes,
  },
  DecideKyc: {
    by: "admin:accounts",
    decide: decideKyc,
    action: "kyc.decided",
    ...changesMany<CommandOf<"DecideKyc">>(
      ({ accountId }, state) => standingOf(state, accountId) / 8,
    ),
  },
  KeepSubject: {
    by: "manage:custody",
    decide: decideSubject,
    action: "kyc.subject_given",
    resource: "kyc",
    ...changes,
  },
  ReadSubject: {
    by: "admin:accounts",
    decide: decideSubject,
    action: "kyc.subject_read",
    ...changes,
  },
  EraseSubject: {
    by: "admin:accounts",
    decide: decideSubject,
    action: "kyc.subject_erased",
    severity: "warning",
    ...changes,
  },
  FundAccount: {
    by: wordKinds.FundAccount.permission,
    decide: fundAccount,
    action: "account.funded",
    ...changes,
  },
  FundGuarantee: {
    by: wordKinds.FundGuarantee.permission,
    decide: fundGuarantee,
    action: "guarantee.funded",
    resource: "guarantee",
    ...changes,
  },
  FundFinancing: {
    by: wordKinds.FundFinancing.permission,
    decide: fundFinancing,
    action: "financing.funded",
    resource: "financing",
    ...changes,
  },
  SetCredit: {
    by: wordKinds.SetCredit.permission,
    decide: setCredit,
    action: "account.credit_set",
    ...changes,
  },
  ...limitRows,
  HaltAccount: {
    by: "admin:accounts",
    decide: setAccountHalt,
    action: "account.halted",
    severity: "warning",
    ...changes,
  },
  ResumeAccount: {
    by: "admin:accounts",
    decide: setAccountHalt,
    action: "account.resumed",
    ...changes,
  },
  HaltExchange: {
    by: "admin:exchange",
    decide: setExchangeHalt,
    action: "exchange.halted",
    severity: "critical",
    resource: "exchange",
    ...changesMany<CommandOf<"HaltExchange">>((_, state) => waitingIn(state)),
  },
  ResumeExchange: {
    by: "admin:exchange",
    decide: setExchangeHalt,
    action: "exchange.resumed",
    resource: "exchange",
    ...changesMany<CommandOf<"ResumeExchange">>((_, state) => waitingIn(state)),
  },
  PlaceOrder: { ...placing, decide: placeOrder, action: "order.placed", ...leaves },
  PlaceBatch: {
    ...placing,
    decide: placeBatch,
    action: "order.batch_placed",
    resource: "orders",
    ...leavesMany<CommandOf<"PlaceBatch">>(({ orders }) => orders.length),
  },
  MassQuote: {
    ...placing,
    decide: massQuote,
    action: "quotes.replaced",
    resource: "orders",
    ...leavesMany<CommandOf<"MassQuote">>(({ quotes }) =>
      quotes.reduce((sum, quote) => sum + sidesOf(quote).length, 0),
    ),
  },
  AmendOrder: {
    by: "create:orders",
    decide: amendOrder,
    action: "order.amended",
    trades: true,
    ...changes,
  },
  AcceptQuote: {
    by: "create:orders",
    decide: acceptQuote,
    action: "quote.accepted",
    adds: "orders",
    trades: true,
    ...leavesMany<CommandOf<"AcceptQuote">>(({ structure }) =>
      structure.kind === "installments" ? 1 + structure.months / 12 : 1,
    ),
  },
  PayAcceptance: { by: "create:orders", decide: payAcceptance, action: "payment.made", ...changes },
  CollectPayment: { by: "system", decide: collectPayment, action: "payment.due", ...changes },
  DefaultAcceptance: {
    by: "system",
    decide: defaultAcceptance,
    action: "payment.defaulted",
    severity: "warning",
    ...changes,
  },
  CancelOrder: {
    by: "cancel:orders",
    decide: cancelOrder,
    action: "order.cancelled",
    cancels: true,
    ...changes,
  },
  CancelAll: {
    by: "cancel:orders",
    decide: cancelAll,
    action: "order.all_cancelled",
    cancels: true,
    ...changesMany<CommandOf<"CancelAll">>((_, state, by) => openOrdersOf(state, by)),
  },
  SetCancelAfter: {
    by: "cancel:orders",
    decide: setCancelAfter,
    action: "cancel_after.set",
    cancels: true,
    ...changes,
  },
  ListMarket: { by: "admin:markets", decide: listMarket, action: "market.listed", ...leaves },
  PauseMarket: {
    by: "admin:markets",
    decide: setPaused,
    action: "market.paused",
    severity: "warning",
    ...changesMany<CommandOf<"PauseMarket">>((_, state) => waitingIn(state)),
  },
  ResumeMarket: {
    by: "admin:markets",
    decide: setPaused,
    action: "market.resumed",
    ...changesMany<CommandOf<"ResumeMarket">>((_, state) => waitingIn(state)),
  },
  CancelMarket: {
    by: wordKinds.CancelMarket.permission,
    decide: cancelMarket,
    action: "market.cancelled",
    severity: "warning",
    ...changes,
  },
  SettleByFallback: {
    by: wordKinds.SettleByFallback.permission,
    decide: settleByFallback,
    action: "market.fallback_taken",
    severity: "warning",
    ...changesMany<CommandOf<"SettleByFallback">>(
      ({ marketId }, state) => 1 + holdersIn(state, marketId) / 8,
    ),
  },
  GiveMark: {
    by: "create:orders",
    decide: giveMark,
    action: "mark.given",
    trades: true,
    ...leaves,
  },
  CloseMarks: {
    by: "system",
    decide: closeMarks,
    action: "market.marks_closed",
    severity: "warning",
    ...changesMany<CommandOf<"CloseMarks">>(
      ({ marketId }, state) =>
        (state.marksIn.get(marketId)?.size ?? 0) + holdersIn(state, marketId) / 8,
    ),
  },
  BustFill: {
    by: wordKinds.BustFill.permission,
    decide: bustFill,
    action: "fill.busted",
    severity: "warning",
    ...changesMany<CommandOf<"BustFill">>(({ fillId }, state) => partiesOf(state, fillId) / 4),
  },
  WithdrawVoid: {
    by: "admin:settle",
    decide: withdrawVoid,
    action: "market.void_withdrawn",
    ownMatter: "it takes back one's own word, which counts for nothing where one has a stake",
    severity: "warning",
    ...changes,
  },
  PublishMarks: {
    by: "system",
    decide: publishMarks,
    action: "market.marks_published",
    resource: "marks",
    ...changesMany<CommandOf<"PublishMarks">>(({ marks }, state) =>
      marks.reduce(
        (sum, { marketId }) => sum + 1 + holdersIn(state, marketId),
        state.accounts.size / 8,
      ),
    ),
  },
  ...windowRows,
  LoadGeo: {
    by: "admin:releases",
    decide: loadGeo,
    action: "geo.loaded",
    resource: "geo",
    ...leavesMany<CommandOf<"LoadGeo">>(({ nodes }) => nodes.length),
  },
  AcceptRelease: {
    by: "admin:releases",
    decide: acceptRelease,
    action: "release.accepted",
    ownMatter: "a file that settles the sender's own market is held for two others instead",
    ...changesMany<CommandOf<"AcceptRelease">>(({ release: { index }, observations }, state) =>
      observations.reduce((sum, seen) => sum + 1 + settledBy(state, index, seen), 0),
    ),
  },
  RereadReleases: {
    by: "system",
    decide: rereadReleases,
    action: "release.reread",
    ...changesMany<CommandOf<"RereadReleases">>(({ newest }) => newest.length),
  },
  QuarantineRelease: {
    by: "admin:releases",
    decide: quarantineRelease,
    action: "release.quarantined",
    ownMatter: "it decides nothing: validation holds the file back, and two others decide",
    severity: "warning",
    ...changes,
  },
  ApproveRelease: {
    by: wordKinds.ApproveRelease.permission,
    decide: approveRelease,
    action: "release.approved",
    ...changes,
  },
  RejectRelease: {
    by: "admin:releases",
    decide: rejectRelease,
    action: "release.rejected",
    ...changes,
  },
  RenamePlace: {
    by: "admin:releases",
    decide: renamePlace,
    action: "place.renaming",
    ...changesMany<CommandOf<"RenamePlace">>(
      ({ shared, observations }) => shared.length + observations.length,
    ),
  },
  ApprovePlace: {
    by: wordKinds.ApprovePlace.permission,
    decide: approvePlace,
    action: "place.approved",
    ...changes,
  },
  ReleasePlace: {
    by: "admin:releases",
    decide: decidePlace,
    action: "place.released",
    ...changesMany<CommandOf<"ReleasePlace">>(({ readings }) => printsIn(readings)),
  },
  RejectPlace: {
    by: "admin:releases",
    decide: decidePlace,
    action: "place.rejected",
    ...changesMany<CommandOf<"RejectPlace">>(({ readings }) => printsIn(readings)),
  },
  OpenDispute: {
    by: "create:orders",
    decide: openDispute,
    action: "dispute.opened",
    severity: "warning",
    ...leaves,
  },
  DecideDispute: {
    by: wordKinds.DecideDispute.permission,
    decide: decideDispute,
    action: "dispute.decided",
    ...changes,
  },
  SetClock: {
    by: "admin:exchange",
    decide: setClock,
    action: "clock.set",
    resource: "exchange",
    ...changes,
  },
  RecordRefusal: {
    by: "anyone",
    decide: recordRefusal,
    action: "access.refused",
    severity: "warning",
    ...changes,
  },
  RecordMaintenance: {
    by: "system",
    decide: recordMaintenance,
    action: "maintenance.recorded",
    resource: "exchange",
    severity: "critical",
    ...changes,
  },
  ExpireOrder: { by: "system", decide: expireOrder, action: "order.expired", ...changes },
  FireCancelAfter: {
    by: "system",
    decide: fireCancelAfter,
    action: "cancel_after.fired",
    severity: "warning",
    ...changes,
  },
  ReportMarginCall: {
    by: "system",
    decide: reportMarginCall,
    action: "margin.called",
    severity: "critical",
    ...changes,
  },
  EndMarginCalls: {
    by: "system",
    decide: endMarginCalls,
    action: "margin.calls_ended",
    severity: "critical",
    resource: "margin",
    ...changesMany<CommandOf<"EndMarginCalls">>((_, state) => calledIn(state)),
  },
  PlaceBid: {
    by: "create:orders",
    decide: placeBid,
    action: "auction.bid",
    trades: true,
    ...leavesMany<CommandOf<"PlaceBid">>(({ auctionId }, state) => shortsIn(state, auctionId)),
  },
  WithdrawBid: {
    by: "cancel:orders",
    decide: withdrawBid,
    action: "auction.bid_withdrawn",
    cancels: true,
    ...changes,
  },
  SetMandate: {
    by: "create:orders",
    decide: setMandate,
    action: "mandate.set",
    trades: true,
    ...leavesMany<CommandOf<"SetMandate">>(
      ({ terms: { scope } }) => (scope.places.length + (scope.payoffs?.length ?? 0)) / 4,
    ),
  },
  LowerMandate: {
    by: "cancel:orders",
    decide: lowerMandate,
    action: "mandate.lowered",
    cancels: true,
    ...changesMany<CommandOf<"LowerMandate">>(
      ({ mandateId }, { mandates }) => (mandates.get(mandateId)?.scope.places.length ?? 1) / 2,
    ),
  },
  CancelMandates: {
    by: "cancel:orders",
    decide: cancelMandates,
    action: "mandate.cancelled",
    cancels: true,
    ...changesMany<CommandOf<"CancelMandates">>((_, state, by) => mandateWorkOf(state, by)),
  },
  ExpireMandate: { by: "system", decide: expireMandate, action: "mandate.expired", ...changes },
  ...rfqRows,
  SetWebhook: { by: "manage:custody", decide: setWebhook, action: "webhook.set", ...leaves },
  RotateWebhook: {
    by: "manage:custody",
    decide: rotateWebhook,
    action: "webhook.rotated",
    ...changes,
  },
  ReplayWebhook: {
    by: "manage:custody",
    decide: replayWebhook,
    action: "webhook.replayed",
    ...changes,
  },
  RemoveWebhook: {
    by: "manage:custody",
    decide: removeWebhook,
    action: "webhook.removed",
    ...changes,
  },
  SuspendWebhook: {
    by: "system",
    decide: suspendWebhook,
    action: "webhook.suspended",
    ...changes,
  },
  CloseAuction: {
    by: "system",
    decide: closeAuction,
    action: "auction.closed",
    severity: "warning",
    ...changes,
  },
  ExpireKyc: {
    by: "system",
    decide: expireKyc,
    action: "kyc.expired",
    severity: "warning",
    ...changes,
  },
  ExpireAccreditation: {
    by: "system",
    decide: expireAccreditation,
    action: "accreditation.expired",
    severity: "warning",
    ...changes,
  },
  CloseTrading: { by: "system", decide: closeTrading, action: "market.closed", ...changes },
  LapseProposal: {
    by: "system",
    decide: endProposal,
    action: "proposal.lapsed",
    severity: "warning",
    ...changes,
  },
  CarryOutWord: {
    by: "system",
    decide: endProposal,
    action: "proposal.carried_out",
    severity: "critical",
    ...changes,
  },
  BeginFallback: {
    by: "system",
    decide: beginFallback,
    action: "market.fallback_begun",
    severity: "warning",
    ...changesMany<CommandOf<"BeginFallback">>(
      ({ marketId }, state) => holdersIn(state, marketId) / 8,
    ),
  },
  UpholdDispute: {
    by: "system",
    decide: upholdUndecided,
    action: "dispute.lapsed",
    severity: "warning",
    ...changes,
  },
  FinalizeMarket: {
    by: "system",
    decide: (step, { marketId }) => finalizeMarket(step, marketId),
    action: "market.finalized",
    ...changes,
  },
  Forget: {
    by: "system",
    decide: forget,
    action: "state.forgotten",
    resource: "exchange",
    ...changes,
  },
};

/** The command's own row decides it; nothing of it is asked of the actor here. */
export const decide = (step: Step, command: Command): Rejection | undefined =>
  decideAs(step, command.type, command);

/** An operator's file of 26,000 places holds up none of the commands that follow it for long. */
const MOST_OF_AN_OPERATOR = 100;

/**
 * Units of a plain order's work that the command costs whoever gives it. A cancel is one, whatever
 * it ends: what ends was paid for when it was made, and nobody is kept from letting go. The clock is
 * charged for nothing.
 */
export function chargeOf(state: State, by: Actor, command: Command): number {
  const { by: authority, cancels } = commands[command.type];
  if (cancels === true) return 1;
  if (authority === "system") return 0;
  const units = unitsOf(state, by, command);
  const isOperators = authority === "operator" || isAdminPermission(authority);
  return isOperators ? Math.min(units, MOST_OF_AN_OPERATOR) : units;
}

/** Units of a plain order's work that it may take. */
export function unitsOf(state: State, by: Actor, command: Command): number {
  const carried = carriedOut(state, command);
  return unitsAs(carried.type, carried, state, by);
}

/** A confirmation is the command that it confirms: in work, in room, and in whose matter it is. */
export function carriedOut({ words }: Pick<State, "words">, command: Command): Command {
  if (command.type !== "ConfirmProposal") return command;
  return words.get(command.proposalId)?.command ?? command;
}

const unitsAs = <T extends CommandType>(
  type: T,
  command: CommandByType[T],
  state: State,
  by: Actor,
): number => commands[type].units(command, state, by);

const decideAs = <T extends CommandType>(
  step: Step,
  type: T,
  command: CommandByType[T],
): Rejection | undefined => commands[type].decide(step, command);
