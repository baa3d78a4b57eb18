// The auditor's own layers of the guarantee fund: contributions, what each layer bears of a loss,
// and what is assessed.
// Invariant: nothing of the core is called, and no amount is taken as told.
import assert from "node:assert/strict";
import type { Event, EventOf } from "#core/event.ts";
import type { Market } from "#core/records.ts";
import type { Rules } from "#core/rules.ts";
import type { State } from "#core/state.ts";
import { atLeastZero, least, shared, worstTogether } from "./arithmetic.ts";
import { type Books, cashOf, FUND } from "./books.ts";
import type { Cover } from "./cover.ts";

const EXCHANGE = "exchange-layer";
const layerOf = (account: string): string => `contribution:${account}`;

/** Of an account in default, or of the claims of a release. */
type Of = { readonly defaulter: string } | { readonly release: string };

export class Fund {
  readonly #books: Books;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #cover: Cover;
  /** Contributions as they were set last, by account. */
  readonly #sizes = new Map<string, bigint>();
  /** Assessed and not paid yet. */
  readonly #owed = new Map<string, bigint>();
  /** Asked of others in all losses of an account's default. */
  readonly #assessed = new Map<string, bigint>();
  /** Postings and losses that have been foretold. */
  readonly #foretold = new Set<Event>();

  constructor(books: Books, markets: ReadonlyMap<string, Market>, cover: Cover) {
    this.#books = books;
    this.#markets = markets;
    this.#cover = cover;
  }

  /** With marks, while no auction runs: three quarters of the target, less what the fund has. */
  setContributions(rules: Rules, accounts: readonly string[]): void {
    const asked = this.#asked(rules);
    const members = accounts.toSorted(byAge);
    const losses = members.map((id) => (asked === 0n ? 0n : this.#cover.lossOf(id)));
    const shares = shared(asked, losses);
    for (const [at, id] of members.entries()) {
      const wanted = least(shares[at] ?? 0n, (losses[at] ?? 0n) / 10n);
      this.#setContribution(id, wanted);
    }
  }

  /** The most that this account may be asked for: it has left itself short. */
  opened(rules: Rules, id: string): void {
    this.#setContribution(id, this.#most(rules, id));
  }

  /** After an entry in which it left itself short: it has that, or nothing that is free. */
  assertOpened(rules: Rules, id: string): void {
    const most = this.#most(rules, id);
    const lacking = most - this.#books.balance(layerOf(id));
    const isHeld = lacking <= 0n || lacking * 10n < most;
    assert.ok(isHeld || this.#cover.freeOf(id) <= 0n, `${id} contributes for its short`);
  }

  #most(rules: Rules, id: string): bigint {
    return least(this.#asked(rules), this.#cover.lossOf(id) / 10n);
  }

  #asked(rules: Rules): bigint {
    const target = rules.fund?.targetMicros ?? 0n;
    const spare = atLeastZero(this.#books.balance(FUND) - this.needs(() => true));
    return target === 0n ? 0n : atLeastZero(target - target / 4n - spare);
  }

  /** The part that the defaulter's own contribution bears. `later`: once the loss is known. */
  draw(of: Of, loss: bigint, later: readonly Event[]): bigint {
    const defaulter = "defaulter" in of ? of.defaulter : undefined;
    const own = defaulter === undefined ? 0n : this.#take(layerOf(defaulter), loss);
    const exchange = this.#take(EXCHANGE, loss - own);
    const lacking = atLeastZero(this.needs(() => true) - this.#books.balance(FUND));
    const beyond = least(loss - own - exchange, lacking);
    const others = [...this.#sizes.keys()].filter((id) => id !== defaulter).sort(byAge);
    const balances = others.map((id) => this.#books.balance(layerOf(id)));
    const contributions = least(beyond, sum(balances));
    for (const [at, part] of shared(contributions, balances).entries()) {
      this.#books.move(layerOf(others[at] ?? ""), FUND, part);
    }
    const name = "defaulter" in of ? of.defaulter : of.release;
    const told = later.find((event): event is EventOf<"LossDrawn"> => this.#isOf(event, name));
    const open = beyond - contributions;
    const within = told === undefined ? [] : later.slice(0, later.indexOf(told));
    // Orders that the new positions have cut hold back as much as is left of them.
    for (const event of within) this.#cover.see(event);
    const { paid, owed } =
      defaulter === undefined
        ? { paid: 0n, owed: 0n }
        : this.#assess(defaulter, others, open, within);
    const left = open - paid - owed;
    const fund = loss - own - exchange - beyond;
    const drawn = loss - left - fund;
    if (drawn === 0n && defaulter === undefined) {
      assert.equal(told, undefined, `no layer bears anything of ${name}`);
      return own;
    }
    assert.deepEqual(told?.loss, {
      ...{ of: name, lossMicros: loss, ownMicros: own, exchangeMicros: exchange },
      ...{ fundMicros: fund, contributionsMicros: contributions },
      ...{ assessedMicros: paid, assessedOwedMicros: owed, leftMicros: left },
    });
    if (told !== undefined) this.#foretold.add(told);
    return own;
  }

  /** An assessment that is paid later, of what has become free. */
  paid(event: EventOf<"Posted">): void {
    if (this.#foretold.has(event)) return;
    const { from, reference: id } = event.posting;
    assert.equal(from, cashOf(id), `${id} pays itself`);
    const owed = this.#owed.get(id) ?? 0n;
    const paid = this.#payable(id, owed);
    this.#books.move(from, FUND, paid);
    this.#owed.set(id, owed - paid);
  }

  defaultEnded(account: string): void {
    this.#assessed.delete(account);
  }

  /** After an entry: all losses were foretold, and nobody keeps free cash that it owes. */
  assertDone(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "LossDrawn") assert.ok(this.#foretold.has(event), "a loss has a ground");
    }
    this.#foretold.clear();
    for (const [id, owed] of this.#owed) {
      const free = owed === 0n ? 0n : this.#cover.freeOf(id);
      assert.ok(free <= 0n, `${id} owes the fund ${owed}, and keeps ${free}`);
    }
  }

  /** The most that these of the fund's shorts may cost. */
  needs(isMeant: (market: Market) => boolean): bigint {
    const meant = [...this.#markets.values()].filter(isMeant);
    return worstTogether(
      meant.map((market) => [this.#books.holding(market.id, FUND).held, market] as const),
    );
  }

  compareAll({ accounts }: State): void {
    for (const { id, contribution } of accounts.values()) {
      assert.equal(contribution?.sizeMicros ?? 0n, this.#sizes.get(id) ?? 0n, `${id} contributes`);
      assert.equal(contribution?.owesMicros ?? 0n, this.#owed.get(id) ?? 0n, `${id} is assessed`);
    }
  }

  #setContribution(id: string, wanted: bigint): void {
    const layer = layerOf(id);
    const has = this.#books.balance(layer);
    const off = wanted > has ? wanted - has : has - wanted;
    const isMoved = off > 0n && off * 10n >= wanted;
    if (isMoved && wanted > has) this.#books.move(cashOf(id), layer, this.#payable(id, off));
    else if (isMoved) this.#books.move(layer, cashOf(id), off);
    const size = this.#books.balance(layer);
    if (size === 0n) this.#sizes.delete(id);
    else this.#sizes.set(id, size);
  }

  /** As much again as was set, in all losses of the default, each by its part of all that was. */
  #assess(defaulter: string, others: readonly string[], open: bigint, within: readonly Event[]) {
    const sizes = others.map((id) => this.#sizes.get(id) ?? 0n);
    const before = this.#assessed.get(defaulter) ?? 0n;
    const asked = least(open, atLeastZero(sum(sizes) - before));
    this.#assessed.set(defaulter, before + asked);
    const [was, now] = [shared(before, sizes), shared(before + asked, sizes)];
    let [paid, owed] = [0n, 0n];
    for (const [at, id] of others.entries()) {
      const share = atLeastZero((now[at] ?? 0n) - (was[at] ?? 0n));
      const told = asked === 0n ? undefined : postedOf(within, "assessment", id);
      const part = this.#payable(id, share);
      if (told !== undefined) this.#foretold.add(told);
      this.#books.move(cashOf(id), FUND, part);
      this.#owed.set(id, (this.#owed.get(id) ?? 0n) + share - part);
      [paid, owed] = [paid + part, owed + share - part];
    }
    return { paid, owed };
  }

  /** Out of free cash. */
  #payable(id: string, most: bigint): bigint {
    return most === 0n ? 0n : least(most, atLeastZero(this.#cover.freeOf(id)));
  }

  #take(layer: string, most: bigint): bigint {
    const taken = least(most, this.#books.balance(layer));
    this.#books.move(layer, FUND, taken);
    return taken;
  }

  #isOf(event: Event, name: string): boolean {
    return event.type === "LossDrawn" && event.loss.of === name && !this.#foretold.has(event);
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

/** `acc-9` before `acc-10`. */
const byAge = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

const postedOf = (
  events: readonly Event[],
  reason: string,
  account: string,
): EventOf<"Posted"> | undefined =>
  events.find(
    (event): event is EventOf<"Posted"> =>
      event.type === "Posted" &&
      event.posting.reason === reason &&
      event.posting.from === cashOf(account),
  );
