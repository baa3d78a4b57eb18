// A story: lines of a small language, each given to the exchange, with what came of it.
// Invariant: a line does one thing, through `apply`, at the story's own time; what falls due on the
// way happens first and is told.
import assert from "node:assert/strict";
import { orderId } from "#base/ids.ts";
import { parseMicros } from "#base/money.ts";
import { parsePrintValue } from "#base/print-value.ts";
import type { Actor, Command, Listing, OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { isRejected } from "#core/outcome.ts";
import {
  type KycTier,
  kycTiers,
  type Permission,
  permissions,
  type SelfTradePrevention,
  type TimeInForce,
} from "#core/records.ts";
import { decision, order, root, system, type Trader, tick, World } from "#test/core/world.ts";
import { drawBalances, drawBook, drawEvent, drawMarket, drawOrder, drawRejection, instant } from "./drawing.ts";

type Words = Readonly<Record<string, string | undefined>>;

export class Story {
  readonly #world = new World();
  readonly #traders = new Map<string, Trader>();
  readonly #keys = new Map<string, Actor>();
  readonly #listings = new Map<string, Listing>();
  #lines: string[] = [];

  /** What a line brings, drawn. */
  tell(line: string): readonly string[] {
    this.#lines = [];
    const repeated = /^repeat (\d+): (.+)$/.exec(line);
    if (repeated !== null) {
      const [, times = "", inner = ""] = repeated;
      // Only the last of many alike is told.
      for (let at = 0; at < Number(times); at += 1) {
        this.#lines = [];
        this.#line(inner);
      }
    } else this.#line(line);
    return this.#lines;
  }

  #line(line: string): void {
    for (const [pattern, act] of sentences) {
      const match = pattern.exec(line);
      if (match === null) continue;
      act(this, { ...match.groups });
      return;
    }
    assert.fail(`no sentence of the language reads: ${line}`);
  }

  give(actor: Actor, command: Command): void {
    const before = this.#before();
    const outcome = this.#world.try(actor, command);
    if (isRejected(outcome)) this.#lines.push(drawRejection(outcome.rejection));
    else this.#show(outcome.events, before);
  }

  #before() {
    const { accounts, markets } = this.#world.state;
    return { accounts: new Map(accounts), markets: new Map(markets) };
  }

  #show(events: readonly Event[], before: ReturnType<Story["before"]>): void {}
}
