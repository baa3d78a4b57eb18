// The reference model reads a command: which of its acts it is, and the code where it refuses.
// Invariant: a command it does not know stops the test; nothing is left unpredicted.
import type { AccountId } from "#base/ids.ts";
import { monthEndMillis } from "#base/month.ts";
import type { Actor, Command, OrderInput } from "#core/command.ts";
import type { OrderSelection } from "#core/order/named.ts";
import type { MarketQuote } from "#core/order/quoted.ts";
import type { RejectionCode } from "#core/rejection.ts";
import { bustBySecond, wordToBust } from "./model-bust.ts";
import { pay, resolve } from "./model-end.ts";
import { cancelMandates, setMandate } from "./model-mandates.ts";
import { idIn, type ModelOrder } from "./model-order.ts";
import { decideDispute, dropVoid, openDispute, upholdDispute, voteVoid } from "./model-people.ts";
import {
  accept,
  ask,
  better,
  cancelRequest,
  closeRequest,
  endStopped,
  lapse,
  quote,
} from "./model-rfqs.ts";
import {
  auctionEnded,
  called,
  dayCame,
  marksCame,
  noteMeetings,
  releaseCame,
  resumeMatching,
  windowEnded,
} from "./model-window.ts";
import { lapseWord } from "./model-words.ts";
import type { ReferenceModel } from "./reference-model.ts";

type Refusal = RejectionCode | undefined;

export function decide(
  model: ReferenceModel,
  actor: Actor,
  command: Command,
  nowMillis: number,
): Refusal {
  model.nowMillis = nowMillis;
  const refusal = answer(model, actor, command, nowMillis);
  if (refusal !== undefined) return refusal;
  endStopped(model);
  noteMeetings(model, nowMillis);
  model.note(nowMillis);
  return undefined;
}

function answer(model: ReferenceModel, actor: Actor, command: Command, nowMillis: number): Refusal {
  const by = actor.type === "key" ? actor.accountId : actor.type;
  if (command.type === "ResumeMatching") {
    resumeMatching(model, command.marketId, nowMillis);
    return undefined;
  }
  if (command.type === "BustFill") return wordToBust(model, by, command.fillId);
  if (command.type === "ConfirmProposal") return bustBySecond(model, by, command.proposalId);
  const named = "marketId" in command ? command.marketId : null;
  const isKnown = named === null || model.markets.some(({ id }) => id === named);
  if (!isKnown) return "MARKET_NOT_FOUND";
  if (command.type === "CancelMarket") return voteVoid(model, by, command.marketId);
  if (command.type === "WithdrawVoid") return dropVoid(model, by, command.marketId);
  if (command.type === "OpenDispute") return openDispute(model, by, command.marketId, nowMillis);
  if (command.type === "DecideDispute") return decideDispute(model, by, command);
  return actor.type === "key"
    ? decideTrade(model, actor.accountId, command, nowMillis)
    : decideOperation(model, command, nowMillis);
}

function decideTrade(
  model: ReferenceModel,
  account: AccountId,
  command: Command,
  nowMillis: number,
): Refusal {
  switch (command.type) {
    case "PlaceOrder":
      return model.place(account, [command.order], nowMillis);
    case "PlaceBatch":
      if (command.each !== true) return model.place(account, command.orders, nowMillis);
      for (const order of command.orders) model.place(account, [order], nowMillis);
      return undefined;
    case "MassQuote":
      for (const { marketId } of command.quotes)
        model.end(model.open(account, marketId), "REQUESTED");
      for (const quote of command.quotes) model.place(account, ordersOf(quote), nowMillis);
      return undefined;
    case "AmendOrder":
      return model.amend(account, command, nowMillis);
    case "CancelOrder":
      return model.cancel(account, idIn(command));
    case "CancelAll":
      model.end(selected(model.open(account, command.marketId), command.only ?? {}), "REQUESTED");
      return undefined;
    case "SetMandate":
      return setMandate(model, account, command);
    case "CancelMandates":
      return cancelMandates(model, account);
    case "OpenRfq":
      return ask(model, account, command);
    case "QuoteRfq":
      return quote(model, account, command);
    case "ImproveQuote":
      return better(model, account, command);
    case "AcceptRfq":
      return accept(model, account, command);
    case "CancelRfq":
      return cancelRequest(model, account, command);
    default:
      throw new Error(`the model knows nothing of ${command.type}`);
  }
}

function selected(orders: readonly ModelOrder[], { orderIds, side }: OrderSelection) {
  return orders.filter(
    (order) =>
      (orderIds === undefined || orderIds.includes(order.id)) &&
      (side === undefined || order.side === side),
  );
}

/** A bid buys YES and an ask sells it, and neither meets what rests. */
function ordersOf({ marketId, expirySeconds, ...quote }: MarketQuote): readonly OrderInput[] {
  return (["bid", "ask"] as const).flatMap((side) => {
    const priced = quote[side];
    const input = {
      marketId,
      expirySeconds,
      postOnly: true,
      reduceOnly: false,
      clientOrderId: null,
      outcomeIndex: 0,
      side: side === "bid" ? "BUY" : "SELL",
      timeInForce: expirySeconds === 0 ? "GTC" : "GTD",
      selfTradePrevention: "cancel_incoming",
    } as const;
    return priced === null ? [] : [{ ...input, ...priced }];
  });
}

function decideOperation(model: ReferenceModel, command: Command, nowMillis: number): Refusal {
  switch (command.type) {
    case "FundAccount": {
      const { accountId, amountMicros } = command;
      if (amountMicros < 0n) return model.withdraw(accountId, -amountMicros);
      model.move("external", `cash:${accountId}`, amountMicros);
      return undefined;
    }
    case "FundGuarantee":
      model.move("external", "guarantee", command.amountMicros);
      return undefined;
    case "PauseMarket":
      return model.turn(command.marketId, "ACTIVE", "PAUSED");
    case "ResumeMarket":
      return model.turn(command.marketId, "PAUSED", "ACTIVE");
    case "AcceptRelease":
      if (command.observations.some(({ month }) => monthEndMillis(month) > nowMillis)) {
        return "RELEASE_FROM_FUTURE";
      }
      for (const observation of command.observations) resolve(model, observation);
      releaseCame(model, command.observations, nowMillis);
      return undefined;
    case "PublishMarks":
      marksCame(model, nowMillis);
      return undefined;
    case "AwaitRelease":
      if (command.releaseId !== null) throw new Error("the model sees no files");
      dayCame(model, nowMillis);
      return undefined;
    case "EndWindow":
      windowEnded(model, nowMillis);
      return undefined;
    case "EndAuction":
      auctionEnded(model);
      return undefined;
    case "OpenWindow":
      return called(model, nowMillis);
    case "ExpireOrder":
      model.end([model.order(command.orderId)], "EXPIRED");
      return undefined;
    case "CloseTrading":
      model.end(model.open(null, command.marketId), "MARKET_CLOSED");
      model.change(command.marketId, { tradingClosed: true });
      return undefined;
    case "LapseProposal":
      lapseWord(model, command.proposalId);
      return undefined;
    case "CloseRfq":
      return closeRequest(model, command.rfqId);
    case "LapseQuote":
      return lapse(model, command.quoteId);
    case "BeginFallback":
      return undefined;
    case "UpholdDispute":
      upholdDispute(model, command.marketId);
      return undefined;
    case "Forget":
      model.forget(nowMillis);
      return undefined;
    case "FinalizeMarket":
      if (model.market(command.marketId).dispute !== null) throw new Error("it is disputed");
      pay(model, command.marketId);
      return undefined;
    default:
      throw new Error(`the model knows nothing of ${command.type}`);
  }
}
