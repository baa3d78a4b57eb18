// A random history of requests for quotes among orders, halts and the passing of time; or the same
// history again, with other prices in some of its quotes.
// Invariant: a planted price stands nowhere else in its history.
import assert from "node:assert/strict";
import { type AccountId, type RfqId, type RfqQuoteId, rfqId, rfqQuoteId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { Actor, Command } from "#core/command.ts";
import type { Event, EventOf } from "#core/event.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { RfqQuote } from "#core/rfq/record.ts";
import { available } from "#core/step.ts";
import { Dice } from "./dice.ts";
import { HOUR, rfqStage } from "./rfq-stage.ts";
import { order, root, type Trader } from "./world.ts";

const COMMANDS = 40;

export const tickOf = (value: number): Tick => (isTick(value) ? value : assert.fail(`${value}`));

/** One command as it was given, and what became of it. */
export interface Given {
  readonly atMillis: number;
  readonly actor: Actor;
  readonly command: Command;
  readonly outcome: Outcome;
}

type Sums = Readonly<Record<"opened" | "quoted" | "accepted" | "ended" | "lapsed", number>>;

export class RfqHistory {
  readonly stage = rfqStage("5000");
  /** Their prices stand nowhere else: each is drawn once a history. */
  readonly planted: RfqQuote[] = [];
  readonly given: Given[] = [];
  /** Trades by orders alone: it asks for nothing and quotes nothing. */
  readonly outsider: Trader;
  readonly #onGiven: (given: Given) => void;
  readonly #counts = { opened: 0, quoted: 0, accepted: 0, ended: 0, lapsed: 0 };
  readonly #accepted = new Set<string>();
  readonly #requesters = new Map<RfqId, AccountId>();
  readonly #known: (readonly [AccountId, AccountId])[] = [];
  readonly #traders: readonly Trader[];
  #nextTick = 3_001;
  #nextBetter = 2_999;

  constructor(onGiven: (given: Given, history: RfqHistory) => void = () => undefined) {
    const { world, buyer, maker, rival } = this.stage;
    this.#traders = [buyer, maker, rival, world.trader("fourth", "3000")];
    this.outsider = world.trader("outsider", "3000");
    world.judgesRefusals = false;
    this.#onGiven = (given) => onGiven(given, this);
  }

  static drawn(seed: number, onGiven?: (given: Given, history: RfqHistory) => void): RfqHistory {
    const history = new RfqHistory(onGiven);
    const dice = new Dice(seed);
    for (let step = 0; step < COMMANDS; step += 1) history.#step(dice);
    return history;
  }

  /** The same commands at the same times, each as `changed` has it. */
  again(
    changed: (given: Given) => Command,
    onGiven?: (given: Given, history: RfqHistory) => void,
  ): RfqHistory {
    const history = new RfqHistory(onGiven);
    for (const given of this.given) {
      history.stage.world.runTo(given.atMillis);
      history.#give(given.actor, changed(given));
    }
    return history;
  }

  get sums(): Sums {
    return this.#counts;
  }

  /** Whether the block trade was of this quote: its prices are on the tape. */
  isAccepted({ id }: Pick<RfqQuote, "id">): boolean {
    return this.#accepted.has(id);
  }

  /** Those who read of each other: the sides of trades that both wished so for. */
  knows(one: AccountId, other: AccountId): boolean {
    return this.#known.some((sides) => sides.includes(one) && sides.includes(other));
  }

  requesterOf(id: RfqId): AccountId | undefined {
    return this.#requesters.get(id);
  }

  /** Prices that never traded, with whose they are. */
  get losing(): readonly RfqQuote[] {
    const traded = new Set(
      this.planted.filter((quote) => this.isAccepted(quote)).map(({ id }) => id),
    );
    const last = new Map(this.planted.map((quote) => [quote.id, quote]));
    return this.planted.filter((quote) => !traded.has(quote.id) || last.get(quote.id) !== quote);
  }

  #step(dice: Dice): void {
    const { world } = this.stage;
    if (dice.chance(10)) world.runTo(world.nowMillis + dice.below(HOUR));
    const trader = dice.pick(dice.chance(5) ? [this.outsider] : this.#traders);
    if (trader === this.outsider) this.#give(trader.actor, this.#orderDrawn(dice));
    else {
      const command = this.#drawn(trader, dice);
      this.#give(command.type.startsWith("Halt") ? root : trader.actor, command);
    }
  }

  #give(actor: Actor, command: Command): void {
    const { world } = this.stage;
    const quote = command.type === "AcceptRfq" ? world.state.rfqQuotes.get(command.quoteId) : null;
    const atMillis = world.nowMillis;
    const outcome = world.try(actor, command);
    if (!isRejected(outcome)) {
      for (const event of outcome.events) this.#note(event);
      if (quote != null) {
        assert.ok(available(world.state, quote.accountId) >= 0n, "the maker's margin is there");
        const held = outcome.events.filter(({ type }) => type === "Filled").length;
        assert.equal(held, quote.ticks.length, "all legs are filled");
      }
    }
    const given = { atMillis, actor, command, outcome };
    this.given.push(given);
    this.#onGiven(given);
  }

  #note(event: Event): void {
    if (event.type === "RfqOpened") {
      this.#counts.opened += 1;
      this.#requesters.set(event.rfq.id, event.rfq.accountId);
    }
    if (event.type === "RfqQuoteChanged") {
      this.#counts.quoted += 1;
      this.planted.push(event.quote);
    }
    if (event.type === "RfqEnded") {
      this.#counts.ended += 1;
      if (event.quoteId !== null) this.#accepted.add(event.quoteId);
      this.#noteSides(event);
    }
    if (event.type === "RfqQuoteEnded") this.#counts.lapsed += 1;
    if (event.type === "Filled") this.#counts.accepted += 1;
  }

  #noteSides({ rfqId: id, quoteId }: EventOf<"RfqEnded">): void {
    const { rfqs, rfqQuotes } = this.stage.world.state;
    const quote = quoteId === null ? undefined : rfqQuotes.get(quoteId);
    const rfq = rfqs.get(id);
    if (quote?.tellsName !== true || rfq?.tellsName !== true) return;
    this.#known.push([rfq.accountId, quote.accountId]);
  }

  #drawn(trader: Trader, dice: Dice): Command {
    const { world, legs } = this.stage;
    const { state } = world;
    const open = [...state.openRfqs];
    const kind = dice.below(100);
    if (open.length === 0 || kind < 15) {
      return {
        type: "OpenRfq",
        legs: legs("1").map((leg) => ({
          ...leg,
          amountLots: lots(BigInt(10_000 * (1 + dice.below(30)))),
        })),
        side: dice.pick(["BUY", "SELL"]),
        audience: dice.chance(70) ? null : ["0xmaker", "0xrival"],
        closesAtMillis: world.nowMillis + 60_000 + dice.below(HOUR),
        ...(state.rfqCount % 3 > 0 ? { tellsName: true } : {}),
      };
    }
    const id = dice.pick(open);
    const rfq = state.rfqs.get(id) ?? assert.fail();
    const quotes = [...(state.quotesForRfq.get(id) ?? [])];
    if (kind < 45 || quotes.length === 0) {
      const ticks = rfq.legs.map(() => tickOf(this.#nextTick++));
      const validUntilMillis = rfq.closesAtMillis + 30_000 + dice.below(HOUR);
      const wish = state.rfqQuoteCount % 2 === 0 ? ({ tellsName: true } as const) : {};
      return { type: "QuoteRfq", rfqId: rfqId(id), ticks, validUntilMillis, ...wish };
    }
    const quoteId = dice.pick(quotes);
    if (kind < 55) return this.#bettered(trader, quoteId);
    if (kind < 75) return { type: "AcceptRfq", rfqId: id, quoteId };
    if (kind < 80) return { type: "CancelRfq", rfqId: id };
    if (kind < 81) return { type: "HaltAccount", accountId: trader.id, reason: null };
    if (kind < 85) return { type: "CancelAll", marketId: null };
    const amountMicros = micros(-available(state, trader.id));
    if (kind < 90 && amountMicros < 0n) {
      this.#give(root, { type: "FundAccount", accountId: trader.id, amountMicros, memo: null });
      return { type: "CancelAll", marketId: null };
    }
    return this.#orderDrawn(dice);
  }

  /** The account's own quote, where it has one open; else another's, which is refused. */
  #bettered(trader: Trader, other: RfqQuoteId): Command {
    const { state } = this.stage.world;
    const quotes = [...state.rfqQuotes.values()];
    const own = quotes.find((one) => one.accountId === trader.id && one.status === "open");
    const quoteId = rfqQuoteId(own?.id ?? other);
    const quote = state.rfqQuotes.get(quoteId) ?? assert.fail();
    const isBuy = state.rfqs.get(quote.rfqId)?.side === "BUY";
    const next = (): number => (isBuy ? this.#nextBetter-- : this.#nextTick++);
    const ticks = quote.ticks.map(() => tickOf(next()));
    return { type: "ImproveQuote", quoteId, ticks, validUntilMillis: null };
  }

  #orderDrawn(dice: Dice): Command {
    const listing = dice.pick(this.stage.listings);
    const input = order(listing, dice.pick(["BUY", "SELL"]), "50", dice.pick(["0.04", "0.06"]));
    return { type: "PlaceOrder", order: input, listing };
  }
}
