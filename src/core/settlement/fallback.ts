// The end of a market whose print does not come: the fallbacks in its terms, in their order.
// Invariant: a step is taken only where no earlier one applies, by two people without a stake, on
// the prints it was drawn on: any print since then refuses the first word and the second.
import { invariant, unreachable } from "#base/invariant.ts";
import { chainLevel, printValue, rescaledBaseline } from "#base/print-value.ts";
import type { Baseline, Terms } from "#contract/terms.ts";
import type { CommandOf } from "../command.ts";
import { raiseAlert } from "../margin/alert.ts";
import { fallbackAtMillis, isLive } from "../market/life.ts";
import { type FirstPrints, hasLeftChain, isPrintedSince } from "../market/printed-since.ts";
import { chainPointName } from "../names.ts";
import type { ChainPoint, Market, Observation, Resolution } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { emit, GUARANTEE, type Step } from "../step.ts";
import { say } from "../words/say.ts";
import type { FallbackTaken, LevelStep } from "./fallback-step.ts";
import { positionsIn } from "./holders.ts";
import { openMarks, settleFar } from "./marks.ts";
import { putMarket, resolveMarket } from "./resolve.ts";
import { voidMarket } from "./void.ts";

/** So much of the term, in fifths, must have been printed for its last level to stand. */
const FIFTHS_RUN = 4;

/** The wait is over: holders are told, and two people may take the step that applies. */
export function beginFallback(step: Step, { marketId }: CommandOf<"BeginFallback">): undefined {
  const market = step.state.market(marketId);
  putMarket(step, { ...market, fallbackSinceMillis: step.nowMillis });
  const text =
    `The print of market ${market.frontendId} is 60 days late: a fallback of its terms settles ` +
    "it, unless the print comes first";
  for (const { accountId, heldLots } of positionsIn(step, marketId)) {
    if (heldLots !== 0n && accountId !== GUARANTEE) raiseAlert(step, accountId, "fallback", text);
  }
}

export function settleByFallback(
  step: Step,
  command: CommandOf<"SettleByFallback">,
): Rejection | undefined {
  const { state } = step;
  const market = state.markets.get(command.marketId);
  if (market === undefined) return reject("MARKET_NOT_FOUND");
  if (!isLive(market.status)) return reject("MARKET_STATE", { status: market.status });
  const dueMillis = fallbackAtMillis(market.terms);
  if (step.nowMillis < dueMillis) {
    return reject("FALLBACK_NOT_DUE", { status: new Date(dueMillis).toISOString() });
  }
  if (!applies(step, market, command.taken)) return reject("FALLBACK_STEP");
  if (String(command.ground) !== String(groundOf(state, market))) return reject("FALLBACK_STEP");
  const said = say(step, command);
  if (!said.isDecided) return said.refused;

  take(step, market, said.first?.command.type === command.type ? said.first.command : command);
  return undefined;
}

/**
 * The prints that a step is drawn on: the newest month and the number of gaps of the place, then
 * of its successor. Any print of either moves one of them. Of the chain itself only the newest is
 * here: one of the term, which others have followed since, would not be seen otherwise.
 */
export function groundOf(
  exchange: Pick<FirstPrints, "chainPoints">,
  market: Pick<Market, "terms">,
): readonly number[] {
  return newestOf(exchange, market).flatMap((newest) => {
    const { month = 0, gaps = [] } = newest ?? {};
    return [month, gaps.length];
  });
}

/** Whether this is the step to take, on the newest prints there are. */
function applies({ state, nowMillis }: Step, market: Market, taken: FallbackTaken): boolean {
  if (taken.step === "void") return !isPrintedSince(state, market);
  const { terms } = market;
  if (!isPrintedSince(state, market)) return false;
  if (taken.step === "cash")
    return mayCall(market, nowMillis) && isForCash(state, market, taken.last);
  if (taken.step === "median") {
    return (
      market.farMedian?.valueTicks === taken.valueTicks && isForCash(state, market, taken.last)
    );
  }
  const { last } = taken;
  if (!isLast(state, market, last)) return false;
  if (taken.step === "successor") return isSuccessors(state, market, taken);
  return hasRun(terms, last) && !isSucceeded(state, market, last);
}

/** A median that is far from the model is not passed over for another one before its time. */
export const mayCall = ({ farMedian }: Pick<Market, "farMedian">, nowMillis: number): boolean =>
  farMedian === undefined || nowMillis >= farMedian.againAtMillis;

/** No step before it applies, and no round of marks runs; a level has no step before it. */
function isForCash(state: State, market: Market, last: Baseline | null): boolean {
  const { terms, markRound } = market;
  if (markRound !== undefined) return false;
  if (last === null) return terms.baseline === null;
  return isLast(state, market, last) && !hasRun(terms, last) && !isSucceeded(state, market, last);
}

/** The newest chained print from the baseline to the measurement month. */
function isLast(state: State, market: Market, last: Baseline): boolean {
  const { baseline, measurementMonth: end } = market.terms;
  if (baseline === null) return false;
  if (last.month < baseline.month || last.month > end) return false;
  return isNewestChained(state, market, last);
}

/** So much of the term has been printed that its last level stands. */
export const hasRun = ({ baseline, measurementMonth: end }: Terms, last: Baseline): boolean =>
  baseline !== null && 5 * (last.month - baseline.month) >= FIFTHS_RUN * (end - baseline.month);

/** The newest first print of the place, and of its successor where the terms name one. */
export function newestOf(
  { chainPoints }: Pick<FirstPrints, "chainPoints">,
  { terms: { index, nodeId, successor, measurementMonth } }: Pick<Market, "terms">,
): readonly (ChainPoint | undefined)[] {
  const places = successor === null ? [nodeId] : [nodeId, successor];
  return places.map((place) => chainPoints.get(chainPointName(index, place, measurementMonth)));
}

/** No later print up to the measurement month is in the chain, as far as the newest one tells. */
function isNewestChained(state: State, market: Market, last: Baseline): boolean {
  const { measurementMonth: end } = market.terms;
  const [newest] = newestOf(state, market);
  if (newest === undefined) return false;
  const isLater = newest.month > last.month && newest.month <= end && newest.levelE12 !== null;
  return !isLater && agrees(state, newest, last);
}

/** A print that the state still has must be the one that is named; its release must be known. */
function agrees(state: State, newest: ChainPoint, print: Baseline): boolean {
  if (state.releases.get(print.releaseId)?.index !== newest.index) return false;
  if (print.levelE12 <= 0n || newest.gaps.includes(print.month)) return false;
  if (newest.month > print.month) return true;
  return (
    newest.month === print.month &&
    newest.valueE15 === print.valueE15 &&
    newest.levelE12 === print.levelE12 &&
    newest.releaseId === print.releaseId
  );
}

type BySuccessor = Extract<FallbackTaken, { step: "successor" }>;

function isSuccessors(state: State, market: Market, { last, from, to }: BySuccessor): boolean {
  const end = market.terms.measurementMonth;
  const [own, newest] = newestOf(state, market);
  if (newest === undefined || last.month >= end || hasLeftChain(market.terms, own)) return false;
  const isOfTerm = from.month === last.month && to.month === end;
  return isOfTerm && agrees(state, newest, from) && agrees(state, newest, to);
}

/** The successor's print of the measurement month is its newest, and it has the other month too. */
function isSucceeded(state: State, market: Market, last: Baseline): boolean {
  const end = market.terms.measurementMonth;
  const [own, newest] = newestOf(state, market);
  if (newest === undefined || last.month >= end || hasLeftChain(market.terms, own)) return false;
  return newest.month === end && newest.levelE12 !== null && !newest.gaps.includes(last.month);
}

function take(step: Step, { id }: Market, { taken, reason }: CommandOf<"SettleByFallback">): void {
  if (taken.step === "void") {
    voidMarket(step, id, reason);
    return;
  }
  if (taken.step === "cash") {
    openMarks(step, step.state.market(id));
    return;
  }
  if (taken.step === "median") {
    settleFar(step, step.state.market(id));
    return;
  }
  const print = standsFor(taken);
  const release = step.state.release(print.releaseId);
  const isResolved = resolveMarket(step, id, release, print, taken);
  invariant(isResolved, "a fallback has a level to settle on");
  const resolvedMarkets = [...release.resolvedMarkets, id];
  emit(step, { type: "ReleaseChanged", release: { ...release, resolvedMarkets } });
}

type SettledOn = Pick<Observation, "valueE15" | "levelE12" | "link"> & Pick<Baseline, "releaseId">;

/** The print that the step stands in for. */
export function standsFor(taken: LevelStep): SettledOn {
  switch (taken.step) {
    case "successor": {
      const { last, from, to } = taken;
      return {
        // The growth of the successor, on the last print of the place.
        valueE15: rescaledBaseline(last.valueE15, to.levelE12, from.levelE12),
        levelE12: grown(last, from, to),
        link: null,
        releaseId: to.releaseId,
      };
    }
    case "last-level":
      return { ...taken.last, link: null };
    default:
      return unreachable(taken);
  }
}

/** I(end) = I(last) × successor's I(end) / I(last), half-even. */
const grown = (last: Baseline, from: Baseline, to: Baseline): Baseline["levelE12"] =>
  chainLevel(last.levelE12, printValue(to.levelE12), printValue(from.levelE12));

/** A dispute has undone a fallback: the market waits for one again, and leaves the release. */
export function reopen(step: Step, market: Market, { releaseId }: Resolution): void {
  const release = step.state.release(releaseId);
  const resolvedMarkets = release.resolvedMarkets.filter((one) => one !== market.id);
  emit(step, { type: "ReleaseChanged", release: { ...release, resolvedMarkets } });
  putMarket(step, { ...market, status: "ACTIVE", resolution: null, dispute: null });
}
