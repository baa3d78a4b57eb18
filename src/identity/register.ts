// Where personal data comes in, is read and is erased, and where open inquiries are screened.
// Invariant: the journal says which subject an account has before anybody can read it, and says
// that it is erased before it is destroyed; a new term destroys what no account names.
import type { AccountId } from "#base/ids.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Account } from "#core/records.ts";
import { isAccepted, type Result, type Submit } from "#engine/engine.ts";
import type { KycProvider } from "./provider.ts";
import type { Subject } from "./subject.ts";
import { newSubjectId, type Vault } from "./vault.ts";

/** Accounts as far as they are durable. */
interface DurableAccounts {
  readonly accounts: ReadonlyMap<AccountId, Account>;
}

export class IdentityRegister {
  readonly #vault: Vault;
  readonly #epoch: () => number | undefined;
  readonly #durable: DurableAccounts;
  readonly #provider: KycProvider;
  readonly #decide: Submit;
  readonly #onFault: (error: unknown) => void;

  /** `epoch`: of the term this node leads in. `decide` gives a command in the exchange's name. */
  constructor(
    vault: Vault,
    epoch: () => number | undefined,
    durable: DurableAccounts,
    provider: KycProvider,
    decide: Submit,
    onFault: (error: unknown) => void,
  ) {
    this.#vault = vault;
    this.#epoch = epoch;
    this.#durable = durable;
    this.#provider = provider;
    this.#decide = decide;
    this.#onFault = onFault;
  }

  /** At the beginning of a term: finishes erasures cut off, screens what was not decided. */
  async catchUp(): Promise<void> {
    const epoch = this.#epoch();
    if (epoch === undefined) return;
    const inForce = new Set<string>();
    for (const { kyc } of this.#durable.accounts.values()) {
      if (kyc.subjectId !== null) inForce.add(kyc.subjectId);
    }
    await this.#vault.keepOnly(inForce, epoch);
    for (const account of this.#durable.accounts.values()) await this.#screen(account.id);
  }

  /** Follows the journal: an inquiry is screened once it is durable. */
  onDurable({ outcome, envelope }: Entry): void {
    const { command, actor } = envelope;
    if (isRejected(outcome) || command.type !== "RequestKyc" || actor.type !== "key") return;
    this.#screen(actor.accountId).catch(this.#onFault);
  }

  /** Keeps an account's personal data, in place of what it gave before. */
  async keep(account: AccountId, subject: Subject, submit: Submit): Promise<Result> {
    const epoch = this.#epoch();
    const id = newSubjectId();
    const before = this.#subjectOf(account);
    if (epoch === undefined || !(await this.#vault.keep(id, subject, epoch))) {
      return { refused: "NOT_LEADER" };
    }
    const result = await submit({ type: "KeepSubject", subjectId: id });
    // Where the journal did not say, the next term finds out which of the two is in force.
    if (!("outcome" in result)) {
      if ("refused" in result) await this.#vault.destroy(id, epoch);
      return result;
    }
    const { outcome, replayed } = result;
    if (replayed || isRejected(outcome)) await this.#vault.destroy(id, epoch);
    else if (before !== null) await this.#vault.destroy(before, epoch);
    return result;
  }

  /** The reading itself is journalled first. Undefined data: none was given, or it is erased. */
  async read(
    account: AccountId,
    submit: Submit,
  ): Promise<{ readonly result: Result; readonly subject: Subject | undefined }> {
    const result = await submit({ type: "ReadSubject", accountId: account });
    const id = isAccepted(result) ? this.#subjectOf(account) : null;
    return { result, subject: id === null ? undefined : await this.#vault.read(id) };
  }

  async erase(account: AccountId, submit: Submit): Promise<Result> {
    const epoch = this.#epoch();
    const before = this.#subjectOf(account);
    const result = await submit({ type: "EraseSubject", accountId: account });
    // If we stop here, the next term destroys it: no account names it any more.
    if (isAccepted(result) && before !== null && epoch !== undefined) {
      await this.#vault.destroy(before, epoch);
    }
    return result;
  }

  #subjectOf(account: AccountId): string | null {
    return this.#durable.accounts.get(account)?.kyc.subjectId ?? null;
  }

  async #screen(id: AccountId): Promise<void> {
    const kyc = this.#durable.accounts.get(id)?.kyc;
    if (kyc === undefined) return;
    const asked = kyc.requestedTier ?? (kyc.status === "pending" ? kyc.tier : "none");
    if (asked === "none") return;
    const subject = kyc.subjectId === null ? undefined : await this.#vault.read(kyc.subjectId);
    const screening = await this.#provider.screen({ tier: asked, subject });
    if (screening === undefined) return;
    await this.#decide({
      type: "DecideKyc",
      accountId: id,
      ...screening,
      tier: asked,
      provider: this.#provider.name,
    });
  }
}
