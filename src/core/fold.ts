// Puts an event's record in its place in the state, with everything that is drawn from records.
// Invariant: the state is the fold of its events; nothing else writes to it but lists of answers.

import { accountId, type MarketId } from "#base/ids.ts";
import { unreachable } from "#base/invariant.ts";
import type { Micros } from "#base/money.ts";
import { noLots } from "#base/quantity.ts";
import { setOf } from "#base/set-of.ts";
import { foldAcceptance } from "./acceptance/put-acceptance.ts";
import { ownerOf } from "./account/owner.ts";
import type { MakerProtection } from "./account/protection-record.ts";
import { foldGroup } from "./account/put-group.ts";
import { withAlert } from "./alerts.ts";
import type { Event, EventOf, LedgerName } from "./event.ts";
import { foldKey } from "./keys/put-key.ts";
import { marginRates } from "./kyc/tiers.ts";
import {
  dropListing,
  forgetMarkets,
  forgetOrders,
  noteListing,
  noteMarket,
  noteOrder,
} from "./leaving.ts";
import { foldMandate, forgetUses, type MandateEvent } from "./mandate/put-mandate.ts";
import { type AuctionEvent, foldAuction } from "./margin/put-auction.ts";
import { putCall } from "./margin/put-call.ts";
import { marketAfter } from "./market/after.ts";
import {
  fallbackAtMillis,
  isFinal,
  isLive,
  tradingEndsAtMillis,
  upheldAtMillis,
} from "./market/life.ts";
import { counted, putOpenByState } from "./market/put-open-count.ts";
import { putMatching, putWindow } from "./market/put-window.ts";
import { awaitingName, cancelAfterName, chainPointName, positionName } from "./names.ts";
import { putOrder } from "./order/put-order.ts";
import { putExchange } from "./put-exchange.ts";
import { foldFill } from "./put-fill.ts";
import { putHeldPlace } from "./put-held-place.ts";
import { foldRules } from "./put-rules.ts";
import type { Account, Alert, CancelAfter, ChainPoint, Kyc, Market, Position } from "./records.ts";
import { foldRfq, isRfqEvent } from "./rfq/put-rfq.ts";
import type { RfqEvent } from "./rfq/record.ts";
import { putMark, putMarkRound } from "./settlement/put-marks.ts";
import { noteShort } from "./settlement/short-lots.ts";
import type { State } from "./state.ts";
import { countHeld } from "./volume.ts";
import { foldWebhook } from "./webhook/put-webhook.ts";
import { foldWord } from "./words/put-word.ts";

/** `timeMillis`: of the entry. */
export function fold(state: State, event: Event, timeMillis: number): void {
  if (isRfqEvent(event)) foldRfq(state, event, timeMillis);
  else if (!isTold(event)) foldOthers(state, event, timeMillis);
}

type ToldEvent = EventOf<
  "QuoteRefused" | "OrderRefused" | "RefusalRecorded" | "MaintenanceRecorded"
>;

/** Events that only tell, and change nothing. */
const isTold = (event: Event): event is ToldEvent =>
  event.type === "QuoteRefused" ||
  event.type === "OrderRefused" ||
  event.type === "RefusalRecorded" ||
  event.type === "MaintenanceRecorded";

type Folded = Exclude<Event, RfqEvent | ToldEvent>;

function foldOthers(state: State, event: Folded, timeMillis: number): void {
  switch (event.type) {
    case "Founded":
    case "RulesUpgraded":
    case "TermBegun":
    case "HaltChanged":
    case "ClockSet":
    case "RootSwitched":
    case "CoverJudged":
      putExchange(state, event);
      return;
    case "RulesChanged":
    case "RulesAnnounced":
    case "WordChanged":
    case "FundingCounted":
      foldGovernance(state, event);
      return;
    case "AccountChanged":
    case "KeyChanged":
    case "KeyUsed":
    case "KeyLeft":
    case "PublicKeyChanged":
    case "CancelAfterChanged":
    case "ProtectionChanged":
    case "GroupChanged":
    case "AlertRaised":
    case "AcceptanceChanged":
    case "AuctionOpened":
    case "AuctionEnded":
    case "BidChanged":
    case "MandateChanged":
    case "MandateUsed":
    case "MarkGiven":
    case "WebhookChanged":
      foldOfAccount(state, event);
      return;
    case "Posted":
      putPosting(state, event);
      return;
    case "MarketChanged":
    case "MarketTraded":
    case "MarketMarked":
    case "OpenCounted":
    case "OrderChanged":
    case "Filled":
    case "FillStrayed":
    case "FillBusted":
    case "PositionChanged":
    case "OrdersForgotten":
    case "MarketListed":
    case "MarketsForgotten":
      foldTrading(state, event, timeMillis);
      return;
    case "FrontierMoved":
    case "ReleaseAccepted":
    case "ReleaseChanged":
    case "QuarantineChanged":
    case "HeldPlaceChanged":
    case "WindowChanged":
    case "MatchingChanged":
    case "GeoLoaded":
      putOfReleases(state, event);
      return;
    case "LevelChanged":
    case "Funded":
    case "GuaranteeFunded":
    case "LossDrawn":
      return;
    default:
      unreachable(event);
  }
}

type GovernanceEvent = EventOf<
  "RulesChanged" | "RulesAnnounced" | "WordChanged" | "FundingCounted"
>;

function foldGovernance(state: State, event: GovernanceEvent): void {
  if (event.type === "RulesChanged" || event.type === "RulesAnnounced") foldRules(state, event);
  else foldWord(state, event);
}

type AccountEvent =
  | AuctionEvent
  | MandateEvent
  | EventOf<
      | "AccountChanged"
      | "KeyChanged"
      | "KeyUsed"
      | "KeyLeft"
      | "PublicKeyChanged"
      | "CancelAfterChanged"
      | "ProtectionChanged"
      | "GroupChanged"
      | "AlertRaised"
      | "AcceptanceChanged"
      | "MarkGiven"
      | "WebhookChanged"
    >;

/** An account, what opens it, what guards it, and what it is told. */
function foldOfAccount(state: State, event: AccountEvent): void {
  switch (event.type) {
    case "AccountChanged":
      putAccount(state, event.account);
      return;
    case "KeyChanged":
    case "KeyUsed":
    case "KeyLeft":
      foldKey(state, event);
      return;
    case "PublicKeyChanged":
      state.publicKeys.set(event.key.id, event.key);
      return;
    case "CancelAfterChanged":
      changeCancelAfter(state, event);
      return;
    case "ProtectionChanged":
      putMakerProtection(state, event.protection);
      return;
    case "GroupChanged":
      foldGroup(state, event);
      return;
    case "AlertRaised":
      putAlert(state, event.alert);
      return;
    case "AcceptanceChanged":
      foldAcceptance(state, event.acceptance);
      return;
    case "MandateChanged":
    case "MandateUsed":
      foldMandate(state, event);
      return;
    case "MarkGiven":
      putMark(state, event.mark);
      return;
    case "WebhookChanged":
      foldWebhook(state, event);
      return;
    default:
      foldAuction(state, event);
  }
}

type TradingEvent = EventOf<
  | "MarketChanged"
  | "MarketTraded"
  | "MarketMarked"
  | "OpenCounted"
  | "OrderChanged"
  | "Filled"
  | "FillStrayed"
  | "FillBusted"
  | "PositionChanged"
  | "OrdersForgotten"
  | "MarketListed"
  | "MarketsForgotten"
>;

function foldTrading(state: State, event: TradingEvent, timeMillis: number): void {
  switch (event.type) {
    case "MarketChanged":
      putMarket(state, event.market);
      noteMarket(state, event.market.id, timeMillis);
      if (isFinal(event.market.status)) forgetUses(state, event.market.id);
      return;
    case "MarketTraded":
    case "MarketMarked":
      changeMarket(state, marketAfter(state.market(event.marketId), event, timeMillis));
      return;
    case "OpenCounted":
      for (const { marketId, openLots } of event.markets)
        changeMarket(state, counted(state.market(marketId), openLots));
      putOpenByState(state, event);
      return;
    case "OrderChanged":
      putOrder(state, event.order);
      noteOrder(state, event.order, timeMillis);
      return;
    case "Filled":
    case "FillStrayed":
    case "FillBusted":
      foldFill(state, event, timeMillis);
      return;
    case "PositionChanged":
      changePosition(state, event.position, timeMillis);
      dropListing(state, event.position.marketId);
      return;
    case "OrdersForgotten":
      forgetOrders(state, event.orderIds, timeMillis);
      return;
    case "MarketListed":
      noteListing(state, event, timeMillis);
      return;
    case "MarketsForgotten":
      forgetMarkets(state, event.marketIds);
  }
}

function putPosting(state: State, { posting, fromMicros, toMicros }: EventOf<"Posted">): void {
  putBalance(state, posting.from, fromMicros);
  putBalance(state, posting.to, toMicros);
}

export function putChainPoint(state: State, point: ChainPoint): void {
  const { index, nodeId, month } = point;
  state.chainPoints.set(chainPointName(index, nodeId, month), point);
  state.expected.printed(point);
}

export function putAccount(state: State, account: Account): void {
  const before = state.accounts.get(account.id);
  state.accountsByOwner.get(ownerOf(state, account.id))?.delete(account.id);
  state.accounts.set(account.id, account);
  setOf(state.accountsByOwner, ownerOf(state, account.id)).add(account.id);
  if (account.role === "operator") state.operators.add(account.id);
  state.exposures.ratesChanged(account.id, marginRates(state.rules, account));
  addExpiries(state, account, before?.kyc);
  putCall(state, account, before);
}

/** An accreditation that outlasts its approval ends with it, in one entry. */
function addExpiries(state: State, { id, kyc }: Account, before: Kyc | undefined): void {
  const { status, expiresAtSeconds, accreditation } = kyc;
  if (status !== "approved" || expiresAtSeconds === null) return;
  const isNew = before?.expiresAtSeconds !== expiresAtSeconds;
  if (isNew) {
    const command = { type: "ExpireKyc" as const, accountId: id };
    state.due.add({ atMillis: expiresAtSeconds * 1000, command });
  }
  if (accreditation == null || accreditation.ended) return;
  const ends = accreditation.expiresAtSeconds;
  if (ends < expiresAtSeconds && (isNew || before?.accreditation?.expiresAtSeconds !== ends)) {
    const command = { type: "ExpireAccreditation" as const, accountId: id };
    state.due.add({ atMillis: ends * 1000, command });
  }
}

export function putAlert(state: State, alert: Alert): void {
  state.alertCount += 1;
  const before = state.alerts.get(alert.accountId) ?? [];
  state.alerts.set(alert.accountId, withAlert(before, alert));
}

export function putBalance(state: State, name: LedgerName, balance: Micros): void {
  state.ledger.set(name, balance);
  if (name.startsWith("cash:")) state.marginQueue.add(accountId(name.slice("cash:".length)));
}

export function putMarket(state: State, market: Market): void {
  const before = state.markets.get(market.id);
  state.markets.set(market.id, market);
  state.marketsByFrontendId.set(market.frontendId, market.id);
  state.exposures.marketChanged(market);
  const { terms, status, resolution } = market;
  state.expected.marketChanged(terms, before, market);
  const live = isLive(status);
  const awaited = setOf(
    state.awaiting,
    awaitingName(terms.index, terms.nodeId, terms.measurementMonth),
  );
  if (!live) awaited.delete(market.id);
  else if (before === undefined) awaited.add(market.id);
  else if (!awaited.has(market.id)) awaitAgain(state, awaited, market.id);
  if (before === undefined && live) {
    if (!market.tradingClosed) {
      const atMillis = tradingEndsAtMillis(terms);
      state.due.add({ atMillis, command: { type: "CloseTrading", marketId: market.id } });
    }
    const atMillis = fallbackAtMillis(terms);
    state.due.add({ atMillis, command: { type: "BeginFallback", marketId: market.id } });
  }
  addLapses(state, before, market);
  putMarkRound(state, before, market);
  if (status === "RESOLVED" && resolution !== null && market.dispute === null) {
    state.due.add({
      atMillis: resolution.disputeWindowEndsAtMillis,
      command: { type: "FinalizeMarket", marketId: market.id },
    });
  }
}

/** Markets settle in the order of their listing, which is what a snapshot gives them back in. */
function awaitAgain({ markets }: State, awaited: Set<MarketId>, id: MarketId): void {
  const ids = new Set(awaited).add(id);
  awaited.clear();
  for (const one of markets.keys()) if (ids.has(one)) awaited.add(one);
}

/** Its status, its names and what it waits for are as before. */
function changeMarket(state: State, market: Market): void {
  state.markets.set(market.id, market);
  state.exposures.marketChanged(market);
}

/** A dispute waits for people so long and no longer. */
function addLapses(state: State, before: Market | undefined, market: Market): void {
  const { id: marketId, dispute } = market;
  if (dispute !== null && before?.dispute == null) {
    const command = { type: "UpholdDispute" as const, marketId };
    state.due.add({ atMillis: upheldAtMillis(dispute), command });
  }
}

function foldRelease(
  state: State,
  event: EventOf<"ReleaseAccepted" | "ReleaseChanged" | "QuarantineChanged" | "HeldPlaceChanged">,
): void {
  const { releases, quarantine } = state;
  if (event.type === "HeldPlaceChanged") putHeldPlace(state, event);
  else if (event.type === "QuarantineChanged") {
    quarantine.set(event.release.id, event.release);
  } else {
    // It leaves the quarantine, where it was there.
    releases.set(event.release.id, event.release);
    quarantine.delete(event.release.id);
  }
}

function putOfReleases(
  state: State,
  event:
    | EventOf<"WindowChanged" | "MatchingChanged" | "FrontierMoved" | "GeoLoaded">
    | Parameters<typeof foldRelease>[1],
): void {
  if (event.type === "GeoLoaded") {
    for (const node of event.nodes) state.geo.set(node.id, node);
  } else if (event.type === "FrontierMoved") putChainPoint(state, event.frontier);
  else if (event.type === "WindowChanged") putWindow(state, event);
  else if (event.type === "MatchingChanged") putMatching(state, event);
  else foldRelease(state, event);
}

function changePosition(state: State, position: Position, timeMillis: number): void {
  const before = state.position(position.accountId, position.marketId)?.heldLots ?? noLots;
  putPosition(state, position);
  noteShort(state.shorts, position, before, timeMillis);
}

export function putPosition(state: State, position: Position): void {
  const { accountId: holder, marketId } = position;
  const name = positionName(holder, marketId);
  const before = state.positions.get(name)?.heldLots ?? noLots;
  countHeld(state.openInterest, marketId, { before, now: position.heldLots });
  state.positions.set(name, position);
  setOf(state.positionsByMarket, marketId).add(holder);
  setOf(state.marketsHeldBy, holder).add(marketId);
  state.exposures.positionChanged(position);
}

function changeCancelAfter(
  state: State,
  { accountId, marketId, atSeconds }: EventOf<"CancelAfterChanged">,
): void {
  if (atSeconds === null) state.cancelAfters.delete(cancelAfterName(accountId, marketId));
  else putCancelAfter(state, { accountId, marketId, atSeconds });
}

export function putCancelAfter(state: State, armed: CancelAfter): void {
  const { accountId, marketId, atSeconds } = armed;
  state.cancelAfters.set(cancelAfterName(accountId, marketId), armed);
  state.due.add({
    atMillis: atSeconds * 1000,
    command: { type: "FireCancelAfter", accountId, marketId },
  });
}

export function putMakerProtection(state: State, protection: MakerProtection): void {
  const { accountId, trippedAtMillis, tripReported } = protection;
  state.makerProtections.set(accountId, protection);
  if (trippedAtMillis !== null && !tripReported) {
    state.due.add({ atMillis: trippedAtMillis, command: { type: "ReportTrip", accountId } });
  }
}
