// An order beside mandates: with none, with a thousand and with ten thousand over 70,000 places,
// and with all of them on one state.
// Invariant: the exchanges take turns with the same orders, so that the machine's moods hit all.
import { mandateId, type NodeId, nodeId } from "#base/ids.ts";
import { lots } from "#base/quantity.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { MandateTerms } from "#core/mandate/record.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import { order, type Trader, World } from "#test/core/world.ts";
import { digits, type Figure, median, times } from "./figure.ts";

const PLACES = 70_000;
const OF_AN_ACCOUNT = 50;
const ROUNDS = 15;
const ORDERS = 200;
const zip = (at: number): NodeId => nodeId(`zip:${String(at).padStart(5, "0")}`);
const state = nodeId("state:tx");

class Stage {
  readonly #world = new World();
  readonly #listing: Listing;
  readonly #maker: Trader;
  readonly #taker: Trader;
  readonly #sellers: readonly Trader[];
  readonly #input: (side: "BUY" | "SELL", price: string) => OrderInput;

  constructor(count: number, placesOf: (at: number) => readonly NodeId[]) {
    const world = this.#world;
    world.judgesRefusals = false;
    world.place = zip(0);
    world.print("2024-10", "300000");
    const drawn = world.listing("2025-10", { kind: "layered", attachBps: 500, exhaustBps: 1500 });
    this.#listing = { ...drawn, within: [state, nodeId("county:48001")] };
    this.#maker = world.trader("maker", "1000000");
    this.#taker = world.trader("taker", "1000000");
    const accounts = Math.ceil(count / OF_AN_ACCOUNT);
    this.#sellers = Array.from({ length: accounts }, (_, at) => world.trader(`s${at}`, "100000"));
    for (let at = 0; at < count; at += 1) this.change(at, placesOf(at), null);
    this.#input = (side, price) => order(this.#listing, side, "0.01", price);
    this.#give(this.#maker.actor, {
      type: "PlaceOrder",
      order: this.#input("BUY", "0.0001"),
      listing: this.#listing,
    });
  }

  /** Sets the terms of the mandate of that number anew, or a new one (null). */
  change(at: number, places: readonly NodeId[], number: number | null): void {
    const seller = this.#sellers[Math.floor(at / OF_AN_ACCOUNT)];
    if (seller === undefined) return;
    const id = number === null ? null : mandateId(`mnd-${number}`);
    this.#give(seller.actor, { type: "SetMandate", mandateId: id, terms: terms(places, at) });
  }

  /** Microseconds of an order that is filled by one that rests. */
  resting(): number {
    const buy = this.#input("BUY", "0.05");
    const sell = this.#input("SELL", "0.05");
    return this.#timed(buy, () => {
      this.#give(this.#maker.actor, { type: "PlaceOrder", order: sell, listing: null });
    });
  }

  /** Microseconds of an order that is filled by the nearest mandate. */
  given(before: () => void = () => {}): number {
    return this.#timed(this.#input("BUY", "0.5"), before);
  }

  #timed(input: OrderInput, before: () => void): number {
    const buy: Command = { type: "PlaceOrder", order: input, listing: null };
    let total = 0;
    for (let at = 0; at < ORDERS; at += 1) {
      before();
      const started = performance.now();
      this.#give(this.#taker.actor, buy);
      total += performance.now() - started;
    }
    return (1_000 * total) / ORDERS;
  }

  #give(actor: Actor, command: Command): void {
    const world = this.#world;
    world.sequence += 1;
    const timeMillis = world.nowMillis;
    const envelope = { timeMillis, actor, requestId: null, idempotency: null, command };
    const outcome = apply(world.state, envelope, world.sequence);
    if (isRejected(outcome)) throw new Error(`${command.type}: ${outcome.rejection.code}`);
  }
}

const terms = (places: readonly NodeId[], at: number): MandateTerms => ({
  scope: { index: "zhvi", places, levels: null, payoffs: null, minMonths: 1, maxMonths: 60 },
  side: "SELL",
  spreadTicks: 100 + (at % 400),
  spreadTicksPerYear: 10,
  mostInMarketLots: lots(1_000_000n),
  mostInStateLots: lots(1_000_000n),
  mostInAllLots: lots(1_000_000n),
  expirySeconds: 0,
  collateral: "margin",
});

/** As many names of places in all, however many mandates there are. */
const spread =
  (count: number) =>
  (at: number): readonly NodeId[] =>
    Array.from({ length: PLACES / count }, (_, step) => zip(at + step * count));

export async function mandates(): Promise<readonly Figure[]> {
  const stages = {
    none: new Stage(0, () => []),
    thousand: new Stage(1_000, spread(1_000)),
    many: new Stage(10_000, spread(10_000)),
    oneState: new Stage(10_000, () => [state]),
  };
  const { none, thousand, many, oneState } = stages;
  const micros = new Map<string, number[]>();
  const note = (name: string, value: number) =>
    micros.set(name, [...(micros.get(name) ?? []), value]);
  for (let round = 0; round < ROUNDS; round += 1) {
    note("none", none.resting());
    note("thousand", thousand.resting());
    note("many", many.resting());
    note("oneState", oneState.resting());
    note("thousand given", thousand.given());
    note("many given", many.given());
    note("oneState given", oneState.given());
    const change = () => oneState.change(9_999, [state], 10_000);
    note("oneState changed", oneState.given(change));
  }
  const of = (name: string): number => median(micros.get(name) ?? []);
  const words = {
    none: "no mandates, filled by a resting order",
    thousand: "a thousand",
    "thousand given": "a thousand",
  };
  const row = (what: string, name: string, against: keyof typeof words = "none"): Figure => ({
    what,
    value: `${digits(of(name))} µs`,
    against: `${words[against]}: ${digits(of(against))}`,
    ratio: times(of(name) / of(against)),
  });
  return [
    row("an order filled by a resting one, beside 1,000 mandates over 70,000 places", "thousand"),
    row("the same beside 10,000 mandates", "many", "thousand"),
    row("the same, all 10,000 on its own state", "oneState", "thousand"),
    row("an order filled by a mandate, of 1,000", "thousand given"),
    row("the same of 10,000", "many given", "thousand given"),
    row("the same, all 10,000 on its own state", "oneState given", "thousand given"),
    row("the same, one of them set anew before each order", "oneState changed", "thousand given"),
  ];
}
