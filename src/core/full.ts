// How many records the exchange can hold: a map of V8's ends at 2^24 entries, and one from which
// entries leave may end at 2^23. Both end the node without a word; the caps here come before.
// A machine's memory ends before that: the engine refuses orders at a share of it (`room.ts`).
// Invariant: judged on the sizes of the state alone, so every node refuses the same command; what
// cancels is never refused.
import type { Command, Envelope } from "./command.ts";
import { commands } from "./command-table.ts";
import { type Rejection, reject } from "./rejection.ts";
import type { State } from "./state.ts";

/** Acceptances, positions, keys, accounts and public keys, each: they stay for ever. */
export const MOST_RECORDS = 16_000_000;

/**
 * Orders that are open or were done in the last day, and client order ids that are spent. The rest
 * up to 2^23 is for what nobody may refuse: the orders of a batch, and those of liquidations.
 */
export const MOST_ORDERS = 8_000_000;

/** Always taken in, however full or busy: whoever has lost control must be able to let go. */
export const isCancel = ({ type }: Command): boolean => commands[type].cancels === true;

export function refuseFull(state: State, { command }: Pick<Envelope, "command">) {
  const { most, allowed } = mostOf(state, command);
  return most >= allowed ? full(allowed) : undefined;
}

/** From 0 to 1: the fullest of what has a cap. Operators are warned of it long before it is 1. */
export const usedShare = (state: State): number =>
  Math.max(
    ordersOf(state) / MOST_ORDERS,
    boughtOf(state) / MOST_RECORDS,
    state.keys.size / MOST_RECORDS,
    state.accounts.size / MOST_RECORDS,
    state.publicKeys.size / MOST_RECORDS,
  );

const ordersOf = ({ orders, spentIds }: State): number => Math.max(orders.size, spentIds.size);

const boughtOf = ({ acceptances, positions }: State): number =>
  Math.max(acceptances.size, positions.size);

/** Of what this command would add to. Every other map grows by these, or by files of providers. */
function mostOf(state: State, { type }: Command): Room {
  switch (commands[type].adds) {
    case "orders":
      return boughtOf(state) < MOST_RECORDS
        ? { most: ordersOf(state), allowed: MOST_ORDERS }
        : { most: boughtOf(state), allowed: MOST_RECORDS };
    case "accounts":
      return { most: Math.max(state.accounts.size, state.keys.size), allowed: MOST_RECORDS };
    case "publicKeys":
      return { most: state.publicKeys.size, allowed: MOST_RECORDS };
    default:
      return { most: 0, allowed: MOST_RECORDS };
  }
}

interface Room {
  readonly most: number;
  readonly allowed: number;
}

const full = (allowed: number): Rejection => reject("EXCHANGE_FULL", { allowed });
