// That an account has given personal data, that they were read, that they are erased.
// Invariant: the core knows an opaque id and nothing of the person.
import type { AccountId } from "#base/ids.ts";
import type { CommandOf } from "../command.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, emit, type Step } from "../step.ts";

/** A decision stands without the data it was made on; there is no undoing an erasure. */
export function decideSubject(
  step: Step,
  command: CommandOf<"KeepSubject" | "ReadSubject" | "EraseSubject">,
): Rejection | undefined {
  const id = command.type === "KeepSubject" ? actingAccount(step) : command.accountId;
  if (!step.state.accounts.has(id)) return reject("ACCOUNT_NOT_FOUND");

  // A reading changes nothing; its entry is the point of it.
  if (command.type === "KeepSubject") putSubject(step, id, command.subjectId);
  if (command.type === "EraseSubject") putSubject(step, id, null);
  return undefined;
}

function putSubject(step: Step, id: AccountId, subjectId: string | null): void {
  const account = step.state.account(id);
  const kyc = { ...account.kyc, subjectId };
  emit(step, { type: "AccountChanged", account: { ...account, kyc } });
}
