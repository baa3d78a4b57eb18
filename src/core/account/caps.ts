// The limits of one account: what it trades in a UTC day, and how many orders it has open.
// Invariant: fills of a day and open quotes for requests count; orders that rest count for nothing.
import type { AccountId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import { type Lots, lots, MICROS_PER_LOT, noLots } from "#base/quantity.ts";
import { floorDiv } from "#base/rounding.ts";
import type { CommandOf } from "../command.ts";
import { accountTerms } from "../kyc/tiers.ts";
import type { Account } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { Rules } from "../rules.ts";
import type { State } from "../state.ts";
import { emit, type Moment, type Step } from "../step.ts";
import { filledToday } from "../volume.ts";
import { alone, say } from "../words/say.ts";
import type { Caps } from "./caps-record.ts";

/** Where nothing is set for an account. */
export const MAX_OPEN_ORDERS = 1_000;

/** The most that can be set: one entry of the journal cancels all orders of an account. */
export const MOST_OPEN_ORDERS = 5_000;

export const maxOpenOrders = ({ caps }: Account): number => caps?.maxOpenOrders ?? MAX_OPEN_ORDERS;

/** The records that limits are asked of, at a time. */
interface Today {
  readonly state: Pick<State, "dayVolumes" | "quotedLots">;
  readonly nowMillis: number;
}

/** The lower of the two limits of a day that a tier has. */
export function maxDaily(rules: Rules, account: Account): Micros {
  const { maxDailyMicros: kyc, maxDailyVolumeMicros: tier } = accountTerms(rules, account);
  return account.caps?.maxDailyMicros ?? (kyc < tier ? kyc : tier);
}

/**
 * Lots that count against the limit of a day: those it filled in it, and those that its quotes for
 * requests have promised: whoever accepts one is never told that its maker has had its day.
 */
export const takenToday = ({ state, nowMillis }: Today, id: AccountId): Lots =>
  lots(filledToday(state.dayVolumes.get(id), nowMillis) + (state.quotedLots.get(id) ?? noLots));

/** Lots that it may still trade today. An account in default is bought back whatever its limit. */
export function leftToday(moment: Moment, id: AccountId): Lots {
  const { state } = moment;
  const account = state.account(id);
  if (account.inDefault !== undefined) return lots(1n << 62n);
  const left = floorDiv(maxDaily(state.rules, account), MICROS_PER_LOT) - takenToday(moment, id);
  return left > 0n ? lots(left) : noLots;
}

/** One person lowers a limit; two raise it. */
export function setCaps(step: Step, command: CommandOf<"SetCaps">): Rejection | undefined {
  const { state } = step;
  const account = state.accounts.get(command.accountId);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  const { caps: before, ...without } = account;
  const caps = capsAfter(before ?? {}, command);
  const after: Account = Object.keys(caps).length === 0 ? without : { ...without, caps };
  const isRaised =
    maxOpenOrders(after) > maxOpenOrders(account) ||
    maxDaily(state.rules, after) > maxDaily(state.rules, account);
  const said = isRaised ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  emit(step, { type: "AccountChanged", account: after });
  return undefined;
}

function capsAfter(before: Caps, command: CommandOf<"SetCaps">): Caps {
  const { maxDailyMicros = before.maxDailyMicros, maxOpenOrders: most = before.maxOpenOrders } =
    command;
  return {
    ...(maxDailyMicros == null ? {} : { maxDailyMicros }),
    ...(most == null ? {} : { maxOpenOrders: most }),
  };
}
