// The operators' side of the exchange, as readers see it: open proposals, and whether root is on.
// Invariant: it answers as the core does, by the core's own functions, over durable records.
import type { AccountId, ProposalId } from "#base/ids.ts";
import type { EventOf } from "#core/event.ts";
import { isRootOff } from "#core/person.ts";
import type { Proposal } from "#core/proposals/proposal.ts";
import type { Account, Key } from "#core/records.ts";
import type { State } from "#core/state.ts";

interface KnownAccounts {
  readonly accounts: ReadonlyMap<AccountId, Account>;
  keysOf(id: AccountId): readonly Key[];
}

export class Governance {
  readonly #known: KnownAccounts;
  readonly #operators = new Set<AccountId>();
  readonly #proposals = new Map<ProposalId, Proposal>();
  #isSwitchedOff = false;

  constructor(known: KnownAccounts) {
    this.#known = known;
  }

  take({ proposals, exchange }: State): void {
    for (const proposal of proposals.values()) this.#proposals.set(proposal.id, proposal);
    this.#isSwitchedOff = exchange?.rootOff === true;
  }

  putAccount({ id, role }: Account): void {
    if (role === "operator") this.#operators.add(id);
  }

  fold(event: EventOf<"ProposalChanged"> | EventOf<"RootSwitched">): void {
    if (event.type === "RootSwitched") this.#isSwitchedOff = !event.on;
    else if (event.status === "open") this.#proposals.set(event.proposal.id, event.proposal);
    else this.#proposals.delete(event.proposal.id);
  }

  /** Oldest first. */
  get proposals(): ReadonlyMap<ProposalId, Proposal> {
    return this.#proposals;
  }

  isRootOff(nowSeconds: number): boolean {
    const { accounts } = this.#known;
    const people = {
      accounts,
      operators: this.#operators,
      keysOf: (id: AccountId) => this.#known.keysOf(id),
    };
    return isRootOff(people, this.#isSwitchedOff, nowSeconds);
  }
}
