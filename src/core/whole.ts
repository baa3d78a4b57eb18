// An entry back from its parts: each event from its pieces, and to each record what was left out.
// Invariant: what `parts.ts` took apart is put together as it was, or not at all.
import {
  EXCHANGE,
  type Fields,
  holderIn,
  isFields,
  listOf,
  type Owner,
  ownerIn,
  Told,
  typeByMember,
} from "./small.ts";

/** The entry that all its parts make together; undefined where they are no parts of one. */
export function entryOf(open: unknown, closed: readonly unknown[]): Fields | undefined {
  const asked = askedIn(open, closed);
  if (asked === undefined || !isFields(open)) return undefined;
  const { envelope, said, told } = asked;
  const parts: readonly EntryPart[] = [
    { owner: undefined, pieces: listOf(open.events) },
    ...closed.map((part) => {
      const fields = fieldsIn(part);
      return { owner: ownerIn(fields), pieces: listOf(fields.events) };
    }),
  ];
  const { rejection, order } = said;
  const { command } = envelope;
  told.sent(senderIn(closed), inputsOf(command));
  const marks = "marks" in command ? listOf(command.marks) : [];
  const events = eventsOf(
    parts,
    order === undefined ? partByPart(parts) : listOf(order),
    told,
    marks,
  );
  if (events === undefined) return undefined;
  const { sequence, refused } = open;
  return { sequence, envelope, outcome: refused === true ? { rejection } : { events } };
}

/** The envelope alone; of the open part's events it asks for those that tell of a market. */
export const envelopeOf = (open: unknown, closed: readonly unknown[]): Fields | undefined =>
  askedIn(open, closed)?.envelope;

/** Members of a closed part that say whose it is, or what came of the command. */
const ofAPart: ReadonlySet<string> = new Set(["of", "keyId", "events"]);

interface AskedOfParts {
  readonly envelope: Fields & { readonly command: Fields };
  /** Fields of the closed parts, but for their events. */
  readonly said: Fields;
  readonly told: Told;
}

function askedIn(open: unknown, closed: readonly unknown[]): AskedOfParts | undefined {
  if (!isFields(open)) return undefined;
  const { timeMillis, actor: type, command: asked } = open;
  if (typeof asked !== "string" || typeof timeMillis !== "number") return undefined;
  const shown = listOf(open.events);
  const told = new Told(timeMillis, marketIn(shown[0]), shown.flatMap(marketsIn));
  const said: Record<string, unknown> = {};
  for (const part of closed) {
    if (!isFields(part)) return undefined;
    for (const name in part) if (!ofAPart.has(name)) mergeMember(said, name, part[name]);
    const { keyId } = part;
    if (keyId !== undefined) said.actor = { accountId: ownerIn(part), keyId };
  }
  const { actor, requestId = null, idempotency = null } = said;
  const command = { type: asked, ...wholeCommand(fieldsIn(said.command), told) };
  const sent = { timeMillis, actor: { type, ...fieldsIn(actor) }, requestId, idempotency };
  return { envelope: { ...sent, command }, said, told };
}

interface EntryPart {
  /** Undefined of the open one. */
  readonly owner: Owner | undefined;
  readonly pieces: readonly unknown[];
}

/** The market that a piece of the open part names. */
function marketIn(piece: unknown): unknown {
  if (!isFields(piece)) return undefined;
  const { level, fill, market } = piece;
  if (isFields(market)) return market.id;
  return isFields(level) ? level.marketId : isFields(fill) ? fill.marketId : undefined;
}

const marketsIn = (piece: unknown): Fields[] =>
  isFields(piece) && isFields(piece.market) ? [piece.market] : [];

/** The owner of the part that holds the orders that were sent. */
function senderIn(closed: readonly unknown[]): Owner {
  const part = closed.find(
    (each) => isFields(each) && isFields(each.command) && inputsOf(each.command).length > 0,
  );
  return isFields(part) ? ownerIn(part) : EXCHANGE;
}

const inputsOf = ({ order, orders }: Fields): readonly Fields[] =>
  (Array.isArray(orders) ? orders : [order]).filter(isFields);

function wholeCommand(command: Fields, told: Told): Fields {
  const { order, orders, listings } = command;
  if (Array.isArray(orders)) {
    return {
      ...command,
      orders: orders.map((input) => ({ ...told.input(), ...fieldsIn(input) })),
      listings: listOf(listings).map((sent, at) => ({ ...told.listing(at), ...fieldsIn(sent) })),
    };
  }
  if (!isFields(order)) return command;
  const { listing } = command;
  const sent = isFields(listing) ? { ...told.listing(0), ...listing } : null;
  return { ...command, order: { ...told.input(), ...order }, listing: sent };
}

/** As events happened where nothing is said of it: the open part's last. */
function partByPart(parts: readonly EntryPart[]): readonly number[] {
  const [open, ...closed] = parts.map(({ pieces }, part) => pieces.map(() => part));
  return [...closed.flat(), ...(open ?? [])];
}

/** Each event from its pieces; undefined where one of them is missing, or left over. */
function eventsOf(
  parts: readonly EntryPart[],
  order: readonly unknown[],
  told: Told,
  marks: readonly unknown[],
): readonly Fields[] | undefined {
  const taken = parts.map(() => 0);
  const events: Fields[] = [];
  for (const places of order) {
    const event: Record<string, unknown> = {};
    for (const place of Array.isArray(places) ? places : [places]) {
      const part = typeof place === "number" ? parts[place] : undefined;
      const at = taken[Number(place)] ?? 0;
      const piece = part?.pieces[at];
      if (part === undefined || !isFields(piece)) return undefined;
      merge(event, wholePiece(piece, part.owner, event, told));
      taken[Number(place)] = at + 1;
    }
    events.push(typed(event, told, marks));
  }
  return parts.every(({ pieces }, part) => pieces.length === taken[part]) ? events : undefined;
}

/** `event`: what pieces of it before this one said. */
function wholePiece(piece: Fields, owner: Owner | undefined, event: Fields, told: Told): Fields {
  if ("type" in piece) return piece;
  const { level, fill, market, order, posting, position } = piece;
  if (owner === undefined) {
    if (isFields(level)) return { level: { ...told.market, ...level } };
    if (isFields(market)) return { market: { ...told.listed(), ...market } };
    return isFields(fill) ? { fill: { ...told.fill(), ...fill } } : piece;
  }
  if ("took" in piece) return { fill: sideOf({ takerOrderId: piece.took }, owner, event) };
  if ("made" in piece) return { fill: sideOf({ makerOrderId: piece.made }, owner, event) };
  if (isFields(order)) return { order: { ...told.order(owner), ...order } };
  if (isFields(position)) {
    return { position: { ...told.position(owner, position.marketId), ...position } };
  }
  if (!isFields(posting) || owner === EXCHANGE) return piece;
  const side = "fromMicros" in piece ? { from: `cash:${owner}` } : { to: `cash:${owner}` };
  return { ...piece, posting: { ...told.premium, ...posting, ...side } };
}

/** The taker is the buyer where the taker bought, else the seller; the maker is the other. */
function sideOf(side: Fields, owner: Owner, event: Fields): Fields {
  const { takerBuysYes } = fieldsIn(event.fill);
  const isBuyer = "takerOrderId" in side === takerBuysYes;
  return { ...side, [isBuyer ? "buyer" : "seller"]: holderIn(owner) };
}

/** An event that was told by its record alone; what it told is known from here on. */
function typed(event: Fields, told: Told, marks: readonly unknown[]): Fields {
  if ("type" in event) return event;
  const { fill, position, traded, marked } = event;
  if (isFields(fill)) told.filled(fill);
  if (isFields(position)) told.held(position);
  if (isFields(traded)) return { type: typeByMember.traded, ...told.traded(), ...traded };
  if (marked !== undefined) {
    const sent = typeof marked === "number" ? marks[marked] : marked;
    return { type: typeByMember.marked, ...fieldsIn(sent) };
  }
  for (const [member, type] of Object.entries(typeByMember)) {
    if (member in event) return { type, ...event };
  }
  return event;
}

function merge(into: Record<string, unknown>, piece: Fields): void {
  for (const name in piece) mergeMember(into, name, piece[name]);
}

function mergeMember(into: Record<string, unknown>, name: string, value: unknown): void {
  // An auditor reads entries of an exchange he does not trust: this name would reach every object.
  if (name === "__proto__") throw new Error("no part of an entry has a member of that name");
  const known = into[name];
  if (isFields(known) && isFields(value)) merge(known, value);
  else into[name] = value;
}

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
