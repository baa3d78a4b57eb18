// Random histories of requests for quotes among orders, marks and halts: conservation and margin
// (`world.ts` judges every command), and no reader finds a price or a name that is not its own.
// Invariant: after an accept the maker has no less free cash than nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, rfqId } from "#base/ids.ts";
import { micros } from "#base/money.ts";
import { isTick, type Tick } from "#base/price.ts";
import { lots } from "#base/quantity.ts";
import { auditFacts, auditFactsFor, isSealed } from "#core/audit.ts";
import { encode } from "#core/codec.ts";
import type { Command } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import { partsOf } from "#core/parts.ts";
import type { RfqQuote } from "#core/rfq/record.ts";
import { decodeState, encodeState, stateHash } from "#core/snapshot.ts";
import { available } from "#core/step.ts";
import { publicEvents } from "#views/public-events.ts";
import { Dice } from "./dice.ts";
import { HOUR, rfqStage } from "./rfq-stage.ts";
import { order, root, type Trader } from "./world.ts";

const HISTORIES = 400;
const COMMANDS = 40;

const tickOf = (value: number): Tick => (isTick(value) ? value : assert.fail(`${value}`));

class History {
  readonly stage = rfqStage("5000");
  /** Their prices stand nowhere else: each is drawn once a history. */
  readonly planted: RfqQuote[] = [];
  readonly counts = { opened: 0, quoted: 0, accepted: 0, ended: 0, lapsed: 0 };
  readonly #dice: Dice;
  readonly #traders: readonly Trader[];
  #nextTick = 3_001;

  constructor(seed: number) {
    const { world, buyer, maker, rival } = this.stage;
    this.#dice = new Dice(seed);
    this.#traders = [buyer, maker, rival, world.trader("fourth", "3000")];
    world.judgesRefusals = false;
  }

  run(): void {
    for (let step = 0; step < COMMANDS; step += 1) this.#step();
  }

  #step(): void {
    const { world } = this.stage;
    const dice = this.#dice;
    if (dice.chance(10)) world.runTo(world.nowMillis + dice.below(HOUR));
    const trader = dice.pick(this.#traders);
    const command = this.#drawn(trader);
    const quote = command.type === "AcceptRfq" ? world.state.rfqQuotes.get(command.quoteId) : null;
    const outcome = world.try(command.type.startsWith("Halt") ? root : trader.actor, command);
    if ("rejection" in outcome) return;
    for (const event of outcome.events) {
      this.#count(event.type);
      if (event.type === "RfqQuoteChanged") this.planted.push(event.quote);
    }
    if (quote == null) return;
    assert.ok(available(world.state, quote.accountId) >= 0n, "the maker's margin is there");
    const held = outcome.events.filter(({ type }) => type === "Filled").length;
    assert.equal(held, quote.ticks.length, "all legs are filled");
  }

  #count(type: string): void {
    if (type === "RfqOpened") this.counts.opened += 1;
    if (type === "RfqQuoteChanged") this.counts.quoted += 1;
    if (type === "RfqEnded") this.counts.ended += 1;
    if (type === "RfqQuoteEnded") this.counts.lapsed += 1;
    if (type === "Filled") this.counts.accepted += 1;
  }

  #drawn(trader: Trader): Command {
    const { world, legs, listings } = this.stage;
    const dice = this.#dice;
    const { state } = world;
    const open = [...state.openRfqs];
    const kind = dice.below(100);
    if (open.length === 0 || kind < 15) {
      return {
        type: "OpenRfq",
        legs: legs("1").map((leg) => ({
          ...leg,
          amountLots: lots(BigInt(10_000 * (1 + dice.below(30)))),
        })),
        side: dice.pick(["BUY", "SELL"]),
        audience: dice.chance(70) ? null : ["0xmaker", "0xrival"],
        closesAtMillis: world.nowMillis + 60_000 + dice.below(HOUR),
      };
    }
    const id = dice.pick(open);
    const rfq = state.rfqs.get(id) ?? assert.fail();
    const quotes = [...(state.quotesForRfq.get(id) ?? [])];
    if (kind < 50 || quotes.length === 0) {
      const ticks = rfq.legs.map(() => tickOf(this.#nextTick++));
      return {
        type: "QuoteRfq",
        rfqId: rfqId(id),
        ticks,
        validUntilMillis: rfq.closesAtMillis + 30_000 + dice.below(HOUR),
      };
    }
    const quoteId = dice.pick(quotes);
    if (kind < 75) return { type: "AcceptRfq", rfqId: id, quoteId };
    if (kind < 80) return { type: "CancelRfq", rfqId: id };
    const listing = dice.pick(listings);
    if (kind < 81) return { type: "HaltAccount", accountId: trader.id, reason: null };
    if (kind < 85) {
      return { type: "CancelAll", marketId: null };
    }
    const amountMicros = micros(-available(state, trader.id));
    if (kind < 90 && amountMicros < 0n) {
      world.try(root, { type: "FundAccount", accountId: trader.id, amountMicros, memo: null });
      return { type: "CancelAll", marketId: null };
    }
    const input = order(listing, dice.pick(["BUY", "SELL"]), "50", dice.pick(["0.04", "0.06"]));
    return { type: "PlaceOrder", order: input, listing };
  }
}

/** The text that a reader has of an entry: its parts, the trail, the public stream. */
function readBy(viewer: AccountId | "auditor", entry: Entry): string {
  const { open, closed } = partsOf(entry);
  const texts = [
    encode(open),
    JSON.stringify(
      publicEvents(entry, () => ""),
      plain,
    ),
  ];
  if (viewer === "auditor") {
    texts.push(JSON.stringify(auditFacts(entry).details, plain));
    if (!isSealed(entry.envelope.command)) texts.push(...closed.map((part) => encode(part)));
  } else {
    texts.push(...closed.filter(({ of }) => of === viewer).map((part) => encode(part)));
    const facts = auditFactsFor(viewer, entry);
    if (facts.concerns === viewer) texts.push(JSON.stringify(facts.details, plain));
  }
  return texts.join("\n");
}

const plain = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

test("no reader finds a losing price or a hidden maker, and money is as it must be", (t) => {
  const sums = { opened: 0, quoted: 0, accepted: 0, ended: 0, lapsed: 0 };
  const names = ["opened", "quoted", "accepted", "ended", "lapsed"] as const;
  let looked = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const history = new History(seed);
    history.run();
    const { world } = history.stage;
    for (const name of names) sums[name] += history.counts[name];
    assert.equal(stateHash(decodeState(encodeState(world.state))), stateHash(world.state));
    const accepted = new Set(
      world.journal.flatMap(({ outcome }) =>
        "events" in outcome
          ? outcome.events.flatMap((event) =>
              event.type === "RfqEnded" ? (event.quoteId ?? []) : [],
            )
          : [],
      ),
    );
    const viewers = [...world.state.accounts.keys(), "auditor" as const];
    for (const viewer of viewers) {
      const text = world.journal.map((entry) => readBy(viewer, entry)).join("\n");
      for (const other of world.state.accounts.keys()) {
        const isNamed = viewer !== "auditor" && viewer !== other && text.includes(`"${other}"`);
        assert.ok(!isNamed, `${viewer} reads the name of ${other} (${seed})`);
      }
      for (const { accountId: maker, ticks, id } of history.planted) {
        if (viewer === maker || accepted.has(id)) continue;
        for (const tick of ticks) {
          looked += 1;
          const found = new RegExp(`(?<![\\d.])(?:0\\.)?${tick}(?!\\d)`).exec(text);
          const around = text.slice((found?.index ?? 0) - 60, (found?.index ?? 0) + 40);
          assert.ok(found === null, `${viewer} reads ${tick} of ${maker} (${seed}): ${around}`);
        }
      }
    }
  }
  t.diagnostic(`${JSON.stringify(sums)}, ${looked} searches`);
  assert.ok(sums.accepted > 100 && sums.lapsed > 10 && sums.quoted > 1_000);
});
