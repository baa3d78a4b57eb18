// How many records the exchange can hold: a map of V8's ends at 2^24 entries, and one from which
// entries leave may end at 2^23. Both end the node without a word; the caps here come before.
// Invariant: judged on the sizes of the state alone, so every node refuses the same command; what
// cancels is never refused.
import type { Command, Envelope } from "./command.ts";
import { type Rejection, reject } from "./rejection.ts";
import type { State } from "./state.ts";

/**
 * Orders, keys, accounts and public keys, each, that there ever were: they stay for ever. The rest
 * up to 2^24 is for what nobody may refuse: the orders of a batch, and those of liquidations.
 */
export const MOST_RECORDS = 16_000_000;

/** Answers under idempotency keys of the last day. */
export const MOST_ANSWERS = 8_000_000;

/** How long an idempotent request may be asked again. */
export const ANSWERS_KEPT_MILLIS = 86_400_000;

/** Always taken in, however full or busy: whoever has lost control must be able to let go. */
export const isCancel = ({ type }: Command): boolean =>
  type === "CancelOrder" || type === "CancelAll" || type === "SetCancelAfter";

export function refuseFull(state: State, { command, idempotency, timeMillis }: Envelope) {
  if (mostOf(state, command) >= MOST_RECORDS) return full(MOST_RECORDS);
  const isKept = idempotency !== null && !isCancel(command);
  return isKept && areAnswersFull(state, timeMillis) ? full(MOST_ANSWERS) : undefined;
}

/** True while none of them is old enough to make room for the next. */
export function areAnswersFull({ answers }: State, timeMillis: number): boolean {
  if (answers.size < MOST_ANSWERS) return false;
  const [oldest] = answers.values();
  return oldest !== undefined && oldest.atMillis > timeMillis - ANSWERS_KEPT_MILLIS;
}

/** From 0 to 1: the fullest of what has a cap. Operators are warned of it long before it is 1. */
export const usedShare = ({ orderCount, keys, accounts, publicKeys, answers }: State): number =>
  Math.max(
    orderCount / MOST_RECORDS,
    keys.size / MOST_RECORDS,
    accounts.size / MOST_RECORDS,
    publicKeys.size / MOST_RECORDS,
    answers.size / MOST_ANSWERS,
  );

/** Of what this command would add to. Every other map grows by these, or by files of providers. */
function mostOf(state: State, { type }: Command): number {
  switch (type) {
    case "PlaceOrder":
    case "PlaceBatch":
    case "AcceptQuote":
      return state.orderCount;
    case "OpenAccount":
    case "ConfirmProposal":
    case "CreateKey":
      return Math.max(state.accounts.size, state.keys.size);
    case "IssuePublicKey":
      return state.publicKeys.size;
    default:
      return 0;
  }
}

const full = (allowed: number): Rejection => reject("EXCHANGE_FULL", { allowed });
