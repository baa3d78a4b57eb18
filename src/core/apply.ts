// The exchange: state and a command in its place give events or one rejection.
// Invariant: the same state and envelope give the same outcome, on every node, for ever.
import { invariant } from "#base/invariant.ts";
import { sweep } from "./acceptance/collect.ts";
import { tellFunded } from "./account/accounts.ts";
import { ANSWERS_KEPT_MILLIS } from "./answers.ts";
import { authorise } from "./authority.ts";
import { tellLevels } from "./book/levels.ts";
import type { Actor, Envelope } from "./command.ts";
import { decide } from "./command-table.ts";
import type { EventOf } from "./event.ts";
import { fold } from "./fold.ts";
import { refuseFull } from "./full.ts";
import { isJournalled } from "./journalled.ts";
import { noteUse, sweepLeft } from "./keys/shown.ts";
import { forgetSpentIds } from "./leaving.ts";
import { holdContributions } from "./margin/contribution.ts";
import { judgeCover } from "./margin/cover.ts";
import { reevaluateMargins } from "./margin/reevaluation.ts";
import { returnTrusts } from "./margin/trust.ts";
import { tellIndicatives } from "./market/matching.ts";
import { type Entry, isRejected, type Outcome } from "./outcome.ts";
import { type Rejection, reject } from "./rejection.ts";
import { lapseRfqs } from "./rfq/lapse.ts";
import type { State } from "./state.ts";
import { beginStep, type Step } from "./step.ts";
import { sweepWords } from "./words/say.ts";
import { wordIn } from "./words/told.ts";

/** `sequence` is the place the entry will have in the journal, should it be journalled. */
export function apply(state: State, envelope: Envelope, sequence: number): Outcome {
  const outcome = decided(state, envelope, sequence);
  if (isJournalled(envelope, outcome)) keepEntry(state, envelope, sequence);
  return outcome;
}

/** The outcome, with its events folded; no entry is kept of it. */
export function decided(state: State, envelope: Envelope, sequence: number): Outcome {
  invariant(envelope.timeMillis >= state.lastTimeMillis, "time does not go back");
  const step = beginStep(state, envelope, sequence);
  const rejection =
    authorise(state, envelope.actor, envelope.command, step.nowSeconds) ??
    refuseLate(envelope) ??
    refuseFull(state, envelope) ??
    decide(step, envelope.command);
  if (rejection === undefined) returnTrusts(step);
  if (rejection === undefined) sweep(step, 0);
  if (rejection === undefined) holdContributions(step);
  invariant(rejection === undefined || step.events.length === 0, "a rejection changes nothing");
  reevaluateMargins(step);
  if (rejection === undefined) lapseRfqs(step);
  if (rejection === undefined) judgeCover(step, envelope.command);
  if (rejection === undefined) sweepLeft(step);
  if (rejection === undefined) noteUse(step);
  if (rejection === undefined) sweepWords(step);
  if (rejection === undefined) tellAnswer(step, envelope);
  if (rejection === undefined) tellIndicatives(step);
  tellLevels(step);
  return rejection === undefined ? { events: step.events } : { rejection };
}

/** By the time of the command's place in the journal, so that a replay says the same. */
const refuseLate = ({ timeMillis, command }: Envelope): Rejection | undefined =>
  timeMillis > (command.expiresAfterMillis ?? Number.POSITIVE_INFINITY)
    ? reject("REQUEST_EXPIRED")
    : undefined;

/** Emits the answer that no record holds: the balance after all of the command. */
function tellAnswer(step: Step, { command }: Envelope): void {
  const done = wordIn("confirmed", step.events)?.command ?? command;
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

/** Keeps the parts of a journalled entry that no event holds. */
function keepEntry(state: State, envelope: Envelope, sequence: number): void {
  passTime(state, envelope.timeMillis);
  keepAnswer(state, envelope, sequence);
}

/** After the events of a journalled entry. */
export function passTime(state: State, timeMillis: number): void {
  // Accounts whose cash or margin changed were evaluated when the command was decided: the results
  // are among the events.
  state.marginQueue.clear();
  state.lastTimeMillis = timeMillis;
  forgetSpentIds(state, timeMillis);
}

/** The scope in which an idempotency key is unique. */
export const answerScope = (actor: Actor): string =>
  actor.type === "key" ? actor.accountId : actor.type;

export const answerName = (actor: Actor, key: string): string => `${answerScope(actor)}\0${key}`;

function keepAnswer(state: State, envelope: Envelope, sequence: number): void {
  const { idempotency, actor, timeMillis: atMillis } = envelope;
  if (idempotency === null) {
    state.answers.forgetBefore(atMillis - ANSWERS_KEPT_MILLIS);
    return;
  }
  const { key, digest } = idempotency;
  const scope = answerScope(actor);
  state.answers.keep(answerName(actor, key), { scope, digest, sequence, atMillis });
}
