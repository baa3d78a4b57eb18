// Disputes of resolutions and their bonds: the auditor's own rules.
// Invariant: nothing of the core is called; a bond is held as long as its dispute is open.
import assert from "node:assert/strict";
import type { CommandOf, Envelope } from "#core/command.ts";
import { ceilDiv } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";
import { actorOf, type People, TEN_DAYS_MILLIS } from "./people.ts";

interface Dispute {
  readonly by: string;
  readonly bond: bigint;
  readonly atMillis: number;
}

export class Disputes {
  readonly #books: Books;
  readonly #people: People;
  readonly #open = new Map<string, Dispute>();
  /** The accounts that have disputed a market's present resolution. */
  readonly #disputedBy = new Map<string, ReadonlySet<string>>();

  constructor(books: Books, people: People) {
    this.#books = books;
    this.#people = people;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** A hundredth of the position's face, at least 100 USD; operators may have no position. */
  open({ actor, timeMillis }: Envelope, id: string): void {
    const by = actorOf(actor);
    const before = this.#disputedBy.get(id) ?? new Set();
    const isFirst = [...before].every((one) => this.#people.areTwo(one, by));
    assert.ok(isFirst, `${by} disputes a resolution of ${id} once`);
    assert.ok(!this.isOpen(id), `${id} is disputed once at a time`);
    this.#disputedBy.set(id, new Set([...before, by]));
    const { held } = this.#books.holding(id, by);
    const part = ceilDiv((held < 0n ? -held : held) * 10_000n, 100n);
    const bond = part > 100_000_000n ? part : 100_000_000n;
    const isHolder = held !== 0n || (by !== "root" && this.#people.isOperator(by));
    assert.ok(isHolder, `${by} holds something of ${id}`);
    this.#books.move(cashOf(by), "bonds", bond);
    this.#open.set(id, { by, bond, atMillis: timeMillis });
  }

  /** By the second of two that are not the opener. */
  decide({ actor }: Envelope, { marketId, decision }: CommandOf<"DecideDispute">): void {
    const dispute = this.#open.get(marketId);
    const by = actorOf(actor);
    assert.ok(dispute !== undefined, `${marketId} is disputed`);
    assert.ok(this.#people.areTwo(dispute.by, by), `${by} decides about somebody else`);
    this.#open.delete(marketId);
    this.#books.move("bonds", decision === "amend" ? cashOf(dispute.by) : FUND, dispute.bond);
    if (decision === "amend") this.#disputedBy.delete(marketId);
  }

  uphold({ timeMillis }: Envelope, id: string): void {
    const dispute = this.#open.get(id);
    assert.ok(dispute !== undefined, `${id} is disputed`);
    assert.ok(timeMillis >= dispute.atMillis + TEN_DAYS_MILLIS, `${id}: ten days are over`);
    this.#open.delete(id);
    this.#books.move("bonds", FUND, dispute.bond);
  }
}
