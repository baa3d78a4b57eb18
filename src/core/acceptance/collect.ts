// Collecting what is owed for premiums: when it falls due, as soon as there is cash again, on
// demand, and from the refund of a market that is void.
// Invariant: nobody's cash goes below what positions and orders hold back; protection stands
// whether or not it is paid for.
import { type AccountId, accountId, type MarketId, marketId } from "#base/ids.ts";
import { least } from "#base/least.ts";
import { atLeastZero, type Micros, micros, noMoney } from "#base/money.ts";
import { costOf } from "#base/quantity.ts";
import type { CommandOf } from "../command.ts";
import { refuseCalled } from "../margin/call.ts";
import { cancelOrdersOf } from "../market/cancel.ts";
import { positionName } from "../names.ts";
import type { Fill } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import { actingAccount, available, cashOf, emit, post, type Step } from "../step.ts";
import { owedIn, shareOf } from "./financed.ts";
import { dueOn, owedOn, principalOwedOn, runningMonth } from "./owed.ts";
import type { Acceptance, AcceptanceStatus, Payment } from "./records.ts";

/** A payment falls due. Open orders give way to it. */
export function collectPayment(
  step: Step,
  { acceptanceId }: CommandOf<"CollectPayment">,
): Rejection | undefined {
  const acceptance = step.state.acceptance(acceptanceId);
  const { accountId } = acceptance;
  if (dueOn(acceptance, step.nowMillis) > available(step.state, accountId)) {
    cancelOrdersOf(step, accountId, null, "PAYMENT_DUE");
  }
  collectDue(step, acceptance);
  const left = step.state.acceptance(acceptanceId);
  if (dueOn(left, step.nowMillis) > 0n) put(step, { ...left, status: "overdue" });
  return undefined;
}

/** The grace of a missed payment is over: the rest is due now, with interest of begun months. */
export function defaultAcceptance(
  step: Step,
  { acceptanceId }: CommandOf<"DefaultAcceptance">,
): Rejection | undefined {
  const acceptance = step.state.acceptance(acceptanceId);
  const running = runningMonth(acceptance, step.nowMillis);
  put(step, { ...acceptance, payments: calledIn(acceptance, step, running), status: "defaulted" });
  collectDue(step, step.state.acceptance(acceptanceId));
  writeOffIn(step, acceptance.marketId);
  return undefined;
}

/** Makes payments that are not due yet due now; payments after `through` lose their interest. */
function calledIn(
  { payments }: Acceptance,
  { nowMillis }: Step,
  through: number,
): readonly Payment[] {
  return payments.map((payment) => {
    if (payment.dueMillis <= nowMillis) return payment;
    const called = payment.number > through ? withoutInterest(payment) : payment;
    return { ...called, dueMillis: nowMillis };
  });
}

/** A paid payment keeps the interest it was paid with; a part payment paid interest first. */
const withoutInterest = (payment: Payment): Payment => ({
  ...payment,
  interestMicros: least(payment.interestMicros, payment.paidMicros),
});

/** The buyer pays early, up to a payment of the schedule: what has not begun costs no interest. */
export function payAcceptance(
  step: Step,
  { acceptanceId, through }: CommandOf<"PayAcceptance">,
): Rejection | undefined {
  const acceptance = step.state.acceptances.get(acceptanceId);
  if (acceptance === undefined || acceptance.accountId !== actingAccount(step)) {
    return reject("ACCEPTANCE_NOT_FOUND");
  }
  const called = refuseCalled(step.state.account(acceptance.accountId));
  if (called !== undefined) return called;
  const open = acceptance.payments.find((payment) => owedOn(payment) > 0n);
  if (open === undefined || through < open.number) return reject("PAYMENT_NOT_OPEN");
  if (through > acceptance.payments.length) {
    return reject("PAYMENT_NOT_OPEN", { allowed: acceptance.payments.length }, "through");
  }
  const running = runningMonth(acceptance, step.nowMillis);
  const payments = acceptance.payments.map((payment) =>
    payment.number <= through && payment.number > running ? withoutInterest(payment) : payment,
  );
  const required = payments
    .filter(({ number }) => number <= through)
    .reduce((sum, payment) => sum + owedOn(payment), 0n);
  const free = available(step.state, acceptance.accountId);
  if (required > free) {
    return reject("INSUFFICIENT_BALANCE", {
      requiredMicros: micros(required),
      availableMicros: free,
    });
  }
  pay(step, { ...acceptance, payments }, ({ number }) => number <= through);
  return undefined;
}

/**
 * After every command, and after each default in it: cash that came to an account goes to what it
 * owes and has not paid in time. `from`: the first event that has not been looked at.
 */
export function sweep(step: Step, from: number): void {
  const { debts } = step.state;
  if (!debts.areAnyOpen) return;
  claimProceeds(step, from);
  for (const event of step.events.slice(from)) {
    if (event.type === "MarketChanged") writeOffIn(step, event.market.id);
  }
  if (!debts.areAnyOverdue) return;
  const credited = new Set<AccountId>();
  for (const event of step.events.slice(from)) {
    if (event.type !== "Posted") continue;
    const account = debts.overdueAccountOf(event.posting.to);
    if (account !== undefined) credited.add(account);
  }
  for (const account of credited) {
    for (const id of debts.overdueOf(account)) collectDue(step, step.state.acceptance(id));
  }
}

/**
 * A void market gives every account back what it paid in it: what the exchange had lent for that
 * comes back to the exchange from the refund, and no interest is owed from then on.
 */
export function unwindAcceptances(step: Step, market: MarketId): void {
  for (const id of step.state.debts.openIn(market)) {
    const acceptance = step.state.acceptance(id);
    put(step, { ...acceptance, payments: calledIn(acceptance, step, 0) });
    collectDue(step, step.state.acceptance(id));
    const left = step.state.acceptance(id);
    if (dueOn(left, step.nowMillis) > 0n) put(step, { ...left, status: "overdue" });
  }
}

interface Brought {
  readonly market: MarketId;
  readonly account: AccountId;
  readonly proceeds: Micros;
  /** Of the loan, that stood on lots which were sold. */
  readonly share: Micros;
}

/**
 * The cash that a position brings, paid out or sold, pays the debt on that position first, due or
 * not. Interest of months that have not begun falls away for every payment that is met in full. Of
 * a sale at least the share of the loan is paid: from free cash where the proceeds are less, and
 * from the proceeds though other positions lack cash, for they never had these.
 */
function claim(step: Step, { market, account, proceeds, share }: Brought): void {
  const free = atLeastZero(available(step.state, account));
  const kept = least(least(share, proceeds), step.state.balance(cashOf(account)));
  let left = most(least(most(proceeds, share), free), kept);
  for (const id of step.state.debts.openOf(account, market)) {
    if (left === 0n) return;
    const acceptance = step.state.acceptance(id);
    const before = available(step.state, account);
    const payments = metBy(acceptance, step.nowMillis, left);
    payFrom(step, { ...acceptance, payments }, () => true, left);
    left = micros(left - (before - available(step.state, account)));
  }
}

const most = (one: Micros, other: Micros): Micros => (one > other ? one : other);

function metBy(acceptance: Acceptance, nowMillis: number, cash: Micros): readonly Payment[] {
  const running = runningMonth(acceptance, nowMillis);
  let left: bigint = cash;
  return acceptance.payments.map((payment) => {
    const early = payment.number > running ? withoutInterest(payment) : payment;
    const met = owedOn(early) <= left ? early : payment;
    left = left > owedOn(met) ? left - owedOn(met) : 0n;
    return met;
  });
}

/** After a command that filled orders or paid positions out: the claims on what they brought. */
function claimProceeds(step: Step, from: number): void {
  const { state } = step;
  const events = step.events.slice(from);
  const unsold = new Map<string, bigint>();
  const soldIn = ({ marketId, seller }: Fill): string => positionName(seller, marketId);
  for (const event of events) {
    if (event.type !== "Filled") continue;
    const name = soldIn(event.fill);
    unsold.set(name, (unsold.get(name) ?? 0n) + event.fill.amountLots);
  }
  for (const event of events) {
    if (event.type === "Filled") {
      const { marketId: market, seller: account, amountLots, yesTick } = event.fill;
      const left = unsold.get(soldIn(event.fill)) ?? 0n;
      const held = (state.position(account, market)?.heldLots ?? 0n) + left;
      unsold.set(soldIn(event.fill), left - amountLots);
      const share = shareOf(owedIn(step, account, market), amountLots, held);
      claim(step, { market, account, proceeds: costOf(amountLots, yesTick), share });
    }
    if (event.type !== "Posted" || event.posting.reason !== "settlement") continue;
    const { to, amountMicros, reference } = event.posting;
    if (to.startsWith("cash:")) {
      const account = accountId(to.slice("cash:".length));
      const paid = { account, proceeds: amountMicros, share: noMoney };
      claim(step, { market: marketId(reference), ...paid });
    }
  }
}

/** A market that is over brings nothing more: the pool bears what its defaulted buyers owe. */
function writeOffIn(step: Step, market: MarketId): void {
  const { status } = step.state.market(market);
  if (status !== "FINALIZED" && status !== "CANCELLED") return;
  for (const id of step.state.debts.openIn(market)) {
    const acceptance = step.state.acceptance(id);
    if (acceptance.status !== "defaulted") continue;
    const lost = acceptance.payments.reduce((sum, one) => sum + principalOwedOn(one), 0n);
    post(step, "financing", "lent", micros(lost), "write-off", id);
    put(step, { ...acceptance, status: "written_off" });
  }
}

const collectDue = (step: Step, acceptance: Acceptance): void =>
  pay(step, acceptance, ({ dueMillis }) => dueMillis <= step.nowMillis);

/** Pays the chosen payments in their order as far as the free cash goes. */
const pay = (step: Step, acceptance: Acceptance, isMeant: (payment: Payment) => boolean): void =>
  payFrom(step, acceptance, isMeant, atLeastZero(available(step.state, acceptance.accountId)));

/** Pays the chosen payments in their order from this cash; interest comes first. */
function payFrom(
  step: Step,
  acceptance: Acceptance,
  isMeant: (payment: Payment) => boolean,
  cash: Micros,
): void {
  const { id, accountId } = acceptance;
  let [interest, principal] = [0n, 0n];
  let free: bigint = cash;
  const payments = acceptance.payments.map((payment) => {
    if (!isMeant(payment)) return payment;
    const owed = owedOn(payment);
    const paid = least(owed, micros(free));
    const forPrincipal = principalOwedOn(payment);
    const forInterest = least(micros(owed - forPrincipal), paid);
    interest += forInterest;
    principal += paid - forInterest;
    free -= paid;
    return { ...payment, paidMicros: micros(payment.paidMicros + paid) };
  });
  post(step, cashOf(accountId), "interest", micros(interest), "interest", id);
  const isLost = acceptance.status === "written_off";
  const [to, reason] = isLost
    ? (["financing", "recovery"] as const)
    : (["lent", "installment"] as const);
  post(step, cashOf(accountId), to, micros(principal), reason, id);
  const after = { ...acceptance, payments };
  const isPaid = payments.every((payment) => owedOn(payment) === 0n);
  const isBehind = dueOn(after, step.nowMillis) > 0n;
  put(step, { ...after, status: isPaid ? "paid" : statusAfter(acceptance.status, isBehind) });
}

/** A debt written off or called in whole keeps that status until all of it is paid. */
const statusAfter = (before: AcceptanceStatus, isBehind: boolean): AcceptanceStatus =>
  isBehind && (before === "overdue" || before === "defaulted" || before === "written_off")
    ? before
    : "current";

const put = (step: Step, acceptance: Acceptance): void =>
  emit(step, { type: "AcceptanceChanged", acceptance });
