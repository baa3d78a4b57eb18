// How the cost of a command, and what a record weighs, grow with the orders and the markets there
// are: what a tree or a table costs may grow slowly, what walks over everything may not be there.
// Invariant: every size is built and measured in a process of its own, from the same draws.
import { columns } from "./columns.ts";
import { digits, type Figure, type Scope, times } from "./figure.ts";
import { type Cost, type GrownCosts, grownCosts } from "./grown-core.ts";
import type { Size } from "./grown-exchange.ts";

const SMALLEST: Size = { orders: 1_000, markets: 100 };
const MORE_ORDERS = [100_000, 1_000_000];
const MORE_MARKETS = [10_000, 100_000];

export async function growth(scope: Scope): Promise<readonly Figure[]> {
  const least = await grownCosts(scope, SMALLEST);
  const figures: Figure[] = [];
  for (const orders of MORE_ORDERS) {
    const costs = await grownCosts(scope, { ...SMALLEST, orders });
    const each = (costs.bytes - least.bytes) / (orders - SMALLEST.orders);
    const size = `${digits(orders)} resting orders`;
    figures.push(
      ...commands(size, costs, `${digits(SMALLEST.orders)} orders`, least),
      memory("a resting order", size, each, costs.snapshotBytes / orders),
      ...snapshots(size, orders, costs),
    );
  }
  for (const markets of MORE_MARKETS) {
    const costs = await grownCosts(scope, { ...SMALLEST, markets });
    const each = (costs.bytes - least.bytes) / (markets - SMALLEST.markets);
    const inSnapshot = (costs.snapshotBytes - least.snapshotBytes) / (markets - SMALLEST.markets);
    const size = `${digits(markets)} markets`;
    figures.push(
      ...commands(size, costs, `${digits(SMALLEST.markets)} markets`, least),
      memory("a market", size, each, inSnapshot),
    );
  }
  return [...figures, ...(await columns(scope))];
}

const commands = (
  size: string,
  costs: GrownCosts,
  smallest: string,
  least: GrownCosts,
): readonly Figure[] => [
  command(`an order that rests, ${size}`, costs.rest, smallest, least.rest),
  command(`an order that fills, ${size}`, costs.fill, smallest, least.fill),
  command(`a cancel, ${size}`, costs.cancel, smallest, least.cancel),
];

const command = (what: string, cost: Cost, smallest: string, least: Cost): Figure => ({
  what,
  value: `p50 ${digits(cost.p50)}, p99 ${digits(cost.p99)} µs`,
  against: `${smallest}: p50 ${digits(least.p50)}, p99 ${digits(least.p99)} µs`,
  ratio: `${times(cost.p50 / least.p50)} / ${times(cost.p99 / least.p99)}`,
});

const memory = (what: string, size: string, bytes: number, inSnapshot: number): Figure => ({
  what: `${what} in memory, ${size}`,
  value: `${digits(bytes)} bytes`,
  against: `in its compressed snapshot: ${digits(inSnapshot)} bytes`,
  ratio: times(bytes / inSnapshot),
});

/** A command of the same state is what they stand beside: nothing is decided meanwhile. */
const snapshots = (size: string, orders: number, costs: GrownCosts): readonly Figure[] =>
  [
    { what: `sealing a snapshot, ${size}`, millis: costs.sealMillis },
    { what: `opening it, views and all, ${size}`, millis: costs.openMillis },
  ].map(({ what, millis }) => ({
    what,
    value: `${digits(millis)} ms`,
    against: `placing as many orders: ${digits((orders * costs.rest.p50) / 1_000)} ms`,
    ratio: times((1_000 * millis) / (orders * costs.rest.p50)),
  }));
