// The core alone, in this process: orders and cancels decided a second, and sealed for the journal.
// Invariant: commands are drawn before the clock starts; nothing but deciding is measured.
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Command, Envelope } from "#core/command.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { noEntries } from "#journal/chain.ts";
import { seal } from "#journal/seal.ts";
import { order, type Trader, World } from "#test/core/world.ts";
import { between, randomFrom } from "#test/ingest/wide-file.ts";
import { digits, type Figure, times } from "./figure.ts";

const COMMANDS = 60_000;
const MARKETS = 4;

export async function core(): Promise<readonly Figure[]> {
  const warm = decide(COMMANDS / 4, false);
  const decided = decide(COMMANDS, false);
  const sealed = decide(COMMANDS, true);
  const filled = `${Math.round((100 * decided.fills) / COMMANDS)} fills to 100 commands`;
  return [
    {
      what: "core.apply, orders and cancels",
      value: `${digits(decided.perSecond)} a second`,
      against: `its first ${digits(COMMANDS / 4)} commands, cold: ${digits(warm.perSecond)}`,
      ratio: `${times(decided.perSecond / warm.perSecond)} (${filled})`,
    },
    {
      what: "the same, encoded and hashed",
      value: `${digits(sealed.perSecond)} a second`,
      against: `deciding alone: ${digits(decided.perSecond)}`,
      ratio: times(sealed.perSecond / decided.perSecond),
    },
  ];
}

function decide(count: number, isSealed: boolean): { perSecond: number; fills: number } {
  const world = new World();
  world.print("2024-10", "300000");
  const traders = Array.from({ length: 8 }, (_, at) => world.trader(`t${at}`, "1000000"));
  const listings = Array.from({ length: MARKETS }, (_, at) =>
    world.listing(`2025-0${at + 1}`, { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
  );
  const envelopes = drawn(world, traders, listings, count);
  let head = noEntries;
  let { sequence } = world;
  let fills = 0;
  const started = performance.now();
  for (const envelope of envelopes) {
    sequence += 1;
    const outcome = apply(world.state, envelope, sequence);
    if (isSealed) {
      const { hash } = seal(head, { sequence, envelope, outcome }, world.state);
      head = { size: sequence, hash };
    } else if (!isRejected(outcome)) {
      for (const { type } of outcome.events) fills += type === "Filled" ? 1 : 0;
    }
  }
  return { perSecond: (1000 * count) / (performance.now() - started), fills };
}

/** Seven orders in ten, half of them crossing, and three cancels of orders that may be done. */
export function drawn(
  world: World,
  traders: readonly Trader[],
  listings: readonly Listing[],
  count: number,
): readonly Envelope[] {
  const random = randomFrom(7);
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[between(random, 0, from.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  };
  const owners: Trader[] = [];
  return Array.from({ length: count }, () => {
    const isCancel = owners.length > 0 && random() < 0.3;
    const rank = isCancel ? between(random, Math.max(0, owners.length - 200), owners.length) : 0;
    const trader = isCancel ? (owners[rank] ?? pick(traders)) : pick(traders);
    if (!isCancel) owners.push(trader);
    const command = isCancel
      ? ({ type: "CancelOrder", orderId: orderId(`ord-${rank + 1}`) } as const)
      : placement(pick(listings), random);
    return {
      timeMillis: world.nowMillis,
      actor: trader.actor,
      requestId: null,
      idempotency: null,
      command,
    };
  });
}

function placement(listing: Listing, random: () => number): Command {
  const price = (0.04 + between(random, 0, 21) / 1_000).toFixed(3);
  const side = random() < 0.5 ? "BUY" : "SELL";
  const amount = String(between(random, 1, 20));
  return { type: "PlaceOrder", order: order(listing, side, amount, price), listing };
}
