// The guarantee fund: the last to pay, and the holder of what liquidated accounts leave behind.
// Invariant: it pays no more than it has; what it lacks, those it would have paid bear openly.
import type { MarketId, ReleaseId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import type { CommandOf } from "../command.ts";
import { countFunding, isAboveOwnLimit, propose } from "../proposals/decide.ts";
import type { Rejection } from "../rejection.ts";
import type { State } from "../state.ts";
import { emit, GUARANTEE, post, type Step } from "../step.ts";
import { microsUp, valuationOf } from "./requirement.ts";

/** An operator's deposit. */
export function fundGuarantee(
  step: Step,
  command: CommandOf<"FundGuarantee">,
): Rejection | undefined {
  const { amountMicros } = command;
  invariant(amountMicros > 0n, "the guarantee fund takes deposits only");
  const isAbove = isAboveOwnLimit(step, amountMicros);
  const refused = isAbove ? propose(step, command) : undefined;
  if (refused !== undefined) return refused;

  if (!isAbove) {
    post(step, "external", "guarantee", amountMicros, "deposit", GUARANTEE);
    countFunding(step, amountMicros);
  }
  emit(step, { type: "GuaranteeFunded", balanceMicros: step.state.balance("guarantee") });
  return undefined;
}

/**
 * The most the fund may have to pay for its short in a market: the payout, or the stressed mark.
 */
export function fundNeedIn(state: State, id: MarketId): Micros {
  const held = state.position(GUARANTEE, id)?.heldLots ?? 0n;
  return held < 0n ? microsUp(-held * valuationOf(state.market(id)).stressed) : noMoney;
}

interface FundNeeds {
  /** Of markets that this release resolved. */
  readonly resolved: Micros;
  /** Of all others. */
  readonly beside: Micros;
}

export function fundNeeds(state: State, release: ReleaseId): FundNeeds {
  let [resolved, beside] = [0n, 0n];
  for (const { marketId } of state.exposures.shorts(GUARANTEE)) {
    const need = fundNeedIn(state, marketId);
    if (state.market(marketId).resolution?.releaseId === release) resolved += need;
    else beside += need;
  }
  return { resolved: micros(resolved), beside: micros(beside) };
}

/** The amount the fund can give to a void: payouts that are known are set aside. */
export function spareOfFund(state: State): Micros {
  let spare: bigint = state.balance("guarantee");
  for (const { marketId } of state.exposures.shorts(GUARANTEE)) {
    if (state.market(marketId).resolution !== null) spare -= fundNeedIn(state, marketId);
  }
  return micros(spare < 0n ? 0n : spare);
}
