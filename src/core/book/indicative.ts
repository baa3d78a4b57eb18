// The one price of an auction: of all prices that at which most trades, then the least is left
// over, then the nearest to the mark, then the lower.
// Invariant: at that price no two orders are left that would trade with each other.
import { nearestBetween, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import type { Indicative } from "../market/window-times.ts";
import type { Book, Depth } from "./book.ts";

type Sides = Pick<Book, "bids" | "asks">;

/** Undefined where nothing would trade. */
export function uncrossOf(book: Sides, markTick: Tick): Indicative | undefined {
  const bestBid = first(book.bids());
  const bestAsk = first(book.asks());
  if (bestBid === undefined || bestAsk === undefined || bestAsk > bestBid) return undefined;
  const bids = levels(book.bids(), (one) => one >= bestAsk).reverse();
  const asks = levels(book.asks(), (one) => one <= bestBid);
  // Between these, what is bought and what is sold at a price are the same.
  const starts = [...new Set([...asks.map((one) => one.tick), ...bids.map((one) => one.tick + 1)])]
    .filter((start) => start <= bestBid)
    .sort((a, b) => a - b);
  let bought = bids.reduce((sum, one) => sum + one.lots, 0n);
  let sold = 0n;
  let [bid, ask] = [0, 0];
  let found: Indicative | undefined;
  for (const [at, start] of starts.entries()) {
    for (; (asks[ask]?.tick ?? start + 1) <= start; ask += 1) sold += asks[ask]?.lots ?? 0n;
    for (; (bids[bid]?.tick ?? start) < start; bid += 1) bought -= bids[bid]?.lots ?? 0n;
    const end = (starts[at + 1] ?? bestBid + 1) - 1;
    const one: Indicative = {
      tick: nearestBetween(markTick, start, end),
      volumeLots: lots(bought < sold ? bought : sold),
      surplusLots: lots(bought - sold),
    };
    if (found === undefined || isBetter(one, found, markTick)) found = one;
  }
  return found;
}

/** `other` is at a lower price. */
function isBetter(one: Indicative, other: Indicative, markTick: Tick): boolean {
  if (one.volumeLots !== other.volumeLots) return one.volumeLots > other.volumeLots;
  const [left, otherLeft] = [size(one.surplusLots), size(other.surplusLots)];
  if (left !== otherLeft) return left < otherLeft;
  return Math.abs(one.tick - markTick) < Math.abs(other.tick - markTick);
}

const size = (value: bigint): bigint => (value < 0n ? -value : value);

function first(depths: Iterable<Depth>): Tick | undefined {
  for (const depth of depths) return depth.tick;
  return undefined;
}

function levels(depths: Iterable<Depth>, isMeant: (one: Tick) => boolean): Depth[] {
  const found: Depth[] = [];
  for (const depth of depths) {
    if (!isMeant(depth.tick)) break;
    found.push(depth);
  }
  return found;
}
