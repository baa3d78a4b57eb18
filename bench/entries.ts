// The bytes of an entry in the journal, by kind, and the parts that take them.
// Invariant: entries are decided and encoded as the exchange does it; nothing here is timed.
import { orderId } from "#base/ids.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, Envelope } from "#core/command.ts";
import { entryBytes, sectionsOf } from "#core/entry-bytes.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { publishMarks } from "#test/core/publish-marks.ts";
import { order, system, type Trader, tick, World } from "#test/core/world.ts";
import { drawn } from "./core.ts";
import { digits, type Figure, times } from "./figure.ts";

const SALT = "5".repeat(32);
const MIX = 6_000;
const MARKED = 50;
const layer = { kind: "layered", attachBps: 200, exhaustBps: 1000 } as const;

export async function entries(): Promise<readonly Figure[]> {
  const mix = mixOf(MIX);
  const groups: readonly (readonly [string, readonly Entry[]])[] = [
    ...singles(),
    ["mean of an order, core's mix", mix.filter(({ envelope }) => isOfOrders(envelope))],
  ];
  return groups.map(([what, group]) => figureOf(what, group));
}

const isOfOrders = ({ command: { type } }: Envelope): boolean =>
  type === "PlaceOrder" || type === "CancelOrder";

/** As over HTTP: each has a request id, and an idempotency key with its digest. */
function given(world: World, actor: Actor, command: Command): Entry {
  const envelope = {
    timeMillis: world.nowMillis,
    actor,
    requestId: "0f8b5d1c-7a53-4d7e-9d0a-6a1f9f4c2b11",
    idempotency: { key: "5d0c2f7e-31f4-4a6e-8c39-0d4a6f2b7c55", digest: "a1".repeat(32) },
    command,
  };
  world.decide(envelope);
  const entry = world.journal.at(-1);
  if (entry === undefined || isRejected(entry.outcome)) {
    throw new Error(`refused: ${JSON.stringify(entry?.outcome)}`);
  }
  return entry;
}

function singles(): readonly (readonly [string, readonly Entry[]])[] {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const [anna, bela] = [world.trader("anna", "1000000"), world.trader("bela", "1000000")];
  const listings = Array.from({ length: MARKED }, (_, at) =>
    world.listing("2025-06", { kind: "binary", strikeBps: 100 * (at + 1) }),
  );
  const [first] = listings;
  if (first === undefined) throw new Error("nothing is listed");
  const place = (trader: Trader, input: ReturnType<typeof order>, listing: Listing | null = null) =>
    given(world, trader.actor, { type: "PlaceOrder", order: input, listing });
  const sell = (price: string) => place(anna, order(first, "SELL", "10", price));

  // An account lists twenty strikes that nobody has traded.
  const makers = [anna, world.trader("clio", "1000000"), world.trader("dora", "1000000")];
  const listed = listings.map((listing, at) =>
    place(makers[Math.floor(at / 20)] ?? anna, order(listing, "BUY", "10", "0.01"), listing),
  );
  const resting = sell("0.05");
  const filled = place(bela, order(first, "BUY", "10", "0.05"));
  const levels = ["0.051", "0.052", "0.053", "0.054", "0.055"];
  for (const price of levels) sell(price);
  const swept = place(bela, order(first, "BUY", "50", "0.055"));
  const cancelled = given(world, anna.actor, { type: "CancelOrder", orderId: orderId("ord-1") });
  const orders = Array.from({ length: 10 }, (_, at) =>
    order(first, "SELL", "10", `0.06${at === 0 ? "" : at}`),
  );
  const batch = given(world, anna.actor, { type: "PlaceBatch", orders, listings: [] });
  const marks = listings.map(({ marketId }, at) => ({
    marketId,
    markTick: tick((0.04 + at / 1_000).toFixed(3)),
    stressedTick: tick((0.06 + at / 1_000).toFixed(3)),
  }));
  const marked = given(world, system, publishMarks(marks, 1));
  world.nowMillis += 40 * 86_400_000;
  const release = given(world, system, world.release(world.observe("2024-11", "300100")));
  return [
    ["an order that lists its market", listed],
    ["an order that rests", [resting]],
    ["an order with one fill", [filled]],
    ["an order with five fills", [swept]],
    ["a cancel", [cancelled]],
    ["a batch of 10 that rest", [batch]],
    [`marks of ${MARKED} markets`, [marked]],
    ["a release with one print", [release]],
  ];
}

/** The commands of `npm run bench -- core`, as they come over HTTP: no market is listed twice. */
function mixOf(count: number): readonly Entry[] {
  const world = new World();
  world.judgesRefusals = false;
  world.print("2024-10", "300000");
  const traders = Array.from({ length: 8 }, (_, at) => world.trader(`t${at}`, "1000000"));
  const listings = Array.from({ length: 4 }, (_, at) => world.listing(`2025-0${at + 1}`, layer));
  const taken: Entry[] = [];
  let { sequence } = world;
  for (const bare of drawn(world, traders, listings, count)) {
    const envelope = {
      ...bare,
      requestId: "0f8b5d1c-7a53-4d7e-9d0a-6a1f9f4c2b11",
      command: withoutKnown(world, bare.command),
    };
    const outcome = apply(world.state, envelope, sequence + 1);
    // A cancel that found nothing is no entry.
    if (isRejected(outcome)) continue;
    sequence += 1;
    taken.push({ sequence, envelope, outcome });
  }
  return taken;
}

function withoutKnown({ state }: World, command: Command): Command {
  if (command.type !== "PlaceOrder") return command;
  return state.markets.has(command.order.marketId) ? { ...command, listing: null } : command;
}

const kinds = ["market", "order", "posting", "position", "fill", "level", "account"] as const;

function figureOf(what: string, group: readonly Entry[]): Figure {
  const sizes = new Map<string, number>();
  const add = (name: string, bytes: number) => sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  for (const entry of group) measure(entry, add);
  const mean = (name: string): number => (sizes.get(name) ?? 0) / group.length;
  const split = [...sizes.keys()]
    .filter((name) => name !== "all" && name !== "names" && mean(name) >= 1)
    .sort((a, b) => mean(b) - mean(a))
    .map((name) => `${name} ${digits(Math.round(mean(name)))}`);
  return {
    what: `bytes: ${what}`,
    value: digits(Math.round(mean("all"))),
    against: split.join(", "),
    ratio: times(mean("names") / mean("all")).replace("×", "of it names"),
  };
}

function measure(entry: Entry, add: (name: string, bytes: number) => void): void {
  const bytes = entryBytes(entry, SALT);
  add("all", bytes.length);
  const { open, closed } = sectionsOf(bytes);
  let told = 0;
  for (const section of [open, ...closed]) {
    const part = JSON.parse(Buffer.from(section).toString("utf8"));
    add("names", namesIn(part));
    const pieces: unknown[] = part.events ?? [];
    for (const piece of pieces) {
      const size = JSON.stringify(piece).length + 1;
      add(kindOf(piece), size);
      told += size;
    }
    for (const name of ["command", "order"]) {
      if (part[name] === undefined) continue;
      const size = JSON.stringify(part[name]).length + name.length + 4;
      add(name === "order" ? "order of events" : name, size);
      told += size;
    }
  }
  const salt = closed.length === 0 ? 0 : SALT.length + 1 + closed.length;
  add("salt", salt);
  add("who and when", bytes.length - told - salt);
}

function kindOf(piece: unknown): string {
  const text = JSON.stringify(piece);
  return kinds.find((kind) => text.includes(`"${kind}":{`)) ?? "others";
}

/** Bytes of member names, with their quotes and colon. */
function namesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value)
    ? 0
    : Object.keys(value).reduce((sum, name) => sum + name.length + 3, 0);
  return Object.values(value).reduce((sum: number, inner) => sum + namesIn(inner), own);
}
