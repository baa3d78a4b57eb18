// Cash settlements: the auditor's own round of marks, which of them count, what each weighs, and
// their weighted median.
// Invariant: nothing of the core is called; a mark is read from the command that gave it.
import assert from "node:assert/strict";
import type { Command, Envelope } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Account, Market, Position } from "#core/records.ts";
import type { State } from "#core/state.ts";
import { type Books, FUND } from "./books.ts";
import { actorOf, type People } from "./people.ts";

const DAY_MILLIS = 86_400_000;
const FEWEST = 3;
const DAYS = 30;
/** 100,000 USD of coverage. */
const LEAST_LOTS = 10_000_000n;

interface Round {
  readonly openedAtMillis: number;
  /** By account, the newest last. */
  readonly given: Map<string, number>;
}

const isLive = ({ status }: Market): boolean => status === "ACTIVE" || status === "PAUSED";

export class Marks {
  readonly #books: Books;
  readonly #people: People;
  readonly #markets: ReadonlyMap<string, Market>;
  readonly #accounts = new Map<string, Account>();
  readonly #rounds = new Map<string, Round>();
  readonly #shorts = new Shorts();
  readonly #far = new Map<string, { readonly atMillis: number; readonly found: object }>();

  constructor(books: Books, people: People, markets: ReadonlyMap<string, Market>) {
    this.#books = books;
    this.#people = people;
    this.#markets = markets;
  }

  /** Before the events of the entry are seen; `done`: what took effect by it. */
  follow(envelope: Envelope, done: Command | undefined, events: readonly Event[]): void {
    const { actor, command, timeMillis } = envelope;
    if (done?.type === "SettleByFallback" && done.taken.step === "cash") {
      assert.ok(!this.#rounds.has(done.marketId), `one round of ${done.marketId} at a time`);
      const far = this.#far.get(done.marketId);
      assert.ok(far === undefined || timeMillis >= far.atMillis + 10 * DAY_MILLIS, "its time");
      this.#far.delete(done.marketId);
      this.#rounds.set(done.marketId, { openedAtMillis: timeMillis, given: new Map() });
    }
    if (done?.type === "SettleByFallback" && done.taken.step === "median") {
      const far = this.#far.get(done.marketId) ?? assert.fail("a median was far");
      this.#assertSettled(done.marketId, far.found, events);
      this.#far.delete(done.marketId);
    }
    if (command.type === "GiveMark") {
      const { given } = this.#rounds.get(command.marketId) ?? assert.fail("marks are taken");
      const by = actorOf(actor);
      assert.ok(this.#mayMark(command.marketId, by, timeMillis), `${by} may mark it`);
      given.delete(by);
      given.set(by, command.valueTicks);
    }
    if (command.type === "CloseMarks") this.#close(command.marketId, timeMillis, events);
  }

  /** Once the events are seen: a print before the close ends a round unseen. */
  see(events: readonly Event[], timeMillis: number): void {
    for (const event of events) {
      if (event.type === "PositionChanged") this.#shorts.see(event.position, timeMillis);
      if (event.type === "AccountChanged") this.#accounts.set(event.account.id, event.account);
      if (event.type === "MarketChanged" && !isLive(event.market)) {
        this.#rounds.delete(event.market.id);
        this.#far.delete(event.market.id);
      }
    }
  }

  compareAll({ marks, markets }: State): void {
    const running = [...markets.values()].filter(({ markRound }) => markRound !== undefined);
    assert.deepEqual(running.map(({ id }) => id).sort(), [...this.#rounds.keys()].sort());
    const shown = [...marks.values()].map((one) => [one.marketId, one.accountId, one.valueTicks]);
    const mine = [...this.#rounds].flatMap(([id, { given }]) =>
      [...given].map(([account, ticks]) => [id, account, ticks]),
    );
    assert.deepEqual(shown.sort(), mine.sort(), "the sealed marks");
  }

  #close(id: string, nowMillis: number, events: readonly Event[]): void {
    const { openedAtMillis, given } = this.#rounds.get(id) ?? assert.fail(`${id} takes marks`);
    this.#rounds.delete(id);
    assert.ok(nowMillis >= openedAtMillis + 3 * DAY_MILLIS, `${id} takes marks for three days`);
    const byOwner = new Map<string, number>();
    for (const [account, ticks] of given) {
      if (this.#mayMark(id, account, nowMillis)) byOwner.set(this.#ownerOf(account), ticks);
    }
    const marks = [...byOwner]
      .map(([owner, ticks]) => ({ ticks, held: this.#heldShort(owner, nowMillis) }))
      .filter(({ held }) => held > 0n)
      .sort((a, b) => a.ticks - b.ticks || Number(a.held - b.held));
    const { markTick, stressedTick } = this.#markets.get(id) ?? assert.fail(id);
    if (marks.length < FEWEST) {
      const { status } = toldOf(id, events);
      assert.equal(status, this.#markets.get(id)?.status, `${id} waits for a step again`);
      return;
    }
    const found = { modelTicks: markTick, ...medianOf(markTick, marks) };
    const halfWidth = Math.max(100, Math.ceil((stressedTick - markTick) / 4));
    if (Math.abs(found.valueTicks - markTick) <= 3 * halfWidth) {
      this.#assertSettled(id, found, events);
      return;
    }
    const { againAtMillis: _again, ...kept } = toldOf(id, events).farMedian ?? assert.fail(id);
    assert.deepEqual(kept, found, `two people are asked about ${id}`);
    this.#far.set(id, { atMillis: nowMillis, found });
  }

  #assertSettled(id: string, found: object, events: readonly Event[]): void {
    const { status, resolution } = toldOf(id, events);
    assert.equal(status, "RESOLVED", `${id} is settled in cash`);
    const fallback = resolution?.fallback;
    assert.ok(fallback?.step === "cash", `${id} is settled by marks`);
    const { step: _cash, print: _print, ...settled } = fallback;
    assert.deepEqual(settled, found);
  }

  #ownerOf = (account: string): string => this.#accounts.get(account)?.owner ?? account;

  #heldShort(owner: string, nowMillis: number): bigint {
    const mine = [...this.#accounts.keys()].filter((account) => this.#ownerOf(account) === owner);
    return mine.reduce((sum, account) => sum + this.#shorts.fewest(account, nowMillis), 0n);
  }

  /** Cleared, in no call, short somewhere, and without a stake in the market. */
  #mayMark(market: string, id: string, nowMillis: number): boolean {
    const { kyc, halted, marginCall, inDefault } = this.#accounts.get(id) ?? assert.fail(id);
    const isAhead = (seconds: number | null | undefined): boolean =>
      typeof seconds === "number" && seconds > Math.floor(nowMillis / 1000);
    const isCleared = kyc.status === "approved" && isAhead(kyc.expiresAtSeconds);
    const isAccredited =
      kyc.accreditation === undefined || isAhead(kyc.accreditation?.expiresAtSeconds);
    if (!isCleared || !isAccredited || halted) return false;
    if (marginCall !== undefined || inDefault !== undefined) return false;
    const holders = [...this.#books.holdingsIn(market)];
    const hasStake = holders.some(
      ([account, { held }]) => held !== 0n && account !== FUND && !this.#people.areTwo(account, id),
    );
    return !hasStake && this.#isSeller(id);
  }

  #isSeller(id: string): boolean {
    return [...this.#books.holdings].some(([name, holdings]) => {
      const market = this.#markets.get(name);
      return market !== undefined && isLive(market) && (holdings.get(id)?.held ?? 0n) < 0n;
    });
  }
}

/** As the entry leaves it. */
function toldOf(id: string, events: readonly Event[]): Market {
  const told = events.findLast((event) => event.type === "MarketChanged");
  assert.ok(told?.type === "MarketChanged" && told.market.id === id, `${id} is told`);
  return told.market;
}

interface Mark {
  readonly ticks: number;
  readonly held: bigint;
}

/** A third of all at most for an owner; the model has the rest of it. */
function medianOf(modelTicks: number, marks: readonly Mark[]) {
  const all = marks.reduce((sum, { held }) => sum + held, 0n);
  const total = all < LEAST_LOTS ? LEAST_LOTS : all;
  const most = total / 3n;
  const weighed = marks.map(({ ticks, held }) => ({
    valueTicks: ticks,
    weightLots: held > most ? most : held,
  }));
  const modelLots = weighed.reduce((left, { weightLots }) => left - weightLots, total);
  const everybody = [...weighed, { valueTicks: modelTicks, weightLots: modelLots }];
  const upTo = (value: number): bigint =>
    everybody.reduce((sum, one) => (one.valueTicks <= value ? sum + one.weightLots : sum), 0n);
  const values = everybody.map(({ valueTicks }) => valueTicks);
  const valueTicks = Math.min(...values.filter((value) => upTo(value) * 2n >= total));
  return { modelLots, marks: weighed, valueTicks };
}

/** The lots each account was ever short, over all markets, and since when. */
class Shorts {
  readonly #held = new Map<string, bigint>();
  readonly #totals = new Map<string, { readonly sinceMillis: number; readonly total: bigint }[]>();

  see({ accountId, marketId, heldLots }: Position, timeMillis: number): void {
    const name = `${accountId} ${marketId}`;
    const short = heldLots < 0n ? -heldLots : 0n;
    const totals = this.#totals.get(accountId) ?? [{ sinceMillis: 0, total: 0n }];
    const total = (totals.at(-1)?.total ?? 0n) + short - (this.#held.get(name) ?? 0n);
    totals.push({ sinceMillis: timeMillis, total });
    this.#held.set(name, short);
    this.#totals.set(accountId, totals);
  }

  /** Since the midnight that is 30 whole days ago. */
  fewest(account: string, nowMillis: number): bigint {
    const fromMillis = (Math.floor(nowMillis / DAY_MILLIS) - DAYS) * DAY_MILLIS;
    const totals = this.#totals.get(account) ?? [];
    const inForce = totals.filter(
      (_, at) => (totals[at + 1]?.sinceMillis ?? nowMillis) >= fromMillis,
    );
    return inForce.reduce(
      (least, { total }) => (total < least ? total : least),
      inForce[0]?.total ?? 0n,
    );
  }
}
