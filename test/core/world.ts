// A small world for tests of the core: accounts with cash, prints and markets, through commands only.
// Invariant: nothing here touches the state but `apply`.
import assert from "node:assert/strict";
import { type AccountId, type KeyId, nodeId, releaseId } from "#base/ids.ts";
import { micros, parseMicros } from "#base/money.ts";
import { addMonths, type Month, monthEndMillis, parseMonth } from "#base/month.ts";
import { parseTick, type Tick } from "#base/price.ts";
import {
  type ChainLevel,
  chainLevel,
  firstLevel,
  type PrintValue,
  parsePrintValue,
} from "#base/print-value.ts";
import { parseLots } from "#base/quantity.ts";
import type { Payoff, Terms } from "#contract/terms.ts";
import { apply } from "#core/apply.ts";
import type { Actor, Command, Listing, Observation, OrderInput } from "#core/command.ts";
import type { Event } from "#core/event.ts";
import { marketIdOf } from "#core/market/listing.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import type { KycTier, Order } from "#core/records.ts";
import type { Rejection } from "#core/rejection.ts";
import { ledgerTotal, State } from "#core/state.ts";

export const month = (text: string): Month => {
  const parsed = parseMonth(text);
  assert.ok(parsed !== undefined, `${text} is a month`);
  return parsed;
};

const value = (text: string): PrintValue => {
  const parsed = parsePrintValue(text);
  assert.ok(parsed !== undefined, `${text} is a print`);
  return parsed;
};

const node = nodeId("state:tx");

export interface Trader {
  readonly id: AccountId;
  readonly actor: Actor;
}

export class World {
  readonly state = new State();
  sequence = 0;
  nowMillis = Date.UTC(2024, 10, 20);
  #releases = 0;
  #last: { month: Month; value: PrintValue; level: ChainLevel } | undefined;

  constructor() {
    this.do({ type: "system" }, { type: "Genesis", clock: "sandbox", chainId: "test" });
  }

  /** Applies; the ledger must balance after every command. */
  try(actor: Actor, command: Command): Outcome {
    this.sequence += 1;
    const envelope = {
      timeMillis: this.nowMillis,
      actor,
      requestId: null,
      idempotency: null,
      command,
    };
    const outcome = apply(this.state, envelope, this.sequence);
    assert.equal(ledgerTotal(this.state), 0n, `the ledger balances after ${command.type}`);
    return outcome;
  }

  do(actor: Actor, command: Command): readonly Event[] {
    const outcome = this.try(actor, command);
    if (isRejected(outcome)) assert.fail(`${command.type}: ${JSON.stringify(outcome.rejection)}`);
    return outcome.events;
  }

  refused(actor: Actor, command: Command): Rejection {
    const outcome = this.try(actor, command);
    if (!isRejected(outcome)) assert.fail(`${command.type} was accepted`);
    return outcome.rejection;
  }

  trader(name: string, cash: string, tier: KycTier = "institutional"): Trader {
    const events = this.do(root, {
      type: "OpenAccount",
      name,
      role: "trader",
      address: `0x${name}`,
      key: {
        label: "first",
        prefix: "fp_test_aaaa",
        digest: name,
        permissions: [],
        ratePerMinute: 6000,
        expiresAtSeconds: null,
      },
    });
    const opened = events.find((event) => event.type === "KeyChanged");
    assert.ok(opened?.type === "KeyChanged");
    const id: AccountId = opened.key.accountId;
    const keyId: KeyId = opened.key.id;
    this.do(root, {
      type: "DecideKyc",
      accountId: id,
      decision: "approve",
      tier,
      countryCode: "US",
      sanctionsCleared: true,
      pepScreened: true,
      adverseMediaCleared: true,
      listVersion: "test",
      provider: "manual",
    });
    const amountMicros = parseMicros(cash);
    assert.ok(amountMicros !== undefined);
    if (amountMicros > 0n) {
      this.do(root, { type: "FundAccount", accountId: id, amountMicros, memo: null });
    }
    return { id, actor: { type: "key", accountId: id, keyId } };
  }

  /** A release with one new month for TX; the first one is backfill. */
  print(monthText: string, valueText: string, linkText?: string): readonly Event[] {
    const at = month(monthText);
    const printed = value(valueText);
    const before = this.#last;
    const link =
      before === undefined
        ? null
        : {
            month: before.month,
            valueE15: linkText === undefined ? before.value : value(linkText),
            levelE12: before.level,
          };
    const levelE12 = link === null ? firstLevel : chainLevel(link.levelE12, printed, link.valueE15);
    const observation: Observation = {
      nodeId: node,
      month: at,
      valueE15: printed,
      levelE12,
      link,
      backfill: before === undefined,
      gaps: [],
    };
    this.#last = { month: at, value: printed, level: levelE12 };
    this.#releases += 1;
    return this.do(root, {
      type: "AcceptRelease",
      release: {
        id: releaseId(`rel-${this.#releases}`),
        provider: "zillow",
        index: "zhvi",
        level: "state",
        publishedAtMillis: this.nowMillis,
        sha256: String(this.#releases),
        rows: 1,
        firstMonth: at,
        lastMonth: at,
        firstPrints: 1,
        revisions: 0,
        unchanged: 0,
        rescaled: 0,
        unmatched: 0,
        methodologyVersion: "1",
        printsDigest: "",
      },
      observations: [observation],
    });
  }

  /** The listing of a protection series on the newest first print of TX. */
  listing(end: string, payoff: Payoff, markText = "0.05"): Listing {
    const frontier = this.state.frontiers.get("zhvi|state:tx");
    assert.ok(frontier !== undefined && frontier.levelE12 !== null);
    const terms: Terms = {
      index: "zhvi",
      nodeId: node,
      measurementMonth: month(end),
      payoff,
      baseline:
        payoff.kind === "level"
          ? null
          : {
              month: frontier.month,
              valueE15: frontier.valueE15,
              levelE12: frontier.levelE12,
              releaseId: frontier.releaseId,
            },
      rounding: "payout-millionths-down",
      fallback: "void-60-days-after-expected-publication",
      methodologyVersion: "1",
      expectedAtMillis: monthEndMillis(addMonths(month(end), 0)) + 19 * 86_400_000,
    };
    const mark = tick(markText);
    return { marketId: marketIdOf(terms), terms, markTick: mark, stressedTick: mark };
  }

  order(input: OrderInput, trader: Trader, listing: Listing | null = null): Order {
    const events = this.do(trader.actor, { type: "PlaceOrder", order: input, listing });
    const last = events.findLast((event) => event.type === "OrderChanged");
    assert.ok(last?.type === "OrderChanged");
    return last.order;
  }

  cash(trader: Trader): bigint {
    return this.state.balance(`cash:${trader.id}`);
  }

  available(trader: Trader): bigint {
    return micros(this.cash(trader) - this.state.exposures.locked(trader.id));
  }
}

export const root: Actor = { type: "root" };
export const system: Actor = { type: "system" };

export const tick = (text: string): Tick => {
  const parsed = parseTick(text);
  assert.ok(parsed !== undefined, `${text} is a price`);
  return parsed;
};

export function order(
  listing: Pick<Listing, "marketId">,
  side: "BUY" | "SELL",
  amount: string,
  price: string,
  more: Partial<OrderInput> = {},
): OrderInput {
  const amountLots = parseLots(amount);
  assert.ok(amountLots !== undefined, `${amount} is an amount`);
  return {
    marketId: listing.marketId,
    outcomeIndex: 0,
    side,
    priceTick: parseTick(price) ?? null,
    amountLots,
    expirySeconds: 0,
    timeInForce: "GTC",
    postOnly: false,
    clientOrderId: null,
    selfTradePrevention: "cancel_incoming",
    ...more,
  };
}
