// Opening, funding and halting accounts, and whose they are.
// Invariant: cash enters and leaves only against the `external` ledger account.
import { accountId, keyId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { owedByOwner } from "../acceptance/pool.ts";
import { creditLine } from "../acceptance/terms.ts";
import type { CommandOf } from "../command.ts";
import { firstPermissions, refuseBeyondGiver } from "../keys/given.ts";
import { shownTo } from "../keys/shown.ts";
import { refuseUncleared } from "../kyc/standing.ts";
import { refuseCalled, refuseInDefault } from "../margin/call.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import { isMissedWithoutRoot } from "../person.ts";
import type { Kyc } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { available, cashOf, emit, operatorOf, post, type Step } from "../step.ts";
import { countFunding, isAboveOwnLimit } from "../words/control.ts";
import { alone, say } from "../words/say.ts";
import { ownerOf } from "./owner.ts";

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
  accreditation: null,
};

/** An account's first key: all permissions but those of operators, which are given by name. */
export function openAccount(step: Step, command: CommandOf<"OpenAccount">): Rejection | undefined {
  const { owner: like } = command;
  if (like !== undefined && !step.state.accounts.has(like)) {
    return reject("ACCOUNT_NOT_FOUND", undefined, "owner");
  }

  const beyond = refuseBeyondGiver(step, command.role, command.key.permissions);
  if (beyond !== undefined) return beyond;
  // In the name of another's owner it borrows on that owner's line, who answers for its loans.
  const isOperators = command.role === "operator";
  const said = isOperators || like !== undefined ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  // The one who proposed it has opened it, the other agreed.
  const agreed = step.carriedOut?.by ?? operatorOf(step);
  const by = said.first?.by ?? agreed;
  const isVouched = isOperators && by !== agreed && agreed !== "root";
  const shown = shownTo(step, agreed);
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
      ...(isVouched ? { vouchedBy: [agreed] } : {}),
      ...(like === undefined ? {} : { owner: ownerOf(step.state, like) }),
      creditMicros: null,
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
      permissions: firstPermissions(command.role, command.key.permissions),
      ratePerMinute: command.key.ratePerMinute ?? DEFAULT_KEY_RATE,
      createdAtSeconds: step.nowSeconds,
      expiresAtSeconds: command.key.expiresAtSeconds,
      revokedAtSeconds: null,
      ...shown,
    },
  });
  return undefined;
}

/** Requests a minute of a key made without a rate. */
export const DEFAULT_KEY_RATE = 600;

/** The account passes to the owner of another account; naming itself gives it back to itself. */
export function setOwner(step: Step, command: CommandOf<"SetOwner">): Rejection | undefined {
  const { accountId: id, owner: like } = command;
  const account = step.state.accounts.get(id);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  if (!step.state.accounts.has(like)) return reject("ACCOUNT_NOT_FOUND", undefined, "owner");
  // It decides who answers for whose loans, and how many people there are.
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  const owner = like === id ? id : ownerOf(step.state, like);
  emit(step, { type: "AccountChanged", account: { ...account, owner } });
  return undefined;
}

export function fundAccount(step: Step, command: CommandOf<"FundAccount">): Rejection | undefined {
  const { accountId: id, amountMicros } = command;
  const { state } = step;
  const account = state.accounts.get(id);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  // An operator pays its bonds of disputes out of cash that another operator puts there.
  if (account.role === "auditor" && amountMicros > 0n) return reject("ROLE_NOT_TRADER");
  const withdrawal = -amountMicros;
  const uncleared = refuseUncleared(step, account);
  // Cash may leave without an accreditation, and never without an approval in force.
  const isBarred = withdrawal < 0n || uncleared?.code === "KYC_REQUIRED";
  if (uncleared !== undefined && isBarred) return uncleared;
  if (withdrawal > 0n && !account.kyc.sanctionsCleared) {
    return reject("KYC_REQUIRED", { status: account.kyc.status });
  }
  const called = withdrawal > 0n ? refuseCalled(account) : undefined;
  if (called !== undefined) return called;
  // An account that owes an assessment, or whose owner owes for premiums, takes out no more than
  // what is left after all of it.
  const assessed = account.contribution?.owesMicros ?? 0n;
  const free = micros(available(state, id) - owedByOwner(state, id) - assessed);
  if (withdrawal > 0n && withdrawal > free) {
    return reject("INSUFFICIENT_BALANCE", {
      requiredMicros: micros(withdrawal),
      availableMicros: free,
    });
  }
  const said = isAboveOwnLimit(step, amountMicros) ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  if (withdrawal > 0n) post(step, cashOf(id), "external", micros(withdrawal), "withdrawal", id);
  else post(step, "external", cashOf(id), amountMicros, "deposit", id);
  countFunding(step, amountMicros, said);
  return undefined;
}

/**
 * Emits the balance after a deposit or withdrawal, last of all: a debt may have taken some of it
 * meanwhile.
 */
export function tellFunded(step: Step, { accountId: id }: CommandOf<"FundAccount">): void {
  const { state } = step;
  const cashMicros = state.balance(cashOf(id));
  emit(step, { type: "Funded", accountId: id, cashMicros, availableMicros: available(state, id) });
}

/** One person lowers what an owner may owe; two raise it. */
export function setCredit(step: Step, command: CommandOf<"SetCredit">): Rejection | undefined {
  const { accountId: id, creditMicros } = command;
  const { accounts, rules } = step.state;
  const account = accounts.get(id);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  const after = { ...account, creditMicros };
  const isRaised = creditLine(rules, after) > creditLine(rules, account);
  const said = isRaised ? say(step, command) : alone;
  if (!said.isDecided) return said.refused;

  emit(step, { type: "AccountChanged", account: after });
  return undefined;
}

export function setAccountHalt(
  step: Step,
  { type, accountId: id }: CommandOf<"HaltAccount" | "ResumeAccount">,
): Rejection | undefined {
  const halted = type === "HaltAccount";
  const account = step.state.accounts.get(id);
  if (account === undefined) return reject("ACCOUNT_NOT_FOUND");
  if (halted && isMissedWithoutRoot(step, id)) return reject("OPERATORS_MISSING");
  if (!halted && account.inDefault !== undefined) return refuseInDefault(account.inDefault);

  const { haltedAtMillis = step.nowMillis, ...rest } = account;
  const since = halted && account.role === "operator" ? { haltedAtMillis } : {};
  emit(step, { type: "AccountChanged", account: { ...rest, halted, ...since } });
  if (!halted) return undefined;
  cancelOrdersOf(step, id, null, "ACCOUNT_HALTED");
  return undefined;
}
