// The auditor's own rules: each value in force, the changes that wait for their day, and the
// accounts for which a change makes something dearer.
// Invariant: nothing of the core is called; a value changes at once where it makes nothing dearer
// for anybody, else five days after a second person agreed, and only where the change named it.
import assert from "node:assert/strict";
import { micros } from "#base/money.ts";
import type { Command, CommandOf, Envelope } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import type { KycTier, Order } from "#core/records.ts";
import type { BustRules, ConcentrationRules, Rules } from "#core/rules.ts";
import type { RulesChange } from "#core/rules-change.ts";
import type { State } from "#core/state.ts";
import type { Books } from "./books.ts";

const NOTICE_MILLIS = 5 * 86_400_000;

/** By their paths, as `tiers.basic.feeBps`. */
type Values = ReadonlyMap<string, unknown>;

interface OwnLimits {
  readonly daily: bigint | undefined;
  readonly open: number | undefined;
}

interface Announced {
  readonly values: Values;
  readonly atMillis: number;
}

/** Rules may not say when a fill is busted: then it is off by a tenth, and for half an hour. */
export const bustIn = (rules: Rules | undefined): BustRules =>
  rules?.bust ?? { bandTicks: 1_000, windowMinutes: 30 };

/** Nor may they say when a seller is too large: then nobody is. */
export const concentrationIn = (rules: Rules | undefined): ConcentrationRules =>
  rules?.concentration ?? {
    shareBps: 2_000,
    floorMicros: micros(100_000_000_000n),
    rateBps: 0,
  };

/** Nor how large the fund is to be: then nobody contributes; nor the carry, which is 4 % then. */
const spelled = (rules: Rules | undefined): RulesChange => ({
  ...rules,
  bust: bustIn(rules),
  fund: rules?.fund ?? { targetMicros: micros(0n) },
  concentration: concentrationIn(rules),
  price: rules?.price ?? { carryBps: 400 },
});

/** Dearer where there is more of it, and where there is less. */
const dearerAbove: ReadonlySet<string> = new Set([
  ...["feeBps", "requirementBps", "windowMinutes", "rateBps", "targetMicros", "carryBps"],
]);
const dearerBelow: ReadonlySet<string> = new Set([
  ...["maxDailyMicros", "maxDailyVolumeMicros", "bandTicks", "shareBps", "floorMicros"],
]);
const ofAllTiers: ReadonlySet<string> = new Set(["bust", "fund", "concentration", "price"]);

export class Rulebook {
  readonly #books: Books;
  readonly #tiers: ReadonlyMap<string, KycTier>;
  readonly #values = new Map<string, unknown>();
  /** Values that wait for a second word, by the proposal. */
  readonly #said = new Map<string, Values>();
  readonly #announced = new Map<string, Announced>();
  /** Of accounts, in place of their tier's. */
  readonly #caps = new Map<string, OwnLimits>();
  /** Orders that rest or wait to, by account. */
  readonly #open = new Map<string, Set<string>>();

  constructor(books: Books, tiers: ReadonlyMap<string, KycTier>) {
    this.#books = books;
    this.#tiers = tiers;
  }

  /** Somebody holds or offers something that gets dearer. */
  isDearer(change: RulesChange): boolean {
    return this.#concerned(this.#newIn(flat(change))).length > 0;
  }

  /** More than the account may trade in a day now, or have open. */
  isRaised(command: CommandOf<"SetCaps">): boolean {
    const { accountId: id } = command;
    const [before, after] = [this.#caps.get(id), this.#capsAfter(command)];
    const daily = (caps: OwnLimits | undefined): bigint => caps?.daily ?? this.#ofTier(id);
    return daily(after) > daily(before) || (after.open ?? 1_000) > (before?.open ?? 1_000);
  }

  /** The lower of the two that a tier has. */
  #ofTier(account: string): bigint {
    const tier = this.#tiers.get(account) ?? "basic";
    const [kyc = 0n, other = 0n] = ["maxDailyMicros", "maxDailyVolumeMicros"].map((field) =>
      BigInt(String(this.#values.get(`tiers.${tier}.${field}`))),
    );
    return kyc < other ? kyc : other;
  }

  #capsAfter({ accountId, maxDailyMicros, maxOpenOrders }: CommandOf<"SetCaps">): OwnLimits {
    const before = this.#caps.get(accountId);
    return {
      daily: maxDailyMicros === undefined ? before?.daily : (maxDailyMicros ?? undefined),
      open: maxOpenOrders === undefined ? before?.open : (maxOpenOrders ?? undefined),
    };
  }

  /** `done`: what took effect by the entry; undefined where it was a first word. */
  follow(envelope: Envelope, done: Command | undefined, events: readonly Event[]): void {
    const { command, timeMillis } = envelope;
    for (const [id, { atMillis }] of this.#announced) {
      assert.ok(timeMillis <= atMillis, `${id} has come into force`);
    }
    const [told] = ofType(events, "RulesAnnounced");
    if (done?.type === "Genesis") this.#put(flat(spelled(done.rules)));
    else if (done?.type === "SetRules") {
      const said = command.type === "ConfirmProposal" && this.#said.get(command.proposalId);
      const values = this.#newIn(said || flat(done.rules));
      this.#change(values, timeMillis, events);
    } else if (done?.type === "WithdrawRules") {
      const { values } = this.#announced.get(done.announcementId) ?? assert.fail("it waits");
      assert.equal(told?.status, "withdrawn", `${done.announcementId} is withdrawn`);
      this.#assertWarned(values, events);
      this.#announced.delete(done.announcementId);
    } else if (done?.type === "ApplyRules") {
      const { values, atMillis } = this.#announced.get(done.announcementId) ?? assert.fail();
      assert.equal(timeMillis, atMillis, `${done.announcementId} is in force on its day`);
      assert.equal(told?.status, "in_force", `${done.announcementId} is in force`);
      this.#announced.delete(done.announcementId);
      this.#put(values);
    } else assert.equal(told, undefined, `${command.type} announces no rules`);
    if (done?.type === "SetCaps") this.#caps.set(done.accountId, this.#capsAfter(done));
    for (const { word, status } of ofType(events, "WordChanged")) {
      if (status !== "open") this.#said.delete(word.id);
      else if (word.command.type === "SetRules" && command.type === "SetRules") {
        this.#said.set(word.id, this.#newIn(flat(command.rules)));
      }
    }
    for (const { rules } of ofType(events, "RulesChanged")) this.#compare(rules);
    for (const { order } of ofType(events, "OrderChanged")) this.#seeOrder(order);
  }

  compareAll(state: State): void {
    this.#compare(state.rules);
    const waiting = [...state.announcedRules.values()].map(({ id, change, effectiveAtMillis }) => [
      id,
      { values: flat(change), atMillis: effectiveAtMillis },
    ]);
    assert.deepEqual(waiting, [...this.#announced], "the changes that wait for their day");
    for (const { id, caps } of state.accounts.values()) {
      const { daily, open } = this.#caps.get(id) ?? {};
      assert.deepEqual(
        [caps?.maxDailyMicros, caps?.maxOpenOrders],
        [daily, open],
        `${id}'s limits`,
      );
    }
  }

  #change(values: Values, nowMillis: number, events: readonly Event[]): void {
    const [told] = ofType(events, "RulesAnnounced");
    if (this.#concerned(values).length === 0) {
      assert.equal(told, undefined, "what makes nothing dearer is in force at once");
      this.#put(values);
      return;
    }
    assert.equal(told?.status, "announced", "what makes something dearer is announced");
    assert.equal(ofType(events, "RulesChanged").length, 0, "and changes nothing yet");
    this.#assertWarned(values, events);
    const { id } = told?.announcement ?? assert.fail();
    this.#announced.set(id, { values, atMillis: nowMillis + NOTICE_MILLIS });
  }

  /** Everybody concerned hears of it, and nobody else. */
  #assertWarned(values: Values, events: readonly Event[]): void {
    const warned = ofType(events, "AlertRaised").flatMap(({ alert }) =>
      alert.type === "rules" ? [alert.accountId] : [],
    );
    assert.deepEqual(warned.sort(), [...this.#concerned(values)].sort(), "they hear of it");
  }

  #concerned(values: Values): readonly string[] {
    const dearer = new Set<string>();
    for (const [path, value] of values) {
      const [group = "", kind = "", field = kind] = path.split(".");
      if (group === "concentration" && this.#isUnasked(values)) continue;
      if (isDearerThan(this.#values.get(path), field, value))
        dearer.add(ofAllTiers.has(group) ? "everybody" : kind);
    }
    return [...this.#tiers].flatMap(([account, tier]) =>
      (dearer.has("everybody") || dearer.has(tier)) && this.#isInvolved(account) ? [account] : [],
    );
  }

  /** Shares that nothing is asked for may be judged by any figure. */
  #isUnasked(values: Values): boolean {
    const path = "concentration.rateBps";
    return (values.get(path) ?? this.#values.get(path)) === 0;
  }

  #isInvolved(account: string): boolean {
    if ((this.#open.get(account)?.size ?? 0) > 0) return true;
    return [...this.#books.holdings.values()].some(
      (holdings) => (holdings.get(account)?.held ?? 0n) !== 0n,
    );
  }

  #seeOrder({ id, accountId, status }: Order): void {
    const open = this.#open.get(accountId) ?? new Set();
    if (status === "OPEN" || status === "PARTIALLY_FILLED") open.add(id);
    else open.delete(id);
    this.#open.set(accountId, open);
  }

  #newIn(values: Values): Values {
    return new Map([...values].filter(([path, value]) => this.#values.get(path) !== value));
  }

  #put(values: Values): void {
    for (const [path, value] of values) this.#values.set(path, value);
  }

  #compare(rules: Rules): void {
    const values = flat(spelled(rules));
    assert.deepEqual(values, this.#values, "the rules in force");
  }
}

function isDearerThan(before: unknown, field: string, after: unknown): boolean {
  if (!dearerAbove.has(field) && !dearerBelow.has(field)) return false;
  const [less, more] = [before, after].map((value) => {
    assert.ok(typeof value === "number" || typeof value === "bigint", `${field} is a number`);
    return value;
  });
  assert.ok(less !== undefined && more !== undefined);
  return dearerAbove.has(field) ? more > less : more < less;
}

/** The limit of one person's funding is kept with the people. */
function flat(change: RulesChange): Values {
  const {
    tiers = {},
    liquidity = {},
    bust = {},
    fund = {},
    concentration = {},
    price = {},
  } = change;
  const values = new Map<string, unknown>();
  for (const [group, kinds] of Object.entries({ tiers, liquidity })) {
    for (const [kind, fields] of Object.entries(kinds)) {
      for (const [field, value] of Object.entries(fields)) {
        values.set(`${group}.${kind}.${field}`, value);
      }
    }
  }
  for (const [group, fields] of Object.entries({ bust, fund, concentration, price })) {
    for (const [field, value] of Object.entries(fields)) values.set(`${group}.${field}`, value);
  }
  return values;
}

const ofType = <Type extends Event["type"]>(
  events: readonly Event[],
  type: Type,
): readonly EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);
