// The exchange under everything at once: seeds of random trading, clocks, crashes and recoveries.
// Invariant: a failure says its seed and commit; `npm run sim -- <seed>` runs that seed alone.
// FIRSTPRINT_SEEDS: so many drawn from the commit's hash, in place of those promised, each of
// FIRSTPRINT_SEED_COMMANDS commands; the corpus of seeds that failed once is run with either, each
// of FIRSTPRINT_CORPUS_COMMANDS.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sizeOfRun } from "#test/support/size-of-run.ts";
import { crashes, faults } from "./mortal-journal.ts";
import { corpus, failureText, firstOfCommit, type Result, runSeeds, Tally } from "./seeds.ts";

const COMMANDS = 2_000;
/** `npm run sim -- --seeds 50000` is the run before a release. */
const PROMISED = 400;
const COUNT = sizeOfRun("FIRSTPRINT_SEEDS", PROMISED);
/** Longer than those drawn: its faults came up late. */
const CORPUS_COMMANDS = sizeOfRun("FIRSTPRINT_CORPUS_COMMANDS", COMMANDS);
const DRAWN_COMMANDS = sizeOfRun("FIRSTPRINT_SEED_COMMANDS", COMMANDS);
const MOST_FOR_ROUTES = 40;
/** Each run of a tier with fewer has others: what is rare comes up over the commits. */
const isDrawn = process.env.FIRSTPRINT_SEEDS !== undefined;

/** The cases the seeds must have met: each in a hundredth of them. */
const wanted = [
  ...["PARTIALLY_FILLED", "SELF_TRADE", "batch refused", "liquidation", "void"],
  ...["AmendOrder", "AcceptQuote", "CollectPayment", "DecideDispute", "ExpireOrder"],
  ...["PayAcceptance", "DefaultAcceptance", "PAYMENT_DUE", "SetRules", "CloseTrading"],
  ...["PAYMENT_OVERDUE"],
  ...["ExpireKyc", "HaltExchange", "REDUCE_ONLY", "PROTECTION", "CANCEL_AFTER", "takeover"],
  ...["FINALIZED lacks", "CANCELLED lacks", "replayed", "unknown", "NOT_LEADER", "SetClock"],
  ...["IDEMPOTENCY_MISMATCH", "IDEMPOTENCY_IN_FLIGHT", "ORDER_NOT_FOUND", "partial payout"],
  ...["ListMarket", "zhvi level FINALIZED", "vacancy level FINALIZED", "weather level FINALIZED"],
  ...["zori layered FINALIZED", "zori binary FINALIZED"],
  ...["QuarantineRelease", "ApproveRelease", "RejectRelease", "cleared, settling"],
  ...["RELEASE_HELD", "RELEASE_SAME_OPERATOR", "PRINT_EXISTS", "LoadGeo", "RereadReleases"],
  ...["ApprovePlace", "ReleasePlace", "RejectPlace", "PLACE_HELD", "PLACE_NOT_HELD"],
  ...["held anew", "place settling"],
  ...["CancelMarket", "WithdrawVoid", "CancelMarket lapsed", "VOID_SAME_OPERATOR"],
  ...["UpholdDispute", "DISPUTE_REPEATED", "DISPUTE_AMEND_REVISION", "CONFLICT_OF_INTEREST"],
  ...["AwaitRelease", "ForgetAwaited", "EndWindow", "print expected", "resumed with fills"],
  ...["EndAuction", "OpenWindow", "WINDOW_STATE", "CancelForRelease", "RELEASE"],
  ...["bond", "bond-returned", "bond-forfeited"],
  ...["ConfirmProposal", "WithdrawProposal", "LapseProposal", "PROPOSAL_SAME_OPERATOR"],
  ...["FundAccount confirmed", "FundGuarantee confirmed", "FundFinancing confirmed"],
  ...["OpenAccount confirmed", "IssueKey confirmed", "SetOwner confirmed"],
  ...["SetFundingLimit", "SetFundingLimit confirmed", "IssueKey", "RevokeKeys", "RevokeKey"],
  ...["root off", "root on", "ROOT_OFF", "OPERATORS_MISSING", "KEY_ESCALATION"],
  ...["PERMISSION_DENIED", "SENDER_HAS_STAKE"],
  ...["SetRules confirmed", "rules announced", "rules in_force", "rules withdrawn"],
  ...["BustFill confirmed", "fill busted", "BUST_SOLD_ON"],
  ...["OpenRfq", "QuoteRfq", "ImproveQuote", "AcceptRfq", "CancelRfq", "CloseRfq", "LapseQuote"],
  ...["request filled", "request lapsed", "request expired", "RFQ_OWN", "RFQ_WINDOW"],
  ...["mandate set", "mandate used", "mandate cancelled", "mandate expired", "LowerMandate"],
  ...["MANDATE_NOT_FOUND"],
  ...["margin_call", "ReportMarginCall", "EndMarginCalls", "MARGIN_CALL", "LIQUIDATION"],
  ...["auction", "bid placed", "bid withdrawn", "BID_TOO_HIGH", "CloseAuction", "IN_DEFAULT"],
  ...["contribution", "contribution-returned", "loss of own contribution", "loss of the exchange"],
  ...["loss of contributions", "assessed", "loss uncovered", "fund_loss"],
  ...["RenamePlace", "map released", "map rejected", "RENAME_GROUNDS"],
  ...["fallback cash", "GiveMark", "CloseMarks", "settled in cash", "MARKS_NOT_OPEN"],
  ...["MARK_NOT_SELLER"],
  ...["the only bid won", "the least of bids won", "the earlier of equal bids won"],
  ...["bid passed over"],
  ...["auctioned to bidder", "auctioned to fund", "default-debt", "haircut", "void-shortfall"],
  ...["BeginFallback", "SettleByFallback", "FALLBACK_NOT_DUE", "FALLBACK_STEP"],
  ...["fallback successor", "fallback last-level", "fallback void", "VOID_AFTER_PRINT"],
  ...crashes,
  ...faults,
];

/** Adds these seeds to the tally, as long as more are wanted; none of them fails. */
async function passed(
  t: TestContext,
  seeds: readonly number[],
  commands: number,
  tally = new Tally(),
  isWanted = (): boolean => true,
): Promise<Tally> {
  const before = tally.runs;
  await runSeeds(seeds, commands, (result) => {
    tally.add(result);
    return !("failure" in result) && isWanted();
  });
  const failures = tally.failures.map(({ seed, failure }) => failureText(seed, commands, failure));
  assert.equal(failures.join("\n\n"), "");
  if (isWanted()) assert.equal(tally.runs - before, seeds.length);
  t.diagnostic(`${tally.runs} seeds of ${commands} commands, ${tally.entries} entries`);
  return tally;
}

test("the corpus: all is kept, served and agreed on, and every route that reads answers", async (t) => {
  const tally = await passed(t, corpus(), CORPUS_COMMANDS);
  // A few routes answer in one seed of ten: on from the first until each has.
  const more = Array.from({ length: MOST_FOR_ROUTES }, (_, at) => 1 + at);
  const lacks = (): boolean => tally.unanswered.length > 0;
  if (lacks()) await passed(t, more, CORPUS_COMMANDS, tally, lacks);
  assert.deepEqual(tally.unanswered, [], "each route that reads has answered somebody");
});

test(`${COUNT} seeds of ${DRAWN_COMMANDS} commands: the same`, async (t) => {
  const first = isDrawn ? firstOfCommit() : 1;
  const range = Array.from({ length: COUNT }, (_, at) => first + at);
  t.diagnostic(`seeds from ${first} on`);
  const tally = await passed(t, range, DRAWN_COMMANDS);
  // Of forty seeds some lack what one in fifty has.
  if (!isDrawn) assert.deepEqual(tally.rare(wanted), [], "each comes up in a hundredth of them");
});

test("a seed is one run: the same twice, to the last thing its journal says", async () => {
  const seeds = [1, 23];
  const runs: Result[][] = [[], []];
  for (const results of runs) {
    await runSeeds(seeds, 200, (result) => {
      results.push(result);
      return true;
    });
  }
  const [once = [], twice] = runs.map((results) => results.sort((a, b) => a.seed - b.seed));
  assert.deepEqual(twice, once);
  assert.equal(once.length, seeds.length);
  assert.ok(once.every((result) => "head" in result && result.entries > 100));
});
