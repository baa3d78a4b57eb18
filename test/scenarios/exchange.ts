// A scenario's exchange: people by name, markets by letter, and every act told as lines.
// Invariant: an act goes through `apply` at the scenario's own time; what falls due is told first.
import assert from "node:assert/strict";
import { type MarketId, marketId } from "#base/ids.ts";
import type { Actor, Command, CommandOf } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import type { Listing } from "#core/market/listing-record.ts";
import { isRejected } from "#core/outcome.ts";
import type { Role } from "#core/records.ts";
import { root, type Trader, World } from "#test/core/world.ts";
import {
  type Before,
  drawBalances,
  drawBook,
  drawEvent,
  drawMargin,
  drawMarket,
  drawOrder,
  drawRejection,
  instant,
} from "./drawing.ts";

export class Scenario {
  readonly world = new World();
  readonly #traders = new Map<string, Trader>();
  /** `name label` → the actor that uses this key. */
  readonly #keys = new Map<string, Actor>();
  readonly #listings = new Map<string, Listing>();
  readonly #releases = new Map<string, CommandOf<"AcceptRelease">>();
  #lines: string[] = [];

  /** The lines told since the last time. */
  takeLines(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  give(actor: Actor, command: Command): readonly Event[] {
    const before = this.#before();
    const outcome = this.world.try(actor, command);
    if (isRejected(outcome)) {
      this.#lines.push(drawRejection(outcome.rejection));
      return [];
    }
    this.#tell(outcome.events, before);
    return outcome.events;
  }

  open(name: string, role: Role): Trader {
    const before = this.#before();
    const trader = this.world.open(name, role);
    this.#traders.set(name, trader);
    const account = this.world.state.account(trader.id);
    this.#tell([{ type: "AccountChanged", account }], before);
    return trader;
  }

  /** The clock goes on; what falls due on the way is given at its own moment. */
  goTo(millis: number): void {
    let before = this.#before();
    this.world.runTo(millis, (command, events) => {
      this.#lines.push(`at ${instant(this.world.nowMillis)} ${command.type}`);
      this.#tell(events, before);
      before = this.#before();
    });
  }

  trader(name: string): Trader {
    return this.#traders.get(name) ?? assert.fail(`nobody is called ${name}`);
  }

  /** `root`, or the key a person uses now. */
  actor(name: string): Actor {
    return name === "root" ? root : (this.#keys.get(name) ?? this.trader(name).actor);
  }

  keepKey(name: string, label: string, actor: Actor): void {
    this.#keys.set(`${name} ${label}`, actor);
  }

  useKey(name: string, label: string): void {
    const first = label === "first" ? this.trader(name).actor : undefined;
    const actor = this.#keys.get(`${name} ${label}`) ?? first;
    assert.ok(actor !== undefined, `${name} has no key ${label}`);
    this.#keys.set(name, actor);
  }

  keyNamed(name: string, label: string): Actor {
    return this.#keys.get(`${name} ${label}`) ?? this.trader(name).actor;
  }

  name(letter: string, listing: Listing): void {
    this.#listings.set(letter, listing);
    this.#lines.push(`${letter} is ${listing.marketId}`);
  }

  keepRelease(label: string, command: CommandOf<"AcceptRelease">): void {
    this.#releases.set(label, command);
  }

  /** The command that accepts a release of the scenario. */
  release(label: string): CommandOf<"AcceptRelease"> {
    return this.#releases.get(label) ?? assert.fail(`no release is called ${label}`);
  }

  /** An unknown letter is a market nobody listed. */
  market(letter: string): MarketId {
    return this.#listings.get(letter)?.marketId ?? marketId(letter);
  }

  /** The listing that must come with an order in a series that is not listed yet. */
  listing(letter: string): Listing | null {
    return this.#listings.get(letter) ?? null;
  }

  drawBook(letter: string): void {
    const book = this.world.state.book(this.market(letter));
    this.#lines.push(...drawBook([...book.bids()], [...book.asks()]));
  }

  drawBalances(): void {
    this.#lines.push(...drawBalances(this.world.state, this.#naming));
  }

  drawMarket(letter: string): void {
    this.#lines.push(drawMarket(this.world.state.market(this.market(letter)), this.#naming));
  }

  drawMargin(name: string): void {
    this.#lines.push(drawMargin(this.world.state, this.trader(name).id, this.#naming));
  }

  drawOrders(name: string): void {
    const { id } = this.trader(name);
    const mine = [...this.world.state.orders.values()].filter(({ accountId }) => accountId === id);
    this.#lines.push(...mine.map((order) => drawOrder(order, this.#naming)));
  }

  readonly #naming = (text: string): string => {
    const bare = text.replace(/^cash:/, "");
    for (const [name, { id }] of this.#traders) if (id === bare) return name;
    for (const [label, { release }] of this.#releases) if (text === release.id) return label;
    for (const [letter, listing] of this.#listings) {
      if (text === listing.marketId) return letter;
      if (text === `market:${listing.marketId}`) return `market ${letter}`;
    }
    return text;
  };

  #before(): Before {
    const { accounts, markets } = this.world.state;
    return { accounts: new Map(accounts), markets: new Map(markets) };
  }

  /** Changes of one record within one act are told against the one before. */
  #tell(events: readonly Event[], { accounts, markets }: Before): void {
    const before = { accounts: new Map(accounts), markets: new Map(markets) };
    for (const event of events) {
      const line = drawEvent(event, before, this.#naming);
      if (line !== undefined) this.#lines.push(line);
      if (event.type === "MarketChanged") before.markets.set(event.market.id, event.market);
      if (event.type === "AccountChanged") before.accounts.set(event.account.id, event.account);
    }
  }
}
