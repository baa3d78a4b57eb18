// The guarantee fund: the last to pay, and the holder of what liquidated accounts leave behind.
// Invariant: it pays no more than it has; what it lacks, those it would have paid bear openly.
import type { MarketId, ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { lots } from "#base/quantity.ts";
import { scenarios } from "#contract/scenarios.ts";
import type { CommandOf } from "../command.ts";
import type { Market } from "../records.ts";
import type { Rejection } from "../rejection.ts";
import type { State } from "../state.ts";
import { emit, GUARANTEE, post, type Step } from "../step.ts";
import { countFunding, isAboveOwnLimit } from "../words/control.ts";
import { alone, say } from "../words/say.ts";
import type { Short } from "./exposure.ts";
import { lotWorthOf, microsUp } from "./requirement.ts";
import { riskOf } from "./risk.ts";

/** An operator's deposit, into the fund or the exchange's own layer of it. */
export function fundGuarantee(
  step: Step,
  command: CommandOf<"FundGuarantee">,
): Rejection | undefined {
  const { amountMicros, layer } = command;
  const into = layer === "exchange" ? "exchange-layer" : "guarantee";
  invariant(amountMicros > 0n, "the guarantee fund takes deposits only");
  const said = isAboveOwnLimit(step, amountMicros) ? say(step, command) : alone;
  if (!said.isDecided && said.refused !== undefined) return said.refused;

  if (said.isDecided) {
    post(step, "external", into, amountMicros, "deposit", GUARANTEE);
    countFunding(step, amountMicros, said);
  }
  emit(step, { type: "GuaranteeFunded", balanceMicros: step.state.balance(into) });
  return undefined;
}

/**
 * The most that these shorts of the fund may cost it: payouts that are known, and what all others
 * are worth after the worst scenario for them together. All that the fund sets aside is asked here.
 */
export function worstOf(
  markets: ReadonlyMap<MarketId, Market>,
  shorts: readonly Pick<Short, "marketId" | "shortLots">[],
): Micros {
  let known = 0n;
  const after = scenarios.map(() => 0n);
  for (const { marketId, shortLots } of shorts) {
    const market = markets.get(marketId);
    invariant(market !== undefined, `market ${marketId} is known`);
    if (market.resolution !== null) known += microsUp(shortLots * lotWorthOf(market));
    // A tick of a lot is a micro-dollar.
    else
      for (const [at, tick] of riskOf(market).entries()) {
        after[at] = (after[at] ?? 0n) + shortLots * BigInt(tick);
      }
  }
  return micros(known + after.reduce((worst, one) => (one > worst ? one : worst), 0n));
}

export function fundNeedIn(state: State, id: MarketId): Micros {
  const held = state.position(GUARANTEE, id)?.heldLots ?? 0n;
  return held < 0n ? worstOf(state.markets, [{ marketId: id, shortLots: lots(-held) }]) : noMoney;
}

interface FundNeeds {
  /** Of markets that this release resolved. */
  readonly resolved: Micros;
  /** Of all others. */
  readonly beside: Micros;
}

export function fundNeeds(state: State, release: ReleaseId): FundNeeds {
  const isHere = ({ marketId }: Short): boolean =>
    state.market(marketId).resolution?.releaseId === release;
  const shorts = state.exposures.shorts(GUARANTEE);
  return {
    resolved: worstOf(state.markets, shorts.filter(isHere)),
    beside: worstOf(
      state.markets,
      shorts.filter((short) => !isHere(short)),
    ),
  };
}

/** The amount the fund can give to a void: payouts that are known are set aside. */
export function spareOfFund(state: State): Micros {
  const known = state.exposures.shorts(GUARANTEE).filter(({ rate }) => rate.isResolved);
  const spare = state.balance("guarantee") - worstOf(state.markets, known);
  return atLeastZero(spare);
}
