// The bidders in a default's auction: the auditor's own judgement of each at the close.
// Invariant: nothing of the core is called; margin and limits are asked with all of it taken.
import assert from "node:assert/strict";
import type { Event } from "#core/event.ts";
import type { Account } from "#core/records.ts";
import type { Cover } from "./cover.ts";
import type { Loans } from "./loans.ts";

export class Bidders {
  readonly #cover: Cover;
  readonly #loans: Loans;
  readonly #accounts = new Map<string, Account>();

  constructor(cover: Cover, loans: Loans) {
    this.#cover = cover;
    this.#loans = loans;
  }

  see(event: Event): void {
    if (event.type === "AccountChanged") this.#accounts.set(event.account.id, event.account);
  }

  /** Cleared, in no call or default, behind with nothing, and of another owner. */
  mayBid(id: string, defaulter: string, nowMillis: number): boolean {
    const { kyc, halted, marginCall, inDefault } = this.#accounts.get(id) ?? assert.fail(id);
    const isAhead = (seconds: number | null | undefined): boolean =>
      typeof seconds === "number" && seconds > Math.floor(nowMillis / 1000);
    const { status, expiresAtSeconds, accreditation } = kyc;
    const isCleared = status === "approved" && isAhead(expiresAtSeconds);
    const isAccredited = accreditation === undefined || isAhead(accreditation?.expiresAtSeconds);
    const isFree = !halted && marginCall === undefined && inDefault === undefined;
    const isOther = this.#ownerOf(id) !== this.#ownerOf(defaulter);
    return isCleared && isAccredited && isFree && isOther && !this.#loans.isBehind(id);
  }

  /** Once `take` has given it all: cash is left beside its margin, and no limit is passed anew. */
  holds(id: string, take: () => void): boolean {
    const [before, limits] = [this.#cover.coverageOf(id), this.#cover.limitsOf(id)];
    take();
    const after = this.#cover.coverageOf(id);
    const isBeyond = (from: bigint, to: bigint, most: bigint): boolean => to > most && to > from;
    const isPosition = [...after].some(([market, to]) =>
      isBeyond(before.get(market) ?? 0n, to, limits.position),
    );
    const isTotal = isBeyond(total(before), total(after), limits.total);
    const isCount = isBeyond(BigInt(before.size), BigInt(after.size), limits.positions);
    return this.#cover.freeOf(id) >= 0n && !isPosition && !isTotal && !isCount;
  }

  #ownerOf = (id: string): string => this.#accounts.get(id)?.owner ?? id;
}

const total = (coverage: ReadonlyMap<string, bigint>): bigint =>
  [...coverage.values()].reduce((sum, one) => sum + one, 0n);
