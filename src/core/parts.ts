// The owner of each piece of an entry: everybody who is shown the entry, one account, or the
// exchange.
// Invariant: an account's id, cash, position, label or record stands in its own part alone, or in
// the exchange's; and all parts together are the entry.
import { accountId } from "#base/ids.ts";
import { unreachable } from "#base/invariant.ts";
import type { Actor, Command, CommandType, Envelope, MarkUpdate } from "./command.ts";
import { concernedAccount } from "./concerned.ts";
import type { Event, EventOf, LedgerName } from "./event.ts";
import type { Entry } from "./outcome.ts";
import type { Account, Market, Order, Position } from "./records.ts";
import {
  EXCHANGE,
  type Fields,
  fieldsOf,
  type Owner,
  Told,
  textWithout,
  without,
} from "./small.ts";
import { GUARANTEE } from "./step.ts";

/** The part of an entry that every reader of it sees. */
interface OpenPart {
  readonly sequence: number;
  readonly timeMillis: number;
  readonly actor: Actor["type"];
  readonly command: CommandType;
  /** Present of a command that was refused. */
  readonly refused?: true;
  /** In the order they happened; not what happened between them. Absent where there are none. */
  readonly events?: readonly Fields[];
}

/** An absent field is empty. */
interface ClosedPart {
  readonly of: Owner;
  /** Of the account that gave the command. */
  readonly keyId?: string;
  readonly requestId?: string;
  readonly idempotency?: Fields;
  readonly command?: Fields;
  readonly rejection?: Fields;
  readonly events?: readonly Fields[];
  /**
   * In the exchange's: of each event, which parts hold a piece of it; the open one is 0. Absent
   * where each part has its events by itself, and they happened part by part, the open one's last.
   */
  readonly order?: readonly (number | readonly number[])[];
}

interface PartDraft {
  readonly part: number;
  fields: Fields;
  readonly events: Fields[];
}

/** By owner, in the order in which they first come up; the exchange's is the last. */
class Drafts {
  readonly open: Fields[] = [];
  readonly #closed = new Map<Owner, PartDraft>();
  readonly #exchange: PartDraft = { part: -1, fields: {}, events: [] };
  /** Of each event the drafts that hold a piece of it; undefined is the open part. */
  readonly #order: (PartDraft | undefined)[][] = [];

  put(owner: Owner, fields: Fields): void {
    const draft = this.#draft(owner);
    draft.fields = { ...draft.fields, ...fields };
  }

  /** The next event: what is open of it, and what is whose; a part has one piece of it at most. */
  event(open: Fields | undefined, ...closed: readonly (readonly [Owner, Fields])[]): void {
    const drafts: (PartDraft | undefined)[] = [];
    if (open !== undefined) {
      this.open.push(open);
      drafts.push(undefined);
    }
    for (const [owner, piece] of closed) {
      const draft = this.#draft(owner);
      draft.events.push(piece);
      drafts.push(draft);
    }
    this.#order.push(drafts);
  }

  closed(): readonly ClosedPart[] {
    const last = this.#closed.size + 1;
    const place = (draft: PartDraft | undefined): number =>
      draft === undefined ? 0 : draft === this.#exchange ? last : draft.part;
    const places = this.#order.map((drafts) => drafts.map(place));
    const order = arePartByPart(places, last) ? [] : places.map(bare);
    const accounts = [...this.#closed].map(([of, draft]) => closedPart(of, draft, []));
    const exchange = closedPart(EXCHANGE, this.#exchange, order);
    return Object.keys(exchange).length === 1 ? accounts : [...accounts, exchange];
  }

  #draft(owner: Owner): PartDraft {
    if (owner === EXCHANGE || owner === GUARANTEE) return this.#exchange;
    const known = this.#closed.get(owner);
    if (known !== undefined) return known;
    const draft: PartDraft = { part: this.#closed.size + 1, fields: {}, events: [] };
    this.#closed.set(owner, draft);
    return draft;
  }
}

/** As it is read where nothing is said of it. */
function arePartByPart(places: readonly (readonly number[])[], last: number): boolean {
  let before = 1;
  for (const parts of places) {
    const [part = 0] = parts;
    const rank = part === 0 ? last + 1 : part;
    if (parts.length > 1 || rank < before) return false;
    before = rank;
  }
  return true;
}

const bare = (parts: readonly number[]): number | readonly number[] => {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : parts;
};

const closedPart = (
  of: Owner,
  { fields, events }: PartDraft,
  order: readonly (number | readonly number[])[],
): ClosedPart => {
  const part = { of, ...fields };
  if (events.length === 0) return order.length === 0 ? part : { ...part, order };
  return order.length === 0 ? { ...part, events } : { ...part, events, order };
};

interface Parts {
  readonly open: OpenPart;
  readonly closed: readonly ClosedPart[];
}

export function partsOf({ sequence, envelope, outcome }: Entry): Parts {
  const { timeMillis, actor, command } = envelope;
  const events = "events" in outcome ? outcome.events : [];
  const drafts = new Drafts();
  const about: Owner = concernedAccount(actor, command, events) ?? EXCHANGE;
  const told = toldBy(timeMillis, events);
  putEnvelope(drafts, envelope, about, told);
  if ("rejection" in outcome) drafts.put(about, { rejection: { ...outcome.rejection } });
  const putter = new Putter(drafts, about, told, command);
  for (const event of events) putter.put(event);
  const refused = "rejection" in outcome ? { refused: true as const } : {};
  const shown = drafts.open.length === 0 ? {} : { events: drafts.open };
  const open = { sequence, timeMillis, actor: actor.type, command: command.type, ...refused };
  return { open: { ...open, ...shown }, closed: drafts.closed() };
}

/** The open part tells of markets; other parts that name them leave that out. */
function toldBy(timeMillis: number, events: readonly Event[]): Told {
  let first: string | undefined;
  const listed: Fields[] = [];
  for (const event of events) {
    if (event.type === "LevelChanged") first ??= event.level.marketId;
    else if (event.type === "Filled") first ??= event.fill.marketId;
    else if (event.type === "MarketChanged") {
      first ??= event.market.id;
      listed.push({ ...event.market });
    }
  }
  return new Told(timeMillis, first, listed);
}

/** Its sender has what it sent along with it; the command is of the account it is about. */
function putEnvelope(drafts: Drafts, envelope: Envelope, about: Owner, told: Told): void {
  const { actor, requestId, idempotency } = envelope;
  const sender = actor.type === "key" ? actor.accountId : EXCHANGE;
  const sent = {
    ...(actor.type === "key" ? { keyId: actor.keyId } : {}),
    ...(requestId === null ? {} : { requestId }),
    ...(idempotency === null ? {} : { idempotency: { ...idempotency } }),
  };
  if (Object.keys(sent).length > 0) drafts.put(sender, sent);
  const { own, others } = commandPieces(smallCommand(envelope.command, about, told), about);
  if (Object.keys(own).length > 0) drafts.put(about, { command: own });
  if (Object.keys(others).length > 0) drafts.put(EXCHANGE, { command: others });
}

/** Orders without what most have; listings without what the market says that they made. */
function smallCommand(command: Command, about: Owner, told: Told): Fields {
  if (command.type === "PlaceBatch") {
    const { orders, listings, ...rest } = command;
    told.sent(about, orders.map(fieldsOf));
    const shown = listings.map((listing, at) => textWithout(listing, told.listing(at)));
    return {
      ...rest,
      orders: orders.map((order) => textWithout(order, told.input())),
      ...(shown.length === 0 ? {} : { listings: shown }),
    };
  }
  if (command.type !== "PlaceOrder" && command.type !== "AcceptQuote") return { ...command };
  const { order, listing, ...rest } = command;
  told.sent(about, [fieldsOf(order)]);
  const shown = listing === null ? {} : { listing: textWithout(listing, told.listing(0)) };
  return { ...rest, order: textWithout(order, told.input()), ...shown };
}

/** The owner of an account is named after another account: the exchange's part has it. */
function commandPieces(
  command: Fields,
  about: Owner,
): { readonly own: Fields; readonly others: Fields } {
  const { type: _, ...own } = command;
  if (!("owner" in own) || about === EXCHANGE) return { own, others: {} };
  const { owner, ...rest } = own;
  return { own: rest, others: { owner } };
}

class Putter {
  readonly #drafts: Drafts;
  readonly #about: Owner;
  readonly #told: Told;
  readonly #marks: readonly MarkUpdate[];
  #marksTold = 0;
  #isMarketTold = false;

  constructor(drafts: Drafts, about: Owner, told: Told, command: Command) {
    this.#drafts = drafts;
    this.#about = about;
    this.#told = told;
    this.#marks = command.type === "PublishMarks" ? command.marks : [];
  }

  put(event: Event): void {
    switch (event.type) {
      case "LevelChanged":
        this.#drafts.event({ level: textWithout(event.level, this.#market()) });
        return;
      case "MarketChanged":
        this.#putMarket(event.market);
        return;
      case "RfqAnnounced":
        this.#drafts.event(event);
        return;
      case "MarketTraded": {
        const piece = { traded: textWithout(event, { ...this.#told.traded(), type: event.type }) };
        this.#drafts.event(undefined, [EXCHANGE, piece]);
        return;
      }
      case "MarketMarked":
        this.#putMark(event);
        return;
      case "Filled":
        this.#putFill(event);
        return;
      case "Posted":
        putPosting(this.#drafts, event, this.#told);
        return;
      case "OrderChanged":
        this.#putOrder(event.order);
        return;
      case "PositionChanged":
        this.#putPosition(event.position);
        return;
      case "AccountChanged":
        putAccount(this.#drafts, event.account);
        return;
      default:
        this.#drafts.event(undefined, [ownerOf(event, this.#about), event]);
    }
  }

  /** The first piece of the open part that has a market names it. */
  #market(): Fields {
    const known = this.#isMarketTold ? this.#told.market : {};
    this.#isMarketTold = true;
    return known;
  }

  /** As the place of the mark among those that were sent. */
  #putMark(event: EventOf<"MarketMarked">): void {
    const { type: _, ...marked } = event;
    let at = this.#marksTold;
    while (at < this.#marks.length && this.#marks[at]?.marketId !== event.marketId) at += 1;
    const sent = this.#marks[at];
    const isSent = sent !== undefined && Object.keys(without(marked, { ...sent })).length === 0;
    if (isSent) this.#marksTold = at + 1;
    this.#drafts.event(undefined, [EXCHANGE, { marked: isSent ? at : marked }]);
  }

  #putOrder(order: Order): void {
    const owner = order.accountId;
    this.#drafts.event(undefined, [owner, { order: textWithout(order, this.#told.order(owner)) }]);
  }

  #putPosition(position: Position): void {
    const { accountId: holder, marketId } = position;
    const owner = holder === GUARANTEE ? EXCHANGE : holder;
    const left = textWithout(position, this.#told.position(owner, marketId));
    this.#told.held(fieldsOf(position));
    this.#drafts.event(undefined, [owner, { position: left }]);
  }

  /**
   * The person who disputes, or proposes to void, stays hidden from others; so do the fees of one
   * trade, which tell the tier of its taker.
   */
  #putMarket(market: Market): void {
    const known = this.#told.listed();
    this.#market();
    const { houseFeesMicros, fundFeesMicros, dispute, voidProposal, resolution, ...open } = market;
    const { disputedBy, ...resolved } = resolution ?? {};
    const { houseFeesMicros: noHouse, fundFeesMicros: noFund, ...plain } = known;
    const fees = { houseFeesMicros: noHouse, fundFeesMicros: noFund };
    const closed = {
      ...without({ houseFeesMicros, fundFeesMicros }, fees),
      ...(dispute === null ? {} : { dispute }),
      ...(voidProposal === undefined ? {} : { voidProposal }),
      ...(disputedBy === undefined ? {} : { resolution: { disputedBy } }),
    };
    const shown = { ...open, resolution: resolution === null ? null : resolved, dispute: null };
    const isAllShown = Object.keys(closed).length === 0;
    const pieces: [Owner, Fields][] = isAllShown ? [] : [[EXCHANGE, { market: closed }]];
    this.#drafts.event({ market: textWithout(shown, plain) }, ...pieces);
  }

  /** The trade is public; who made it, and with which order, is each side's own. */
  #putFill({ fill }: EventOf<"Filled">): void {
    const { takerOrderId, makerOrderId, buyer, seller } = fill;
    const [taking, making] = [{ took: takerOrderId }, { made: makerOrderId }];
    const [buying, selling] = fill.takerBuysYes ? [taking, making] : [making, taking];
    const { timeMillis } = this.#told.fill();
    const sides = { takerOrderId, makerOrderId, buyer, seller };
    const shown = textWithout(fill, { ...this.#market(), timeMillis, ...sides });
    this.#told.filled(fieldsOf(fill));
    this.#drafts.event({ fill: shown }, [buyer, buying], [seller, selling]);
  }
}

type OfOne = Exclude<
  Event,
  EventOf<
    | "LevelChanged"
    | "MarketChanged"
    | "MarketTraded"
    | "MarketMarked"
    | "RfqAnnounced"
    | "OrderChanged"
    | "PositionChanged"
    | "Filled"
    | "Posted"
    | "AccountChanged"
  >
>;

/** A new kind of event does not compile before somebody has said whose it is. */
function ownerOf(event: OfOne, about: Owner): Owner {
  switch (event.type) {
    case "KeyChanged":
      return event.key.accountId;
    case "AcceptanceChanged":
      return event.acceptance.accountId;
    case "ProtectionChanged":
      return event.protection.accountId;
    case "AlertRaised":
      return event.alert.accountId;
    case "BidChanged":
      return event.bid.accountId;
    case "MarkGiven":
      return event.mark.accountId;
    case "MandateChanged":
      return event.mandate.accountId;
    case "WebhookChanged":
      return event.webhook.accountId;
    case "RfqOpened":
      return event.rfq.accountId;
    case "RfqQuoteChanged":
      return event.quote.accountId;
    case "RfqEnded":
    case "RfqQuoteEnded":
    case "MandateUsed":
    case "CancelAfterChanged":
    case "GroupChanged":
    case "Funded":
    case "MarketListed":
      return event.accountId;
    case "QuoteRefused":
    case "OrderRefused":
    case "RefusalRecorded":
      return about;
    case "Founded":
    case "MaintenanceRecorded":
    case "RulesUpgraded":
    case "TermBegun":
    case "FillStrayed":
    case "FillBusted":
    case "RulesChanged":
    case "RulesAnnounced":
    case "PublicKeyChanged":
    case "GuaranteeFunded":
    case "LossDrawn":
    case "AuctionOpened":
    case "AuctionEnded":
    case "FrontierMoved":
    case "ReleaseAccepted":
    case "ReleaseChanged":
    case "QuarantineChanged":
    case "HeldPlaceChanged":
    case "GeoLoaded":
    case "CoverJudged":
    case "HaltChanged":
    case "ClockSet":
    case "OrdersForgotten":
    case "RfqsForgotten":
    case "MarketsForgotten":
    case "OpenCounted":
    case "ProposalChanged":
    case "FundingCounted":
    case "RootSwitched":
    case "WindowChanged":
    case "MatchingChanged":
      return EXCHANGE;
    default:
      return unreachable(event);
  }
}

const CASH = "cash:";

const holderOf = (name: LedgerName): Owner =>
  name.startsWith(CASH) ? accountId(name.slice(CASH.length)) : EXCHANGE;

/** Each side sees what was moved and why, and what it has left: not where to, nor what is there. */
function putPosting(drafts: Drafts, event: EventOf<"Posted">, told: Told): void {
  const { posting, fromMicros, toMicros } = event;
  const { from, to } = posting;
  const [giver, taker] = [holderOf(from), holderOf(to)];
  if (giver === taker) {
    drafts.event(undefined, [giver, event]);
    return;
  }
  const own = textWithout(posting, { ...told.posting(), from, to });
  const piece = (owner: Owner, side: Fields, left: Fields): [Owner, Fields] => [
    owner,
    { posting: owner === EXCHANGE ? side : own, ...left },
  ];
  drafts.event(
    undefined,
    piece(giver, { from }, { fromMicros }),
    piece(taker, { to }, { toMicros }),
  );
}

/**
 * The other accounts of its owner, and the operators who opened it or agreed, stay hidden from it.
 */
function putAccount(drafts: Drafts, account: Account): void {
  const { owner, openedBy, vouchedBy, ...own } = account;
  const others = {
    ...(owner === undefined ? {} : { owner }),
    ...(openedBy === undefined ? {} : { openedBy }),
    ...(vouchedBy === undefined ? {} : { vouchedBy }),
  };
  const hasOthers = Object.keys(others).length > 0;
  const pieces: [Owner, Fields][] = hasOthers ? [[EXCHANGE, { account: others }]] : [];
  drafts.event(undefined, [account.id, { type: "AccountChanged", account: own }], ...pieces);
}
