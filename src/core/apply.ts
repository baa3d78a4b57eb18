// The exchange: state and a command in its place give events or one rejection.
// Invariant: the same state and envelope give the same outcome, on every node, for ever.
import { invariant, unreachable } from "#base/invariant.ts";
import { decideAcceptance } from "./acceptance/accept.ts";
import { sweep } from "./acceptance/collect.ts";
import { fundAccount, openAccount, setAccountHalt } from "./account/accounts.ts";
import { decideProtection } from "./account/protection.ts";
import { authorise } from "./authority.ts";
import { tellLevels } from "./book/levels.ts";
import type { Actor, Command, CommandOf, Envelope } from "./command.ts";
import type { DueCommand } from "./due.ts";
import { isJournalled } from "./journalled.ts";
import { decideKey } from "./keys/keys.ts";
import { decideKyc, expireKyc, requestKyc } from "./kyc/kyc.ts";
import { decideSubject } from "./kyc/subject.ts";
import { fundGuarantee } from "./margin/guarantee.ts";
import { watchMargins } from "./margin/watch.ts";
import { cancelMarketOrders } from "./market/cancel.ts";
import { controlMarket, publishMarks, setClock, setExchangeHalt } from "./market/control.ts";
import { listMarket } from "./market/listing.ts";
import { decideOrder } from "./order/decide.ts";
import type { Outcome } from "./outcome.ts";
import type { Rejection } from "./rejection.ts";
import { approvePlace, decidePlace } from "./settlement/held-places.ts";
import { decideQuarantine } from "./settlement/quarantine.ts";
import { acceptRelease } from "./settlement/release.ts";
import { markDue, rereadReleases } from "./settlement/reread.ts";
import { disputeMarket, finalizeMarket } from "./settlement/resolve.ts";
import { voidMarket } from "./settlement/void.ts";
import type { State } from "./state.ts";
import { beginStep, emit, type Step } from "./step.ts";

/** How long an idempotent request may be asked again. */
export const ANSWERS_KEPT_MILLIS = 86_400_000;

/** `sequence` is the place the entry will have in the journal, should it be journalled. */
export function apply(state: State, envelope: Envelope, sequence: number): Outcome {
  invariant(envelope.timeMillis >= state.lastTimeMillis, "time does not go back");
  const step = beginStep(state, envelope, sequence);
  const rejection =
    authorise(state, envelope.actor, envelope.command, step.nowSeconds) ?? decide(step, envelope);
  if (rejection === undefined) sweep(step);
  invariant(rejection === undefined || step.events.length === 0, "a rejection changes nothing");
  watchMargins(step);
  tellLevels(step);
  const outcome: Outcome = rejection === undefined ? { events: step.events } : { rejection };
  if (isJournalled(envelope, outcome)) {
    state.lastTimeMillis = envelope.timeMillis;
    keepAnswer(state, envelope, sequence);
  }
  return outcome;
}

function decide(step: Step, { command }: Envelope): Rejection | undefined {
  if (isOfReleases(command)) return decideRelease(step, command);
  switch (command.type) {
    case "Genesis":
    case "SetRules":
      return setRules(step, command);
    case "OpenAccount":
      return openAccount(step, command);
    case "CreateKey":
    case "RevokeKey":
    case "IssuePublicKey":
    case "RevokePublicKey":
      return decideKey(step, command);
    case "RequestKyc":
      return requestKyc(step, command);
    case "DecideKyc":
      return decideKyc(step, command);
    case "KeepSubject":
    case "ReadSubject":
    case "EraseSubject":
      return decideSubject(step, command);
    case "FundAccount":
      return fundAccount(step, command);
    case "FundGuarantee":
      return fundGuarantee(step, command);
    case "HaltAccount":
    case "ResumeAccount":
      return setAccountHalt(step, command, command.type === "HaltAccount");
    case "HaltExchange":
    case "ResumeExchange":
      return setExchangeHalt(step, command, command.type === "HaltExchange");
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
      return listMarket(step, command);
    case "PauseMarket":
    case "ResumeMarket":
    case "CancelMarket":
      return controlMarket(step, command);
    case "PublishMarks":
      return publishMarks(step, command);
    case "LoadGeo":
      return loadGeo(step, command);
    case "OpenDispute":
    case "DecideDispute":
      return disputeMarket(step, command);
    case "SetClock":
      return setClock(step, command);
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
function fallDue(step: Step, command: DueCommand): Rejection | undefined {
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
    case "CloseTrading":
      return closeTrading(step, command);
    case "VoidUnpublished":
      return voidMarket(step, command.marketId, "no print was published in time");
    case "FinalizeMarket":
      return finalizeMarket(step, command.marketId);
    default:
      return unreachable(command);
  }
}

function setRules(step: Step, command: CommandOf<"Genesis"> | CommandOf<"SetRules">): undefined {
  if (command.type === "Genesis") {
    invariant(step.state.exchange === undefined, "an exchange is founded once");
    emit(step, { type: "Founded", clock: command.clock, chainId: command.chainId });
  }
  emit(step, { type: "RulesChanged", rules: command.rules });
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
  if (idempotency === null) return;
  state.answers.set(answerName(actor, idempotency.key), {
    scope: answerScope(actor),
    digest: idempotency.digest,
    sequence,
    atMillis: envelope.timeMillis,
  });
}
