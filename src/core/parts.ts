// The owner of each piece of an entry: everybody who is shown the entry, one account, or the
// exchange.
// Invariant: an account's id, cash, position, label or record stands in its own part alone, or in
// the exchange's; and all parts together are the entry.
import { accountId } from "#base/ids.ts";
import { unreachable } from "#base/invariant.ts";
import { encode, endText, ItemTexts, memberText, written } from "./codec.ts";
import type { Command, Envelope, MarkUpdate } from "./command.ts";
import { concernedAccount } from "./concerned.ts";
import type { Event, EventOf, LedgerName } from "./event.ts";
import type { Listing } from "./market/listing-record.ts";
import type { Entry } from "./outcome.ts";
import {
  fillText,
  inputText,
  levelText,
  orderText,
  positionText,
  postingText,
  tradedText,
} from "./record-texts.ts";
import type { Account, Key, Market } from "./records.ts";
import { EXCHANGE, type Fields, fieldsOf, type Owner, Told, without } from "./small.ts";
import { GUARANTEE } from "./step.ts";

interface Parts {
  /**
   * Seen by every reader of the entry: all but the brace and version it begins with. Its events are
   * in the order they happened, and what happened between them is not there.
   */
  readonly open: string;
  readonly closed: readonly ClosedPart[];
}

/**
 * The text begins with whose it is; an empty member is left out. Of the account that gave the
 * command: `keyId`, `requestId`, `idempotency`; of the account it is about: `command`, `rejection`.
 * Then its pieces of the `events`, and in the exchange's part their `order`: of each event, which
 * parts hold a piece of it; the open one is 0. It is absent where each part has its events by
 * itself, and they happened part by part, the open one's last.
 */
interface ClosedPart {
  readonly of: Owner;
  readonly text: string;
}

/** A part while it is written. */
interface Draft {
  readonly of: Owner;
  /** Among all parts; the exchange's is the last. */
  place: number;
  /** Up to its events. */
  members: string;
  readonly events: ItemTexts;
}

const OPEN = 0;
const ofExchange = `{"of":"${EXCHANGE}"`;

const draftOf = (of: Owner, place: number): Draft => ({
  of,
  place,
  members: of === EXCHANGE ? ofExchange : `{"of":${encode(of)}`,
  events: new ItemTexts(),
});

/** Gives a part its piece of the next event. */
function add(draft: Draft, piece: string): Draft {
  draft.events.add(piece);
  return draft;
}

const isExchanges = (owner: Owner): boolean => owner === EXCHANGE || owner === GUARANTEE;

/** By owner, in the order in which they first come up; the exchange's is the last. */
class Drafts {
  readonly open = draftOf(EXCHANGE, OPEN);
  readonly #accounts = new Map<Owner, Draft>();
  readonly #exchange = draftOf(EXCHANGE, OPEN);
  /** Of each event the drafts that hold a piece of it. */
  readonly #order: (readonly Draft[])[] = [];

  of(owner: Owner): Draft {
    if (isExchanges(owner)) return this.#exchange;
    const known = this.#accounts.get(owner);
    if (known !== undefined) return known;
    const draft = draftOf(owner, this.#accounts.size + 1);
    this.#accounts.set(owner, draft);
    return draft;
  }

  put(owner: Owner, member: string): void {
    const draft = this.of(owner);
    draft.members += `,${member}`;
  }

  /** The next event; a part has one piece of it at most. */
  event(...drafts: readonly Draft[]): void {
    this.#order.push(drafts);
  }

  closed(): readonly ClosedPart[] {
    const closed: ClosedPart[] = [];
    for (const draft of this.#accounts.values()) closed.push(closedPart(draft, ""));
    const exchange = this.#exchange;
    exchange.place = closed.length + 1;
    const order = arePartByPart(this.#order, exchange.place) ? "" : orderOf(this.#order);
    const isEmpty = order === "" && exchange.events.isEmpty && exchange.members === ofExchange;
    if (!isEmpty) closed.push(closedPart(exchange, order));
    return closed;
  }
}

/** As it is read where nothing is said of it. */
function arePartByPart(order: readonly (readonly Draft[])[], last: number): boolean {
  let before = 1;
  for (const drafts of order) {
    const place = drafts[0]?.place ?? OPEN;
    const rank = place === OPEN ? last + 1 : place;
    if (drafts.length > 1 || rank < before) return false;
    before = rank;
  }
  return true;
}

/** A list of places where more than one part holds a piece. */
function orderOf(order: readonly (readonly Draft[])[]): string {
  let text = "";
  for (const drafts of order) {
    let places = "";
    for (const { place } of drafts) places += places === "" ? place : `,${place}`;
    if (drafts.length > 1) places = `[${places}]`;
    text += text === "" ? places : `,${places}`;
  }
  return `,"order":[${text}]`;
}

const eventsOf = ({ events }: Draft): string =>
  events.isEmpty ? "" : `,"events":[${events.text}]`;

const closedPart = (draft: Draft, order: string): ClosedPart => ({
  of: draft.of,
  text: `${draft.members}${eventsOf(draft)}${order}}`,
});

export function partsOf({ sequence, envelope, outcome }: Entry): Parts {
  const { timeMillis, actor, command } = envelope;
  const events = "events" in outcome ? outcome.events : [];
  const drafts = new Drafts();
  const about: Owner = concernedAccount(actor, command, events) ?? EXCHANGE;
  const told = toldBy(timeMillis, events);
  putEnvelope(drafts, envelope, about, told);
  const isRefused = "rejection" in outcome;
  if (isRefused) drafts.put(about, `"rejection":${encode(outcome.rejection)}`);
  const putter = new Putter(drafts, about, told, command);
  for (const event of events) putter.put(event);
  const asked = `"timeMillis":${timeMillis},"actor":"${actor.type}","command":"${command.type}"`;
  const refused = isRefused ? ',"refused":true' : "";
  const open = `"sequence":${sequence},${asked}${refused}${eventsOf(drafts.open)}}`;
  return { open, closed: drafts.closed() };
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
      listed.push(fieldsOf(event.market));
    }
  }
  return new Told(timeMillis, first, listed);
}

/** Its sender has what it sent along with it; the command is of the account it is about. */
function putEnvelope(drafts: Drafts, envelope: Envelope, about: Owner, told: Told): void {
  const { actor, requestId, idempotency, command } = envelope;
  const sender = actor.type === "key" ? actor.accountId : EXCHANGE;
  if (actor.type === "key") drafts.put(sender, `"keyId":${encode(actor.keyId)}`);
  if (requestId !== null) drafts.put(sender, `"requestId":${encode(requestId)}`);
  if (idempotency !== null) drafts.put(sender, `"idempotency":${encode(idempotency)}`);
  // The owner of an account is named after another account.
  const isOwnerApart = "owner" in command && !isExchanges(about);
  const own = isOwnerApart ? membersOf(command, besideOwner) : ownMembers(command, about, told);
  if (own !== "") drafts.put(about, `"command":${endText(own)}`);
  if (isOwnerApart) drafts.put(EXCHANGE, `"command":${encode({ owner: command.owner })}`);
}

/** Orders without what most have; listings without what the market says that they made. */
function ownMembers(command: Command, about: Owner, told: Told): string {
  switch (command.type) {
    case "PlaceBatch": {
      const { orders, listings } = command;
      told.sent(about, orders.map(fieldsOf));
      const sent = orders.map((order) => inputText(order, told));
      const text = written(membersOf(command, placed), '"orders":', `[${sent.join(",")}]`);
      const shown = listings.map((listing, at) => listingText(listing, told.listing(at)));
      return shown.length === 0 ? text : written(text, '"listings":', `[${shown.join(",")}]`);
    }
    case "PlaceOrder":
    case "AcceptQuote": {
      const { order, listing } = command;
      told.sent(about, [fieldsOf(order)]);
      const text = written(membersOf(command, placed), '"order":', inputText(order, told));
      if (listing === null) return text;
      return written(text, '"listing":', listingText(listing, told.listing(0)));
    }
    default:
      return membersOf(command, typed);
  }
}

const listingText = (listing: Listing, known: Fields): string => encode(without(listing, known));

/** The open part names the type of a command. */
const typed: ReadonlySet<string> = new Set(["type"]);
const besideOwner: ReadonlySet<string> = new Set(["type", "owner"]);
const placed: ReadonlySet<string> = new Set(["type", "order", "orders", "listing", "listings"]);

function membersOf(command: object, apart: ReadonlySet<string>): string {
  const fields = fieldsOf(command);
  let members = "";
  for (const name in fields) {
    if (!apart.has(name)) members = memberText(members, name, fields[name]);
  }
  return members;
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
        this.#tell(`{"level":${levelText(event.level, this.#told, this.#isNamed())}}`);
        return;
      case "MarketChanged":
        this.#putMarket(event.market);
        return;
      case "RfqAnnounced":
        this.#tell(encode(event));
        return;
      case "MarketTraded":
        this.#give(EXCHANGE, `{"traded":${tradedText(event, this.#told)}}`);
        return;
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
        this.#give(event.order.accountId, `{"order":${orderText(event.order, this.#told)}}`);
        return;
      case "PositionChanged":
        this.#give(
          event.position.accountId,
          `{"position":${positionText(event.position, this.#told)}}`,
        );
        return;
      case "AccountChanged":
        putAccount(this.#drafts, event.account);
        return;
      case "KeyChanged":
        putKey(this.#drafts, event.key);
        return;
      default:
        this.#give(ownerOf(event, this.#about), encode(event));
    }
  }

  /** An event that the open part has whole. */
  #tell(text: string): void {
    this.#drafts.event(add(this.#drafts.open, text));
  }

  /** An event that is one owner's alone. */
  #give(owner: Owner, text: string): void {
    this.#drafts.event(add(this.#drafts.of(owner), text));
  }

  /** Whether the open part has named its market: its first piece that has one does. */
  #isNamed(): boolean {
    const isNamed = this.#isMarketTold;
    this.#isMarketTold = true;
    return isNamed;
  }

  /** As the place of the mark among those that were sent. */
  #putMark(event: EventOf<"MarketMarked">): void {
    const { type: _, ...marked } = event;
    let at = this.#marksTold;
    while (at < this.#marks.length && this.#marks[at]?.marketId !== event.marketId) at += 1;
    const sent = this.#marks[at];
    const isSent = sent !== undefined && Object.keys(without(marked, fieldsOf(sent))).length === 0;
    if (isSent) this.#marksTold = at + 1;
    this.#give(EXCHANGE, encode({ marked: isSent ? at : marked }));
  }

  /**
   * The person who disputes stays hidden from others; so do the fees of one trade, which tell the
   * tier of its taker.
   */
  #putMarket(market: Market): void {
    const known = this.#told.listed();
    this.#isNamed();
    const { houseFeesMicros, fundFeesMicros, dispute, resolution, ...open } = market;
    const { disputedBy, ...resolved } = resolution ?? {};
    const { houseFeesMicros: noHouse, fundFeesMicros: noFund, ...plain } = known;
    const fees = { houseFeesMicros: noHouse, fundFeesMicros: noFund };
    const closed = {
      ...without({ houseFeesMicros, fundFeesMicros }, fees),
      ...(dispute === null ? {} : { dispute }),
      ...(disputedBy === undefined ? {} : { resolution: { disputedBy } }),
    };
    const shown = { ...open, resolution: resolution === null ? null : resolved, dispute: null };
    const drafts = this.#drafts;
    const piece = add(drafts.open, encode({ market: without(shown, plain) }));
    if (Object.keys(closed).length === 0) drafts.event(piece);
    else drafts.event(piece, add(drafts.of(EXCHANGE), encode({ market: closed })));
  }

  /** The trade is public; who made it, and with which order, is each side's own. */
  #putFill({ fill }: EventOf<"Filled">): void {
    const taking = `{"took":${encode(fill.takerOrderId)}}`;
    const making = `{"made":${encode(fill.makerOrderId)}}`;
    const [buying, selling] = fill.takerBuysYes ? [taking, making] : [making, taking];
    const shown = fillText(fill, this.#told, this.#isNamed());
    this.#told.filled(fieldsOf(fill));
    const drafts = this.#drafts;
    const piece = add(drafts.open, `{"fill":${shown}}`);
    drafts.event(piece, add(drafts.of(fill.buyer), buying), add(drafts.of(fill.seller), selling));
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
    | "KeyChanged"
  >
>;

/** A new kind of event does not compile before somebody has said whose it is. */
function ownerOf(event: OfOne, about: Owner): Owner {
  switch (event.type) {
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
    case "KeyUsed":
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
    case "WordChanged":
    case "FundingCounted":
    case "RootSwitched":
    case "KeyLeft":
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
    drafts.event(add(drafts.of(giver), encode(event)));
    return;
  }
  const own = postingText(posting, told);
  const piece = (owner: Owner, side: string, left: string): Draft =>
    add(drafts.of(owner), `{"posting":${owner === EXCHANGE ? side : own},${left}}`);
  drafts.event(
    piece(giver, `{"from":${encode(from)}}`, `"fromMicros":${encode(fromMicros)}`),
    piece(taker, `{"to":${encode(to)}}`, `"toMicros":${encode(toMicros)}`),
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
  const piece = add(drafts.of(account.id), encode({ type: "AccountChanged", account: own }));
  if (Object.keys(others).length === 0) drafts.event(piece);
  else drafts.event(piece, add(drafts.of(EXCHANGE), encode({ account: others })));
}

/** The operator who was shown it stays hidden from its account. */
function putKey(drafts: Drafts, { shownTo, ...own }: Key): void {
  const piece = add(drafts.of(own.accountId), encode({ type: "KeyChanged", key: own }));
  if (shownTo === undefined) drafts.event(piece);
  else drafts.event(piece, add(drafts.of(EXCHANGE), encode({ key: { shownTo } })));
}
