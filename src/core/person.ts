// Which operators are one person, for everything that takes two people.
// Invariant: two keys of one account are one person, two accounts of one owner are, and so is an
// operator with every operator whose account it opened. Only root brings a new person in.
import { ownerOf } from "./account/owner.ts";
import type { Account, OperatorName } from "./records.ts";
import type { State } from "./state.ts";

/** The one check behind every four-eyes rule: voids, releases in quarantine, disputes. */
export function isSecondPerson(state: State, first: OperatorName, second: OperatorName): boolean {
  const line = lineOf(state, first);
  return !lineOf(state, second).some((name) => line.includes(name));
}

/** The owner of an account and, of an operator's, those of its opener, its opener's opener, … */
function lineOf(state: State, name: OperatorName): readonly OperatorName[] {
  if (name === "root") return [name];
  const account = state.account(name);
  const opener = openerOf(account);
  const owner = ownerOf(state, name);
  const isOwnPerson = account.role !== "operator" || opener === "root";
  return isOwnPerson ? [owner] : [owner, ...lineOf(state, opener)];
}

/** Root opened every account of which the record says nothing. */
export const openerOf = ({ openedBy = "root" }: Account): OperatorName => openedBy;
