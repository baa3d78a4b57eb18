// How many records the exchange can hold: a map of V8's ends at 2^24 entries, and one from which
// entries leave may end at 2^23. Both end the node without a word; the caps here come before.
// A machine's memory ends before that: the engine refuses orders at a share of it (`room.ts`).
// Invariant: judged on the sizes of the state alone, so every node refuses the same command; what
// cancels is never refused.
import type { Command, Envelope } from "./command.ts";
import { carriedOut, commands } from "./command-table.ts";
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

/**
 * The tables that have a cap, by what a row says that its command adds. Every other table grows by
 * these, or by files of providers.
 */
export const caps = [
  { adds: "orders", table: "orders", most: MOST_ORDERS },
  { adds: "orders", table: "spentIds", most: MOST_ORDERS },
  { adds: "orders", table: "acceptances", most: MOST_RECORDS },
  { adds: "orders", table: "positions", most: MOST_RECORDS },
  { adds: "accounts", table: "accounts", most: MOST_RECORDS },
  { adds: "accounts", table: "keys", most: MOST_RECORDS },
  { adds: "publicKeys", table: "publicKeys", most: MOST_RECORDS },
] as const;

export function refuseFull(
  state: State,
  { command }: Pick<Envelope, "command">,
): Rejection | undefined {
  const { adds } = commands[carriedOut(state, command).type];
  for (const { adds: kind, table, most } of caps) {
    const isFull = kind === adds && state[table].size >= most;
    if (isFull) return reject("EXCHANGE_FULL", { limit: table, allowed: most });
  }
  return undefined;
}

/** From 0 to 1: the fullest of what has a cap. Operators are warned of it long before it is 1. */
export const usedShare = (state: State): number =>
  Math.max(...caps.map(({ table, most }) => state[table].size / most));
