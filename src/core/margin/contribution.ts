// Contributions: what accounts that are short have in the guarantee fund beside their margin.
// Invariant: a contribution is held when a short is opened, from cash that the order held back for
// it, and goes back at marks as it is no longer asked for; none is lowered while a default is handled.
import type { AccountId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { byAge } from "../account/owner.ts";
import type { LedgerName } from "../event.ts";
import type { Rules } from "../rules.ts";
import { sharesOf } from "../settlement/shares.ts";
import type { State } from "../state.ts";
import { available, cashOf, emit, GUARANTEE, post, type Step } from "../step.ts";
import { CONTRIBUTED_PART } from "./columns.ts";
import type { Contribution } from "./fund-record.ts";
import { worstOf } from "./guarantee.ts";
import { PARTS_PER_MICRO } from "./requirement.ts";

/** The ledger account of it. */
export const contributionTo = (id: AccountId): LedgerName => `contribution:${id}`;

/** Of the target, the exchange's own layer is a quarter; contributions and fees are the rest. */
const EXCHANGE_PART = 4n;
const LOSS_PART = BigInt(CONTRIBUTED_PART);
/** A contribution that is off by less than this part of it stays as it is. */
const TOLERANCE_PART = 10n;

export const exchangeTarget = (rules: Rules): Micros =>
  micros(rules.fund.targetMicros / EXCHANGE_PART);

/** At a publication of marks: by loss in the worst scenario, for what fees have not brought yet. */
export function setContributions(step: Step): void {
  const { state } = step;
  if (state.auctions.size > 0) return;
  const asked = askedOf(state);
  const concerned = [...state.accounts.values()]
    .filter(({ inDefault }) => inDefault === undefined)
    .map(({ id, contribution }) => ({
      id,
      contribution,
      loss: asked > 0n ? lossOf(state, id) : 0n,
    }))
    .filter(({ contribution, loss }) => contribution !== undefined || loss > 0n)
    .sort((a, b) => byAge(a.id, b.id));
  const losses = concerned.map(({ loss }) => loss);
  const shares = sharesOf(asked, losses);
  for (const [at, { id, loss }] of concerned.entries()) {
    setContribution(step, id, least(shares[at] ?? noMoney, micros(loss / LOSS_PART)));
  }
}

/**
 * After a command: an account that it left short has its contribution, the most that it could be
 * asked for. Its order held that cash back; marks give back what is beyond its share.
 */
export function holdContributions(step: Step): void {
  const { state, events } = step;
  if (state.rules.fund.targetMicros === 0n) return;
  const opened = new Set<AccountId>();
  for (const event of events) {
    if (event.type !== "PositionChanged" || event.position.heldLots >= 0n) continue;
    if (event.position.accountId !== GUARANTEE) opened.add(event.position.accountId);
  }
  if (opened.size === 0) return;
  const asked = askedOf(state);
  for (const id of opened) {
    if (state.account(id).inDefault !== undefined) continue;
    const wanted = least(asked, micros(lossOf(state, id) / LOSS_PART));
    if (wanted > state.balance(contributionTo(id))) setContribution(step, id, wanted);
  }
}

/** Beyond the marks, in the worst scenario. */
const lossOf = ({ exposures }: State, id: AccountId): bigint =>
  exposures.shortTotals(id).maintenanceParts / PARTS_PER_MICRO;

/** Beside the exchange's layer, and what fees and deposits have brought. */
function askedOf(state: State): Micros {
  const target = state.rules.fund.targetMicros;
  if (target === 0n) return noMoney;
  const worst = worstOf(state.markets, state.exposures.shorts(GUARANTEE));
  const spare = state.balance("guarantee") - worst;
  const asked = target - exchangeTarget(state.rules) - (spare > 0n ? spare : 0n);
  return micros(asked > 0n ? asked : 0n);
}

function setContribution(step: Step, id: AccountId, wanted: Micros): void {
  const { state } = step;
  const layer = contributionTo(id);
  const has = state.balance(layer);
  const off = wanted > has ? wanted - has : has - wanted;
  if (off > 0n && off * TOLERANCE_PART >= wanted) {
    const free = available(state, id);
    const paid = least(micros(off), free > 0n ? free : noMoney);
    if (wanted > has) post(step, cashOf(id), layer, paid, "contribution", id);
    else post(step, layer, cashOf(id), micros(off), "contribution-returned", id);
  }
  const sizeMicros = state.balance(layer);
  const before = state.account(id).contribution?.sizeMicros ?? noMoney;
  if (sizeMicros !== before) putContribution(step, id, { sizeMicros });
}

/** Absent where there is neither a contribution nor a debt of one. */
export function putContribution(step: Step, id: AccountId, changes: Partial<Contribution>): void {
  const { contribution, ...account } = step.state.account(id);
  const after = { sizeMicros: noMoney, owesMicros: noMoney, ...contribution, ...changes };
  const isNone = after.sizeMicros === 0n && after.owesMicros === 0n;
  const changed = isNone ? account : { ...account, contribution: after };
  emit(step, { type: "AccountChanged", account: changed });
}

/** An assessment that was not paid in full is paid from cash that nothing holds back. */
export function payAssessment(step: Step, id: AccountId): void {
  const { owesMicros = noMoney } = step.state.account(id).contribution ?? {};
  const free = available(step.state, id);
  if (owesMicros === 0n || free <= 0n) return;
  const paid = least(owesMicros, free);
  post(step, cashOf(id), "guarantee", paid, "assessment", id);
  putContribution(step, id, { owesMicros: micros(owesMicros - paid) });
}
