// Premiums that are lent: the auditor's own schedules, and each amount that is paid on them.
// Invariant: nothing of the core is called; a payment is all that it may be for, or all free cash.
import assert from "node:assert/strict";
import type { Acceptance } from "#core/acceptance/records.ts";
import type { Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Fill, Market } from "#core/records.ts";
import { atLeastZero, ceilDiv, least, lentOf, paidOf } from "./arithmetic.ts";
import { type Books, cashOf } from "./books.ts";
import type { Cover } from "./cover.ts";
import { assertChange, assertSchedule, dueBy, owedIfPaid, owedOf } from "./premiums.ts";

/** Cash that a position brought: it pays the debts of that position first. */
interface Proceeds {
  readonly market: string;
  readonly account: string;
  readonly amount: bigint;
  /** Lots that were sold for it; of a payout, none. */
  readonly sold: bigint;
}

interface Claim {
  readonly id: string;
  readonly most: bigint;
}

export class Loans {
  readonly #books: Books;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #cover: Cover;
  readonly #acceptances = new Map<string, Acceptance>();
  // Of this entry.
  readonly #premiums = new Map<string, bigint>();
  #proceeds: Proceeds[] = [];
  #claims: Generator<Claim, void, bigint> = this.#claimed();
  /** By the claim that was drawn last. */
  #claimedMicros = 0n;
  readonly #credited = new Set<string>();
  readonly #calledIn = new Set<string>();
  /** An account has defaulted, or what quotes held back has come free: after debts were paid. */
  #isLater = false;
  #nowMillis = 0;

  constructor(books: Books, markets: ReadonlyMap<string, Market>, cover: Cover) {
    this.#books = books;
    this.#markets = markets;
    this.#cover = cover;
  }

  begin(): void {
    this.#premiums.clear();
    this.#proceeds = [];
    this.#claims = this.#claimed();
    this.#claimedMicros = 0n;
    this.#credited.clear();
    this.#calledIn.clear();
    this.#isLater = false;
  }

  filled({ marketId, seller, yesTick, amountLots, takerOrderId }: Fill): void {
    const premium = BigInt(yesTick) * amountLots;
    this.#premiums.set(takerOrderId, (this.#premiums.get(takerOrderId) ?? 0n) + premium);
    this.#bring({ market: marketId, account: seller, amount: premium, sold: amountLots });
  }

  /** Each event, in its turn. */
  see(event: Event): void {
    if (event.type === "RfqEnded" || event.type === "RfqQuoteEnded") this.#isLater = true;
    if (event.type === "AccountChanged" && event.account.inDefault !== undefined) {
      this.#isLater = true;
    }
    if (event.type !== "Posted" || !event.posting.to.startsWith("cash:")) return;
    const { to, amountMicros: amount, reason, reference: market } = event.posting;
    const account = to.slice("cash:".length);
    this.#credited.add(account);
    if (reason === "settlement") this.#bring({ market, account, amount, sold: 0n });
  }

  /** Before what it moves; `isVoided`: by this entry its market is void. */
  changed(acceptance: Acceptance, envelope: Envelope, isVoided: boolean): void {
    const { command, timeMillis } = envelope;
    this.#nowMillis = timeMillis;
    const { id, accountId, orderId } = acceptance;
    const known = this.#acceptances.get(id);
    if (known === undefined) {
      this.#acceptances.set(id, acceptance);
      assert.equal(acceptance.createdAtMillis, timeMillis, `${id} is made now`);
      assertSchedule(acceptance);
      const { markTick } = this.#markets.get(acceptance.marketId) ?? assert.fail(id);
      const worth = BigInt(markTick) * acceptance.filledLots;
      const lent = least(lentOf(acceptance.structure, this.#premiums.get(orderId) ?? 0n), worth);
      assert.equal(acceptance.principalMicros, lent, `what ${id} was lent`);
      this.#books.move("lent", cashOf(accountId), lent);
      return;
    }
    assertChange(known, acceptance, command, timeMillis, isVoided);
    const isLate = command.type === "DefaultAcceptance" && command.acceptanceId === id;
    // All of it falls due first; then it is paid.
    const isCalledIn = (isLate || isVoided) && !this.#calledIn.has(id);
    if (isCalledIn) this.#calledIn.add(id);
    this.#assertAmount(known, acceptance, isCalledIn, envelope);
    this.#acceptances.set(id, acceptance);
    const [before, after] = [paidOf(known), paidOf(acceptance)];
    this.#books.move(cashOf(accountId), "interest", after.interest - before.interest);
    const isLost = known.status === "written_off";
    this.#books.move(
      cashOf(accountId),
      isLost ? "financing" : "lent",
      after.principal - before.principal,
    );
    if (isLost || acceptance.status !== "written_off") return;
    const { status } = this.#markets.get(acceptance.marketId) ?? assert.fail(acceptance.marketId);
    const isOver = status === "FINALIZED" || status === "CANCELLED";
    assert.ok(isOver && known.status === "defaulted", `${id} is lost`);
    this.#books.move("financing", "lent", acceptance.principalMicros - after.principal);
  }

  isBehind(account: string): boolean {
    const mine = [...this.#acceptances.values()].filter(({ accountId }) => accountId === account);
    return mine.some(({ status }) => behind.has(status));
  }

  /** After an entry: what positions brought was claimed, and nobody keeps free cash that is due. */
  assertDone({ command, timeMillis }: Envelope): void {
    this.#nowMillis = timeMillis;
    const isCollected = command.type === "CollectPayment";
    for (const { id, accountId, status } of this.#acceptances.values()) {
      const isBehind = isCollected
        ? command.acceptanceId === id
        : !this.#isLater && this.#credited.has(accountId) && behind.has(status);
      if (isBehind) this.#assertNothingKept(id, timeMillis);
    }
    if (!this.#isLater) assert.ok(this.#nextClaim().done, "all that positions brought was claimed");
  }

  #assertNothingKept(id: string, nowMillis: number): void {
    const acceptance = this.#acceptances.get(id) ?? assert.fail(`${id} is known`);
    const { accountId } = acceptance;
    const free = dueBy(acceptance, nowMillis) === 0n ? 0n : this.#cover.freeOf(accountId);
    assert.ok(free <= 0n, `${accountId} pays what is due of ${id}, and keeps ${free}`);
  }

  /** All that the payment is for; or all free cash, of proceeds no more than they came to. */
  #assertAmount(
    known: Acceptance,
    after: Acceptance,
    isCalledIn: boolean,
    { command, timeMillis: nowMillis }: Envelope,
  ): void {
    const { id, accountId } = after;
    const paid = total(after) - total(known);
    const free = atLeastZero(this.#cover.freeOf(accountId));
    const { value: claim } = this.#nextClaim();
    const isShare = claim !== undefined && paid <= claim.most;
    assert.ok(paid <= free || isShare, `${id} is paid ${paid} of ${free}`);
    if (claim !== undefined) {
      assert.equal(id, claim.id, "the oldest debt of a position is paid first");
      this.#claimedMicros = paid;
      const most = least(owedOf(after) + paid, claim.most);
      assert.equal(paid, most, `${id} is paid of what its position brought`);
      return;
    }
    // The buyer chose how much: the change of the schedule says whether it is all of that.
    if (command.type === "PayAcceptance" && command.acceptanceId === id) return;
    const isLost = known.status !== "written_off" && after.status === "written_off";
    const due = isCalledIn || isLost ? 0n : dueBy(after, nowMillis) + paid;
    assert.equal(paid, least(due, free), `${id} is paid what is due`);
  }

  #nextClaim() {
    return this.#claims.next(this.#claimedMicros);
  }

  /** In the order of what brought the cash, and of the debts' age; is told what each was paid. */
  *#claimed(): Generator<Claim, void, bigint> {
    const unsold = new Map<string, bigint>();
    for (const { market, account, sold } of this.#proceeds) {
      const name = `${account} ${market}`;
      unsold.set(name, (unsold.get(name) ?? 0n) + sold);
    }
    for (const { market, account, amount, sold } of this.#proceeds) {
      const name = `${account} ${market}`;
      const after = this.#books.holding(market, account).held;
      const held = after + (unsold.get(name) ?? 0n);
      unsold.set(name, (unsold.get(name) ?? 0n) - sold);
      const debts = [...this.#acceptances.values()].filter(
        ({ accountId, marketId, status }) =>
          accountId === account && marketId === market && isOpen(status),
      );
      if (debts.length === 0) continue;
      // The lots that were sold leave with their part of the loan, whatever else lacks cash.
      const owed = debts.reduce((sum, one) => sum + owedIfPaid(one, this.#nowMillis), 0n);
      const share = held > 0n ? ceilDiv(owed * least(sold, held), held) : 0n;
      const cash = this.#books.balance(cashOf(account));
      const free = least(greater(amount, share), atLeastZero(this.#cover.freeOf(account)));
      let left = greater(free, least(least(share, amount), cash));
      for (const { id } of debts) if (left > 0n) left -= yield { id, most: left };
    }
  }

  #bring(proceeds: Proceeds): void {
    if (!this.#isLater) this.#proceeds.push(proceeds);
  }
}

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);

const behind: ReadonlySet<string> = new Set(["overdue", "defaulted", "written_off"]);

const isOpen = (status: string): boolean => status !== "paid" && status !== "not_filled";

const total = ({ payments }: Acceptance): bigint =>
  payments.reduce((sum, { paidMicros }) => sum + paidMicros, 0n);
