// The auditor's own payouts: longs are paid what shorts give up or, where the fund cannot pay for
// all its shorts of a release, one share for all of that release's claims.
// Invariant: nothing of the core is called; what is paid in leaves nothing but what is still owed.
import assert from "node:assert/strict";
import type { Event } from "#core/event.ts";
import type { Market } from "#core/records.ts";
import { atLeastZero, least, shared } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";
import type { Disputes } from "./disputes.ts";
import type { Fund } from "./fund.ts";

interface Claim {
  readonly id: string;
  readonly account: string;
  readonly due: bigint;
  paid: bigint;
}

export class Payouts {
  readonly #books: Books;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #disputes: Disputes;
  readonly #fund: Fund;
  /** Releases whose claims were cut, and all claims of theirs that fell due. */
  readonly #cut = new Set<string>();
  readonly #claims = new Map<string, Claim[]>();
  /** The markets each release resolved, in the order it did: the last micro-dollar follows it. */
  readonly #resolvedBy = new Map<string, readonly string[]>();

  constructor(books: Books, markets: ReadonlyMap<string, Market>, disputes: Disputes, fund: Fund) {
    this.#books = books;
    this.#markets = markets;
    this.#disputes = disputes;
    this.#fund = fund;
  }

  resolved(release: string, markets: readonly string[]): void {
    this.#resolvedBy.set(release, markets);
  }

  /** Longs get their part of the face, rounded down; shorts give that up, where the fund can. */
  finalize(id: string, nowMillis: number, events: readonly Event[]): void {
    const release = this.#markets.get(id)?.resolution?.releaseId;
    assert.ok(release !== undefined, `${id} is resolved before it pays`);
    assert.ok(!this.#disputes.isOpen(id), `no dispute of ${id} is open`);
    const lacking = this.#lackingFor(release);
    if (lacking > 0n) this.#fund.draw({ release }, lacking, events);
    if (this.#lackingFor(release) > 0n) this.#cut.add(release);
    if (this.#cut.has(release)) {
      this.#finalizeCut(release, nowMillis);
      return;
    }
    const { longs, shorts } = this.#duesOf(id);
    for (const [account, part] of shorts) {
      assert.ok(
        this.#books.balance(cashOf(account)) >= part,
        `${account} can pay ${part} of ${id}`,
      );
      this.#settle(id, account, -part);
    }
    for (const [account, due] of longs) this.#settle(id, account, due);
  }

  #duesOf(id: string) {
    const paid = BigInt(this.#markets.get(id)?.resolution?.payoutMillionths ?? 0);
    const all = [...this.#books.holdingsIn(id)];
    const longs = all
      .filter(([, { held }]) => held > 0n)
      .map(([account, { held }]) => [account, (held * 10_000n * paid) / 1_000_000n] as const);
    const owed = longs.reduce((sum, [, due]) => sum + due, 0n);
    const short = all.filter(([, { held }]) => held < 0n);
    const parts = shared(
      owed,
      short.map(([, { held }]) => -held),
    );
    const shorts = short.map(([account], at) => [account, parts[at] ?? 0n] as const);
    return { longs, shorts, owed };
  }

  /** Of the fund, for its shorts of the release, with the worst of all its others set aside. */
  #lackingFor(release: string): bigint {
    const here = this.#fund.needs((market) => market.resolution?.releaseId === release);
    const beside = this.#fund.needs((market) => market.resolution?.releaseId !== release);
    return here === 0n ? 0n : atLeastZero(here + beside - this.#books.balance(FUND));
  }

  /**
   * All claims of a release are paid one share: of what its shorts brought, and the fund could
   * spare. The fund's cash for disputed markets, less their own part of the loss, waits. Of the
   * rest claims that end now have theirs first, and earlier ones are raised in proportion.
   */
  #finalizeCut(release: string, nowMillis: number): void {
    const pot = `claims:${release}`;
    const mine = (this.#resolvedBy.get(release) ?? [])
      .map((id) => this.#markets.get(id) ?? assert.fail(id))
      .filter(({ status }) => status === "RESOLVED");
    const isOver = ({ dispute, resolution }: Market): boolean =>
      dispute === null && (resolution?.disputeWindowEndsAtMillis ?? 0) <= nowMillis;
    const disputed = mine.filter((market) => !isOver(market));
    const claims = this.#claims.get(release) ?? [];
    const earlier = claims.length;
    const [dueBefore, paidBefore] = [total(claims, "due"), total(claims, "paid")];
    const ofFund: { id: string; owes: bigint }[] = [];
    for (const { id } of mine.filter(isOver)) {
      const { longs, shorts } = this.#duesOf(id);
      for (const [account, owes] of shorts) {
        if (account === FUND) ofFund.push({ id, owes });
        else this.#pay(id, account, pot, -owes);
      }
      for (const [account, due] of longs) claims.push({ id, account, due, paid: 0n });
    }
    this.#claims.set(release, claims);
    const owed = total(claims, "due") - total(claims, "paid");
    const later = this.#fund.needs((market) => disputed.includes(market));
    const beside = this.#fund.needs((market) => market.resolution?.releaseId !== release);
    const spare = this.#books.balance(FUND) - beside;
    const given = atLeastZero(least(spare, owed + later - this.#books.balance(pot)));
    this.#books.move(FUND, pot, given);
    const owes = ofFund.map((one) => one.owes);
    const most = owes.reduce((sum, one) => sum + one, 0n);
    for (const [at, part] of shared(least(given, most), owes).entries()) {
      const id = ofFund[at]?.id ?? "";
      this.#books.hold(id, FUND, -this.#books.holding(id, FUND).held, -part);
    }
    const loss = atLeastZero(owed + later - this.#books.balance(pot));
    const disputedDue = disputed.reduce((sum, { id }) => sum + this.#duesOf(id).owed, 0n);
    const all = total(claims, "due") + disputedDue;
    const kept = atLeastZero(later - (all === 0n ? 0n : (loss * disputedDue) / all));
    const payable = least(owed, atLeastZero(this.#books.balance(pot) - kept));
    const isLess = paidBefore * total(claims, "due") > (paidBefore + payable) * dueBefore;
    const [due, pay] = isLess
      ? [total(claims, "due") - dueBefore, payable]
      : [total(claims, "due"), paidBefore + payable];
    const lacking = claims.map((claim) =>
      atLeastZero((due === 0n ? 0n : (claim.due * pay) / due) - claim.paid),
    );
    const first = sum(lacking.slice(earlier));
    const more = sum(lacking.slice(0, earlier));
    for (const [at, claim] of claims.entries()) {
      const wanted = lacking[at] ?? 0n;
      const isCut = at < earlier && more > payable - first;
      const now = isCut ? (wanted * (payable - first)) / more : wanted;
      claim.paid += now;
      this.#pay(claim.id, claim.account, pot, now);
    }
    if (disputed.length === 0) this.#books.move(pot, FUND, this.#books.balance(pot));
  }

  /** Out of a release's pot, or into it; the position is flat then. */
  #pay(market: string, account: string, pot: string, cash: bigint): void {
    this.#books.move(pot, cashOf(account), cash);
    this.#books.hold(market, account, -this.#books.holding(market, account).held, cash);
  }

  #settle(market: string, account: string, cash: bigint): void {
    this.#books.move(`market:${market}`, cashOf(account), cash);
    const { held } = this.#books.holding(market, account);
    this.#books.hold(market, account, -held, cash);
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

const total = (claims: readonly Claim[], part: "due" | "paid"): bigint =>
  claims.reduce((sum, claim) => sum + claim[part], 0n);
