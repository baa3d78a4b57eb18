// The waterfall: whose money a loss of the guarantee fund takes, and in which order.
// Invariant: no layer is touched while the one before it has something left, none falls below
// zero, and the parts add up to the loss.
import type { AccountId, ReleaseId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { byAge } from "../account/owner.ts";
import type { LedgerName } from "../event.ts";
import type { Account } from "../records.ts";
import { sharesOf } from "../settlement/shares.ts";
import type { State } from "../state.ts";
import { available, cashOf, emit, GUARANTEE, post, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { contributionTo, putContribution } from "./contribution.ts";
import { worstOf } from "./guarantee.ts";

/** A default's loss beyond the defaulter's cash; or what payouts of a release lack of the fund. */
type Loss =
  | { readonly defaulter: AccountId; readonly amountMicros: Micros }
  | { readonly release: ReleaseId; readonly amountMicros: Micros };

/**
 * Takes the loss from the layers, into the fund: the only place that does. The fund holds the
 * shorts by now; what it has beyond the worst that its own shorts may cost is a layer of its own,
 * after the exchange's. Returns the amount that the defaulter's own contribution paid.
 */
export function drawFor(step: Step, loss: Loss): Micros {
  const { amountMicros } = loss;
  const of = "defaulter" in loss ? loss.defaulter : loss.release;
  const defaulter = "defaulter" in loss ? loss.defaulter : undefined;
  const own = defaulter === undefined ? noMoney : take(step, contributionTo(defaulter), loss, of);
  const exchange = take(step, "exchange-layer", less(loss, own), of);
  const beyond = least(less(loss, own, exchange).amountMicros, lackingOf(step.state));
  const fund = less(loss, own, exchange, beyond).amountMicros;
  const others = contributors(step.state, defaulter);
  const contributions = takeFromAll(step, others, beyond, of);
  const uncovered = micros(beyond - contributions);
  const { paid, owed } =
    defaulter === undefined ? nothing : assess(step, defaulter, others, uncovered);
  const left = micros(uncovered - paid - owed);
  const drawn = amountMicros - left - fund;
  if (drawn === 0n && defaulter === undefined) return own;
  const layers = {
    of,
    lossMicros: amountMicros,
    ownMicros: own,
    exchangeMicros: exchange,
    fundMicros: fund,
    contributionsMicros: contributions,
    assessedMicros: paid,
    assessedOwedMicros: owed,
    leftMicros: left,
  };
  emit(step, { type: "LossDrawn", loss: layers });
  return own;
}

const nothing = { paid: noMoney, owed: noMoney };

const less = (
  { amountMicros }: Pick<Loss, "amountMicros">,
  ...paid: readonly Micros[]
): Pick<Loss, "amountMicros"> => ({
  amountMicros: micros(paid.reduce<bigint>((rest, one) => rest - one, amountMicros)),
});

function take(
  step: Step,
  layer: LedgerName,
  { amountMicros }: Pick<Loss, "amountMicros">,
  reference: string,
): Micros {
  const taken = least(amountMicros, step.state.balance(layer));
  post(step, layer, "guarantee", taken, "fund-loss", reference);
  return taken;
}

/** The cash that the fund lacks of the worst that its own shorts may cost. */
function lackingOf(state: State): Micros {
  const worst = worstOf(state.markets, state.exposures.shorts(GUARANTEE));
  const lacking = worst - state.balance("guarantee");
  return micros(lacking > 0n ? lacking : 0n);
}

/** In the order the accounts were opened. */
const contributors = (state: State, defaulter: AccountId | undefined): readonly Account[] =>
  [...state.accounts.values()]
    .filter(({ id, contribution }) => contribution !== undefined && id !== defaulter)
    .sort((a, b) => byAge(a.id, b.id));

function takeFromAll(
  step: Step,
  others: readonly Account[],
  amount: Micros,
  reference: string,
): Micros {
  const balances = others.map(({ id }) => step.state.balance(contributionTo(id)));
  const taken = least(amount, sumOf(balances));
  for (const [at, share] of sharesOf(taken, balances).entries()) {
    const account = others[at];
    if (account === undefined || share === 0n) continue;
    post(step, contributionTo(account.id), "guarantee", share, "fund-loss", reference);
    const text = `A loss of the fund took ${formatMicros(share)} USD of the account's contribution`;
    raiseAlert(step, account.id, "fund_loss", text);
  }
  return taken;
}

/**
 * In all losses of a default together, each account is asked for its contribution once more: that
 * part of it which the others are asked for, too.
 */
function assess(
  step: Step,
  defaulter: AccountId,
  others: readonly Account[],
  amount: Micros,
): typeof nothing {
  const sizes = others.map(({ contribution }) => contribution?.sizeMicros ?? noMoney);
  const before = step.state.account(defaulter).inDefault?.assessedMicros ?? noMoney;
  const open = micros(sumOf(sizes) - before);
  const asked = least(amount, open > 0n ? open : noMoney);
  if (asked === 0n) return nothing;
  const account = step.state.account(defaulter);
  const { inDefault = { sinceMillis: step.nowMillis, owesMicros: noMoney } } = account;
  const assessedMicros = micros(before + asked);
  emit(step, {
    type: "AccountChanged",
    account: { ...account, inDefault: { ...inDefault, assessedMicros } },
  });
  const [was, now] = [sharesOf(before, sizes), sharesOf(assessedMicros, sizes)];
  const charged = others.map(({ id }, at) => {
    const share = (now[at] ?? 0n) - (was[at] ?? 0n);
    return share > 0n ? charge(step, id, micros(share)) : nothing;
  });
  return {
    paid: sumOf(charged.map(({ paid }) => paid)),
    owed: sumOf(charged.map(({ owed }) => owed)),
  };
}

function charge(step: Step, id: AccountId, share: Micros): typeof nothing {
  const { state } = step;
  const free = available(state, id);
  const paid = least(share, free > 0n ? free : noMoney);
  const owed = micros(share - paid);
  post(step, cashOf(id), "guarantee", paid, "assessment", id);
  if (owed > 0n) {
    const { owesMicros = noMoney } = state.account(id).contribution ?? {};
    putContribution(step, id, { owesMicros: micros(owesMicros + owed) });
  }
  const rest = owed === 0n ? "" : `; it owes ${formatMicros(owed)} USD of that`;
  const text = `The fund assessed the account: ${formatMicros(share)} USD${rest}`;
  raiseAlert(step, id, "fund_loss", text);
  return { paid, owed };
}

const sumOf = (amounts: readonly Micros[]): Micros =>
  micros(amounts.reduce<bigint>((sum, one) => sum + one, 0n));
