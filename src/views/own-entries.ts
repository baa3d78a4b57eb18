// A journal entry as one account sees it: its fills, its postings, its positions after it.
// Invariant: nothing of another account is here; the fees of fills add up to the fees posted.
import type { AccountId, MarketId, OrderId } from "#base/ids.ts";
import { type Micros, micros, noMoney } from "#base/money.ts";
import { mulDivDown } from "#base/rounding.ts";
import type { Event, PostingReason } from "#core/event.ts";
import { feeBase } from "#core/margin/fee.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Alert, Fill, Order, Position } from "#core/records.ts";

/** One side of a fill. */
export interface OwnFill {
  readonly fill: Fill;
  /** As the entry left it. */
  readonly order: Order;
  readonly liquidity: "maker" | "taker";
  /** Its part of what its order paid in this entry; a resting order pays nothing. */
  readonly feeMicros: Micros;
}

/** A movement of the account's cash, and the cash after it. */
export interface OwnPosting {
  /** Above zero: it came in. */
  readonly amountMicros: Micros;
  readonly balanceMicros: Micros;
  readonly reason: PostingReason;
  readonly reference: string;
}

const eventsOf = ({ outcome }: Entry): readonly Event[] =>
  isRejected(outcome) ? [] : outcome.events;

/** In the order they happened. */
export function ownPostings(entry: Entry, account: AccountId): readonly OwnPosting[] {
  const cash = `cash:${account}`;
  return eventsOf(entry).flatMap((event): OwnPosting[] => {
    if (event.type !== "Posted") return [];
    const { posting, fromMicros, toMicros } = event;
    const { from, to, amountMicros, reason, reference } = posting;
    if (from === cash) {
      const amount = micros(-amountMicros);
      return [{ amountMicros: amount, balanceMicros: fromMicros, reason, reference }];
    }
    return to === cash ? [{ amountMicros, balanceMicros: toMicros, reason, reference }] : [];
  });
}

/** In the order they happened. */
export function ownFills(entry: Entry, account: AccountId): readonly OwnFill[] {
  const orders = new Map<OrderId, Order>();
  const fees = new Map<string, bigint>();
  for (const event of eventsOf(entry)) {
    if (event.type === "OrderChanged") orders.set(event.order.id, event.order);
  }
  for (const { reason, reference, amountMicros } of ownPostings(entry, account)) {
    const isFee = reason === "fee" || reason === "fee-share";
    if (isFee) fees.set(reference, (fees.get(reference) ?? 0n) - amountMicros);
  }
  const fills = eventsOf(entry).flatMap((event): OwnFill[] => {
    if (event.type !== "Filled") return [];
    const { fill } = event;
    const sides = [
      { id: fill.takerOrderId, liquidity: "taker" },
      { id: fill.makerOrderId, liquidity: "maker" },
    ] as const;
    return sides.flatMap(({ id, liquidity }) => {
      const order = orders.get(id);
      if (order?.accountId !== account) return [];
      return [{ fill, order, liquidity, feeMicros: noMoney }];
    });
  });
  return withFees(fills, fees);
}

/** A taker's fee is rounded once an order: its fills share it by what it was charged on. */
function withFees(
  fills: readonly OwnFill[],
  fees: ReadonlyMap<string, bigint>,
): readonly OwnFill[] {
  const charged = fills.filter(({ liquidity }) => liquidity === "taker");
  const shares = new Map<OwnFill, Micros>();
  for (const [orderId, fee] of fees) {
    const mine = charged.filter(({ order }) => order.id === orderId);
    const base = ({ fill }: OwnFill): bigint => feeBase(fill.amountLots, fill.yesTick);
    const whole = mine.reduce((sum, fill) => sum + base(fill), 0n);
    let counted = 0n;
    let given = 0n;
    for (const fill of mine) {
      counted += base(fill);
      const upTo = mulDivDown(fee, counted, whole);
      shares.set(fill, micros(upTo - given));
      given = upTo;
    }
  }
  return fills.map((fill) => ({ ...fill, feeMicros: shares.get(fill) ?? noMoney }));
}

/** The account's position in the market after the entry; undefined where it did not change. */
export function ownPosition(
  entry: Entry,
  account: AccountId,
  market: MarketId,
): Position | undefined {
  const changed = eventsOf(entry).findLast(
    (event) =>
      event.type === "PositionChanged" &&
      event.position.accountId === account &&
      event.position.marketId === market,
  );
  return changed?.type === "PositionChanged" ? changed.position : undefined;
}

/** The account's positions that the entry changed, as it left them. */
export function ownPositions(entry: Entry, account: AccountId): readonly Position[] {
  const last = new Map<MarketId, Position>();
  for (const event of eventsOf(entry)) {
    if (event.type !== "PositionChanged" || event.position.accountId !== account) continue;
    last.set(event.position.marketId, event.position);
  }
  return [...last.values()];
}

/** In the order they were raised. */
export const ownAlerts = (entry: Entry, account: AccountId): readonly Alert[] =>
  eventsOf(entry).flatMap((event) =>
    event.type === "AlertRaised" && event.alert.accountId === account ? [event.alert] : [],
  );
