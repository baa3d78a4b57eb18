// The ends of markets that people decide, as a seed draws them: disputes, voids, fallbacks of a
// print that is 60 days late, mostly the step that applies, and the marks of a cash settlement.
// Invariant: the prints of a step are the journal's; the dice decide all else.

import { type MarketId, marketId, releaseId } from "#base/ids.ts";
import { printValue, wholePrint } from "#base/print-value.ts";
import type { Baseline } from "#contract/terms.ts";
import type { Actor, Command, CommandOf } from "#core/command.ts";
import { isLive } from "#core/market/life.ts";
import { isPrintedSince } from "#core/market/printed-since.ts";
import { chainPointName } from "#core/names.ts";
import { isRejected } from "#core/outcome.ts";
import type { ChainPoint, Market } from "#core/records.ts";
import { hasRun } from "#core/settlement/fallback.ts";
import type { FallbackTaken } from "#core/settlement/fallback-step.ts";
import type { State } from "#core/state.ts";
import { wordsAbout } from "#core/words/say.ts";
import { disputeSubject, voidSubject } from "#core/words/word.ts";
import type { Dice } from "./dice.ts";
import { settling } from "./fallback-stage.ts";
import type { RandomOperators } from "./random-operators.ts";
import type { Trader, World } from "./world.ts";

/** Live markets for which a fallback has begun. */
export const waitingForFallback = (state: State): readonly Market[] =>
  [...state.markets.values()].filter(
    ({ status, fallbackSinceMillis }) => isLive(status) && fallbackSinceMillis !== undefined,
  );

/** The oldest decision that one person has said. */
function wordOf(state: State, subject: string): CommandOf<"DecideDispute"> | undefined {
  const [word] = wordsAbout(state, subject);
  return word?.command.type === "DecideDispute" ? word.command : undefined;
}

export class RandomEnds {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #operators: RandomOperators;
  readonly #isForVoids: boolean;

  /** `isForVoids`: as `Mix` has it. */
  constructor(world: World, dice: Dice, operators: RandomOperators, isForVoids = false) {
    this.#world = world;
    this.#dice = dice;
    this.#operators = operators;
    this.#isForVoids = isForVoids;
  }

  /** About something that lasts a few days, and that a seed goes through few of. */
  urgent(): "bid" | "mark" | "fallback" | undefined {
    const { state } = this.#world;
    if (state.auctions.size > 0 && this.#dice.chance(50)) return "bid";
    if (this.#marked().length > 0 && this.#dice.chance(40)) return "mark";
    return waitingForFallback(state).length > 0 && this.#dice.chance(10) ? "fallback" : undefined;
  }

  /** Mostly of a market that takes marks; whether the trader may give one, the exchange says. */
  mark(): Command {
    const marked = this.#marked();
    const asked = marked.length > 0 && this.#dice.chance(95) ? this.#dice.pick(marked) : undefined;
    const id = asked?.id ?? anyMarket(this.#world.state, this.#dice);
    return { type: "GiveMark", marketId: id, valueTicks: this.#dice.below(41) * 250 };
  }

  #marked(): readonly Market[] {
    return [...this.#world.state.markets.values()].filter(
      ({ status, markRound }) => isLive(status) && markRound !== undefined,
    );
  }

  dispute(trader: Trader): readonly [Actor, Command] {
    const markets = [...this.#world.state.markets.values()];
    const open = markets.find(({ dispute }) => dispute !== null);
    if (open !== undefined) {
      const proposed = wordOf(this.#world.state, disputeSubject(open.id));
      const amends = proposed === undefined ? this.#dice.chance(50) : proposed.decision === "amend";
      const settled = open.resolution?.settledValueE15 ?? printValue(wholePrint);
      const drawn = proposed === undefined ? printValue((settled * 9n) / 10n) : proposed.valueE15;
      // A fallback is undone as a whole; now and then somebody names a value all the same.
      const isStep = open.resolution?.fallback !== undefined && !this.#dice.chance(10);
      const valueE15 = isStep ? null : drawn;
      return [
        this.#dice.pick(this.#operators.actors),
        {
          type: "DecideDispute",
          marketId: open.id,
          decision: amends ? "amend" : "uphold",
          valueE15: amends ? valueE15 : null,
          evidence: null,
          ...(amends && this.#dice.chance(10) ? { revisedIn: releaseId("rel-1") } : {}),
        },
      ];
    }
    const resolved = markets.find(({ status }) => status === "RESOLVED");
    const id = resolved?.id ?? anyMarket(this.#world.state, this.#dice);
    const actor = this.#dice.chance(70) ? trader.actor : this.#dice.pick(this.#operators.actors);
    return [actor, { type: "OpenDispute", marketId: id, reason: "why", evidence: null }];
  }

  voiding(): readonly [Actor, Command] {
    return [this.#dice.pick(this.#operators.actors), this.#void()];
  }

  /** A proposal that waits is mostly agreed to, now and then withdrawn or left to lapse. */
  #void(): Command {
    const markets = [...this.#world.state.markets.values()];
    const { state } = this.#world;
    const waiting = markets.find(({ id }) => state.wordsOn.has(voidSubject(id)));
    const isAboutIt = waiting !== undefined && this.#dice.chance(80);
    const id = isAboutIt ? waiting.id : this.#toVoid();
    const type = this.#dice.chance(15) ? "WithdrawVoid" : "CancelMarket";
    return { type, marketId: id, reason: "drill" };
  }

  #toVoid(): MarketId {
    const { state } = this.#world;
    const gained = (): readonly Market[] =>
      [...state.markets.values()].filter(
        (market) =>
          isLive(market.status) &&
          !isPrintedSince(state, market) &&
          [...(state.positionsByMarket.get(market.id) ?? [])].some(
            (account) => (state.position(account, market.id)?.flowMicros ?? 0n) > 0n,
          ),
      );
    const drawn = this.#isForVoids && this.#dice.chance(80) ? gained() : [];
    return drawn.length > 0 ? this.#dice.pick(drawn).id : anyMarket(state, this.#dice);
  }

  /** By an operator, or the second word about one that waits. */
  fallback(): readonly [Actor, Command] {
    const waiting = [...this.#world.state.words.values()].find(
      ({ command }) => command.type === "SettleByFallback",
    );
    if (waiting !== undefined && this.#dice.chance(70)) return this.#operators.answer(waiting);
    const drawn = this.#settling() ?? this.#void();
    return [this.#dice.pick(this.#operators.actors), drawn];
  }

  #settling(): Command | undefined {
    const { state } = this.#world;
    const dice = this.#dice;
    const waiting = waitingForFallback(state);
    const all = [...state.markets.values()];
    const from = waiting.length > 0 && dice.chance(95) ? waiting : all;
    if (from.length === 0) return undefined;
    const market = dice.pick(from);
    const steps = stepsOf(this.#world, market);
    const applying = steps.length > 0 && !dice.chance(10) ? steps.slice(0, 1) : steps;
    const taken = dice.pick<FallbackTaken>(applying.length > 0 ? applying : [{ step: "void" }]);
    return settling(state, market.id, taken);
  }
}

export function anyMarket({ markets }: State, dice: Dice): MarketId {
  const ids = [...markets.keys()];
  return ids.length === 0 ? marketId("none") : dice.pick(ids);
}

/** The first is the one to take. */
function stepsOf(world: World, market: Market): readonly FallbackTaken[] {
  const { index, nodeId, measurementMonth: end, baseline, successor } = market.terms;
  if (!isPrintedSince(world.state, market)) return [{ step: "void" }];
  if (baseline === null) return inCash(market, null);
  const own = printsIn(world, chainPointName(index, nodeId, end));
  const last = own.filter(({ month }) => month >= baseline.month && month <= end).at(-1);
  if (last === undefined) return [];
  const beside = successor == null ? [] : printsIn(world, chainPointName(index, successor, end));
  const [old, now] = [last.month, end].map((at) => beside.find(({ month }) => month === at));
  const level: FallbackTaken = { step: "last-level", last };
  const cash = inCash(market, last);
  const steps = hasRun(market.terms, last) ? [level, ...cash] : [...cash, level];
  if (old === undefined || now === undefined) return [...steps, { step: "void" }];
  return [{ step: "successor", last, from: old, to: now }, ...steps, { step: "void" }];
}

function inCash({ farMedian }: Market, last: Baseline | null): readonly FallbackTaken[] {
  const call: FallbackTaken = { step: "cash", last };
  if (farMedian === undefined) return [call];
  return [{ step: "median", last, valueTicks: farMedian.valueTicks }, call];
}

/** Those in the chain of a series, the oldest first. */
function printsIn({ journal }: World, series: string): readonly Baseline[] {
  const prints = new Map<number, Baseline>();
  for (const { outcome } of journal) {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type !== "FrontierMoved") continue;
      const { frontier } = event;
      if (chainPointName(frontier.index, frontier.nodeId, frontier.month) !== series) continue;
      const print = printOf(frontier);
      if (print !== undefined) prints.set(print.month, print);
    }
  }
  return [...prints.values()].sort((one, other) => one.month - other.month);
}

const printOf = ({ month, valueE15, levelE12, releaseId }: ChainPoint): Baseline | undefined =>
  levelE12 === null ? undefined : { month, valueE15, levelE12, releaseId };
