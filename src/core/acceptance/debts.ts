// How much each owner owes for premiums, and who is behind: drawn from the acceptances.
// Invariant: `principal` summed over all accounts, less what was written off, is what the ledger's
// `lent` says.
import type { AcceptanceId, AccountId, MarketId } from "#base/ids.ts";
import { Layerable, layerOf } from "#base/layer.ts";
import { type Micros, micros } from "#base/money.ts";
import { dropOf, setOf } from "#base/set-of.ts";
import type { LedgerName } from "../event.ts";
import { positionName } from "../names.ts";
import { principalOwedOn } from "./owed.ts";
import type { Acceptance } from "./records.ts";

const isBehind = ({ status }: Acceptance): boolean =>
  status === "overdue" || status === "defaulted" || status === "written_off";

const isOwing = ({ status }: Acceptance): boolean => status !== "paid" && status !== "not_filled";

const owedOf = ({ payments }: Acceptance): bigint =>
  payments.reduce((sum, payment) => sum + principalOwedOn(payment), 0n);

export class Debts extends Layerable {
  #principal = new Map<AccountId, bigint>();
  #overdue = new Map<AccountId, Set<AcceptanceId>>();
  #byCash = new Map<LedgerName, AccountId>();
  #open = new Map<MarketId, Set<AcceptanceId>>();
  /** By `positionName`. */
  #openOf = new Map<string, Set<AcceptanceId>>();

  override layer(): Debts {
    const debts = new Debts();
    debts.#principal = layerOf(this.#principal);
    debts.#overdue = layerOf(this.#overdue);
    debts.#byCash = layerOf(this.#byCash);
    debts.#open = layerOf(this.#open);
    debts.#openOf = layerOf(this.#openOf);
    return debts;
  }

  changed(before: Acceptance | undefined, after: Acceptance): void {
    const { id, accountId, marketId } = after;
    const change = owedOf(after) - (before === undefined ? 0n : owedOf(before));
    this.#principal.set(accountId, this.principal(accountId) + change);
    const overdue = this.#overdue.get(accountId) ?? new Set();
    if (isBehind(after)) this.#overdue.set(accountId, overdue.add(id));
    else overdue.delete(id);
    if (overdue.size > 0) this.#byCash.set(`cash:${accountId}`, accountId);
    else this.#byCash.delete(`cash:${accountId}`);
    const position = positionName(accountId, marketId);
    if (isOwing(after)) {
      setOf(this.#open, marketId).add(id);
      setOf(this.#openOf, position).add(id);
    } else {
      dropOf(this.#open, marketId, id);
      dropOf(this.#openOf, position, id);
    }
  }

  /** Principal not paid back, over all acceptances. */
  principal(account: AccountId): Micros {
    return micros(this.#principal.get(account) ?? 0n);
  }

  isBehind(account: AccountId): boolean {
    return this.overdueOf(account).length > 0;
  }

  get areAnyOpen(): boolean {
    return this.#open.size > 0;
  }

  get areAnyOverdue(): boolean {
    return this.#byCash.size > 0;
  }

  /** The account whose cash this is, where it is behind with a payment. */
  overdueAccountOf(name: LedgerName): AccountId | undefined {
    return this.#byCash.get(name);
  }

  /** Oldest first. */
  overdueOf(account: AccountId): readonly AcceptanceId[] {
    return [...(this.#overdue.get(account) ?? [])].sort(byAge);
  }

  openIn(market: MarketId): readonly AcceptanceId[] {
    return [...(this.#open.get(market) ?? [])].sort(byAge);
  }

  /** One account's. */
  openOf(account: AccountId, market: MarketId): readonly AcceptanceId[] {
    return [...(this.#openOf.get(positionName(account, market)) ?? [])].sort(byAge);
  }
}

/** A set refilled from a snapshot has another order than one that grew. */
export const byAge = (a: AcceptanceId, b: AcceptanceId): number =>
  a.length - b.length || (a < b ? -1 : 1);
