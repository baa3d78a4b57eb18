// The core against its reference model, command by command, as fast-check draws and shrinks them.
//
//   FIRSTPRINT_MODEL=50000 node --test test/core/reference-model.long.test.ts
//
// FIRSTPRINT_MODEL: runs, instead of what fits into CI; FIRSTPRINT_MODEL_SEED: another draw. A seed
// fails and shrinks always in one way; a failure prints it, its path and the commands left.
// Invariant: after every command the core's answer, fills and picture are the model's.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AccountId, MarketId } from "#base/ids.ts";
import type { TierRules } from "#core/rules.ts";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { yesTick } from "./model-order.ts";
import { Pair } from "./pair.ts";
import { commandsUpTo, ending } from "./pair-commands.ts";
import { ReferenceModel } from "./reference-model.ts";
import { wordsOf } from "./words.ts";

const RUNS = sizeOfRun("FIRSTPRINT_MODEL", 2_500);
const SEED = sizeOfRun("FIRSTPRINT_MODEL_SEED", 1);
const COMMANDS = 80;

type Born = (tiers: ReadonlyMap<AccountId, TierRules>) => ReferenceModel;

interface Watch {
  readonly born?: Born;
  readonly onEnd?: (pair: Pair) => void;
  /** The commands left of a failure, again and again while it shrinks. */
  readonly onFailure?: (lines: readonly string[]) => void;
}

/** A property of any commands; a failure says which were given. */
const agree = ({ born = (tiers) => new ReferenceModel(tiers), onEnd, onFailure }: Watch) =>
  fc.property(commandsUpTo(COMMANDS), ending, (commands, last) => {
    const pair = new Pair({ traders: 3, markets: 3, cash: "5", born });
    try {
      fc.modelRun(() => ({ model: pair, real: pair }), commands);
      last.run(pair);
    } catch (cause) {
      onFailure?.(pair.lines);
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(["", ...pair.lines, message].join("\n"), { cause });
    }
    onEnd?.(pair);
  });

test(`${RUNS} runs of up to ${COMMANDS} commands: the core is as its model`, (t) => {
  const seen = new Set<string>();
  let given = 0;
  const onEnd = ({ world, refusals, lines }: Pair): void => {
    given += lines.length;
    for (const code of refusals) seen.add(code);
    for (const entry of world.journal) for (const word of wordsOf(entry)) seen.add(word);
  };
  fc.assert(agree({ onEnd }), { numRuns: RUNS, seed: SEED });
  t.diagnostic(`seed ${SEED}: ${RUNS} runs, ${given} commands`);
  const wanted = [
    ...["PARTIALLY_FILLED", "FILLED", "REQUESTED", "EXPIRED", "MARKET_CLOSED", "MARKET_VOID"],
    ...["SELF_TRADE", "POST_ONLY_WOULD_CROSS", "UNFILLED_IMMEDIATE", "FILL_OR_KILL", "REDUCE_ONLY"],
    "DAILY_LIMIT",
    ...[
      "PlaceBatch",
      "MassQuote",
      "AmendOrder",
      "CancelAll",
      "PauseMarket",
      "ResumeMarket",
      "CancelMarket",
    ],
    ...["WithdrawVoid", "VOID_SAME_OPERATOR", "VOID_NOT_PROPOSED"],
    ...["UpholdDispute", "bond", "bond-returned", "bond-forfeited", "DISPUTE_REPEATED"],
    "DISPUTE_SAME_OPERATOR",
    ...["print expected", "EndWindow", "EndAuction", "OpenWindow", "WINDOW_STATE"],
    ...["resumed with fills", "PublishMarks"],
    ...["fill busted", "MARGIN", "BUST_NOT_OPEN", "BUST_AFTER_PRINT", "BUST_SOLD_ON"],
    ...["BUST_NOT_COVERED", "PROPOSAL_SAME_OPERATOR", "LapseProposal"],
    ...["FinalizeMarket", "fee-share", "withdrawal", "settlement"],
    ...["partial payout", "void"],
    ...["INVALID_PRICE", "EXPIRY_PAST", "POSITION_LIMIT", "INSUFFICIENT_BALANCE", "ORDER_DONE"],
    ...["ORDER_NOT_FOUND", "AMOUNT_BELOW_FILLED", "MARKET_STATE", "RELEASE_FROM_FUTURE"],
  ];
  const missing = wanted.filter((word) => !seen.has(word));
  assert.deepEqual(missing, [], "the runs met everything they are meant to meet");
  // The cash a void takes back is locked until the end; with full collateral nothing else is lost.
  assert.equal(seen.has("CANCELLED lacks"), false, "no void lacks anything");
});

class LastComeFirstServed extends ReferenceModel {
  override queue(market: MarketId, incomingBuys: boolean) {
    const cheapestFirst = incomingBuys ? 1 : -1;
    const latestFirst = super.queue(market, incomingBuys).toReversed();
    return latestFirst.toSorted((a, b) => cheapestFirst * (yesTick(a) - yesTick(b)));
  }
}

class NeverPaying extends ReferenceModel {
  override move(from: string, to: string, amount: bigint, market: MarketId | null = null): void {
    const isClearing = from.startsWith("market:") || to.startsWith("market:");
    if (!isClearing) super.move(from, to, amount, market);
  }
}

class NeverWaiting extends ReferenceModel {
  override isInWindow(): boolean {
    return false;
  }
}

/** Bugs of the model, and with how few commands each can be shown. */
const faults: readonly (readonly [name: string, born: Born, most: number])[] = [
  ["that serves the latest first", (tiers) => new LastComeFirstServed(tiers), 2],
  ["that never pays", (tiers) => new NeverPaying(tiers), 4],
  ["that trades on the day of a print", (tiers) => new NeverWaiting(tiers), 3],
];

for (const [name, born, most] of faults) {
  test(`a model ${name} is found out, and what is left are ${most} commands at most`, (t) => {
    let left: readonly string[] = [];
    const property = agree({ born, onFailure: (lines) => (left = lines) });
    const { failed, numRuns, numShrinks } = fc.check(property, { numRuns: 2_000, seed: SEED });
    t.diagnostic(`run ${numRuns}, shrunk ${numShrinks} times to\n${left.join("\n")}`);
    assert.ok(failed, "it is found out");
    assert.ok(left.length <= most, `${left.length} commands are left`);
  });
}
