// The events in an entry, in words: so that random runs can show what they have been through.
// Invariant: a word stands for something that happened, never for something that was only asked.
import type { DrawnLoss } from "#core/margin/fund-record.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import { GUARANTEE } from "#core/step.ts";

export function* wordsOf({ outcome, envelope }: Entry): Generator<string> {
  if (isRejected(outcome)) {
    yield outcome.rejection.code;
    return;
  }
  yield envelope.command.type;
  const { command } = envelope;
  if ("heldAnew" in command) yield "held anew";
  if (command.type === "AwaitRelease" && command.releaseId === null) yield "print expected";
  if (command.type === "ResumeMatching" && outcome.events.some(({ type }) => type === "Filled")) {
    yield "resumed with fills";
  }
  if (command.type === "RereadReleases" && "heldPlaces" in command) yield "held when reread";
  for (const event of outcome.events) {
    if (event.type === "OrderChanged") yield event.order.cancelReason ?? event.order.status;
    if (event.type === "Posted") yield event.posting.reason;
    if (event.type === "AlertRaised") yield event.alert.type;
    if (event.type === "FillBusted") yield "fill busted";
    if (event.type === "OpenCounted") yield "open counted";
    if (event.type === "MandateChanged") yield `mandate ${event.status}`;
    if (event.type === "MandateUsed") yield "mandate used";
    if (event.type === "RfqEnded") yield `request ${event.status}`;
    if (event.type === "RulesAnnounced") yield `rules ${event.status}`;
    if (event.type === "AuctionEnded") yield `auctioned to ${event.takenBy}`;
    if (event.type === "BidChanged") yield `bid ${event.status}`;
    if (event.type === "WordChanged") {
      const { command: said } = event.word;
      yield `${said.type} ${event.status}`;
      const isTaken = said.type === "SettleByFallback" && event.status === "confirmed";
      if (isTaken) yield `fallback ${said.taken.step}`;
    }
    if (event.type === "HeldPlaceChanged" && event.place.renamed !== undefined) {
      yield `map ${event.status}`;
    }
    if (event.type === "LossDrawn") yield* lossWords(event.loss);
    if (event.type === "RootSwitched") yield `root ${event.on ? "on" : "off"}`;
    if (event.type === "QuarantineChanged")
      for (const { code } of event.release.reasons) yield code;
    if (event.type === "ReleaseAccepted" && event.release.clearance !== undefined) {
      yield event.release.resolvedMarkets.length > 0 ? "cleared, settling" : "cleared";
    }
    if (event.type === "PositionChanged" && event.position.accountId === GUARANTEE) {
      yield envelope.command.type === "FinalizeMarket" ? "the fund settles" : "the fund holds";
    }
    if (event.type === "MarketChanged") {
      const { status, terms } = event.market;
      yield status;
      if (status === "RESOLVED" && command.type === "ReleasePlace") yield "place settling";
      if (status === "RESOLVED" && command.type === "CloseMarks") yield "settled in cash";
      yield `${terms.index} ${terms.payoff.kind} ${status}`;
      const paid = event.market.resolution?.payoutMillionths ?? 0;
      if (paid > 0 && paid < 1_000_000) yield "partial payout";
      if (event.market.shortfallMicros > 0n) yield `${event.market.status} lacks`;
    }
  }
}

/** Of a loss of the fund: the layers that bore some of it. */
function* lossWords(loss: DrawnLoss): Generator<string> {
  if (loss.ownMicros > 0n) yield "loss of own contribution";
  if (loss.exchangeMicros > 0n) yield "loss of the exchange";
  if (loss.fundMicros > 0n) yield "loss of the fund";
  if (loss.contributionsMicros > 0n) yield "loss of contributions";
  if (loss.assessedMicros > 0n) yield "assessed";
  if (loss.assessedOwedMicros > 0n) yield "assessed, owed";
  if (loss.leftMicros > 0n) yield "loss uncovered";
}
