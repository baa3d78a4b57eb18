// The invariants of the exchange after every command, checked on its records alone.
// Invariant: a figure the core keeps beside the records is recounted here, never believed.
import assert from "node:assert/strict";
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { uncrossOf } from "#core/book/indicative.ts";
import { buysYes, isOpen, remaining } from "#core/book/order.ts";
import type { Event } from "#core/event.ts";
import { isMatchingHeld } from "#core/market/matching.ts";
import { groupName, positionName } from "#core/names.ts";
import type { Account, Order, Position } from "#core/records.ts";
import { ledgerTotal, type State } from "#core/state.ts";
import { ceilDiv } from "#test/simulation/arithmetic.ts";
import { checkMandates } from "./mandate-rules.ts";
import {
  greatestOf,
  type InState,
  MAINTENANCE,
  needByColumn,
  paid,
  raisedByColumn,
  withStates,
} from "./margin-by-hand.ts";

export function checkInvariants(state: State): void {
  assert.equal(ledgerTotal(state), 0n, "the ledger's total is zero");
  for (const [name, balance] of state.ledger) {
    const isOutside = name === "external" || name === "lent";
    assert.ok(isOutside || balance >= 0n, `${name} is not below zero: ${balance}`);
  }
  assert.equal(state.marginQueue.size, 0, "everybody a command touched was judged");
  const held = holdingsOf(state);
  for (const account of state.accounts.values()) {
    checkMargin(state, account, held.get(account.id) ?? []);
  }
  checkDebts(state);
  checkBonds(state);
  checkPositions(state);
  checkShorts(state);
  checkClaims(state);
  const open = openOrders(state);
  checkBooks(state, open);
  checkReduceOnly(state, open);
  checkMandates(state);
  checkAuctions(state);
  checkGroups(state, open);
}

/** A group in use has limits, has tripped or has open orders; one that tripped has none open. */
function checkGroups(state: State, open: readonly Order[]): void {
  const used = new Map<AccountId, Set<string>>();
  const use = (id: AccountId, group: string) =>
    used.set(id, (used.get(id) ?? new Set()).add(group));
  for (const { accountId, group, withinMillis, trippedAtMillis } of state.orderGroups.values()) {
    assert.ok(withinMillis > 0 || trippedAtMillis !== null, `${group} says something`);
    use(accountId, group);
  }
  for (const { id, accountId, group } of open) {
    if (group === undefined) continue;
    use(accountId, group);
    const limits = state.orderGroups.get(groupName(accountId, group));
    assert.equal(limits?.trippedAtMillis ?? null, null, `${id} is open in ${group}`);
  }
  assert.deepEqual(state.groupsOf, used, "the groups in use");
  for (const [id, groups] of used) assert.ok(groups.size <= 50, `${id} has ${groups.size} groups`);
}

/** Orders that would trade with each other are in an auction, and what would trade is told. */
function checkAuctions(state: State): void {
  for (const market of state.markets.values()) {
    const book = state.book(market.id);
    const told = state.heldMatching.get(market.id)?.indicative;
    assert.deepEqual(told, uncrossOf(book, market.markTick), `${market.id}: what would trade`);
    assert.ok(told === undefined || isMatchingHeld(state, market));
  }
  for (const id of state.heldMatching.keys()) assert.ok(state.markets.has(id), `${id} is listed`);
  const orders = [...state.releaseOrders.values()].flatMap((ids) => [...ids]);
  const open = [...state.orders.values()].filter((one) => one.cancelOnRelease && isOpen(one));
  assert.deepEqual(new Set(orders), new Set(open.map(({ id }) => id)));
}

function holdingsOf(state: State): ReadonlyMap<AccountId, readonly Position[]> {
  const holdings = new Map<AccountId, Position[]>();
  for (const position of state.positions.values()) {
    if (position.heldLots === 0n) continue;
    const mine = holdings.get(position.accountId);
    if (mine === undefined) holdings.set(position.accountId, [position]);
    else mine.push(position);
  }
  return holdings;
}

function openOrders(state: State): readonly Order[] {
  const open: Order[] = [];
  for (const order of state.orders.values()) if (isOpen(order)) open.push(order);
  return open;
}

/** Open reduce-only orders never add up to more than the position they reduce. */
function checkReduceOnly(state: State, open: readonly Order[]): void {
  const claims = new Map<string, bigint>();
  for (const order of open) {
    if (!order.reduceOnly) continue;
    const name = positionName(order.accountId, order.marketId);
    assert.ok(state.reduceOnlyOrders.get(name)?.has(order.id), `${order.id} is known to reduce`);
    const held = state.position(order.accountId, order.marketId)?.heldLots ?? 0n;
    assert.ok(buysYes(order) ? held < 0n : held > 0n, `${order.id} reduces ${held}`);
    claims.set(name, (claims.get(name) ?? 0n) + remaining(order));
    const size = held < 0n ? -held : held;
    assert.ok((claims.get(name) ?? 0n) <= size, `${name}: reduce-only orders fit ${held}`);
  }
}

/** Within one command: a fill of a reduce-only order brings its position nearer to flat. */
export function checkReductions(
  events: readonly Event[],
  heldBefore: (account: AccountId, market: MarketId) => bigint,
  isReduceOnly: (order: OrderId) => boolean,
): void {
  const held = new Map<string, bigint>();
  for (const event of events) {
    if (event.type !== "Filled") continue;
    const { fill } = event;
    const { marketId: market, takerBuysYes, buyer, seller, amountLots } = fill;
    const sides = [
      {
        account: buyer,
        by: amountLots,
        order: takerBuysYes ? fill.takerOrderId : fill.makerOrderId,
      },
      {
        account: seller,
        by: -amountLots,
        order: takerBuysYes ? fill.makerOrderId : fill.takerOrderId,
      },
    ];
    for (const { account, by, order } of sides) {
      const name = positionName(account, market);
      const from = held.get(name) ?? heldBefore(account, market);
      const to = from + by;
      held.set(name, to);
      const nearer = from > 0n ? to >= 0n && to < from : to <= 0n && to > from;
      assert.ok(!isReduceOnly(order) || nearer, `${order} moved ${name} from ${from} to ${to}`);
    }
  }
}

/** Cover recounted from positions, marks and rules by column; quarters of a micro-dollar. */
function checkMargin(state: State, account: Account, held: readonly Position[]): void {
  const { id, kyc, marginStatus, marginCall, inDefault, halted } = account;
  const cash = state.balance(`cash:${id}`);
  const approved = kyc.approvedTier ?? kyc.tier;
  const tier = approved === "none" ? "basic" : approved;
  const { requirementBps: bps } = state.rules.tiers[tier];
  const { shareBps, floorMicros, rateBps } = state.rules.concentration;
  const terms = { bps, shareBps, floorLots: floorMicros / 10_000n, rateBps };
  let [liability, short, known] = [0n, 0n, 0n];
  const needs: InState[] = [];
  for (const position of held) {
    const { marketId, heldLots } = position;
    const market = state.market(marketId);
    const { index, nodeId, measurementMonth } = market.terms;
    const isHome = index === "zhvi" || index === "zori";
    const { markTick, stressedTick, riskTicks, resolution } = market;
    const payoutMillionths = resolution?.payoutMillionths ?? null;
    const one = {
      held: heldLots,
      mark: markTick,
      stressed: stressedTick,
      values: riskTicks,
      offsets:
        isHome &&
        position.flowMicros <= 0n &&
        !offersIn(state, id, marketId) &&
        !quotesIn(state, id, marketId),
      payoutMillionths,
      open: market.markedOpenLots ?? 0n,
    };
    const places = [market.terms.nodeId, ...(market.within ?? [])];
    const isOpenYet = payoutMillionths === null;
    needs.push({
      state: isOpenYet ? places.find((place) => place.startsWith("state:")) : undefined,
      hedged:
        isHome && isOpenYet
          ? {
              series: `${index} ${nodeId} ${paid(market.terms)}`,
              month: measurementMonth,
              covered: [],
              offsetting: needByColumn(one, terms, MAINTENANCE),
            }
          : undefined,
      need: needByColumn({ ...one, offsets: false }, terms, MAINTENANCE),
      raised: raisedByColumn({ ...one, offsets: false }, terms, MAINTENANCE),
    });
    if (heldLots > 0n) continue;
    short -= heldLots;
    if (payoutMillionths === null) {
      liability += -heldLots * BigInt(markTick);
      continue;
    }
    // Owed in whole micro-dollars, market by market; nothing beyond it.
    liability += ceilDiv(-heldLots * BigInt(payoutMillionths), 100n);
    known += ceilDiv(-heldLots * BigInt(payoutMillionths), 100n);
  }
  const maintenance = greatestOf(withStates(needs, terms, state.openByState)) - 4n * liability;
  const equity = (cash - liability) * 4n;
  const covered = short === 0n || cash >= short * 10_000n;
  const expected =
    covered || equity * 10n >= maintenance * 15n
      ? "healthy"
      : equity * 10n >= maintenance * 12n
        ? "warning"
        : equity >= maintenance
          ? "critical"
          : "liquidation";
  const isAuctioned = inDefault?.auctionId !== undefined;
  assert.equal(marginStatus, isAuctioned ? "liquidation" : expected, `${id} is as it was judged`);
  const isCalled = marginStatus === "liquidation" && !isAuctioned;
  assert.equal(marginCall !== undefined, isCalled, `${id} is called`);
  checkDefault(state, account, cash, known);
  const isInTime = marginCall === undefined || marginCall.dueAtMillis >= state.lastTimeMillis;
  assert.ok(isInTime, `the call of ${id} is not over`);
  assert.ok(marginCall === undefined || cash >= known, `${id} pays what is known`);
  const free = cash - state.exposures.locked(id);
  if (free >= 0n) return;
  assert.equal(state.rfqQuotesOf.get(id)?.size ?? 0, 0, `${id} lacks ${-free} and quotes nothing`);
  const received = receivedBy(state, id);
  assert.ok(short > 0n || halted || received > cash, `${id} lacks ${-free} and owes nothing`);
  assert.ok(state.exposures.totals(id).outlayMicros <= cash, `${id} can pay all it has ordered`);
  for (const orderId of state.openOrders.get(id) ?? []) {
    assert.ok(
      !state.exposures.holdsBack(state.order(orderId), cash),
      `${orderId} reserves nothing`,
    );
  }
}

/** In default an account is frozen, pays what is known, and keeps no free cash that it owes. */
function checkDefault(
  state: State,
  { id, halted, inDefault }: Account,
  cash: bigint,
  known: bigint,
): void {
  const auctions = [...state.auctions.values()].filter(({ accountId }) => accountId === id);
  const ids = auctions.map((one) => one.id);
  const named = inDefault?.auctionId === undefined ? [] : [inDefault.auctionId];
  assert.deepEqual(ids, named, `the auction of ${id}`);
  if (inDefault === undefined) return;
  assert.ok(halted, `${id} is frozen`);
  assert.ok(cash >= known, `${id} pays what is known`);
  assert.ok(inDefault.owesMicros > 0n || ids.length > 0, `${id} is in default for something`);
  const free = cash - state.exposures.locked(id);
  assert.ok(inDefault.owesMicros === 0n || free <= 0n, `${id} owes, and keeps ${free}`);
  for (const { closesAtMillis } of auctions) {
    assert.ok(closesAtMillis >= state.lastTimeMillis, `the auction of ${id} is not over`);
  }
}
/** Whether some of a long is offered: then it offsets nothing. */
const offersIn = (state: State, account: AccountId, market: MarketId): boolean =>
  [...(state.openOrders.get(account) ?? [])].some((orderId) => {
    const order = state.order(orderId);
    return order.marketId === market && (order.side === "SELL") === (order.outcomeIndex === 0);
  });

/** Whether an open quote for a request sells some of it. */
const quotesIn = (state: State, account: AccountId, market: MarketId): boolean =>
  [...(state.rfqQuotesOf.get(account) ?? [])].some((quoteId) => {
    const asked = state.rfqQuotes.get(quoteId)?.rfqId;
    const rfq = asked === undefined ? undefined : state.rfqs.get(asked);
    return rfq?.side === "BUY" && rfq.legs.some(({ listing }) => listing.marketId === market);
  });

/** The cash that voids of markets that are not final would take back from an account. */
function receivedBy(state: State, account: AccountId): bigint {
  let received = 0n;
  for (const { id, status } of state.markets.values()) {
    if (status === "FINALIZED" || status === "CANCELLED") continue;
    const flow = state.position(account, id)?.flowMicros ?? 0n;
    if (flow > 0n) received += flow;
  }
  return received;
}

/** The loans not paid back equal the debts in the schedules, account by account. */
function checkDebts(state: State): void {
  const owed = new Map<AccountId, bigint>();
  let [total, lost] = [0n, 0n];
  for (const { id, accountId, payments, principalMicros, status } of state.acceptances.values()) {
    let lent = 0n;
    for (const { number, principalMicros: part, interestMicros, paidMicros } of payments) {
      lent += part;
      const left = part + interestMicros - paidMicros;
      assert.ok(left >= 0n, `${id} ${number} is not paid twice`);
      const principal = left < part ? left : part;
      owed.set(accountId, (owed.get(accountId) ?? 0n) + principal);
      total += principal;
      if (status === "written_off") lost += principal;
      assert.ok(status !== "paid" || left === 0n, `${id} is paid`);
    }
    assert.equal(lent, principalMicros, `the parts of ${id} are its principal`);
  }
  assert.equal(state.balance("lent"), -(total - lost), "what is lent is what is owed");
  assert.ok(state.balance("financing") + state.balance("lent") >= 0n, "no more than the pool");
  for (const [id, principal] of owed) {
    assert.equal(state.debts.principal(id), principal, `${id} owes ${principal}`);
  }
}

/** The balance of `bonds` is the sum that open disputes hold. */
function checkBonds(state: State): void {
  let held = 0n;
  for (const { dispute } of state.markets.values()) held += dispute?.bondMicros ?? 0n;
  assert.equal(state.balance("bonds"), held, "bonds are those of open disputes");
}

/** Recounted of each account; what it was before is fewer, of a day each, the fewest first. */
function checkShorts({ positions, shorts }: State): void {
  const held = new Map<AccountId, bigint>();
  for (const { accountId, heldLots } of positions.values()) {
    if (heldLots < 0n) held.set(accountId, (held.get(accountId) ?? 0n) - heldLots);
  }
  const kept = [...shorts].map(([id, { shortLots }]) => [id, shortLots] as const);
  assert.deepEqual(new Map(kept), held, "the lots that accounts are short");
  for (const { accountId, shortLots, before } of shorts.values()) {
    assert.ok(before.length <= 31, `${accountId} is known a month back`);
    const all = [...before, { untilDay: Number.POSITIVE_INFINITY, shortLots }];
    for (const [at, one] of before.entries()) {
      const next = all[at + 1];
      assert.ok(next !== undefined && next.untilDay > one.untilDay, `${accountId}, by day`);
      assert.ok(next.shortLots > one.shortLots, `${accountId} was short of fewer before`);
    }
  }
}

function checkPositions(state: State): void {
  const held = new Map<MarketId, bigint>();
  const flows = new Map<MarketId, bigint>();
  for (const { marketId, heldLots, flowMicros } of state.positions.values()) {
    held.set(marketId, (held.get(marketId) ?? 0n) + heldLots);
    flows.set(marketId, (flows.get(marketId) ?? 0n) + flowMicros);
  }
  for (const [id, total] of held) {
    assert.equal(total, 0n, `longs and shorts of ${id} are equal`);
    const { houseFeesMicros, fundFeesMicros, status, resolution } = state.market(id);
    // Cut claims are paid out of all markets of their release together.
    const cut = resolution === null ? undefined : state.releases.get(resolution.releaseId)?.claims;
    if (status !== "CANCELLED" && cut === undefined) {
      const fees = houseFeesMicros + fundFeesMicros;
      assert.equal(-(flows.get(id) ?? 0n), fees, `${id}: flows are fees`);
    }
    if (status === "FINALIZED" || status === "CANCELLED") {
      assert.equal(state.balance(`market:${id}`), 0n, `${id} has paid out all it took`);
    }
  }
}

/**
 * An account whose approval or accreditation has run out has only orders left that can reduce a
 * position.
 */
function checkCleared({ status, accreditation }: Account["kyc"], { id, reduceOnly }: Order): void {
  const inForce = status === "approved" && accreditation !== null && !accreditation?.ended;
  assert.ok(inForce || (reduceOnly && status !== "rejected"), `${id} is cleared: ${status}`);
}

/** Claims of one release are paid one share, to the micro-dollar; nothing is left when all end. */
function checkClaims(state: State): void {
  for (const { id, claims, resolvedMarkets } of state.releases.values()) {
    if (claims === undefined) continue;
    const markets = resolvedMarkets.flatMap((market) => {
      const here = state.markets.get(market);
      assert.ok(here ?? !state.positionsByMarket.has(market), `${market} left untraded`);
      return here ?? [];
    });
    const kept = state.balance(`claims:${id}`);
    let lacking = 0n;
    for (const { id: market, status, shortfallMicros } of markets) {
      if (status !== "FINALIZED") continue;
      lacking += shortfallMicros;
      let here = 0n;
      for (const account of state.positionsByMarket.get(market) ?? []) {
        const claim = state.position(account, market)?.claim;
        if (claim === undefined) continue;
        assert.ok(claim.paidMicros < claim.dueMicros, `${account} is owed something of ${market}`);
        here += claim.dueMicros - claim.paidMicros;
      }
      assert.equal(shortfallMicros, here, `${market} lacks what its claims lack`);
    }
    assert.equal(claims.dueMicros - claims.paidMicros, lacking, `claims of ${id}`);
    const isWaiting = markets.some(({ status }) => status === "RESOLVED");
    assert.ok(isWaiting || kept === 0n, `${id} keeps ${kept} for nobody`);
  }
}

/** Books hold exactly the open orders, each where it belongs, and never cross. */
function checkBooks(state: State, open: readonly Order[]): void {
  const inBooks = new Set<OrderId>();
  for (const [market, book] of state.books) {
    const [bid, ask] = [book.bestBid(), book.bestAsk()];
    const isApart = bid === undefined || ask === undefined || bid < ask;
    assert.ok(isApart || state.heldMatching.has(market), `${market} is not crossed`);
    for (const order of [...book.against(false), ...book.against(true)]) {
      assert.equal(state.orders.get(order.id), order, `the book's ${order.id} is the record`);
      assert.ok(isOpen(order) && order.marketId === market, `${order.id} is open in ${market}`);
      const { status, tradingClosed } = state.market(market);
      assert.ok(
        (status === "ACTIVE" || status === "PAUSED") && !tradingClosed,
        `${market} is open`,
      );
      checkCleared(state.account(order.accountId).kyc, order);
      inBooks.add(order.id);
    }
  }
  const counted = new Map<AccountId, number>();
  for (const order of open) {
    assert.ok(inBooks.has(order.id), `the open ${order.id} is in its book`);
    counted.set(order.accountId, (counted.get(order.accountId) ?? 0) + 1);
  }
  assert.equal(inBooks.size, open.length, "books and open orders are as many");
  for (const id of state.accounts.keys()) {
    const count = counted.get(id) ?? 0;
    assert.equal(state.openOrders.get(id)?.size ?? 0, count, `open orders of ${id}`);
    assert.equal(state.exposures.totals(id).openOrders, count, `orders counted for ${id}`);
  }
}
