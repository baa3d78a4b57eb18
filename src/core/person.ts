// Which operators are one person, for everything that takes two people.
// Invariant: two keys of one account are one person, and so is an operator with every operator
// whose account it opened, however far down. Only root brings a new person in.
import type { Account, OperatorName } from "./records.ts";
import type { State } from "./state.ts";

/** The one check behind every four-eyes rule: voids, releases in quarantine, disputes. */
export function isSecondPerson(state: State, first: OperatorName, second: OperatorName): boolean {
  const line = lineOf(state, first);
  return !lineOf(state, second).some((name) => line.includes(name));
}

/** An operator, and the operators that opened its account, its opener's account, and so on. */
function lineOf(state: State, name: OperatorName): readonly OperatorName[] {
  if (name === "root") return [name];
  const account = state.account(name);
  const opener = openerOf(account);
  const isOwnPerson = account.role !== "operator" || opener === "root";
  return isOwnPerson ? [name] : [name, ...lineOf(state, opener)];
}

/** Root opened every account of which the record says nothing. */
export const openerOf = ({ openedBy = "root" }: Account): OperatorName => openedBy;
