// The pool that premiums are lent from: an operator's deposits, less what was written off.
// Invariant: what is lent is never more than the pool; only what is not lent can be taken out.
import type { AccountId } from "#base/ids.ts";
import { type Micros, micros } from "#base/money.ts";
import { accountsOfOwner, ownerOf } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { post, type Step } from "../step.ts";
import { countFunding, isAboveOwnLimit } from "../words/control.ts";
import { alone, say } from "../words/say.ts";

/** The amount that can still be lent. */
export const unlentOf = (state: Pick<State, "balance">): Micros =>
  micros(state.balance("financing") + state.balance("lent"));

/** Principal not paid back, over all accounts of the account's owner. */
export function owedByOwner(state: State, account: AccountId): Micros {
  let owed = 0n;
  for (const id of accountsOfOwner(state, ownerOf(state, account))) {
    owed += state.debts.principal(id);
  }
  return micros(owed);
}

export function fundFinancing(
  step: Step,
  command: CommandOf<"FundFinancing">,
): Rejection | undefined {
  const { amountMicros } = command;
  const unlent = unlentOf(step.state);
  const taken = micros(-amountMicros);
  if (taken > unlent) {
    return reject("INSUFFICIENT_BALANCE", { requiredMicros: taken, availableMicros: unlent });
  }
  const said = isAboveOwnLimit(step, amountMicros) ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  if (taken > 0n) post(step, "financing", "external", taken, "withdrawal", "financing");
  else post(step, "external", "financing", amountMicros, "deposit", "financing");
  countFunding(step, amountMicros, said);
  return undefined;
}
