// The exchange that a replay founds for itself: a state, commands and a clock, and no journal.
// Invariant: every change of its state is a command that the core decided.

import type { AccountId, NodeId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { micros } from "#base/money.ts";
import { formatMonth, type Month } from "#base/month.ts";
import { type Lots, lots } from "#base/quantity.ts";
import { type DeclinePayoff, formatSeriesId } from "#contract/series.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import { DECIDER_VERSION } from "#core/decider.ts";
import { nextDue } from "#core/due.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { KycTier, Observation } from "#core/records.ts";
import { foundingRules } from "#core/rules.ts";
import { State } from "#core/state.ts";
import { available } from "#core/step.ts";
import type { NewPrint } from "#prints/first-prints.ts";
import { expectedPublicationMillis } from "#prints/release.ts";
import { listingFor, marksDue, publishing } from "#quoting/listing.ts";
import type { MarketData, Reference } from "#quoting/reference.ts";
import type { SeriesView } from "#views/series.ts";
import { type RecordedPast, releaseOf } from "./past.ts";

export interface Trader {
  readonly id: AccountId;
  readonly actor: Actor;
}

/** The prints that have been published, and the model that reads them. */
export interface PublishedPast {
  readonly series: SeriesView;
  readonly reference: Reference;
}

/** Of each contract: the most that the lowest tier may sell in a day. */
export const LOTS: Lots = lots(500_000n);
/** Operators of a replay fund accounts without a second person. */
const FUNDING_LIMIT = micros(10n ** 18n);

export const root: Actor = { type: "root" };
export const system: Actor = { type: "system" };

export const order = {
  outcomeIndex: 0,
  amountLots: LOTS,
  expirySeconds: 0,
  timeInForce: "GTC",
  postOnly: false,
  reduceOnly: false,
  clientOrderId: null,
  selfTradePrevention: "cancel_incoming",
} as const;

export class OwnExchange {
  readonly state = new State();
  readonly #past: RecordedPast;
  readonly #data: MarketData;
  readonly #onEvent: (event: Event, state: State) => void;
  #sequence = 0;
  #nowMillis: number;

  /** Founded on the day that the print of a month is published. */
  constructor(
    past: RecordedPast,
    month: Month,
    known: PublishedPast,
    onEvent: (event: Event, state: State) => void = () => {},
  ) {
    this.#past = past;
    this.#nowMillis = publishedAt(month);
    const { markets, releases } = this.state;
    this.#data = { exchange: { geo: past.geo, markets, releases }, ...known };
    this.#onEvent = onEvent;
    const rules = { ...foundingRules, fundingLimitMicros: FUNDING_LIMIT };
    const version = DECIDER_VERSION;
    this.give(system, { type: "Genesis", clock: "sandbox", chainId: "replay", rules, version });
  }

  get nowMillis(): number {
    return this.#nowMillis;
  }

  /** The marks that the prints known now change. */
  marksDue() {
    return marksDue(this.#data);
  }

  publishMarks(): void {
    this.give(system, publishing(this.marksDue()));
  }

  /** The series of a place from one month to another, where there can be one. */
  listing(
    nodeId: NodeId,
    [baselineMonth, measurementMonth]: readonly [Month, Month],
    payoff: DeclinePayoff,
  ): Listing | undefined {
    const { index } = this.#past;
    const series = { index, nodeId, baselineMonth, measurementMonth, payoff };
    return listingFor(this.#data, formatSeriesId(series));
  }

  /** Without cash the order is refused, and the refusal says what the least is. */
  order(trader: Trader, input: OrderInput, listing: Listing | null): void {
    const command: Command = { type: "PlaceOrder", order: input, listing };
    const asked = this.ask(trader.actor, command);
    if (!isRejected(asked)) return;
    const { code, details } = asked.rejection;
    const amountMicros = details?.requiredMicros;
    invariant(
      code === "INSUFFICIENT_BALANCE" && amountMicros !== undefined,
      `only cash is missing, not ${code}`,
    );
    this.give(root, { type: "FundAccount", accountId: trader.id, amountMicros, memo: null });
    this.give(trader.actor, command);
  }

  /** The fee that its resting order held back is free again. */
  withdraw(accountId: AccountId): void {
    const free = available(this.state, accountId);
    if (free <= 0n) return;
    const amountMicros = micros(-free);
    this.give(root, { type: "FundAccount", accountId, amountMicros, memo: null });
  }

  open(name: string, tier: KycTier): Trader {
    const key = {
      label: "replay",
      prefix: "fp_test_repl",
      digest: name,
      permissions: [],
      ratePerMinute: null,
      expiresAtSeconds: null,
    };
    const events = this.give(root, {
      type: "OpenAccount",
      name,
      role: "trader",
      address: `0x${name}`,
      key,
    });
    const made = events.find((event) => event.type === "KeyChanged");
    invariant(made?.type === "KeyChanged", "an account is opened with a key");
    const { accountId: id, id: keyId } = made.key;
    this.give(root, {
      type: "DecideKyc",
      accountId: id,
      decision: "approve",
      tier,
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: "replay",
      provider: "sandbox",
      accreditation: { basis: "replay", evidenceId: "replay", expiresAtSeconds: null },
    });
    return { id, actor: { type: "key", accountId: id, keyId } };
  }

  accept(month: Month, nodes: readonly NodeId[], backfill: boolean): void {
    const observations = nodes.flatMap((nodeId) => {
      const print = this.#printOf(nodeId, month);
      return print === undefined ? [] : observationOf(nodeId, print, backfill);
    });
    this.give(root, {
      type: "AcceptRelease",
      release: {
        id: releaseOf(month),
        provider: "zillow",
        index: this.#past.index,
        level: "replay",
        publishedAtMillis: this.#nowMillis,
        sha256: formatMonth(month),
        rows: observations.length,
        firstMonth: month,
        lastMonth: month,
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
    });
  }

  #printOf(nodeId: NodeId, month: Month): NewPrint | undefined {
    return this.#past.byNode.get(nodeId)?.prints.get(month);
  }

  runTo(millis: number): void {
    for (let due = nextDue(this.state, millis); due; due = nextDue(this.state, millis)) {
      this.#nowMillis = due.timeMillis;
      this.give(system, due.command);
    }
    this.#nowMillis = millis;
  }

  give(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.ask(actor, command);
    invariant(!isRejected(outcome), `a replay gives no ${command.type} that is refused`);
    return outcome.events;
  }

  ask(actor: Actor, command: Command) {
    const envelope = {
      timeMillis: this.#nowMillis,
      actor,
      requestId: null,
      idempotency: null,
      command,
    };
    const outcome = apply(this.state, envelope, this.#sequence + 1);
    if (isRejected(outcome)) return outcome;
    this.#sequence += 1;
    for (const event of outcome.events) this.#onEvent(event, this.state);
    return outcome;
  }
}

export const publishedAt = (month: Month): number => expectedPublicationMillis("zillow", month);

/** A place's first print in an exchange has its history behind it: it is a backfill. */
const observationOf = (nodeId: NodeId, print: NewPrint, backfill: boolean): Observation => ({
  nodeId,
  month: print.month,
  valueE15: print.valueE15,
  levelE12: print.levelE12,
  link: print.link,
  backfill,
  gaps: [],
});
