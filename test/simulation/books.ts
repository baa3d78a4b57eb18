// The books the auditor keeps: every balance, and what each account holds and had of each market.
// Invariant: money only moves, so that all balances together are zero.

export const FUND = "guarantee";
export const cashOf = (account: string): string => (account === FUND ? FUND : `cash:${account}`);

interface Holding {
  readonly held: bigint;
  readonly flow: bigint;
}

export class Books {
  #ledger = new Map<string, bigint>();
  /** By market, in the order accounts came to it. */
  #holdings = new Map<string, Map<string, Holding>>();

  get balances(): ReadonlyMap<string, bigint> {
    return this.#ledger;
  }

  get holdings(): ReadonlyMap<string, ReadonlyMap<string, Holding>> {
    return this.#holdings;
  }

  /** The word of `act` on the books it changes; afterwards they are as they were. */
  suppose<T>(act: () => T): T {
    const ledger = new Map(this.#ledger);
    const holdings = new Map([...this.#holdings].map(([id, held]) => [id, new Map(held)]));
    const said = act();
    this.#ledger = ledger;
    this.#holdings = holdings;
    return said;
  }

  move(from: string, to: string, amount: bigint): void {
    this.#ledger.set(from, this.balance(from) - amount);
    this.#ledger.set(to, this.balance(to) + amount);
  }

  balance(name: string): bigint {
    return this.#ledger.get(name) ?? 0n;
  }

  holdingsIn(market: string): ReadonlyMap<string, Holding> {
    return this.#holdings.get(market) ?? new Map();
  }

  holding(market: string, account: string): Holding {
    return this.holdingsIn(market).get(account) ?? { held: 0n, flow: 0n };
  }

  hold(market: string, account: string, lots: bigint, cash: bigint): void {
    const holdings = this.#holdings.get(market) ?? new Map<string, Holding>();
    const { held, flow } = this.holding(market, account);
    holdings.set(account, { held: held + lots, flow: flow + cash });
    this.#holdings.set(market, holdings);
  }
}
