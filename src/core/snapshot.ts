// The state as lines of text and back, and its hash.
// Invariant: decodeState(encodeState(s)) behaves as s for every later command; equal states have
// equal hashes. The hash covers neither the journal's head and time nor the idempotent answers.

import { sha256OfLines } from "#base/digest.ts";
import type { AccountId, MarketId, NodeId, OrderId } from "#base/ids.ts";
import type { Micros } from "#base/money.ts";
import type { Lots } from "#base/quantity.ts";
import { putAcceptance } from "./acceptance/put-acceptance.ts";
import type { Acceptance } from "./acceptance/records.ts";
import type { MakerProtection, OrderGroup } from "./account/protection-record.ts";
import { putGroup } from "./account/put-group.ts";
import type { AnswerRecord } from "./answers.ts";
import { putStray } from "./busts/stray.ts";
import type { Stray } from "./busts/stray-record.ts";
import { decode, encode } from "./codec.ts";
import { DECIDER_VERSION } from "./decider.ts";
import type { LedgerName } from "./event.ts";
import {
  putAccount,
  putAlert,
  putBalance,
  putCancelAfter,
  putChainPoint,
  putMakerProtection,
  putMarket,
  putPosition,
} from "./fold.ts";
import type { LeftByKey } from "./keys/left-record.ts";
import { putKey, putLeft } from "./keys/put-key.ts";
import { putListing } from "./leaving.ts";
import { putMandate, putMandateUse } from "./mandate/put-mandate.ts";
import type { Mandate, MandateUse } from "./mandate/record.ts";
import type { Bid, DefaultAuction } from "./margin/auction-record.ts";
import { putAuction, putBid } from "./margin/put-auction.ts";
import { putMatching, putWindow } from "./market/put-window.ts";
import type { HeldMatching, ReleaseWindow } from "./market/window-times.ts";
import { type Late, PAGE_ORDERS } from "./order/pages.ts";
import { copyOrders, putOrders } from "./order/put-order.ts";
import { putHeldPlace, putRename } from "./put-held-place.ts";
import { putAnnouncement, putRules } from "./put-rules.ts";
import type {
  AcceptedRelease,
  Account,
  Alert,
  CancelAfter,
  ChainPoint,
  GeoRecord,
  Key,
  Market,
  Order,
  Position,
  PublicKey,
  QuarantinedRelease,
} from "./records.ts";
import { putRfqs } from "./rfq/put-rfq.ts";
import type { Rfq, RfqQuote } from "./rfq/record.ts";
import type { Rules } from "./rules.ts";
import type { Announcement } from "./rules-change.ts";
import type { HeldPlace, Rename } from "./settlement/held-place.ts";
import type { SealedMark } from "./settlement/mark-records.ts";
import { putMark } from "./settlement/put-marks.ts";
import type { ShortLots } from "./settlement/short-lots.ts";
import { type Exchange, State } from "./state.ts";
import type { DayVolume } from "./volume.ts";
import { putWebhook } from "./webhook/put-webhook.ts";
import type { Webhook } from "./webhook/record.ts";
import { putWord } from "./words/put-word.ts";
import type { FundingDay, Word } from "./words/word.ts";

interface Records {
  readonly exchange: Exchange | null;
  readonly deciderVersion: number;
  readonly rules: Rules;
  readonly announcedRules: readonly Announcement[];
  readonly fillCount: number;
  readonly alertCount: number;
  readonly alerts: readonly Alert[];
  readonly accounts: readonly Account[];
  readonly keys: readonly Key[];
  readonly publicKeys: readonly PublicKey[];
  readonly leftByKeys: readonly LeftByKey[];
  readonly words: readonly Word[];
  readonly fundings: readonly FundingDay[];
  readonly ledger: readonly { readonly name: LedgerName; readonly balanceMicros: Micros }[];
  readonly markets: readonly Market[];
  readonly orders: readonly Order[];
  readonly strays: readonly Stray[];
  readonly positions: readonly Position[];
  readonly dayVolumes: readonly ({ readonly account: AccountId } & DayVolume)[];
  readonly marketVolumes: readonly { readonly id: MarketId; readonly tradedLots: Lots }[];
  readonly openByState: readonly { readonly id: NodeId; readonly openLots: Lots }[];
  readonly cancelAfters: readonly CancelAfter[];
  readonly protections: readonly MakerProtection[];
  readonly frontiers: readonly ChainPoint[];
  readonly releases: readonly AcceptedRelease[];
  readonly quarantine: readonly QuarantinedRelease[];
  readonly heldPlaces: readonly HeldPlace[];
  readonly renames: readonly Rename[];
  readonly windows: readonly ReleaseWindow[];
  readonly heldMatching: readonly HeldMatching[];
  readonly auctions: readonly DefaultAuction[];
  readonly bids: readonly Bid[];
  readonly marks: readonly SealedMark[];
  readonly shorts: readonly ShortLots[];
  readonly auctionCount: number;
  readonly mandates: readonly Mandate[];
  readonly mandateUses: readonly MandateUse[];
  readonly mandateCount: number;
  readonly rfqs: readonly Rfq[];
  readonly rfqQuotes: readonly RfqQuote[];
  readonly rfqCount: number;
  readonly rfqQuoteCount: number;
  readonly orderGroups: readonly OrderGroup[];
  readonly webhooks: readonly Webhook[];
  readonly acceptances: readonly Acceptance[];
  readonly geo: readonly GeoRecord[];
  /** The records that will leave (`leaving.ts`), oldest first. */
  readonly done: readonly { readonly id: OrderId; readonly atMillis: number }[];
  readonly spentIds: readonly { readonly name: string; readonly atMillis: number }[];
  readonly listings: readonly { readonly id: MarketId; readonly accountId: AccountId }[];
  readonly idle: readonly { readonly id: MarketId; readonly atMillis: number }[];
  readonly counts: Counts;
}

/** Counts that cannot be made again once records have left. */
type Counts = Pick<State, "orderCount" | "lastRank" | "acceptanceCount" | "retiredNumber">;

/** The parts of a snapshot beside the records. */
interface Beside {
  readonly version: typeof VERSION;
  readonly lastTimeMillis: number;
  readonly answers: readonly ({ readonly name: string } & AnswerRecord)[];
  /** Where orders are listed by number: those that stand behind a higher one. */
  readonly late?: readonly Late[];
}

/** Of the text of a snapshot. */
const VERSION = 1;

/** No string can hold the text of some million orders, so no line holds more records than this. */
const RECORDS_A_LINE = 1_000;

/** Records, or numbers of orders, in a page of a snapshot. */
const RECORDS_A_PAGE = 4_096;

export const recordsOf = (state: State, orders = [...state.orders.values()]): Records => ({
  exchange: state.exchange ?? null,
  deciderVersion: state.deciderVersion,
  rules: state.rules,
  announcedRules: [...state.announcedRules.values()],
  fillCount: state.fillCount,
  alertCount: state.alertCount,
  alerts: [...state.alerts.values()].flat(),
  accounts: [...state.accounts.values()],
  keys: [...state.keys.values()],
  publicKeys: [...state.publicKeys.values()],
  leftByKeys: leftIn(state),
  words: [...state.words.values()],
  fundings: [...state.fundings.values()],
  ledger: [...state.ledger].map(([name, balanceMicros]) => ({ name, balanceMicros })),
  markets: [...state.markets.values()],
  orders,
  strays: [...state.strays.values()],
  positions: [...state.positions.values()],
  dayVolumes: [...state.dayVolumes].map(([account, volume]) => ({ account, ...volume })),
  marketVolumes: [...state.marketVolumes].map(([id, tradedLots]) => ({ id, tradedLots })),
  openByState: [...state.openByState].map(([id, openLots]) => ({ id, openLots })),
  cancelAfters: [...state.cancelAfters.values()],
  protections: [...state.makerProtections.values()],
  frontiers: [...state.chainPoints.values()],
  releases: [...state.releases.values()],
  quarantine: [...state.quarantine.values()],
  heldPlaces: [...state.heldPlaces.values()],
  renames: [...state.renames.values()],
  windows: [...state.windows.values()],
  heldMatching: [...state.heldMatching.values()],
  auctions: [...state.auctions.values()],
  bids: [...state.bids.values()],
  marks: [...state.marks.values()],
  shorts: [...state.shorts.values()],
  auctionCount: state.auctionCount,
  mandates: [...state.mandates.values()],
  mandateUses: [...state.mandateUses.values()],
  mandateCount: state.mandateCount,
  rfqs: [...state.rfqs.values()],
  rfqQuotes: [...state.rfqQuotes.values()],
  rfqCount: state.rfqCount,
  rfqQuoteCount: state.rfqQuoteCount,
  orderGroups: [...state.orderGroups.values()],
  webhooks: [...state.webhooks.values()],
  acceptances: [...state.acceptances.values()],
  geo: [...state.geo.values()],
  done: timesOf(state.done),
  spentIds: [...state.spentIds].map(([name, atMillis]) => ({ name, atMillis })),
  listings: [...state.listings].map(([id, accountId]) => ({ id, accountId })),
  idle: timesOf(state.idle),
  counts: countsOf(state),
});

function leftIn({ keys, leftByKeys }: State): readonly LeftByKey[] {
  return [...leftByKeys].flatMap(([keyId, names]) => {
    const accountId = keys.get(keyId)?.accountId;
    return accountId === undefined ? [] : [...names].map((name) => ({ keyId, accountId, name }));
  });
}

const timesOf = <Id>(times: ReadonlyMap<Id, number>) =>
  [...times].map(([id, atMillis]) => ({ id, atMillis }));

const countsOf = (state: State): Counts => ({
  orderCount: state.orderCount,
  lastRank: state.lastRank,
  acceptanceCount: state.acceptanceCount,
  retiredNumber: state.retiredNumber,
});

function putLeaving(state: State, records: Records): void {
  for (const { id, atMillis } of records.done) state.done.set(id, atMillis);
  for (const { name, atMillis } of records.spentIds) state.spentIds.set(name, atMillis);
  for (const { id, accountId } of records.listings) putListing(state, id, accountId);
  for (const { id, atMillis } of records.idle) state.idle.set(id, atMillis);
  Object.assign(state, records.counts);
}

/** 64 hex characters over the lines of the records. */
export const stateHash = (state: State): string => sha256OfLines(linesOf(recordsOf(state)));

export function encodeState(state: State): readonly string[] {
  const lines: string[] = [];
  writeState(state, (line) => lines.push(line));
  return lines;
}

/**
 * Gives each line to `take`, and returns what `stateHash` does. Of millions of records the whole
 * text would not fit beside the state, so no line is kept here.
 */
export function writeState(state: State, take: (line: string) => void): string {
  for (const line of linesOf(besideOf(state))) take(line);
  return sha256OfLines(given(linesOf(recordsOf(state)), take));
}

const besideOf = ({ lastTimeMillis, answers }: State): Beside => ({
  version: VERSION,
  lastTimeMillis,
  answers: [...answers].map(([name, answer]) => ({ name, ...answer })),
});

/**
 * All but the orders, a page's text at a time, in pieces: a list that is long has pages of its own,
 * so that those in which nothing changed are as they were.
 */
export function* restPages(state: State): Generator<Iterable<string>> {
  const late = [...state.orders.late()];
  const beside = { ...besideOf(state), ...(late.length === 0 ? {} : { late }) };
  const common: string[] = [];
  for (const [name, part] of Object.entries({ ...beside, ...recordsOf(state, []) })) {
    if (!Array.isArray(part) || part.length <= RECORDS_A_LINE)
      common.push(`${encode([name, part])}\n`);
    else for (const run of runsOf(part)) yield piecesOf(name, run);
  }
  yield common;
}

/** Cut where the time of their records says so, that what leaves at the front moves nothing. */
function* runsOf(list: readonly unknown[]): Generator<readonly unknown[]> {
  let from = 0;
  for (let at = 1; at <= list.length; at += 1) {
    const isFull = at - from >= RECORDS_A_PAGE || at === list.length;
    if (!isFull && spanOf(list[at - 1]) === spanOf(list[at])) continue;
    yield list.slice(from, at);
    from = at;
  }
}

const SPAN_MILLIS = 15 * 60_000;

const spanOf = (record: unknown): number | undefined =>
  typeof record === "object" &&
  record !== null &&
  "atMillis" in record &&
  typeof record.atMillis === "number"
    ? Math.floor(record.atMillis / SPAN_MILLIS)
    : undefined;

/** The numbers of the pages that orders fill, ascending. */
export function orderPages({ orders }: State): readonly number[] {
  const each = PAGE_ORDERS / RECORDS_A_PAGE;
  const parts = Array.from({ length: each }, (_, part) => part);
  return orders.pageNumbers().flatMap((page) => parts.map((part) => page * each + part));
}

/** The page of an order with this number. */
export const orderPageOf = (number: number): number => Math.floor(number / RECORDS_A_PAGE);

/** The text of the orders of a page in pieces, by number; none where it holds none. */
export function orderPage({ orders }: State, page: number): Iterable<string> {
  const first = page * RECORDS_A_PAGE;
  const listed = [...orders.between(first, first + RECORDS_A_PAGE)];
  return listed.length === 0 ? [] : piecesOf("orders", listed);
}

function* given(lines: Iterable<string>, take: (line: string) => void): Generator<string> {
  for (const line of lines) {
    take(line);
    yield line;
  }
}

/** Each part by its name; a list of many records takes several lines. */
function* linesOf(parts: Beside | Records): Generator<string> {
  for (const [name, part] of Object.entries(parts)) {
    if (!Array.isArray(part) || part.length <= RECORDS_A_LINE) yield encode([name, part]);
    else for (const records of slicesOf(part)) yield encode([name, records]);
  }
}

/** Of a list, the records of each line. */
function* slicesOf(list: readonly unknown[]): Generator<readonly unknown[]> {
  for (let at = 0; at < list.length; at += RECORDS_A_LINE) {
    yield list.slice(at, at + RECORDS_A_LINE);
  }
}

/**
 * The lines of a list, each with its line feed, a record at a time: the text of some thousand
 * records that is put together whole takes several times its length meanwhile, and a full exchange,
 * which is stopped, has no room for it (measured: 12 MB a page of orders).
 */
function* piecesOf(name: string, list: readonly unknown[]): Generator<string> {
  for (const records of slicesOf(list)) {
    let before = `[${encode(name)},[`;
    for (const record of records) {
      yield `${before}${encode(record)}`;
      before = ",";
    }
    yield "]]\n";
  }
}

function partsOf(lines: Iterable<string>): unknown {
  const parts: Record<string, unknown> = {};
  for (const line of lines) {
    const named = decode(line);
    if (!Array.isArray(named)) return undefined;
    const [name, part] = named;
    const before = parts[name];
    if (!Array.isArray(before)) parts[name] = part;
    else for (const record of part) before.push(record);
  }
  return parts;
}

/** Throws when the lines are no snapshot of this version. */
export function decodeState(lines: Iterable<string>): State {
  const records = partsOf(lines);
  if (!isSnapshot(records)) throw new Error(`not a snapshot of version ${VERSION}`);
  const state = new State();
  putRecords(state, records);
  state.orders.putLate(records.late ?? []);
  state.lastTimeMillis = records.lastTimeMillis;
  for (const { name, ...answer } of records.answers) state.answers.set(name, answer);
  return state;
}

/** Into a state that holds none; with `of`, the orders of that state, not those of the records. */
export function putRecords(state: State, records: Records, of?: State): void {
  state.exchange = records.exchange ?? undefined;
  state.deciderVersion = records.deciderVersion;
  if (state.deciderVersion > DECIDER_VERSION) {
    throw new Error(`a snapshot under rules of version ${state.deciderVersion}, newer than ours`);
  }
  putRules(state, records.rules);
  for (const announcement of records.announcedRules) putAnnouncement(state, announcement);
  state.fillCount = records.fillCount;
  for (const account of records.accounts) putAccount(state, account);
  for (const key of records.keys) putKey(state, key);
  for (const key of records.publicKeys) state.publicKeys.set(key.id, key);
  for (const left of records.leftByKeys) putLeft(state, left);
  for (const word of records.words) putWord(state, word);
  for (const funding of records.fundings) state.fundings.set(funding.operator, funding);
  for (const { name, balanceMicros } of records.ledger) putBalance(state, name, balanceMicros);
  for (const alert of records.alerts) putAlert(state, alert);
  state.alertCount = records.alertCount;
  for (const market of records.markets) putMarket(state, market);
  if (of === undefined) putOrders(state, records.orders);
  else copyOrders(state, of);
  for (const stray of records.strays) putStray(state, stray);
  for (const position of records.positions) putPosition(state, position);
  for (const { account, day, filledLots } of records.dayVolumes) {
    state.dayVolumes.set(account, { day, filledLots });
  }
  for (const { id, tradedLots } of records.marketVolumes) {
    state.marketVolumes.set(id, tradedLots);
  }
  for (const { id, openLots } of records.openByState) state.openByState.set(id, openLots);
  for (const armed of records.cancelAfters) putCancelAfter(state, armed);
  for (const protection of records.protections) putMakerProtection(state, protection);
  for (const point of records.frontiers) putChainPoint(state, point);
  for (const release of records.releases) state.releases.set(release.id, release);
  for (const release of records.quarantine) state.quarantine.set(release.id, release);
  for (const place of records.heldPlaces) putHeldPlace(state, { place, status: "held" });
  for (const rename of records.renames) putRename(state.renames, rename);
  for (const window of records.windows) putWindow(state, { index: window.index, window });
  for (const held of records.heldMatching) {
    putMatching(state, { marketId: held.marketId, held });
  }
  for (const auction of records.auctions) putAuction(state, auction);
  for (const bid of records.bids) putBid(state, bid);
  for (const mark of records.marks) putMark(state, mark);
  for (const short of records.shorts) state.shorts.set(short.accountId, short);
  state.auctionCount = records.auctionCount;
  for (const mandate of records.mandates) putMandate(state, mandate);
  for (const use of records.mandateUses) putMandateUse(state, use);
  state.mandateCount = records.mandateCount;
  putRfqs(state, records.rfqs, records.rfqQuotes);
  state.rfqCount = records.rfqCount;
  state.rfqQuoteCount = records.rfqQuoteCount;
  for (const orderGroup of records.orderGroups) putGroup(state, orderGroup);
  for (const webhook of records.webhooks) putWebhook(state, webhook);
  for (const acceptance of records.acceptances) putAcceptance(state, acceptance);
  for (const node of records.geo) state.geo.set(node.id, node);
  putLeaving(state, records);
  // All of it was judged when it was written.
  state.marginQueue.clear();
}

const isSnapshot = (value: unknown): value is Beside & Records =>
  typeof value === "object" &&
  value !== null &&
  "version" in value &&
  value.version === VERSION &&
  "orders" in value &&
  "answers" in value;
