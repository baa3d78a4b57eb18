// A month's statement of one account, and the digest anybody can recompute from it.
// Invariant: opening balance + every posting = closing balance, and the digest covers all of them.
import { type Static, Type } from "typebox";
import { sha256Hex } from "#base/digest.ts";
import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros, noMoney } from "#base/money.ts";
import { addMonths, formatMonth, type Month, monthEndMillis } from "#base/month.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Account, Market, Position } from "#core/records.ts";
import type { History } from "#engine/engine.ts";
import { ownFills, ownPosition, ownPostings } from "#views/own-entries.ts";
import { FillRecord, fillRecord } from "./fill-record.ts";
import type { TradingPorts } from "./ports.ts";
import { ExpectedRecord, expectedRecord, HeldRecord, heldRecord } from "./position-record.ts";
import { PostingRecord, type PostingRow, postingRecord } from "./posting-record.ts";

const SLICE = 500;

const HeldAtEnd = Type.Object(
  { ...HeldRecord.properties, ...ExpectedRecord },
  { title: "HeldAtEnd" },
);

export const StatementRecord = Type.Object(
  {
    account: Type.String(),
    address: Type.String(),
    month: Type.String({ description: "YYYY-MM, UTC, by the exchange's clock" }),
    from: Type.Integer(),
    to: Type.Integer({ description: "the first second after the month" }),
    final: Type.Boolean({ description: "false while the month may still get entries" }),
    openingBalance: Type.String(),
    closingBalance: Type.String(),
    postings: Type.Array(PostingRecord, { description: "oldest first" }),
    fills: Type.Array(FillRecord, { description: "oldest first" }),
    positions: Type.Array(HeldAtEnd, { description: "held at the month's end" }),
    sha256: Type.String({ description: "over the ledger lines of the statement as CSV" }),
  },
  { title: "Statement" },
);
type Statement = Static<typeof StatementRecord>;

/** Undefined where the month has not begun. */
export async function statementOf(
  { view, engine }: TradingPorts,
  account: Account,
  month: Month,
): Promise<Statement | undefined> {
  const fromMillis = monthEndMillis(addMonths(month, -1));
  const toMillis = monthEndMillis(month);
  const status = engine.status();
  if (status.engineTimeMillis < fromMillis) return undefined;
  // Read before the places in the journal: what is on its way now may still lie in the month.
  const final = status.engineTimeMillis >= toMillis && status.durableSequence === status.sequence;
  const { history } = engine;
  const after = await history.sequenceBefore(fromMillis);
  const before = (await history.sequenceBefore(toMillis)) + 1;

  const opening = await balanceAt(history, account.id, after + 1);
  const postings: PostingRow[] = [];
  const fills: Static<typeof FillRecord>[] = [];
  let closing = opening;
  for await (const entry of entriesUp(history, account.id, after, before)) {
    for (const [line, own] of ownPostings(entry, account.id).entries()) {
      postings.push(postingRecord(entry, own, line));
      closing = own.balanceMicros;
    }
    for (const own of ownFills(entry, account.id)) fills.push(fillRecord(own, entry.sequence));
  }
  const positions: Static<typeof HeldAtEnd>[] = [];
  for (const { marketId } of view.positionsOf(account.id)) {
    const position = await positionAt(history, account.id, marketId, before);
    if (position === undefined || position.heldLots === 0n) continue;
    const market = await endedAt(history, marketId, before);
    positions.push({ ...heldRecord(position), ...expectedRecord(position, market) });
  }
  const ledger = {
    account: account.id,
    address: account.address,
    month: formatMonth(month),
    openingBalance: formatMicros(opening),
    closingBalance: formatMicros(closing),
    postings,
  };
  return {
    ...ledger,
    from: fromMillis / 1000,
    to: toMillis / 1000,
    final,
    fills,
    positions,
    sha256: sha256Hex(lines(ledgerRows(ledger))),
  };
}

async function* entriesUp(
  history: History,
  account: AccountId,
  from: number,
  before: number,
): AsyncGenerator<Entry> {
  for (let after = from; ; ) {
    const range = { subjects: [account], after, before, order: "oldest" } as const;
    const entries = await history.touching(range, SLICE);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < SLICE) return;
    after = last.sequence;
  }
}

/** The entries that touch all of `subjects` before a place, newest first, a few at a time. */
async function* entriesDown(
  history: History,
  subjects: readonly [string, ...string[]],
  place: number,
): AsyncGenerator<Entry> {
  for (let [before, limit] = [place, 1]; ; limit = SLICE) {
    const range = { subjects, after: 0, before, order: "newest" } as const;
    const entries = await history.touching(range, limit);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < limit) return;
    before = last.sequence;
  }
}

async function balanceAt(history: History, account: AccountId, before: number): Promise<Micros> {
  for await (const entry of entriesDown(history, [account], before)) {
    const last = ownPostings(entry, account).at(-1);
    if (last !== undefined) return last.balanceMicros;
  }
  return noMoney;
}

async function positionAt(
  history: History,
  account: AccountId,
  market: Position["marketId"],
  before: number,
): Promise<Position | undefined> {
  for await (const entry of entriesDown(history, [account, market], before)) {
    const position = ownPosition(entry, account, market);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** As the last entry that touched it left it; undefined where that one traded in it. */
async function endedAt(
  history: History,
  id: Position["marketId"],
  before: number,
): Promise<Market | undefined> {
  for await (const { outcome } of entriesDown(history, [id], before)) {
    const events = isRejected(outcome) ? [] : outcome.events;
    for (const event of events.toReversed()) {
      if (event.type === "MarketChanged" && event.market.id === id) return event.market;
      if (event.type === "MarketTraded" && event.marketId === id) return undefined;
    }
  }
  return undefined;
}

type Row = readonly (string | number | boolean)[];
type Ledger = Pick<
  Statement,
  "account" | "address" | "month" | "openingBalance" | "closingBalance" | "postings"
>;

/** What the digest covers: these lines of the CSV, each with its newline. */
const ledgerRows = (ledger: Ledger): readonly Row[] => [
  ["statement", ledger.account, ledger.address, ledger.month],
  ["opening", ledger.openingBalance],
  ...ledger.postings.map((posting): Row => {
    const { sequence, line, timestamp, reason, reference, amount, balance } = posting;
    return ["posting", sequence, line, timestamp, reason, reference, amount, balance];
  }),
  ["closing", ledger.closingBalance],
];

/** One row a line, its kind first; no value holds a comma, a quote or a newline. */
export const statementCsv = (statement: Statement): string =>
  lines([
    ...ledgerRows(statement),
    ["period", statement.from, statement.to, statement.final ? "final" : "open"],
    ...statement.fills.map((fill): Row => {
      const { id, sequence, timestamp, orderId, marketId, outcomeIndex } = fill;
      const { side, amount, price, fee, liquidity } = fill;
      const where: Row = ["fill", id, sequence, timestamp, orderId, marketId, outcomeIndex];
      return [...where, side, amount, price, fee, liquidity];
    }),
    ...statement.positions.map((position): Row => {
      const { marketId, amount, averageCost, cost, realised, fees } = position;
      const { expectedPayout, payableAt } = position;
      const held: Row = ["position", marketId, amount, averageCost ?? "", cost, realised, fees];
      return [...held, expectedPayout ?? "", payableAt ?? ""];
    }),
    ["sha256", statement.sha256],
  ]);

const lines = (rows: readonly Row[]): string => rows.map((row) => `${row.join(",")}\n`).join("");
