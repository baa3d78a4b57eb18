// The core and its naive twin side by side: each command is given to both, and all that can be seen
// of them must be the same afterwards.
// Invariant: the twin answers first and from the command alone; it is told when something falls
// due, and that nothing is overdue is asked of it.
import assert from "node:assert/strict";
import type { AccountId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Actor, Command, Listing } from "#core/command.ts";
import { isRejected } from "#core/outcome.ts";
import type { KycTier } from "#core/records.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { TierRules } from "#core/rules.ts";
import { Twin } from "./twin.ts";
import { pay, resolve, undo } from "./twin-end.ts";
import { isOver } from "./twin-ledger.ts";
import { fillsOfCore, fillsOfTwin, pictureOfCore, pictureOfTwin } from "./twin-picture.ts";
import { order, root, system, type Trader, World } from "./world.ts";

const tiers = ["institutional", "enhanced", "basic"] as const;

interface Setting {
  readonly traders: number;
  readonly markets: number;
  /** Each trader's, in USD. */
  readonly cash: string;
  /** Makes the twin: a faulty one, to see that it is noticed. */
  readonly born?: (tiers: ReadonlyMap<AccountId, TierRules>) => Twin;
}

export class Pair {
  readonly world = new World();
  readonly twin: Twin;
  readonly traders: readonly Trader[];
  readonly listings: readonly Listing[];
  /** What was given so far, to be read. */
  readonly lines: string[] = [];
  readonly refusals = new Set<string>();

  /** Every seller posts in full; the second trader may hold no more than 4 contracts. */
  constructor({ traders, markets, cash, born = (own) => new Twin(own) }: Setting) {
    const { world } = this;
    world.judgesRefusals = false;
    world.print("2024-10", "300000");
    world.requireInFull();
    const { rules } = world.state;
    const enhanced = { ...rules.tiers.enhanced, maxPositionMicros: micros(4_000_000n) };
    world.do(root, { type: "SetRules", rules: { ...rules, tiers: { ...rules.tiers, enhanced } } });
    this.traders = tiers.slice(0, traders).map((tier: KycTier) => world.trader(tier, cash, tier));
    const own = new Map<AccountId, TierRules>();
    for (const [at, { id }] of this.traders.entries()) {
      own.set(id, world.state.rules.tiers[tiers[at] ?? "basic"]);
    }
    this.twin = born(own);
    for (const { id } of this.traders)
      this.twin.move("external", `cash:${id}`, world.state.balance(`cash:${id}`));
    this.listings = [
      world.listing("2024-12", { kind: "binary", strikeBps: 100 }),
      world.listing("2024-12", { kind: "layered", attachBps: 200, exhaustBps: 1000 }),
      world.listing("2025-01", { kind: "layered", attachBps: 800, exhaustBps: 2000 }),
    ].slice(0, markets);
    this.#list();
  }

  /** A market is there from its first order on. */
  #list(): void {
    const { world, twin } = this;
    const [first] = this.traders;
    assert.ok(first !== undefined);
    for (const listing of this.listings) {
      twin.list(listing);
      const input = order(listing, "BUY", "0.01", "0.01");
      const { id } = world.order(input, first, listing);
      twin.place(first.id, [input], world.nowMillis);
      this.give(first.actor, { type: "CancelOrder", orderId: id });
    }
  }

  give(actor: Actor, command: Command): void {
    const { world, twin } = this;
    const before = twin.fills.length;
    const expected = predict(twin, actor, command, world.nowMillis);
    const outcome = world.try(actor, command);
    const refused = isRejected(outcome) ? outcome.rejection.code : undefined;
    assert.equal(refused, expected, "the core's answer is the twin's");
    const fills = fillsOfCore(isRejected(outcome) ? [] : outcome.events);
    assert.equal(fills, fillsOfTwin(twin.fills.slice(before)), "the core's fills are the twin's");
    if (refused !== undefined) this.refusals.add(refused);
    this.compare();
  }

  waitTo(millis: number): void {
    const { world, twin } = this;
    world.runTo(millis, (command) => {
      assert.equal(predict(twin, system, command, world.nowMillis), undefined);
      this.compare();
    });
    for (const { id, expirySeconds } of twin.open(null)) {
      assert.ok(expirySeconds === 0 || expirySeconds * 1000 > millis, `${id} has expired`);
    }
    for (const { id, terms, tradingClosed } of twin.markets) {
      const ends = monthEndMillis(terms.measurementMonth);
      assert.equal(tradingClosed || ends > millis, true, `${id} has closed`);
    }
  }

  compare(): void {
    const [core, twin] = [pictureOfCore(this.world.state), pictureOfTwin(this.twin)];
    if (core !== twin) assert.fail(differences(core, twin));
  }
}

/** The lines that differ. */
export function differences(core: string, twin: string): string {
  const [ours, theirs] = [core.split("\n"), twin.split("\n")];
  const pairs = ours.map((line, at) => [line, theirs[at] ?? "nothing"]);
  return pairs
    .filter(([line, other]) => line !== other)
    .map(([line, other]) => `core: ${line}\ntwin: ${other}`)
    .join("\n");
}

/** What the twin makes of a command: the code of its refusal, or nothing. */
export function predict(
  twin: Twin,
  actor: Actor,
  command: Command,
  nowMillis: number,
): RejectionCode | undefined {
  return actor.type === "key"
    ? predictTrade(twin, actor.accountId, command, nowMillis)
    : predictOperation(twin, command, nowMillis);
}

function predictTrade(twin: Twin, account: AccountId, command: Command, nowMillis: number) {
  switch (command.type) {
    case "PlaceOrder":
      return twin.place(account, [command.order], nowMillis);
    case "PlaceBatch":
      return twin.place(account, command.orders, nowMillis);
    case "AmendOrder":
      return twin.amend(account, command, nowMillis);
    case "CancelOrder":
      return twin.cancel(account, command.orderId);
    case "CancelAll":
      twin.end(twin.open(account, command.marketId), "REQUESTED");
      return undefined;
    default:
      throw new Error(`the twin knows nothing of ${command.type}`);
  }
}

function predictOperation(
  twin: Twin,
  command: Command,
  nowMillis: number,
): RejectionCode | undefined {
  switch (command.type) {
    case "FundAccount": {
      const { accountId, amountMicros } = command;
      if (amountMicros < 0n) return twin.withdraw(accountId, -amountMicros);
      twin.move("external", `cash:${accountId}`, amountMicros);
      return undefined;
    }
    case "FundGuarantee":
      twin.move("external", "guarantee", command.amountMicros);
      return undefined;
    case "PauseMarket":
      return twin.turn(command.marketId, "ACTIVE", "PAUSED");
    case "ResumeMarket":
      return twin.turn(command.marketId, "PAUSED", "ACTIVE");
    case "AcceptRelease":
      if (command.observations.some(({ month }) => monthEndMillis(month) > nowMillis)) {
        return "RELEASE_FROM_FUTURE";
      }
      for (const observation of command.observations) resolve(twin, observation);
      return undefined;
    case "ExpireOrder":
      twin.end([twin.order(command.orderId)], "EXPIRED");
      return undefined;
    case "CloseTrading":
      twin.end(twin.open(null, command.marketId), "MARKET_CLOSED");
      twin.change(command.marketId, { tradingClosed: true });
      return undefined;
    case "CancelMarket":
    case "VoidUnpublished":
      if (isOver(twin.market(command.marketId))) return "MARKET_STATE";
      undo(twin, command.marketId);
      return undefined;
    case "FinalizeMarket":
      pay(twin, command.marketId);
      return undefined;
    default:
      throw new Error(`the twin knows nothing of ${command.type}`);
  }
}
