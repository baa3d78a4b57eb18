// One command being applied: what it knows, and the only way it may change the state.
// Invariant: every change is an event, folded at once and returned with the outcome.
import { type AccountId, accountId, type MarketId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { noLots } from "#base/quantity.ts";
import { type BookLevelPlace, touchLevels } from "./book/levels.ts";
import type { Actor, Envelope } from "./command.ts";
import type { Event, LedgerName, PostingReason } from "./event.ts";
import { fold } from "./fold.ts";
import type { OperatorName, Position } from "./records.ts";
import type { State } from "./state.ts";
import type { Word } from "./words/word.ts";

/** A state at a time: all that a guard asks, whether it judges a command or only reads. */
export interface Moment {
  readonly state: State;
  readonly nowMillis: number;
  readonly nowSeconds: number;
}

export interface Step extends Moment {
  readonly actor: Actor;
  readonly sequence: number;
  /** Present while the second person's word, given by its id, carries out what this one said. */
  readonly confirmed?: Word;
  /** Present while the exchange itself carries out what root said a day ago. */
  readonly carriedOut?: Word;
  readonly events: Event[];
  /** Of the books, by name: their new depth is told last. */
  readonly touched: Map<string, BookLevelPlace>;
}

export const beginStep = (state: State, envelope: Envelope, sequence: number): Step => ({
  state,
  actor: envelope.actor,
  sequence,
  nowMillis: envelope.timeMillis,
  nowSeconds: Math.floor(envelope.timeMillis / 1000),
  events: [],
  touched: new Map(),
});

export function emit(step: Step, event: Event): void {
  if (event.type === "OrderChanged") touchLevels(step, event.order);
  fold(step.state, event, step.nowMillis);
  step.events.push(event);
}

/** Moves money between two ledger accounts; a zero amount leaves no posting. */
export function post(
  step: Step,
  from: LedgerName,
  to: LedgerName,
  amount: Micros,
  reason: PostingReason,
  reference: string,
): void {
  invariant(amount >= 0n, `a posting moves a positive amount, not ${amount}`);
  if (amount === 0n) return;
  const posting = { from, to, amountMicros: amount, reason, reference };
  const fromMicros = micros(step.state.balance(from) - amount);
  const toMicros = micros(step.state.balance(to) + amount);
  emit(step, { type: "Posted", posting, fromMicros, toMicros });
}

/** The guarantee fund as a holder of positions: no account of anybody's, no key, no orders. */
export const GUARANTEE: AccountId = accountId("guarantee");

/** The fund's cash is the ledger's own account of that name. */
export const cashOf = (account: AccountId): LedgerName =>
  account === GUARANTEE ? "guarantee" : `cash:${account}`;

export const marketAccount = (market: MarketId): LedgerName => `market:${market}`;

/** Cash that is neither owed, nor margin, nor reserved for open orders. */
export const available = (state: State, account: AccountId): Micros =>
  micros(state.balance(cashOf(account)) - state.exposures.locked(account));

export const positionOf = (state: State, accountId: AccountId, marketId: MarketId): Position =>
  state.position(accountId, marketId) ?? {
    accountId,
    marketId,
    heldLots: noLots,
    costMicros: noMoney,
    realisedMicros: noMoney,
    flowMicros: noMoney,
  };

/** The operator who gives the command. */
export const operatorOf = (step: Step): OperatorName =>
  step.actor.type === "root" ? "root" : actingAccount(step);

/** The account behind a trading key; the surfaces give trading commands no other actor. */
export function actingAccount(step: Step): AccountId {
  invariant(step.actor.type === "key", "a trading command is given with a trading key");
  return step.actor.accountId;
}
