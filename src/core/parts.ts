// The owner of each piece of an entry: everybody who is shown the entry, one account, or the
// exchange.
// Invariant: an account's id, cash, position, label or record stands in its own part alone, or in
// the exchange's; and all parts together are the entry.
import { type AccountId, accountId } from "#base/ids.ts";
import { unreachable } from "#base/invariant.ts";
import type { Actor, Command, CommandType, Envelope } from "./command.ts";
import { concernedAccount } from "./concerned.ts";
import type { Event, EventOf, LedgerName } from "./event.ts";
import type { Entry } from "./outcome.ts";
import type { Account, Market } from "./records.ts";
import { GUARANTEE } from "./step.ts";

/**
 * Parts that only auditors and operators see: ledgers of the exchange, and which accounts belong
 * together.
 */
const EXCHANGE = "exchange";
type Owner = AccountId | typeof EXCHANGE;

type Fields = Readonly<Record<string, unknown>>;

/** The part of an entry that every reader of the entry sees. */
interface OpenPart {
  readonly sequence: number;
  readonly timeMillis: number;
  readonly actor: Actor["type"];
  readonly command: CommandType;
  /** Present of a command that was refused. */
  readonly refused?: true;
  /** In the order they happened; not what happened between them. */
  readonly events: readonly Fields[];
}

/** An absent field is empty. */
interface ClosedPart {
  readonly of: Owner;
  readonly actor?: Fields;
  readonly requestId?: string;
  readonly idempotency?: Fields;
  readonly command?: Fields;
  readonly rejection?: Fields;
  readonly events?: readonly Fields[];
  /** In the exchange's: of each event, which parts hold a piece of it; the open one is 0. */
  readonly order?: readonly (readonly number[])[];
}

interface Draft {
  readonly part: number;
  fields: Fields;
  readonly events: Fields[];
}

/** By owner, in the order in which they first come up; the exchange's is the last. */
class Drafts {
  readonly open: Fields[] = [];
  readonly #closed = new Map<Owner, Draft>();
  readonly #exchange: Draft = { part: -1, fields: {}, events: [] };
  /** Of each event the drafts that hold a piece of it; undefined is the open part. */
  readonly #order: (Draft | undefined)[][] = [];

  put(owner: Owner, fields: Fields): void {
    const draft = this.#draft(owner);
    draft.fields = { ...draft.fields, ...fields };
  }

  /** The next event: what is open of it, and what is whose; a part has one piece of it at most. */
  event(open: Fields | undefined, ...closed: readonly (readonly [Owner, Fields])[]): void {
    const drafts: (Draft | undefined)[] = [];
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
    const place = (draft: Draft | undefined): number =>
      draft === undefined ? 0 : draft === this.#exchange ? last : draft.part;
    const order = this.#order.map((drafts) => drafts.map(place));
    const accounts = [...this.#closed].map(([of, draft]) => closedPart(of, draft, []));
    const exchange = closedPart(EXCHANGE, this.#exchange, order);
    return Object.keys(exchange).length === 1 ? accounts : [...accounts, exchange];
  }

  #draft(owner: Owner): Draft {
    if (owner === EXCHANGE || owner === GUARANTEE) return this.#exchange;
    const known = this.#closed.get(owner);
    if (known !== undefined) return known;
    const draft: Draft = { part: this.#closed.size + 1, fields: {}, events: [] };
    this.#closed.set(owner, draft);
    return draft;
  }
}

const closedPart = (
  of: Owner,
  { fields, events }: Draft,
  order: readonly (readonly number[])[],
): ClosedPart => ({
  of,
  ...fields,
  ...(events.length === 0 ? {} : { events }),
  ...(order.length === 0 ? {} : { order }),
});

interface Parts {
  readonly open: OpenPart;
  readonly closed: readonly ClosedPart[];
}

export function partsOf({ sequence, envelope, outcome }: Entry): Parts {
  const { timeMillis, actor, command } = envelope;
  const events = "events" in outcome ? outcome.events : [];
  const drafts = new Drafts();
  const about: Owner = concernedAccount(actor, command, events) ?? EXCHANGE;
  putEnvelope(drafts, envelope, about);
  if ("rejection" in outcome) drafts.put(about, { rejection: { ...outcome.rejection } });
  const context = { about, isMarks: command.type === "PublishMarks" };
  for (const event of events) putEvent(drafts, event, context);
  const refused = "rejection" in outcome ? { refused: true as const } : {};
  const told = { sequence, timeMillis, actor: actor.type, command: command.type, ...refused };
  return { open: { ...told, events: drafts.open }, closed: drafts.closed() };
}

/** Its sender has what it sent along with it; the command is of the account it is about. */
function putEnvelope(drafts: Drafts, envelope: Envelope, about: Owner): void {
  const { actor, requestId, idempotency } = envelope;
  const sender = actor.type === "key" ? actor.accountId : EXCHANGE;
  const sent = {
    ...(actor.type === "key" ? { actor: { accountId: actor.accountId, keyId: actor.keyId } } : {}),
    ...(requestId === null ? {} : { requestId }),
    ...(idempotency === null ? {} : { idempotency: { ...idempotency } }),
  };
  if (Object.keys(sent).length > 0) drafts.put(sender, sent);
  const { own, others } = commandPieces(envelope.command);
  if (Object.keys(own).length > 0) drafts.put(about, { command: own });
  if (Object.keys(others).length > 0) drafts.put(EXCHANGE, { command: others });
}

/** The owner of an account is named after another account. */
function commandPieces(command: Command): { readonly own: Fields; readonly others: Fields } {
  const { type: _, ...own } = command;
  if (!("owner" in own)) return { own, others: {} };
  const { owner, ...rest } = own;
  return { own: rest, others: { owner } };
}

interface Context {
  readonly about: Owner;
  /** New marks change thousands of markets, which are no part of what they did to one account. */
  readonly isMarks: boolean;
}

function putEvent(drafts: Drafts, event: Event, { about, isMarks }: Context): void {
  switch (event.type) {
    case "LevelChanged":
      drafts.event(event);
      return;
    case "MarketChanged":
      if (isMarks) drafts.event(undefined, [EXCHANGE, event]);
      else putMarket(drafts, event.market);
      return;
    case "Filled":
      putFill(drafts, event);
      return;
    case "Posted":
      putPosting(drafts, event);
      return;
    case "AccountChanged":
      putAccount(drafts, event.account);
      return;
    default:
      drafts.event(undefined, [ownerOf(event, about), event]);
  }
}

type OfOne = Exclude<
  Event,
  EventOf<"LevelChanged" | "MarketChanged" | "Filled" | "Posted" | "AccountChanged">
>;

/** A new kind of event does not compile before somebody has said whose it is. */
function ownerOf(event: OfOne, about: Owner): Owner {
  switch (event.type) {
    case "KeyChanged":
      return event.key.accountId;
    case "OrderChanged":
      return event.order.accountId;
    case "AcceptanceChanged":
      return event.acceptance.accountId;
    case "PositionChanged":
      return event.position.accountId;
    case "ProtectionChanged":
      return event.protection.accountId;
    case "AlertRaised":
      return event.alert.accountId;
    case "CancelAfterChanged":
    case "Funded":
    case "MarketListed":
      return event.accountId;
    case "RefusalRecorded":
      return about;
    case "Founded":
    case "RulesUpgraded":
    case "RulesChanged":
    case "PublicKeyChanged":
    case "GuaranteeFunded":
    case "FrontierMoved":
    case "ReleaseAccepted":
    case "ReleaseChanged":
    case "QuarantineChanged":
    case "HeldPlaceChanged":
    case "GeoLoaded":
    case "HaltChanged":
    case "ClockSet":
    case "OrdersForgotten":
    case "MarketsForgotten":
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

/**
 * The person who disputes, or proposes to void, stays hidden from others; so do the fees of one
 * trade, which tell the tier of its taker.
 */
function putMarket(drafts: Drafts, market: Market): void {
  const { houseFeesMicros, fundFeesMicros, dispute, voidProposal, resolution, ...open } = market;
  const { disputedBy, ...resolved } = resolution ?? {};
  const closed = {
    houseFeesMicros,
    fundFeesMicros,
    ...(dispute === null ? {} : { dispute }),
    ...(voidProposal === undefined ? {} : { voidProposal }),
    ...(disputedBy === undefined ? {} : { resolution: { disputedBy } }),
  };
  const shown = {
    ...open,
    resolution: resolution === null ? null : resolved,
    ...(dispute === null ? { dispute } : {}),
  };
  drafts.event({ type: "MarketChanged", market: shown }, [EXCHANGE, { market: closed }]);
}

/** The trade is public; who made it, and with which order, is each side's own. */
function putFill(drafts: Drafts, { type, fill }: EventOf<"Filled">): void {
  const { takerOrderId, makerOrderId, buyer, seller, ...trade } = fill;
  const [taken, made] = [{ takerOrderId }, { makerOrderId }];
  const [buying, selling] = trade.takerBuysYes ? [taken, made] : [made, taken];
  const pieces: [Owner, Fields][] = [
    [buyer, { fill: { ...buying, buyer } }],
    [seller, { fill: { ...selling, seller } }],
  ];
  drafts.event({ type, fill: trade }, ...pieces);
}

const CASH = "cash:";

const holderOf = (name: LedgerName): Owner =>
  name.startsWith(CASH) ? accountId(name.slice(CASH.length)) : EXCHANGE;

/** Each side sees what was moved and why, and what it has left: not where to, nor what is there. */
function putPosting(drafts: Drafts, event: EventOf<"Posted">): void {
  const { type, posting, fromMicros, toMicros } = event;
  const { from, to, ...moved } = posting;
  const [giver, taker] = [holderOf(from), holderOf(to)];
  if (giver === taker) {
    drafts.event(undefined, [giver, event]);
    return;
  }
  const piece = (owner: Owner, side: Fields, left: Fields): [Owner, Fields] =>
    owner === EXCHANGE
      ? [owner, { posting: side, ...left }]
      : [owner, { type, posting: { ...side, ...moved }, ...left }];
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

/** Joins all parts of an entry; undefined where they are not parts of one. */
export function entryOf(open: unknown, closed: readonly unknown[]): Fields | undefined {
  if (!isFields(open)) return undefined;
  const told: Record<string, unknown> = {};
  const pieces: unknown[][] = [listOf(open.events)];
  for (const part of closed) {
    if (!isFields(part)) return undefined;
    const { of: _of, events, ...fields } = part;
    merge(told, fields);
    pieces.push(listOf(events));
  }
  const { sequence, timeMillis, actor: type, command, refused } = open;
  const { actor, requestId = null, idempotency = null, command: given, rejection, order } = told;
  const events = eventsOf(pieces, listOf(order));
  if (events === undefined || typeof command !== "string") return undefined;
  return {
    sequence,
    envelope: {
      timeMillis,
      actor: { type, ...fieldsOf(actor) },
      requestId,
      idempotency,
      command: { type: command, ...fieldsOf(given) },
    },
    outcome: refused === true ? { rejection } : { events },
  };
}

/** Each event from its pieces; undefined where one of them is missing, or left over. */
function eventsOf(
  pieces: readonly unknown[][],
  order: readonly unknown[],
): readonly Fields[] | undefined {
  const taken = pieces.map(() => 0);
  const events: Fields[] = [];
  for (const parts of order) {
    const event: Record<string, unknown> = {};
    for (const part of listOf(parts)) {
      if (typeof part !== "number") return undefined;
      const at = taken[part] ?? 0;
      const piece = pieces[part]?.[at];
      if (!isFields(piece)) return undefined;
      merge(event, piece);
      taken[part] = at + 1;
    }
    events.push(event);
  }
  return pieces.every((list, part) => list.length === taken[part]) ? events : undefined;
}

function merge(into: Record<string, unknown>, piece: Fields): void {
  for (const [name, value] of Object.entries(piece)) {
    const known = into[name];
    if (isFields(known) && isFields(value)) merge(known, value);
    else into[name] = value;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
