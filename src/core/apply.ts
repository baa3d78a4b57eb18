// The exchange: state and a command in its place give events or one rejection.
// Invariant: the same state and envelope give the same outcome, on every node, for ever.
import { invariant, unreachable } from "#base/invariant.ts";
import { decideAcceptance } from "./acceptance/accept.ts";
import { sweep } from "./acceptance/collect.ts";
import { decideAccount, tellFunded } from "./account/accounts.ts";
import { decideProtection } from "./account/protection.ts";
import { authorise } from "./authority.ts";
import { tellLevels } from "./book/levels.ts";
import type { Actor, Command, CommandOf, Envelope } from "./command.ts";
import type { DueCommand } from "./due.ts";
import type { EventOf } from "./event.ts";
import { fold } from "./fold.ts";
import { forget } from "./forget.ts";
import { ANSWERS_KEPT_MILLIS, areAnswersFull, refuseFull } from "./full.ts";
import { isJournalled } from "./journalled.ts";
import { decideKey } from "./keys/keys.ts";
import { decideKyc, expireAccreditation, expireKyc, requestKyc } from "./kyc/kyc.ts";
import { decideSubject } from "./kyc/subject.ts";
import { forgetSpentIds } from "./leaving.ts";
import { fundGuarantee } from "./margin/guarantee.ts";
import { watchMargins } from "./margin/watch.ts";
import { cancelMarketOrders } from "./market/cancel.ts";
import { publishMarks, setClock, setExchangeHalt, setPaused } from "./market/control.ts";
import { listMarket } from "./market/listing.ts";
import { decideVoid } from "./market/voiding.ts";
import { awaitRelease, endWindow, forgetAwaited, resumeMatching } from "./market/window.ts";
import { decideOrder } from "./order/decide.ts";
import { type Entry, isRejected, type Outcome } from "./outcome.ts";
import { setFundingLimit, setRoot } from "./proposals/control.ts";
import { decideProposal } from "./proposals/decide.ts";
import { proposalIn } from "./proposals/told.ts";
import type { Rejection } from "./rejection.ts";
import { disputeMarket } from "./settlement/dispute.ts";
import { approvePlace, decidePlace } from "./settlement/held-places.ts";
import { finalizeMarket } from "./settlement/pay.ts";
import { decideQuarantine } from "./settlement/quarantine.ts";
import { acceptRelease } from "./settlement/release.ts";
import { markDue, rereadReleases } from "./settlement/reread.ts";
import type { State } from "./state.ts";
import { beginStep, emit, type Step } from "./step.ts";

/** `sequence` is the place the entry will have in the journal, should it be journalled. */
export function apply(state: State, envelope: Envelope, sequence: number): Outcome {
  invariant(envelope.timeMillis >= state.lastTimeMillis, "time does not go back");
  const step = beginStep(state, envelope, sequence);
  const rejection =
    authorise(state, envelope.actor, envelope.command, step.nowSeconds) ??
    refuseFull(state, envelope) ??
    decide(step, envelope.command);
  if (rejection === undefined) sweep(step);
  invariant(rejection === undefined || step.events.length === 0, "a rejection changes nothing");
  watchMargins(step);
  if (rejection === undefined) tellAnswer(step, envelope);
  tellLevels(step);
  const outcome: Outcome = rejection === undefined ? { events: step.events } : { rejection };
  if (isJournalled(envelope, outcome)) keepEntry(state, envelope, sequence);
  return outcome;
}

/** What an answer states that no record holds: as all of the command has left it. */
function tellAnswer(step: Step, { command }: Envelope): void {
  const done = proposalIn("confirmed", step.events)?.command ?? command;
  if (done.type === "FundAccount") tellFunded(step, done);
}

/**
 * Puts an entry of older rules in its place: its stored events are folded, and nothing is decided.
 * It leaves what deciding it left, for all that `apply` does is in its events, but for the time and
 * the answer. That its postings add up is the one thing that can still be judged.
 */
export function applyStored(state: State, { envelope, outcome, sequence }: Entry): void {
  invariant(envelope.timeMillis >= state.lastTimeMillis, "time does not go back");
  for (const event of isRejected(outcome) ? [] : outcome.events) {
    if (event.type === "Posted") checkPosting(state, event);
    fold(state, event, envelope.timeMillis);
  }
  // Whose cash or margin changed was judged then: what came of it is among the events.
  state.unjudged.clear();
  keepEntry(state, envelope, sequence);
}

function checkPosting(state: State, { posting, fromMicros, toMicros }: EventOf<"Posted">): void {
  const { from, to, amountMicros } = posting;
  const isSum =
    amountMicros > 0n &&
    fromMicros === state.balance(from) - amountMicros &&
    toMicros === state.balance(to) + amountMicros;
  invariant(isSum, `the posting of ${amountMicros} from ${from} to ${to} adds up`);
}

/** What every journalled entry leaves beside its events. */
function keepEntry(state: State, envelope: Envelope, sequence: number): void {
  state.lastTimeMillis = envelope.timeMillis;
  keepAnswer(state, envelope, sequence);
  forgetSpentIds(state, envelope.timeMillis);
}

function decide(step: Step, command: Command): Rejection | undefined {
  if (isOfReleases(command)) return decideRelease(step, command);
  switch (command.type) {
    case "Genesis":
    case "SetRules":
    case "UpgradeRules":
    case "SetFundingLimit":
    case "SetRoot":
    case "HaltExchange":
    case "ResumeExchange":
    case "SetClock":
      return decideExchange(step, command);
    case "ConfirmProposal":
    case "WithdrawProposal":
      return decideProposal(step, command, decide);
    case "OpenAccount":
    case "SetOwner":
    case "FundAccount":
    case "SetCredit":
    case "HaltAccount":
    case "ResumeAccount":
      return decideAccount(step, command);
    case "CreateKey":
    case "RevokeKey":
    case "IssueKey":
    case "RevokeKeys":
    case "IssuePublicKey":
    case "RevokePublicKey":
      return decideKey(step, command);
    case "RequestKyc":
    case "DecideKyc":
    case "KeepSubject":
    case "ReadSubject":
    case "EraseSubject":
      return decidePerson(step, command);
    case "FundGuarantee":
      return fundGuarantee(step, command);
    case "FundFinancing":
    case "AcceptQuote":
    case "PayAcceptance":
      return decideAcceptance(step, command);
    case "PlaceOrder":
    case "PlaceBatch":
    case "AmendOrder":
    case "CancelOrder":
    case "CancelAll":
    case "SetCancelAfter":
      return decideOrder(step, command);
    case "SetProtection":
    case "ResetProtection":
      return decideProtection(step, command);
    case "ListMarket":
    case "PauseMarket":
    case "ResumeMarket":
    case "CancelMarket":
    case "WithdrawVoid":
    case "PublishMarks":
    case "AwaitRelease":
    case "ForgetAwaited":
    case "OpenDispute":
    case "DecideDispute":
      return decideMarket(step, command);
    case "LoadGeo":
      return loadGeo(step, command);
    case "RecordRefusal":
      return recordRefusal(step, command);
    default:
      return fallDue(step, command);
  }
}

const ofReleases = [
  "AcceptRelease",
  "RereadReleases",
  "QuarantineRelease",
  "ApproveRelease",
  "RejectRelease",
  "ApprovePlace",
  "ReleasePlace",
  "RejectPlace",
] as const;
type ReleaseCommand = CommandOf<(typeof ofReleases)[number]>;

const isOfReleases = (command: Command): command is ReleaseCommand =>
  ofReleases.some((type) => type === command.type);
type MarketCommand = CommandOf<
  | "ListMarket"
  | "PauseMarket"
  | "ResumeMarket"
  | "CancelMarket"
  | "WithdrawVoid"
  | "PublishMarks"
  | "AwaitRelease"
  | "ForgetAwaited"
  | "OpenDispute"
  | "DecideDispute"
>;

function decideMarket(step: Step, command: MarketCommand): Rejection | undefined {
  switch (command.type) {
    case "ListMarket":
      return listMarket(step, command);
    case "PauseMarket":
    case "ResumeMarket":
      return setPaused(step, command);
    case "CancelMarket":
    case "WithdrawVoid":
      return decideVoid(step, command);
    case "PublishMarks":
      return publishMarks(step, command);
    case "AwaitRelease":
      return awaitRelease(step, command);
    case "ForgetAwaited":
      return forgetAwaited(step, command);
    case "OpenDispute":
    case "DecideDispute":
      return disputeMarket(step, command);
    default:
      return unreachable(command);
  }
}

function decideRelease(step: Step, command: ReleaseCommand): Rejection | undefined {
  if (command.type === "AcceptRelease") return acceptRelease(step, command);
  if (command.type === "RereadReleases") return rereadReleases(step, command);
  if (command.type === "ApprovePlace") return approvePlace(step, command);
  if (command.type === "ReleasePlace" || command.type === "RejectPlace") {
    return decidePlace(step, command);
  }
  return decideQuarantine(step, command);
}

/** What the clock brings. */
function fallDue(
  step: Step,
  command: Exclude<DueCommand, { type: "AwaitRelease" }>,
): Rejection | undefined {
  switch (command.type) {
    case "ExpireOrder":
    case "FireCancelAfter":
      return decideOrder(step, command);
    case "ReportTrip":
      return decideProtection(step, command);
    case "CollectPayment":
    case "DefaultAcceptance":
      return decideAcceptance(step, command);
    case "ExpireKyc":
      return expireKyc(step, command.accountId);
    case "ExpireAccreditation":
      return expireAccreditation(step, command.accountId);
    case "CloseTrading":
      return closeTrading(step, command);
    case "LapseProposal":
      return decideProposal(step, command, decide);
    case "LapseVoid":
    case "VoidUnpublished":
      return decideVoid(step, command);
    case "UpholdDispute":
      return disputeMarket(step, command);
    case "FinalizeMarket":
      return finalizeMarket(step, command.marketId);
    case "EndWindow":
      return endWindow(step, command);
    case "ResumeMatching":
      return resumeMatching(step, command);
    case "Forget":
      return forget(step);
    default:
      return unreachable(command);
  }
}

type ExchangeCommand = CommandOf<
  | "Genesis"
  | "SetRules"
  | "UpgradeRules"
  | "SetFundingLimit"
  | "SetRoot"
  | "HaltExchange"
  | "ResumeExchange"
  | "SetClock"
>;

/** What holds for everybody: the rules, root, whether orders are taken, the time. */
function decideExchange(step: Step, command: ExchangeCommand): Rejection | undefined {
  switch (command.type) {
    case "Genesis":
    case "SetRules":
      return setRules(step, command);
    case "UpgradeRules":
      return upgradeRules(step, command);
    case "SetFundingLimit":
      return setFundingLimit(step, command);
    case "SetRoot":
      return setRoot(step, command);
    case "HaltExchange":
    case "ResumeExchange":
      return setExchangeHalt(step, command, command.type === "HaltExchange");
    case "SetClock":
      return setClock(step, command);
    default:
      return unreachable(command);
  }
}

function setRules(step: Step, command: CommandOf<"Genesis" | "SetRules">): undefined {
  if (command.type === "Genesis") {
    invariant(step.state.exchange === undefined, "an exchange is founded once");
    const { clock, chainId, version } = command;
    emit(step, { type: "Founded", clock, chainId, ...(version === undefined ? {} : { version }) });
    emit(step, { type: "RulesChanged", rules: command.rules });
    return;
  }
  // The limit is changed by a command of its own, which may take two.
  const { fundingLimitMicros: _asked, ...rules } = command.rules;
  const { fundingLimitMicros } = step.state.rules;
  const kept = fundingLimitMicros === undefined ? rules : { ...rules, fundingLimitMicros };
  emit(step, { type: "RulesChanged", rules: kept });
}

/** Who stands behind an account: what is known of the person, and what was decided on it. */
function decidePerson(
  step: Step,
  command: CommandOf<"RequestKyc" | "DecideKyc" | "KeepSubject" | "ReadSubject" | "EraseSubject">,
): Rejection | undefined {
  if (command.type === "DecideKyc") return decideKyc(step, command);
  if (command.type === "RequestKyc") return requestKyc(step, command);
  return decideSubject(step, command);
}

function upgradeRules(step: Step, { version }: CommandOf<"UpgradeRules">): undefined {
  const { deciderVersion } = step.state;
  invariant(version > deciderVersion, `rules go from version ${deciderVersion} to a later one`);
  emit(step, { type: "RulesUpgraded", version });
}

function loadGeo(step: Step, { nodes, rereadDue }: CommandOf<"LoadGeo">): undefined {
  emit(step, { type: "GeoLoaded", nodes });
  markDue(step, rereadDue ?? []);
}

function recordRefusal(step: Step, { operation, count }: CommandOf<"RecordRefusal">): undefined {
  emit(step, { type: "RefusalRecorded", operation, count });
}

function closeTrading(step: Step, { marketId }: CommandOf<"CloseTrading">): undefined {
  cancelMarketOrders(step, marketId, "MARKET_CLOSED");
  const market = step.state.market(marketId);
  emit(step, {
    type: "MarketChanged",
    market: { ...market, tradingClosed: true, updatedAtMillis: step.nowMillis },
  });
}

/** Whose idempotency keys these are. */
const answerScope = (actor: Actor): string => (actor.type === "key" ? actor.accountId : actor.type);

export const answerName = (actor: Actor, key: string): string => `${answerScope(actor)}\0${key}`;

function keepAnswer(state: State, envelope: Envelope, sequence: number): void {
  for (const [name, answer] of state.answers) {
    if (answer.atMillis > envelope.timeMillis - ANSWERS_KEPT_MILLIS) break;
    state.answers.delete(name);
  }
  const { idempotency, actor } = envelope;
  // Only a cancel comes so far: done again, it does nothing more.
  if (idempotency === null || areAnswersFull(state, envelope.timeMillis)) return;
  state.answers.set(answerName(actor, idempotency.key), {
    scope: answerScope(actor),
    digest: idempotency.digest,
    sequence,
    atMillis: envelope.timeMillis,
  });
}
