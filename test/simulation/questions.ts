// The questions that readers of the simulation ask, as a seed draws them: any route, about anybody.
// Invariant: the same state, dice and routes give the same question; nothing is changed by asking.
import { DAY_MILLIS } from "#base/day.ts";
import type { AccountId, OrderId } from "#base/ids.ts";
import { addMonths, formatMonth, monthAt } from "#base/month.ts";
import type { Key, Order } from "#core/records.ts";
import type { State } from "#core/state.ts";
import type { Route } from "#http/route/route.ts";
import { parseJson } from "#http/server/json-source.ts";
import type { Dice } from "#test/core/dice.ts";
import type { Question } from "./surface.ts";

/** Where it is asked, and what there is to be asked about. */
interface Occasion {
  readonly state: State;
  readonly nowMillis: number;
  readonly sequence: number;
}

/** Asked as often as all others together: what a caller knows of its own money and orders. */
const usual = [
  "GET /api/trading/account",
  "GET /api/liquidity/margin-health",
  "GET /api/trading/positions",
  "GET /api/trading/orders",
  "POST /api/trading/orders/preview",
  "POST /api/trading/margin/preview",
  "POST /api/trading/acceptances/preview",
  "GET /api/trading/rfqs",
  "GET /api/trading/mandates",
  "GET /api/markets/:id/book",
] as const;

export class Questions {
  readonly #dice: Dice;
  readonly #places: readonly string[];
  readonly #routeOf: (place: string) => Route;
  #at = 0;

  constructor(dice: Dice, places: readonly string[], routeOf: (place: string) => Route) {
    this.#dice = dice;
    this.#routeOf = routeOf;
    // From a place of the seed's own, one after the other: none is left out for long.
    this.#places = places;
    this.#at = dice.below(places.length);
  }

  next(occasion: Occasion): Question {
    if (this.#dice.chance(50)) return this.about(this.#dice.pick(usual), occasion);
    this.#at = (this.#at + 1) % this.#places.length;
    return this.about(this.#places[this.#at] ?? usual[0], occasion);
  }

  about(place: string, occasion: Occasion): Question {
    const { schemas, surface, access } = this.#routeOf(place);
    const isOfKey = surface === "trading" || (surface === "events" && access !== "public");
    const isAsked = isOfKey || (surface === "admin" && access !== "root" && this.#dice.chance(50));
    const key = isAsked ? this.#key(occasion, isOfKey, place) : undefined;
    const drawn = new Draw(this.#dice, place, occasion, key?.accountId);
    const params = drawn.members(schemas.params);
    const query = new URLSearchParams(drawn.query(schemas.query)).toString();
    return { place, params, query, body: drawn.body(), key };
  }

  /** Anybody's, mostly of who has what is asked about; of what only operators read, one of theirs. */
  #key({ state }: Occasion, isOfTraders: boolean, place: string) {
    const having = isOfTraders ? new Set(havingIn(state, place)) : undefined;
    const isMeant = ({ accountId }: Key): boolean =>
      having === undefined ? isOperator(state, accountId) : having.has(accountId);
    const keys = [...state.keys.values()];
    const meant = keys.filter(isMeant);
    if (meant.length > 0 && !(isOfTraders && this.#dice.chance(15))) return this.#dice.pick(meant);
    return isOfTraders && keys.length > 0 ? this.#dice.pick(keys) : undefined;
  }
}

/** The accounts that have something of the kind that a place is about: most have open orders. */
function havingIn(state: State, place: string): Iterable<AccountId> {
  const of = (records: Iterable<{ readonly accountId: AccountId }>) =>
    [...records].map(({ accountId }) => accountId);
  if (place.includes("/acceptances/:")) return of(state.acceptances.values());
  if (place.includes("/rfqs/:")) return of(state.rfqs.values());
  if (place.includes("/mandates/:")) return state.mandatesOf.keys();
  if (place.includes("/by-client-id/")) return of(namedOrders(state, state.openOrders.values()));
  return state.openOrders.keys();
}

function namedOrders(state: State, open: Iterable<ReadonlySet<OrderId>>): readonly Order[] {
  const orders = [...open].flatMap((ids) => [...ids].map((id) => state.order(id)));
  return orders.filter(({ clientOrderId }) => clientOrderId !== null);
}

/** As much of a JSON schema as is read here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly minimum?: number;
}

class Draw {
  readonly #dice: Dice;
  readonly #place: string;
  readonly #occasion: Occasion;
  /** The account that asks. */
  readonly #asks: AccountId | undefined;

  constructor(dice: Dice, place: string, occasion: Occasion, asks: AccountId | undefined) {
    this.#dice = dice;
    this.#place = place;
    this.#occasion = occasion;
    this.#asks = asks;
  }

  query(schema: Schema): Record<string, string> {
    if (this.#place !== "GET /api/quotes") return this.members(schema);
    const asked = Object.entries(this.#quote()).map(([name, value]) => [name, String(value)]);
    return Object.fromEntries(asked);
  }

  /** Of a path or a query, as text. */
  members({ properties = {}, required = [] }: Schema): Record<string, string> {
    const drawn: Record<string, string> = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.includes(name) && !this.#dice.chance(25)) continue;
      const text = this.#text(name, schema);
      if (text !== undefined) drawn[name] = text;
    }
    return drawn;
  }

  body(): unknown {
    const dice = this.#dice;
    switch (this.#place) {
      case "POST /api/trading/orders/preview":
        return sent(dice.chance(70) ? this.#order() : { orders: [this.#order(), this.#order()] });
      case "POST /api/trading/margin/preview":
        return sent({ positions: [this.#line()], orders: [this.#line(), this.#line()] });
      case "POST /api/liquidity/validate-position":
        return sent({ positionSize: 1 + dice.below(500), marketId: this.#market() });
      case "POST /api/trading/acceptances/preview":
        return sent({
          ...{ marketId: this.#market(), amount: this.#amount(), limitPrice: 0.9 },
          ...dice.pick([
            { structure: "in_full" },
            { structure: "installments", downPaymentBps: 1_000, months: 3, aprBps: 900 },
          ]),
        });
      case "POST /api/quotes/bulk":
        return sent({ quotes: [this.#quote(), this.#quote()] });
      case "POST /api/stream/:id/subscriptions":
        return sent({ markets: [this.#market()] });
      default:
        return undefined;
    }
  }

  #line() {
    const { marketId, outcomeIndex, side, amount, price } = this.#order();
    return { marketId, outcomeIndex, side, amount, price };
  }

  #order() {
    const dice = this.#dice;
    return {
      marketId: this.#market(),
      outcomeIndex: dice.below(2),
      side: dice.pick(["BUY", "SELL"]),
      amount: this.#amount(),
      price: dice.pick([0.05, 0.06, 0.5, 0.94, 0.95]),
      timeInForce: dice.pick(["GTC", "GTC", "IOC", "FOK"]),
      reduceOnly: dice.chance(15),
    };
  }

  #quote() {
    return {
      ...{ node: this.#node(), expiry: this.#month(2 + this.#dice.below(12)), notional: 1_000 },
      ...{ kind: "layered", attachBps: 200, exhaustBps: 1_000 },
    };
  }

  #amount(): string {
    return this.#dice.pick(["0.01", "1", "7.5", "60", "900"]);
  }

  #text(name: string, { enum: values, type, minimum = 1 }: Schema): string | undefined {
    const dice = this.#dice;
    if (values !== undefined) return String(dice.pick(values));
    if (type === "boolean") return dice.pick(["true", "false"]);
    switch (name) {
      case "startTime":
      case "endTime":
        return String(Math.floor(this.#occasion.nowMillis / 1000) - dice.below(8) * 86_400);
      case "lastEventId":
      case "from":
      case "to":
      case "sequence":
      case "size":
        if (this.#place.includes("/history/")) return this.#month(-dice.below(12));
        return String(1 + dice.below(Math.max(1, this.#occasion.sequence)));
      default:
    }
    if (type === "integer" || type === "number") {
      const most = name === "notional" ? 5_000 : name.endsWith("Bps") ? 2_000 : 6;
      return String(Math.max(minimum, 0) + dice.below(most));
    }
    return this.#word(name);
  }

  #word(name: string): string | undefined {
    const dice = this.#dice;
    const { state, nowMillis } = this.#occasion;
    switch (name) {
      case "orderId":
        return dice.chance(25)
          ? `ord-${1 + dice.below(400)}`
          : anyOf(dice, this.#own(state.openOrders), "ord-1");
      case "clientOrderId":
        return this.#ownClientOrder() ?? `own-${dice.below(30)}`;
      case "acceptanceId":
        return this.#ofOwn(state.acceptances.values(), "acc-1");
      case "mandateId":
        return anyOf(dice, this.#own(state.mandatesOf), "man-1");
      case "rfqId":
      case "before":
        return this.#ofOwn(state.rfqs.values(), "rfq-1");
      case "webhookId":
        return anyOf(dice, state.webhooks.keys(), `whk-${"0".repeat(16)}`);
      case "marketId":
        return this.#market();
      case "resource":
        return dice.pick([this.#market(), `ord-${1 + dice.below(400)}`]);
      case "userId":
      case "account":
        return anyOf(dice, state.accounts.keys(), "acc-1");
      case "action":
        return dice.pick(["ORDER_PLACED", "FILL", "KEY_CREATED"]);
      case "release":
      case "against":
        return this.#release();
      case "nodeId":
      case "node":
      case "place":
        return this.#node();
      case "id":
        return this.#id();
      case "ids":
        return this.#place.endsWith("/books")
          ? `${this.#market()},${this.#market()}`
          : `${this.#node()},${this.#node()}`;
      case "tier":
        return dice.pick(["basic", "standard", "institutional"]);
      case "metricType":
        return dice.pick(["zhvi", "zori", "vacancy", "weather"]);
      case "month":
        return this.#month(-dice.below(3));
      case "expiry":
        return this.#month(1 + dice.below(12));
      case "asOf":
        return new Date(nowMillis - dice.below(40) * DAY_MILLIS).toISOString().slice(0, 10);
      case "state":
        return "TX";
      case "text":
      case "q":
        return dice.pick(["tex", "san", "78201"]);
      case "zip":
        return "78201";
      case "layer":
        return "200-1000";
      case "threshold":
        return "8";
      case "amount":
        return this.#amount();
      case "price":
        return "0.5";
      case "level":
        return dice.pick(["0", "entries"]);
      case "*":
        return `000.p/${1 + dice.below(200)}`;
      // A cursor belongs to a page, and types, places and indexes to a stream.
      default:
        return undefined;
    }
  }

  /** The asker's own, or now and then anybody's. */
  #own<T>(sets: ReadonlyMap<AccountId, ReadonlySet<T>>): Iterable<T> {
    const own = this.#asks === undefined ? undefined : sets.get(this.#asks);
    return own === undefined || this.#dice.chance(15) ? ids(sets.values()) : own;
  }

  #ownClientOrder(): string | undefined {
    const { state } = this.#occasion;
    const own = this.#asks === undefined ? undefined : state.openOrders.get(this.#asks);
    const named = namedOrders(state, own === undefined ? [] : [own]);
    return named.length === 0 ? undefined : (this.#dice.pick(named).clientOrderId ?? undefined);
  }

  #ofOwn(
    records: Iterable<{ readonly id: string; readonly accountId: AccountId }>,
    none: string,
  ): string {
    const known = [...records];
    const own = known.filter(({ accountId }) => accountId === this.#asks);
    const among = own.length === 0 || this.#dice.chance(25) ? known : own;
    return among.length === 0 ? none : this.#dice.pick(among).id;
  }

  #id(): string {
    if (this.#place.includes("/releases/")) return this.#release();
    if (this.#place.includes("/accounts/")) {
      return anyOf(this.#dice, this.#occasion.state.accounts.keys(), "acc-1");
    }
    return this.#place.includes("/markets/") ? this.#market() : this.#node();
  }

  /** By its id, or by the one that a person reads. */
  #market(): string {
    const { markets } = this.#occasion.state;
    if (markets.size === 0 || this.#dice.chance(3)) return "mkt-unknown";
    const { id, frontendId } = this.#dice.pick([...markets.values()]);
    return this.#dice.chance(70) ? id : frontendId;
  }

  #release(): string {
    const { releases, quarantine } = this.#occasion.state;
    return anyOf(this.#dice, [...releases.keys(), ...quarantine.keys()], "rel-1");
  }

  #node(): string {
    const printed = [...this.#occasion.state.chainPoints.values()].map(({ nodeId }) => nodeId);
    return this.#dice.pick([...printed, "state:tx", "county:48029"]);
  }

  #month(later: number): string {
    return formatMonth(addMonths(monthAt(this.#occasion.nowMillis), later));
  }
}

/** A body as it comes over the wire: the digits of its numbers are kept. */
const sent = (body: object): unknown => parseJson(Buffer.from(JSON.stringify(body)))?.value;

function anyOf<T extends string>(dice: Dice, from: Iterable<T>, none: string): string {
  const known = [...from];
  return known.length === 0 ? none : dice.pick(known);
}

const isOperator = (state: State, id: AccountId): boolean =>
  state.accounts.get(id)?.role === "operator";

const ids = <T>(sets: Iterable<ReadonlySet<T>>): T[] => [...sets].flatMap((set) => [...set]);
