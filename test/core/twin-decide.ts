// What the naive twin makes of a command: which of its acts it is, and the code where it refuses.
// Invariant: a command it does not know stops the test; nothing is left unpredicted.
import type { AccountId } from "#base/ids.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Actor, Command } from "#core/command.ts";
import type { RejectionCode } from "#core/rejection.ts";
import type { Twin } from "./twin.ts";
import { pay, resolve, undo } from "./twin-end.ts";
import { decideDispute, dropVoid, openDispute, upholdDispute, voteVoid } from "./twin-people.ts";
import { dayCame, marksCame, releaseCame, resumeMatching, windowEnded } from "./twin-window.ts";

type Refusal = RejectionCode | undefined;

export function decide(twin: Twin, actor: Actor, command: Command, nowMillis: number): Refusal {
  const refusal = answer(twin, actor, command, nowMillis);
  if (refusal === undefined) twin.note(nowMillis);
  return refusal;
}

function answer(twin: Twin, actor: Actor, command: Command, nowMillis: number): Refusal {
  const by = actor.type === "key" ? actor.accountId : actor.type;
  if (command.type === "ResumeMatching") {
    resumeMatching(twin, command.marketId);
    return undefined;
  }
  const named = "marketId" in command ? command.marketId : null;
  const isKnown = named === null || twin.markets.some(({ id }) => id === named);
  if (!isKnown) return "MARKET_NOT_FOUND";
  if (command.type === "CancelMarket") return voteVoid(twin, by, command.marketId, nowMillis);
  if (command.type === "WithdrawVoid") return dropVoid(twin, command.marketId);
  if (command.type === "OpenDispute") return openDispute(twin, by, command.marketId, nowMillis);
  if (command.type === "DecideDispute") return decideDispute(twin, by, command);
  return actor.type === "key"
    ? decideTrade(twin, actor.accountId, command, nowMillis)
    : decideOperation(twin, command, nowMillis);
}

function decideTrade(twin: Twin, account: AccountId, command: Command, nowMillis: number): Refusal {
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

function decideOperation(twin: Twin, command: Command, nowMillis: number): Refusal {
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
      releaseCame(twin, command.observations, nowMillis);
      return undefined;
    case "PublishMarks":
      marksCame(twin, nowMillis);
      return undefined;
    case "AwaitRelease":
      if (command.releaseId !== null) throw new Error("the twin sees no files");
      dayCame(twin, nowMillis);
      return undefined;
    case "EndWindow":
      windowEnded(twin);
      return undefined;
    case "ExpireOrder":
      twin.end([twin.order(command.orderId)], "EXPIRED");
      return undefined;
    case "CloseTrading":
      twin.end(twin.open(null, command.marketId), "MARKET_CLOSED");
      twin.change(command.marketId, { tradingClosed: true });
      return undefined;
    case "LapseVoid":
      return dropVoid(twin, command.marketId);
    case "VoidUnpublished":
      undo(twin, command.marketId);
      return undefined;
    case "UpholdDispute":
      upholdDispute(twin, command.marketId);
      return undefined;
    case "Forget":
      twin.forget(nowMillis);
      return undefined;
    case "FinalizeMarket":
      if (twin.market(command.marketId).dispute !== null) throw new Error("it is disputed");
      pay(twin, command.marketId);
      return undefined;
    default:
      throw new Error(`the twin knows nothing of ${command.type}`);
  }
}
