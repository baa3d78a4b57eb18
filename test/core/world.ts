// A small world for tests of the core: accounts with cash, prints, markets, by commands only.
// Invariant: nothing here touches the state but `apply`.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { type AccountId, type NodeId, nodeId, orderId, releaseId } from "#base/ids.ts";
import type { IndexKind } from "#base/index-kind.ts";
import { type Micros, micros, parseMicros } from "#base/money.ts";
import { addMonths, type Month, monthEndMillis, parseMonth } from "#base/month.ts";
import { parseTick, type Tick } from "#base/price.ts";
import {
  type ChainLevel,
  chainLevel,
  firstLevel,
  type PrintValue,
  parsePrintValue,
} from "#base/print-value.ts";
import { parseLots } from "#base/quantity.ts";
import type { Baseline, Payoff, Terms } from "#contract/terms.ts";
import { apply } from "#core/apply.ts";
import type {
  Actor,
  ClockKind,
  Command,
  CommandOf,
  Envelope,
  Idempotency,
  OrderInput,
} from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { nextDue } from "#core/due.ts";
import type { Event } from "#core/event.ts";
import { isJournalled } from "#core/journalled.ts";
import { marketIdOf } from "#core/market/listing.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { chainPointName, positionName } from "#core/names.ts";
import { type Entry, isRejected, type Outcome } from "#core/outcome.ts";
import {
  adminPermissions,
  type KycTier,
  type Observation,
  type OperatorName,
  type Order,
  type Permission,
  type Role,
} from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import { foundingRules } from "#core/rules.ts";
import { stateHash } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { wordsAbout } from "#core/words/say.ts";
import { wordIn } from "#core/words/told.ts";
import type { Word } from "#core/words/word.ts";
import { checkDays, takenBy } from "./day-rules.ts";
import { checkInvariants, checkReductions } from "./invariants.ts";
import { checkMandateCash, checkMandateFills, freeOfMakers } from "./mandate-rules.ts";
import { flatRisk } from "./publish-marks.ts";

export const month = (text: string): Month => {
  const parsed = parseMonth(text);
  assert.ok(parsed !== undefined, `${text} is a month`);
  return parsed;
};

const value = (text: string): PrintValue => {
  const parsed = parsePrintValue(text);
  assert.ok(parsed !== undefined, `${text} is a print`);
  return parsed;
};

/** `state` of `state:tx`. */
export const levelOf = (place: NodeId): string => place.slice(0, place.indexOf(":"));

interface Chained {
  readonly month: Month;
  readonly value: PrintValue;
  readonly level: ChainLevel;
}

export interface Trader {
  readonly id: AccountId;
  readonly actor: Actor;
}

export const openingOf = (
  name: string,
  role: Role,
  held: readonly Permission[],
  owner?: AccountId,
): CommandOf<"OpenAccount"> => ({
  type: "OpenAccount",
  name,
  role,
  address: `0x${name}`,
  ...(owner === undefined ? {} : { owner }),
  key: {
    label: "first",
    prefix: "fp_test_aaaa",
    digest: name,
    permissions: held,
    ratePerMinute: 6000,
    expiresAtSeconds: null,
  },
});

/** The trader whose key was made. */
function traderIn(events: readonly Event[]): Trader {
  const made = events.find((event) => event.type === "KeyChanged");
  assert.ok(made?.type === "KeyChanged");
  const { accountId: id, id: keyId } = made.key;
  return { id, actor: { type: "key", accountId: id, keyId } };
}

export class World {
  state = new State();
  sequence = 0;
  /** Printed and listed from here on. */
  index: IndexKind = "zhvi";
  place: NodeId = nodeId("state:tx");
  successor: NodeId | null = null;
  readonly journal: Entry[] = [];
  /** Hashing the state around every command is dear; long random runs do it now and then. */
  judgesRefusals = true;
  /** A run that judges what is paid in the end leaves them: it finds a bug by that alone. */
  judgesInvariants = true;
  nowMillis = Date.UTC(2024, 10, 20);
  #releases = 0;
  #second: Trader | undefined;
  /** By index and place, oldest first. */
  readonly #chains = new Map<string, Chained[]>();

  constructor(clock: ClockKind = "sandbox", version = DECIDER_VERSION) {
    const rules = foundingRules;
    this.do({ type: "system" }, { type: "Genesis", clock, chainId: "test", rules, version });
  }

  /** Applies; every invariant must hold after every command, and a refusal change nothing. */
  try(actor: Actor, command: Command, idempotency: Idempotency | null = null): Outcome {
    const { nowMillis: timeMillis } = this;
    return this.decide({ timeMillis, actor, requestId: null, idempotency, command });
  }

  /** As `try`, of a command that has its place. */
  decide(envelope: Envelope): Outcome {
    const { command } = envelope;
    const before = this.judgesRefusals ? stateHash(this.state) : undefined;
    const judge = this.judgesInvariants ? this.#judgeOf(envelope) : undefined;
    const outcome = apply(this.state, envelope, this.sequence + 1);
    judge?.(outcome);
    if (before !== undefined && isRejected(outcome)) {
      assert.equal(stateHash(this.state), before, `a refused ${command.type} changes nothing`);
    }
    if (!isRejected(outcome)) this.#follow(command, outcome.events);
    if (isJournalled(envelope, outcome)) {
      this.sequence += 1;
      this.journal.push({ sequence: this.sequence, envelope, outcome });
    }
    return outcome;
  }

  /** Keeps what stands before a command; the outcome is judged by it. */
  #judgeOf({ timeMillis }: Envelope): (outcome: Outcome) => void {
    const { state } = this;
    const positions = new Map(state.positions);
    const mandates = new Map(state.mandates);
    const taken = takenBy(state, timeMillis);
    const free = freeOfMakers(state);
    return (outcome) => {
      checkInvariants(state);
      if (isRejected(outcome)) return;
      checkReductions(
        outcome.events,
        (account, market) => positions.get(positionName(account, market))?.heldLots ?? 0n,
        (id) => state.order(id).reduceOnly,
      );
      checkMandateFills(state, outcome.events, mandates);
      checkDays(state, outcome.events, taken, timeMillis);
      checkMandateCash(state, outcome.events, free);
    };
  }

  /** Applies everything due up to a moment, as the sequencer does, and stands there. */
  runTo(millis: number, onDue: (command: Command, events: readonly Event[]) => void = () => {}) {
    for (let due = nextDue(this.state, millis); due; due = nextDue(this.state, millis)) {
      this.nowMillis = due.timeMillis;
      onDue(due.command, this.do(system, due.command));
    }
    this.nowMillis = millis;
  }

  do(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.try(actor, command);
    if (isRejected(outcome)) assert.fail(`${command.type}: ${inspect(outcome.rejection)}`);
    return outcome.events;
  }

  refused(actor: Actor, command: Command): Rejection {
    const outcome = this.try(actor, command);
    if (!isRejected(outcome)) assert.fail(`${command.type} was accepted`);
    return outcome.rejection;
  }

  /** Every tier posts full collateral from now on. */
  requireInFull(): void {
    const { rules } = this.state;
    const full = (tier: KycTier) => ({ ...rules.tiers[tier], requirementBps: 10_000 });
    const tiers = {
      basic: full("basic"),
      enhanced: full("enhanced"),
      institutional: full("institutional"),
    };
    this.do(root, { type: "SetRules", rules: { tiers } });
  }

  trader(name: string, cash: string, tier: KycTier = "institutional"): Trader {
    const trader = this.open(name, "trader");
    this.approve(trader, tier);
    const amountMicros = parseMicros(cash);
    assert.ok(amountMicros !== undefined);
    if (amountMicros > 0n) this.fund(trader, amountMicros);
    return trader;
  }

  /** The account is of the other's owner: root says so, and where it takes two any operator that may. */
  join({ id: accountId }: Pick<Trader, "id">, { id: owner }: Pick<Trader, "id">): void {
    const command = { type: "SetOwner", accountId, owner } as const;
    if (wordIn("open", this.do(root, command)) === undefined) return;
    const second = [...this.state.operators].find((id) => {
      const [key] = this.state.keysOf(id);
      if (key === undefined) return false;
      return !isRejected(this.try({ type: "key", accountId: id, keyId: key.id }, command));
    });
    assert.ok(second !== undefined, "nobody agrees");
  }

  /** Has root propose and a second operator approve a command; returns the second's events. */
  doInTwo(command: Command): readonly Event[] {
    this.do(root, command);
    this.#second ??= this.open("second", "operator");
    return this.do(this.#second.actor, command);
  }

  /** An account with its first key, and nothing else. */
  open(name: string, role: Role, owner?: AccountId): Trader {
    return this.openAs(root, name, role, owner);
  }

  /**
   * As `open`, by somebody. Of an operator's account the key holds every permission of operators;
   * after the first two, the first of them agrees.
   */
  openAs(by: Actor, name: string, role: Role, owner?: AccountId): Trader {
    const held = role === "operator" ? adminPermissions : [];
    const given = this.do(by, openingOf(name, role, held, owner));
    const waiting = wordIn("open", given);
    if (waiting === undefined) return traderIn(given);
    return traderIn(this.agree(this.#secondTo(waiting.by), waiting, name));
  }

  /** The givers of words about a subject, the oldest first. */
  voices(subject: string): readonly OperatorName[] {
    return wordsAbout(this.state, subject).map(({ by }) => by);
  }

  /** A second person's word for what waits. */
  agree(by: Actor, { id: proposalId }: Word, digest = "agreed"): readonly Event[] {
    const key = { prefix: "fp_test_aaaa", digest };
    return this.do(by, { type: "ConfirmProposal", proposalId, key });
  }

  /** An operator's account that root opens before the first two, which may do nothing yet. */
  openIdle(name: string): Trader {
    const command = openingOf(name, "operator", []);
    return traderIn(this.do(root, command));
  }

  /** Gives authority to one that was opened idle: root is shown its key, so it is a new person. */
  empower({ id: accountId }: Trader, by: Actor): Trader {
    const { key } = openingOf(`${accountId} again`, "operator", adminPermissions);
    const waiting = wordIn("open", this.do(by, { type: "IssueKey", accountId, key }));
    assert.ok(waiting !== undefined, "it takes two people to give an operator a key");
    return traderIn(this.agree(root, waiting, key.digest));
  }

  #secondTo(first: OperatorName): Actor {
    if (first !== "root") return root;
    for (const id of this.state.operators) {
      const [key] = this.state.keysOf(id);
      if (key?.permissions.includes("admin:accounts")) {
        return { type: "key", accountId: id, keyId: key.id };
      }
    }
    return assert.fail("nobody else operates");
  }

  /** An operator's cash for a dispute: its account is cleared and funded like any other. */
  giveBond(operator: Trader, dollars = 100): void {
    this.approve(operator, "institutional");
    this.fund(operator, micros(BigInt(dollars) * 1_000_000n));
  }

  approve(trader: Trader, tier: KycTier): void {
    this.do(root, decision(trader.id, "approve", tier, true));
  }

  fund(trader: Trader, amountMicros: Micros): void {
    this.do(root, { type: "FundAccount", accountId: trader.id, amountMicros, memo: null });
  }

  /** Puts so much into the pool that premiums are lent from. */
  lend(amount: string): void {
    const amountMicros = parseMicros(amount) ?? assert.fail(amount);
    this.do(root, { type: "FundFinancing", amountMicros, memo: null });
  }

  /** A release with one new month for the place; the first one is backfill. */
  print(monthText: string, valueText: string, linkText?: string | null): readonly Event[] {
    return this.do(root, this.release(this.observe(monthText, valueText, linkText)));
  }

  /**
   * A first print hanging on the newest chained month before it, whose value in this release is
   * `linkText` (as it was printed, unless said); null = this release carries no such month.
   */
  observe(monthText: string, valueText: string, linkText?: string | null): Observation {
    const at = month(monthText);
    const printed = value(valueText);
    const before = this.#isChained
      ? this.#chainOf(this.index, this.place).findLast((print) => print.month < at)
      : undefined;
    const link =
      before === undefined || linkText === null
        ? null
        : {
            month: before.month,
            valueE15: linkText === undefined ? before.value : value(linkText),
            levelE12: before.level,
          };
    const chained = link === null ? null : chainLevel(link.levelE12, printed, link.valueE15);
    const first = !this.state.chainPoints.has(chainPointName(this.index, this.place, at));
    return {
      nodeId: this.place,
      month: at,
      valueE15: printed,
      levelE12: first && this.#isChained ? firstLevel : chained,
      link,
      backfill: first,
      gaps: [],
    };
  }

  get #isChained(): boolean {
    return this.index === "zhvi" || this.index === "zori";
  }

  /** Later prints hang on the printed ones. */
  #follow(command: Command, events: readonly Event[]): void {
    const isHeld = events.some(({ type }) => type === "QuarantineChanged");
    if (command.type === "AcceptRelease" && !isHeld) {
      this.#chainOn(command.release.index, command.observations);
    }
    if (command.type === "RereadReleases") this.#chainOn(command.index, command.newest);
    if (command.type === "ReleasePlace" || command.type === "RejectPlace") {
      for (const { releaseId: id, observations } of command.readings) {
        const release = this.state.releases.get(id) ?? assert.fail(`no release ${id}`);
        this.#chainOn(release.index, observations);
      }
    }
  }

  #chainOn(index: IndexKind, observations: readonly Observation[]): void {
    for (const { nodeId: place, month: at, valueE15, levelE12 } of observations) {
      if (levelE12 === null) continue;
      const chain = this.#chainOf(index, place);
      chain.push({ month: at, value: valueE15, level: levelE12 });
      chain.sort((a, b) => a.month - b.month);
    }
  }

  #chainOf(index: IndexKind, place: NodeId): Chained[] {
    const name = `${index}|${place}`;
    const chain = this.#chains.get(name) ?? [];
    this.#chains.set(name, chain);
    return chain;
  }

  /** The command that brings these prints. */
  release(...observations: readonly Observation[]): CommandOf<"AcceptRelease"> {
    this.#releases += 1;
    const months = observations.map((seen) => seen.month).toSorted((a, b) => a - b);
    const [first, last] = [months.at(0), months.at(-1)];
    assert.ok(first !== undefined && last !== undefined);
    return {
      type: "AcceptRelease",
      release: {
        id: releaseId(`rel-${this.#releases}`),
        provider: "zillow",
        index: this.index,
        level: levelOf(this.place),
        publishedAtMillis: this.nowMillis,
        sha256: String(this.#releases),
        rows: observations.length,
        firstMonth: first,
        lastMonth: last,
        firstPrints: observations.length,
        revisions: 0,
        unchanged: 0,
        rescaled: 0,
        unmatched: 0,
        methodologyVersion: "1",
        printsDigest: "",
        latestDigest: "",
      },
      observations,
    };
  }

  /** The listing of a protection series on the newest first print of the place. */
  listing(end: string, payoff: Payoff, markText = "0.05"): Listing {
    const terms: Terms = {
      index: this.index,
      nodeId: this.place,
      measurementMonth: month(end),
      payoff,
      baseline: payoff.kind === "level" ? null : this.#baseline(month(end)),
      rounding: "payout-millionths-down",
      fallback: "fallbacks-1",
      successor: this.successor,
      methodologyVersion: "1",
      expectedAtMillis: monthEndMillis(addMonths(month(end), 0)) + 19 * 86_400_000,
    };
    const mark = tick(markText);
    const marks = { markTick: mark, stressedTick: mark, riskTicks: flatRisk(mark) };
    return { marketId: marketIdOf(terms), terms, ...marks, within: [] };
  }

  #baseline(end: Month): Baseline {
    const point = this.state.chainPoints.get(chainPointName(this.index, this.place, end));
    assert.ok(point !== undefined && point.levelE12 !== null);
    const { month: at, valueE15, levelE12, releaseId: from } = point;
    return { month: at, valueE15, levelE12, releaseId: from };
  }

  order(input: OrderInput, trader: Trader, listing: Listing | null = null): Order {
    const events = this.do(trader.actor, { type: "PlaceOrder", order: input, listing });
    const last = events.findLast((event) => event.type === "OrderChanged");
    assert.ok(last?.type === "OrderChanged");
    return last.order;
  }

  cash(trader: Trader): bigint {
    return this.state.balance(`cash:${trader.id}`);
  }

  available(trader: Trader): bigint {
    return micros(this.cash(trader) - this.state.exposures.locked(trader.id));
  }
}

export const decision = (
  id: AccountId,
  word: "approve" | "reject",
  tier: KycTier | null,
  sanctionsCleared: boolean,
): Command => ({
  type: "DecideKyc",
  accountId: id,
  decision: word,
  tier,
  countryCode: "US",
  sanctionsCleared,
  pepScreened: true,
  adverseMediaCleared: true,
  listVersion: "test",
  provider: "manual",
  accreditation: { basis: "test", evidenceId: "ev-1", expiresAtSeconds: null },
});

export const root: Actor = { type: "root" };
export const system: Actor = { type: "system" };

export const tick = (text: string): Tick => {
  const parsed = parseTick(text);
  assert.ok(parsed !== undefined, `${text} is a price`);
  return parsed;
};

export function order(
  listing: Pick<Listing, "marketId">,
  side: "BUY" | "SELL",
  amount: string,
  price: string,
  more: Partial<OrderInput> = {},
): OrderInput {
  const amountLots = parseLots(amount) ?? assert.fail(`${amount} is an amount`);
  return {
    marketId: listing.marketId,
    outcomeIndex: 0,
    side,
    priceTick: parseTick(price) ?? null,
    amountLots,
    expirySeconds: 0,
    timeInForce: "GTC",
    postOnly: false,
    reduceOnly: false,
    clientOrderId: null,
    selfTradePrevention: "cancel_incoming",
    ...more,
  };
}

/** An amendment of the first order; what is not said stays as it is. */
export const amendment = (changes: Partial<CommandOf<"AmendOrder">>): CommandOf<"AmendOrder"> => ({
  type: "AmendOrder",
  orderId: orderId("ord-1"),
  price: null,
  amountLots: null,
  expirySeconds: null,
  ...changes,
});

/** Lets one resting order too many of this trader be filled. */
export function tripProtection(
  world: World,
  trader: Trader,
  other: Trader,
  listing: Pick<Listing, "marketId">,
): void {
  for (let at = 0; at < 2; at += 1) world.order(order(listing, "BUY", "0.01", "0.5"), trader);
  const limits = { withinSeconds: 60, maxLots: null, maxFills: 1 };
  world.do(trader.actor, { type: "SetProtection", ...limits });
  world.order(order(listing, "SELL", "0.02", "0.5"), other);
}
