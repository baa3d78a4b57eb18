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
import type { Command, CommandOf, CommandType } from "./command.ts";
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
import type { Permission } from "./records.ts";
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
import type { Step } from "./step.ts";
import { removeWebhook, replayWebhook, rotateWebhook, setWebhook } from "./webhook/set.ts";
import { suspendWebhook } from "./webhook/suspend.ts";
import { setFundingLimit, setRoot } from "./words/control.ts";
import { decideWord } from "./words/say.ts";
import { wordKinds } from "./words/word.ts";

export type RequiredAuthority = Permission | "operator" | "system" | "anyone";

interface CommandRow<T extends CommandType> {
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
  /** Records it adds to, which have a cap (`full.ts`). */
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
  Genesis: { by: "system", decide: found, action: "exchange.founded", resource: "exchange" },
  UpgradeRules: {
    by: "system",
    decide: upgradeRules,
    action: "rules.upgraded",
    severity: "warning",
    resource: "rules",
  },
  BeginTerm: {
    by: "system",
    decide: beginTerm,
    action: "term.begun",
    severity: "warning",
    resource: "exchange",
  },
  SetRules: {
    by: wordKinds.SetRules.permission,
    decide: setRules,
    action: "rules.changed",
    severity: "warning",
    resource: "rules",
  },
  WithdrawRules: {
    by: wordKinds.WithdrawRules.permission,
    decide: withdrawRules,
    action: "rules.withdrawn",
    severity: "warning",
    resource: "rules",
  },
  ApplyRules: {
    by: "system",
    decide: applyRules,
    action: "rules.in_force",
    severity: "warning",
    resource: "rules",
  },
  SetFundingLimit: {
    by: wordKinds.SetFundingLimit.permission,
    decide: setFundingLimit,
    action: "rules.funding_limit_set",
    severity: "warning",
    resource: "rules",
  },
  SetRoot: {
    by: wordKinds.SetRoot.permission,
    decide: setRoot,
    action: "root.switched",
    severity: "warning",
    resource: "root",
  },
  ConfirmProposal: {
    by: "operator",
    decide: endProposal,
    action: "proposal.confirmed",
    severity: "warning",
    adds: "accounts",
  },
  WithdrawProposal: {
    by: "operator",
    decide: endProposal,
    action: "proposal.withdrawn",
    severity: "warning",
  },
  OpenAccount: {
    by: wordKinds.OpenAccount.permission,
    decide: openAccount,
    action: "account.opened",
    adds: "accounts",
  },
  SetOwner: {
    by: wordKinds.SetOwner.permission,
    decide: setOwner,
    action: "account.owner_set",
  },
  CreateKey: { by: "manage:custody", decide: createKey, action: "key.created", adds: "accounts" },
  RevokeKey: { by: "manage:custody", decide: revokeKey, action: "key.revoked" },
  IssueKey: {
    by: wordKinds.IssueKey.permission,
    decide: issueKey,
    action: "key.issued",
    severity: "warning",
  },
  RevokeKeys: {
    by: "admin:accounts",
    decide: revokeKeys,
    action: "key.all_revoked",
    severity: "warning",
  },
  IssuePublicKey: {
    by: "admin:accounts",
    decide: issuePublicKey,
    action: "public_key.issued",
    adds: "publicKeys",
  },
  RevokePublicKey: { by: "admin:accounts", decide: revokePublicKey, action: "public_key.revoked" },
  RequestKyc: {
    by: "manage:custody",
    decide: requestKyc,
    action: "kyc.requested",
    resource: "kyc",
  },
  DecideKyc: { by: "admin:accounts", decide: decideKyc, action: "kyc.decided" },
  KeepSubject: {
    by: "manage:custody",
    decide: decideSubject,
    action: "kyc.subject_given",
    resource: "kyc",
  },
  ReadSubject: { by: "admin:accounts", decide: decideSubject, action: "kyc.subject_read" },
  EraseSubject: {
    by: "admin:accounts",
    decide: decideSubject,
    action: "kyc.subject_erased",
    severity: "warning",
  },
  FundAccount: {
    by: wordKinds.FundAccount.permission,
    decide: fundAccount,
    action: "account.funded",
  },
  FundGuarantee: {
    by: wordKinds.FundGuarantee.permission,
    decide: fundGuarantee,
    action: "guarantee.funded",
    resource: "guarantee",
  },
  FundFinancing: {
    by: wordKinds.FundFinancing.permission,
    decide: fundFinancing,
    action: "financing.funded",
    resource: "financing",
  },
  SetCredit: {
    by: wordKinds.SetCredit.permission,
    decide: setCredit,
    action: "account.credit_set",
  },
  ...limitRows,
  HaltAccount: {
    by: "admin:accounts",
    decide: setAccountHalt,
    action: "account.halted",
    severity: "warning",
  },
  ResumeAccount: {
    by: "admin:accounts",
    decide: setAccountHalt,
    action: "account.resumed",
  },
  HaltExchange: {
    by: "admin:exchange",
    decide: setExchangeHalt,
    action: "exchange.halted",
    severity: "critical",
    resource: "exchange",
  },
  ResumeExchange: {
    by: "admin:exchange",
    decide: setExchangeHalt,
    action: "exchange.resumed",
    resource: "exchange",
  },
  PlaceOrder: { ...placing, decide: placeOrder, action: "order.placed" },
  PlaceBatch: { ...placing, decide: placeBatch, action: "order.batch_placed", resource: "orders" },
  MassQuote: { ...placing, decide: massQuote, action: "quotes.replaced", resource: "orders" },
  AmendOrder: { by: "create:orders", decide: amendOrder, action: "order.amended", trades: true },
  AcceptQuote: {
    by: "create:orders",
    decide: acceptQuote,
    action: "quote.accepted",
    adds: "orders",
    trades: true,
  },
  PayAcceptance: { by: "create:orders", decide: payAcceptance, action: "payment.made" },
  CollectPayment: { by: "system", decide: collectPayment, action: "payment.due" },
  DefaultAcceptance: {
    by: "system",
    decide: defaultAcceptance,
    action: "payment.defaulted",
    severity: "warning",
  },
  CancelOrder: {
    by: "cancel:orders",
    decide: cancelOrder,
    action: "order.cancelled",
    cancels: true,
  },
  CancelAll: {
    by: "cancel:orders",
    decide: cancelAll,
    action: "order.all_cancelled",
    cancels: true,
  },
  SetCancelAfter: {
    by: "cancel:orders",
    decide: setCancelAfter,
    action: "cancel_after.set",
    cancels: true,
  },
  ListMarket: { by: "admin:markets", decide: listMarket, action: "market.listed" },
  PauseMarket: {
    by: "admin:markets",
    decide: setPaused,
    action: "market.paused",
    severity: "warning",
  },
  ResumeMarket: { by: "admin:markets", decide: setPaused, action: "market.resumed" },
  CancelMarket: {
    by: wordKinds.CancelMarket.permission,
    decide: cancelMarket,
    action: "market.cancelled",
    severity: "warning",
  },
  SettleByFallback: {
    by: wordKinds.SettleByFallback.permission,
    decide: settleByFallback,
    action: "market.fallback_taken",
    severity: "warning",
  },
  GiveMark: { by: "create:orders", decide: giveMark, action: "mark.given", trades: true },
  CloseMarks: {
    by: "system",
    decide: closeMarks,
    action: "market.marks_closed",
    severity: "warning",
  },
  BustFill: {
    by: wordKinds.BustFill.permission,
    decide: bustFill,
    action: "fill.busted",
    severity: "warning",
  },
  WithdrawVoid: {
    by: "admin:settle",
    decide: withdrawVoid,
    action: "market.void_withdrawn",
    ownMatter: "it takes back one's own word, which counts for nothing where one has a stake",
    severity: "warning",
  },
  PublishMarks: {
    by: "system",
    decide: publishMarks,
    action: "market.marks_published",
    resource: "marks",
  },
  ...windowRows,
  LoadGeo: { by: "admin:releases", decide: loadGeo, action: "geo.loaded", resource: "geo" },
  AcceptRelease: {
    by: "admin:releases",
    decide: acceptRelease,
    action: "release.accepted",
    ownMatter: "a file that settles the sender's own market is held for two others instead",
  },
  RereadReleases: { by: "system", decide: rereadReleases, action: "release.reread" },
  QuarantineRelease: {
    by: "admin:releases",
    decide: quarantineRelease,
    action: "release.quarantined",
    ownMatter: "it decides nothing: validation holds the file back, and two others decide",
    severity: "warning",
  },
  ApproveRelease: {
    by: wordKinds.ApproveRelease.permission,
    decide: approveRelease,
    action: "release.approved",
  },
  RejectRelease: { by: "admin:releases", decide: rejectRelease, action: "release.rejected" },
  RenamePlace: { by: "admin:releases", decide: renamePlace, action: "place.renaming" },
  ApprovePlace: {
    by: wordKinds.ApprovePlace.permission,
    decide: approvePlace,
    action: "place.approved",
  },
  ReleasePlace: { by: "admin:releases", decide: decidePlace, action: "place.released" },
  RejectPlace: { by: "admin:releases", decide: decidePlace, action: "place.rejected" },
  OpenDispute: {
    by: "create:orders",
    decide: openDispute,
    action: "dispute.opened",
    severity: "warning",
  },
  DecideDispute: {
    by: wordKinds.DecideDispute.permission,
    decide: decideDispute,
    action: "dispute.decided",
  },
  SetClock: { by: "admin:exchange", decide: setClock, action: "clock.set", resource: "exchange" },
  RecordRefusal: {
    by: "anyone",
    decide: recordRefusal,
    action: "access.refused",
    severity: "warning",
  },
  RecordMaintenance: {
    by: "system",
    decide: recordMaintenance,
    action: "maintenance.recorded",
    resource: "exchange",
    severity: "critical",
  },
  ExpireOrder: { by: "system", decide: expireOrder, action: "order.expired" },
  FireCancelAfter: {
    by: "system",
    decide: fireCancelAfter,
    action: "cancel_after.fired",
    severity: "warning",
  },
  ReportMarginCall: {
    by: "system",
    decide: reportMarginCall,
    action: "margin.called",
    severity: "critical",
  },
  EndMarginCalls: {
    by: "system",
    decide: endMarginCalls,
    action: "margin.calls_ended",
    severity: "critical",
    resource: "margin",
  },
  PlaceBid: { by: "create:orders", decide: placeBid, action: "auction.bid", trades: true },
  WithdrawBid: {
    by: "cancel:orders",
    decide: withdrawBid,
    action: "auction.bid_withdrawn",
    cancels: true,
  },
  SetMandate: { by: "create:orders", decide: setMandate, action: "mandate.set", trades: true },
  LowerMandate: {
    by: "cancel:orders",
    decide: lowerMandate,
    action: "mandate.lowered",
    cancels: true,
  },
  CancelMandates: {
    by: "cancel:orders",
    decide: cancelMandates,
    action: "mandate.cancelled",
    cancels: true,
  },
  ExpireMandate: { by: "system", decide: expireMandate, action: "mandate.expired" },
  ...rfqRows,
  SetWebhook: { by: "manage:custody", decide: setWebhook, action: "webhook.set" },
  RotateWebhook: { by: "manage:custody", decide: rotateWebhook, action: "webhook.rotated" },
  ReplayWebhook: { by: "manage:custody", decide: replayWebhook, action: "webhook.replayed" },
  RemoveWebhook: { by: "manage:custody", decide: removeWebhook, action: "webhook.removed" },
  SuspendWebhook: { by: "system", decide: suspendWebhook, action: "webhook.suspended" },
  CloseAuction: {
    by: "system",
    decide: closeAuction,
    action: "auction.closed",
    severity: "warning",
  },
  ExpireKyc: { by: "system", decide: expireKyc, action: "kyc.expired", severity: "warning" },
  ExpireAccreditation: {
    by: "system",
    decide: expireAccreditation,
    action: "accreditation.expired",
    severity: "warning",
  },
  CloseTrading: { by: "system", decide: closeTrading, action: "market.closed" },
  LapseProposal: {
    by: "system",
    decide: endProposal,
    action: "proposal.lapsed",
    severity: "warning",
  },
  CarryOutWord: {
    by: "system",
    decide: endProposal,
    action: "proposal.carried_out",
    severity: "critical",
    adds: "accounts",
  },
  BeginFallback: {
    by: "system",
    decide: beginFallback,
    action: "market.fallback_begun",
    severity: "warning",
  },
  UpholdDispute: {
    by: "system",
    decide: upholdUndecided,
    action: "dispute.lapsed",
    severity: "warning",
  },
  FinalizeMarket: {
    by: "system",
    decide: (step, { marketId }) => finalizeMarket(step, marketId),
    action: "market.finalized",
  },
  Forget: { by: "system", decide: forget, action: "state.forgotten", resource: "exchange" },
};

/** The command's own row decides it; nothing of it is asked of the actor here. */
export const decide = (step: Step, command: Command): Rejection | undefined =>
  decideAs(step, command.type, command);

const decideAs = <T extends CommandType>(
  step: Step,
  type: T,
  command: CommandByType[T],
): Rejection | undefined => commands[type].decide(step, command);
