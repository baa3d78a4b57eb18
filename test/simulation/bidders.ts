// The bidders in a default's auction: the auditor's own judgement of each, at the bid and again at
// the close.
// Invariant: nothing of the core is called; margin and limits are asked with all of it taken.
import assert from "node:assert/strict";
import type { Event } from "#core/event.ts";
import type { Account } from "#core/records.ts";
import type { Cover } from "./cover.ts";
import type { Loans } from "./loans.ts";
import type { People } from "./people.ts";

/** Why a bid does not hold; credit: its bidder is behind with a premium that was lent. */
export type Unfit = "standing" | "credit" | "margin" | "limit";

export class Bidders {
  readonly #cover: Cover;
  readonly #loans: Loans;
  readonly #people: People;
  readonly #accounts = new Map<string, Account>();

  constructor(cover: Cover, loans: Loans, people: People) {
    this.#cover = cover;
    this.#loans = loans;
    this.#people = people;
  }

  see(event: Event): void {
    if (event.type === "AccountChanged") this.#accounts.set(event.account.id, event.account);
  }

  /** Undefined of one whose bid holds. `take` gives it all that the defaulter is rid of. */
  unfit(id: string, defaulter: string, nowMillis: number, take: () => void): Unfit | undefined {
    const isOwn = this.#people.ownerOf(id) === this.#people.ownerOf(defaulter);
    if (isOwn || !this.#stands(id, nowMillis)) return "standing";
    if (this.#loans.isBehind(id)) return "credit";
    const [before, limits] = [this.#cover.coverageOf(id), this.#cover.limitsOf(id)];
    return this.#cover.suppose(id, take, () => {
      if (this.#cover.freeOf(id) < 0n) return "margin";
      const after = this.#cover.coverageOf(id);
      const isBeyond = (from: bigint, to: bigint, most: bigint): boolean => to > most && to > from;
      const isOne = [...after].some(([market, to]) =>
        isBeyond(before.get(market) ?? 0n, to, limits.position),
      );
      const isAll = isBeyond(total(before), total(after), limits.total);
      const isCount = isBeyond(BigInt(before.size), BigInt(after.size), limits.positions);
      return isOne || isAll || isCount ? "limit" : undefined;
    });
  }

  /** Cleared, in no halt or default, and in no call: that follows from its margin. */
  #stands(id: string, nowMillis: number): boolean {
    const account = this.#accounts.get(id) ?? assert.fail(`${id} is known`);
    const { kyc, halted, marginCall, inDefault } = account;
    const isAhead = (seconds: number | null | undefined): boolean =>
      typeof seconds === "number" && seconds > Math.floor(nowMillis / 1000);
    const { status, expiresAtSeconds, accreditation } = kyc;
    const isCleared = status === "approved" && isAhead(expiresAtSeconds);
    const isAccredited = accreditation === undefined || isAhead(accreditation?.expiresAtSeconds);
    const isCalled = inDefault === undefined && this.#cover.isCalled(id);
    if (inDefault === undefined) {
      assert.equal(marginCall !== undefined, isCalled, `${id} is called below health 1`);
    }
    return isCleared && isAccredited && !halted && inDefault === undefined && !isCalled;
  }
}

const total = (coverage: ReadonlyMap<string, bigint>): bigint =>
  [...coverage.values()].reduce((sum, one) => sum + one, 0n);
