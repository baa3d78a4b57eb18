// Opening, funding and halting accounts.
// Invariant: cash enters and leaves only against the `external` ledger account.
import { accountId, keyId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import type { CommandOf } from "../command.ts";
import type { Kyc } from "../records.ts";
import { permissions } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { available, cashOf, emit, operatorOf, post, type Step } from "../step.ts";

export const noKyc: Kyc = {
  status: "none",
  tier: "none",
  requestedTier: null,
  sanctionsCleared: false,
  pepScreened: false,
  adverseMediaCleared: false,
  countryCode: null,
  listVersion: null,
  provider: null,
  decidedUnasked: false,
  expiresAtSeconds: null,
  subjectId: null,
};

/** The first key of an account holds every permission. */
export function openAccount(step: Step, command: CommandOf<"OpenAccount">): undefined {
  const by = operatorOf(step);
  const id = accountId(`acc-${step.state.accounts.size + 1}`);
  emit(step, {
    type: "AccountChanged",
    account: {
      id,
      address: command.address,
      name: command.name,
      role: command.role,
      createdAtMillis: step.nowMillis,
      ...(by === "root" ? {} : { openedBy: by }),
      halted: false,
      marginStatus: "healthy",
      kyc: noKyc,
    },
  });
  emit(step, {
    type: "KeyChanged",
    key: {
      id: keyId(`key-${step.state.keys.size + 1}`),
      accountId: id,
      label: command.key.label,
      prefix: command.key.prefix,
      digest: command.key.digest,
      permissions,
      ratePerMinute: command.key.ratePerMinute ?? DEFAULT_KEY_RATE,
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds: command.key.expiresAtSeconds,
      revokedAtSeconds: null,
    },
  });
}

/** Requests a minute of a key made without a rate. */
export const DEFAULT_KEY_RATE = 600;

export function fundAccount(
  step: Step,
  { accountId: id, amountMicros }: CommandOf<"FundAccount">,
): Rejection | undefined {
  const { state } = step;
  if (!state.accounts.has(id)) return reject("ACCOUNT_NOT_FOUND");
  const withdrawal = -amountMicros;
  // Who owes for premiums takes out no more than what is left after all of it.
  const free = micros(available(state, id) - state.debts.principal(id));
  if (withdrawal > 0n && withdrawal > free) {
    return reject("INSUFFICIENT_BALANCE", {
      requiredMicros: micros(withdrawal),
      availableMicros: free,
    });
  }

  if (withdrawal > 0n) post(step, cashOf(id), "external", micros(withdrawal), "withdrawal", id);
  else post(step, "external", cashOf(id), amountMicros, "deposit", id);
  emit(step, {
    type: "Funded",
    accountId: id,
    cashMicros: state.balance(cashOf(id)),
    availableMicros: available(state, id),
  });
  return undefined;
}

export function setAccountHalt(
  step: Step,
  { accountId: id }: CommandOf<"HaltAccount"> | CommandOf<"ResumeAccount">,
  halted: boolean,
): Rejection | undefined {
  const account = step.state.accounts.get(id);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");

  emit(step, { type: "AccountChanged", account: { ...account, halted } });
  return undefined;
}
