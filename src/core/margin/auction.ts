// The default auction: the open shorts of an account in default, offered to sellers by sealed bid.
// Invariant: the least bid that holds wins, and no bid takes more than the guarantee fund asks; the
// positions and their cash stay the defaulter's until the close.
import { afterBusinessDay } from "#base/business-days.ts";
import type { AccountId } from "#base/ids.ts";
import { auctionId } from "#base/ids.ts";
import { invariant } from "#base/invariant.ts";
import { least } from "#base/least.ts";
import { formatMicros, type Micros, micros, noMoney } from "#base/money.ts";
import { owedIn } from "../acceptance/financed.ts";
import { sameOwner } from "../account/owner.ts";
import type { CommandOf } from "../command.ts";
import type { LedgerName } from "../event.ts";
import { refuseBeyondLimits } from "../kyc/limits.ts";
import { refuseUncleared } from "../kyc/standing.ts";
import { accountTerms } from "../kyc/tiers.ts";
import { stateOver } from "../readers-state.ts";
import type { Market } from "../records.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { State } from "../state.ts";
import { actingAccount, available, cashOf, emit, GUARANTEE, type Step } from "../step.ts";
import { raiseAlert } from "./alert.ts";
import { type Bid, bidName, type DefaultAuction } from "./auction-record.ts";
import { knownOf, refuseCalled, type Shorts } from "./call.ts";
import type { Short } from "./exposure.ts";
import { microsUp, takeoverCharge } from "./requirement.ts";
import { openShorts, owe, owedText, passOn, putDefault } from "./takeover.ts";
import { keepInTrust } from "./trust.ts";

/** Of a frozen account. It lasts as long as a margin call does. */
export function openAuction(step: Step, id: AccountId): void {
  const { state, nowMillis } = step;
  const isRunning = state.account(id).inDefault?.auctionId !== undefined;
  if (isRunning || openShorts(state, id).length === 0) return;
  const auction: DefaultAuction = {
    id: auctionId(`auc-${state.auctionCount + 1}`),
    accountId: id,
    openedAtMillis: nowMillis,
    closesAtMillis: afterBusinessDay(nowMillis),
  };
  emit(step, { type: "AuctionOpened", auction });
  putDefault(step, state.account(id), { auctionId: auction.id });
}

interface Auctioned extends Shorts {
  readonly markets: ReadonlyMap<Market["id"], Market>;
  balance(name: LedgerName): Micros;
}

/** The fund asks their marks, and its charge, for taking all of them. */
function askOf({ markets }: Auctioned, shorts: readonly Short[]): Micros {
  let parts = 0n;
  for (const { marketId, shortLots, rate } of shorts) {
    const market = markets.get(marketId);
    invariant(market !== undefined, `market ${marketId} is known`);
    parts += shortLots * (rate.liability + takeoverCharge(market));
  }
  return microsUp(parts);
}

/** The highest bid: what the fund asks, and what the account has beyond payouts that are known. */
export function highestBid(exchange: Auctioned, id: AccountId): Micros {
  const free = exchange.balance(cashOf(id)) - knownOf(exchange, id);
  return least(askOf(exchange, openShorts(exchange, id)), free < 0n ? noMoney : micros(free));
}

/** In place of the account's bid before, if it has one. */
export function placeBid(step: Step, command: CommandOf<"PlaceBid">): Rejection | undefined {
  const { state } = step;
  const auction = state.auctions.get(command.auctionId);
  if (auction === undefined) return reject("AUCTION_NOT_FOUND");
  const accountId = actingAccount(step);
  const bid = { ...command, accountId };
  const refused =
    refuseBidder(step, auction, accountId) ??
    (state.exchange?.halted === true ? reject("EXCHANGE_HALTED") : undefined);
  if (refused !== undefined) return refused;
  const most = highestBid(state, auction.accountId);
  if (bid.amountMicros > most) {
    return reject(
      "BID_TOO_HIGH",
      { requiredMicros: bid.amountMicros, allowedMicros: most },
      "amount",
    );
  }
  const lacking = refuseLacking(step, auction, bid);
  if (lacking !== undefined) return lacking;

  const { amountMicros } = command;
  const placed = { auctionId: auction.id, accountId, amountMicros, sequence: step.sequence };
  emit(step, { type: "BidChanged", bid: placed, status: "placed" });
  return undefined;
}

export function withdrawBid(
  step: Step,
  { auctionId: id }: CommandOf<"WithdrawBid">,
): Rejection | undefined {
  const { bids, auctions } = step.state;
  if (!auctions.has(id)) return reject("AUCTION_NOT_FOUND");
  const bid = bids.get(bidName({ auctionId: id, accountId: actingAccount(step) }));
  if (bid === undefined) return reject("BID_NOT_FOUND");

  emit(step, { type: "BidChanged", bid, status: "withdrawn" });
  return undefined;
}

/** The least bid that still holds takes all of it, else the fund does, for what there is. */
export function closeAuction(step: Step, command: CommandOf<"CloseAuction">): undefined {
  const { state } = step;
  const auction = state.auctions.get(command.auctionId);
  invariant(auction !== undefined, `auction ${command.auctionId} runs`);
  const { id: reference, accountId: id } = auction;
  const shorts = openShorts(state, id);
  const most = highestBid(state, id);
  const winner = bidsOf(state, auction).find(
    (bid) =>
      bid.amountMicros <= most &&
      refuseBidder(step, auction, bid.accountId) === undefined &&
      refuseLacking(step, auction, bid) === undefined,
  );
  const asked = askOf(state, shorts);
  const lacking = micros(asked - most);
  const paid = winner?.amountMicros ?? most;
  end(step, auction, winner === undefined ? "fund" : "bidder", paid);
  const parts = passOn(step, id, winner?.accountId ?? GUARANTEE, shorts, paid, reference);
  if (winner === undefined) {
    owe(step, id, lacking);
    keepInTrust(step, id, shorts, parts, asked);
  }
  const owes = state.account(id).inDefault?.owesMicros ?? noMoney;
  const usd = formatMicros(paid);
  const text = `Auction ${reference} took the account's short positions for ${usd} USD`;
  raiseAlert(step, id, "auction", `${text}${owedText(owes)}`);
  if (winner === undefined) return;
  const won = `The bid of ${usd} USD won auction ${reference}: its positions are here`;
  raiseAlert(step, winner.accountId, "auction", won);
}

/** The least first, of equal ones the earlier. */
function bidsOf({ bids, bidsIn }: State, { id }: DefaultAuction): readonly Bid[] {
  const mine = [...(bidsIn.get(id) ?? [])].flatMap((name) => bids.get(name) ?? []);
  return mine.sort((a, b) =>
    a.amountMicros === b.amountMicros
      ? a.sequence - b.sequence
      : a.amountMicros < b.amountMicros
        ? -1
        : 1,
  );
}

/** Nothing of it is left to be taken: every market of it has been resolved, or is void. */
export function endEmptyAuction(step: Step, id: AccountId): void {
  const { inDefault } = step.state.account(id);
  if (inDefault?.auctionId === undefined || openShorts(step.state, id).length > 0) return;
  const auction = step.state.auctions.get(inDefault.auctionId);
  invariant(auction !== undefined, `auction ${inDefault.auctionId} runs`);
  end(step, auction, null, noMoney);
}

function end(
  step: Step,
  { id, accountId }: DefaultAuction,
  takenBy: "bidder" | "fund" | null,
  paidMicros: Micros,
): void {
  emit(step, { type: "AuctionEnded", auctionId: id, accountId, takenBy, paidMicros });
  const account = step.state.account(accountId);
  if (account.inDefault === undefined) return;
  const { auctionId: _over, ...inDefault } = account.inDefault;
  emit(step, { type: "AccountChanged", account: { ...account, inDefault } });
}

/** Refuses a bid now; at the close it is passed over for the same reasons. */
function refuseBidder(step: Step, auction: DefaultAuction, id: AccountId): Rejection | undefined {
  const { state } = step;
  const account = state.account(id);
  if (sameOwner(state, id, auction.accountId)) return reject("AUCTION_OWN");
  const uncleared = refuseUncleared(step, account);
  if (uncleared !== undefined) return uncleared;
  if (account.halted) return reject("ACCOUNT_HALTED");
  if (state.debts.isBehind(id)) return reject("PAYMENT_OVERDUE");
  // The shorts would take its lots away, and leave their loan.
  const shorts = openShorts(state, auction.accountId);
  if (shorts.some(({ marketId }) => owedIn(step, id, marketId) > 0n)) {
    return reject("FINANCED_POSITION");
  }
  return refuseCalled(account);
}

/**
 * Whether the bidder has initial margin, and limits, for all of it, with the cash that comes along:
 * tried on a state over this one.
 */
function refuseLacking(
  step: Step,
  { accountId: from }: DefaultAuction,
  { accountId: id, amountMicros }: Pick<Bid, "accountId" | "amountMicros">,
): Rejection | undefined {
  const shorts = openShorts(step.state, from);
  const trial = { ...step, state: stateOver(step.state), events: [], touched: new Map() };
  passOn(trial, from, id, shorts, amountMicros, from);
  const free = available(trial.state, id);
  if (free < 0n) {
    const had = micros(step.state.balance(cashOf(id)) + amountMicros);
    return reject("INSUFFICIENT_BALANCE", {
      requiredMicros: micros(had - free),
      availableMicros: had,
    });
  }
  const [before, after] = [step.state.exposures, trial.state.exposures];
  return refuseBeyondLimits(accountTerms(step.state.rules, step.state.account(id)), {
    before: before.totals(id),
    after: after.totals(id),
    positions: shorts.map(({ marketId }) => ({
      before: before.coverageIn(id, marketId),
      after: after.coverageIn(id, marketId),
    })),
  });
}
