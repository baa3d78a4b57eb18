// A month's statement of one account, and the digest anybody can recompute from it.
// Invariant: opening balance + every posting = closing balance, and the digest covers all of them;
// it is written as the journal is read, never held whole: a busy month has millions of lines.
import { createHash } from "node:crypto";
import { type Static, Type } from "typebox";
import type { AccountId } from "#base/ids.ts";
import { formatMicros, type Micros, noMoney } from "#base/money.ts";
import { addMonths, formatMonth, type Month, monthEndMillis } from "#base/month.ts";
import { type Entry, isRejected } from "#core/outcome.ts";
import type { Account, Market, Position } from "#core/records.ts";
import type { Engine, History } from "#engine/engine.ts";
import type { ExchangeView } from "#views/exchange.ts";
import { ownFills, ownPosition, ownPostings } from "#views/own-entries.ts";
import { FillRecord, fillRecord } from "./fill-record.ts";
import { ExpectedRecord, expectedRecord, HeldRecord, heldRecord } from "./position-record.ts";
import { PostingRecord, type PostingRow, postingRecord } from "./posting-record.ts";

/** Read from the journal at a time: decoding more would hold up the exchange. */
const SLICE = 100;

type Lines = Pick<History, "touching" | "sequenceBefore">;

export interface StatementPorts {
  readonly view: Pick<ExchangeView, "positionsOf">;
  readonly engine: Pick<Engine, "status"> & { readonly history: Lines };
}

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

/** All that is known of it before its lines are read, and where those lie in the journal. */
interface Statement {
  readonly account: Account;
  readonly monthText: string;
  readonly from: number;
  readonly to: number;
  readonly final: boolean;
  readonly opening: Micros;
  readonly closing: Micros;
  readonly after: number;
  readonly before: number;
}

/** Undefined where the month has not begun. */
export async function statementOf(
  { engine }: StatementPorts,
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
  return {
    account,
    monthText: formatMonth(month),
    from: fromMillis / 1000,
    to: toMillis / 1000,
    final,
    opening: await balanceAt(history, account.id, after + 1),
    closing: await balanceAt(history, account.id, before),
    after,
    before,
  };
}

async function* postingsIn(history: Lines, statement: Statement): AsyncGenerator<PostingRow> {
  const { account } = statement;
  for await (const entry of entriesUp(history, statement)) {
    for (const [line, own] of ownPostings(entry, account.id).entries()) {
      yield postingRecord(entry, own, line);
    }
  }
}

type StatementFill = Static<typeof FillRecord>;

/** A second walk of the month: the fills stand after all postings, and are not kept for it. */
async function* fillsIn(history: Lines, statement: Statement): AsyncGenerator<StatementFill> {
  for await (const entry of entriesUp(history, statement)) {
    for (const own of ownFills(entry, statement.account.id)) yield fillRecord(own, entry.sequence);
  }
}

async function* positionsIn(
  { view, engine: { history } }: StatementPorts,
  { account, before }: Statement,
): AsyncGenerator<Static<typeof HeldAtEnd>> {
  for (const { marketId } of view.positionsOf(account.id)) {
    const position = await positionAt(history, account.id, marketId, before);
    if (position === undefined || position.heldLots === 0n) continue;
    const market = await endedAt(history, marketId, before);
    yield { ...heldRecord(position), ...expectedRecord(position, market) };
  }
}

async function* entriesUp(
  history: Lines,
  { account, after: from, before }: Statement,
): AsyncGenerator<Entry> {
  for (let after = from; ; ) {
    const range = { subjects: [account.id], after, before, order: "oldest" } as const;
    const entries = await history.touching(range, SLICE);
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < SLICE) return;
    after = last.sequence;
  }
}

/** The entries that touch all of `subjects` before a place, newest first, a few at a time. */
async function* entriesDown(
  history: Lines,
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

async function balanceAt(history: Lines, account: AccountId, before: number): Promise<Micros> {
  for await (const entry of entriesDown(history, [account], before)) {
    const last = ownPostings(entry, account).at(-1);
    if (last !== undefined) return last.balanceMicros;
  }
  return noMoney;
}

async function positionAt(
  history: Lines,
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
  history: Lines,
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

type StatementRow = readonly (string | number | boolean)[];

const lineOf = (row: StatementRow): string => `${row.join(",")}\n`;

const postingLine = (posting: PostingRow): string => {
  const { sequence, line, timestamp, reason, reference, amount, balance } = posting;
  return lineOf(["posting", sequence, line, timestamp, reason, reference, amount, balance]);
};

const openingLines = ({ account, monthText, opening }: Statement): string =>
  lineOf(["statement", account.id, account.address, monthText]) +
  lineOf(["opening", formatMicros(opening)]);

const closingLine = ({ closing }: Statement): string => lineOf(["closing", formatMicros(closing)]);

/** One row a line, its kind first; no value holds a comma, a quote or a newline. */
export async function* statementCsv(
  ports: StatementPorts,
  statement: Statement,
): AsyncGenerator<string> {
  const { history } = ports.engine;
  const digest = createHash("sha256");
  const covered = (text: string): string => {
    digest.update(text);
    return text;
  };
  yield covered(openingLines(statement));
  for await (const posting of postingsIn(history, statement)) yield covered(postingLine(posting));
  yield covered(closingLine(statement));
  const { from, to, final } = statement;
  yield lineOf(["period", from, to, final ? "final" : "open"]);
  for await (const fill of fillsIn(history, statement)) yield lineOf(fillRow(fill));
  for await (const position of positionsIn(ports, statement)) yield lineOf(positionRow(position));
  yield lineOf(["sha256", digest.digest("hex")]);
}

function fillRow(fill: StatementFill): StatementRow {
  const { id, sequence, timestamp, orderId, marketId, outcomeIndex } = fill;
  const { side, amount, price, fee, liquidity } = fill;
  const where: StatementRow = ["fill", id, sequence, timestamp, orderId, marketId, outcomeIndex];
  return [...where, side, amount, price, fee, liquidity];
}

function positionRow(position: Static<typeof HeldAtEnd>): StatementRow {
  const { marketId, amount, averageCost, cost, realised, fees } = position;
  const { expectedPayout, payableAt } = position;
  const held: StatementRow = [
    "position",
    marketId,
    amount,
    averageCost ?? "",
    cost,
    realised,
    fees,
  ];
  return [...held, expectedPayout ?? "", payableAt ?? ""];
}

/** `StatementRecord` in the envelope of the trading surface. */
export async function* statementJson(
  ports: StatementPorts,
  statement: Statement,
): AsyncGenerator<string> {
  const { history } = ports.engine;
  const { account, monthText, from, to, final } = statement;
  const digest = createHash("sha256").update(openingLines(statement));
  const head = {
    account: account.id,
    address: account.address,
    month: monthText,
    openingBalance: formatMicros(statement.opening),
    closingBalance: formatMicros(statement.closing),
  };
  const open = JSON.stringify(head).slice(0, -1);
  yield `{"data":${open},"postings":[`;
  for await (const [posting, comma] of separated(postingsIn(history, statement))) {
    digest.update(postingLine(posting));
    yield comma + JSON.stringify(posting);
  }
  digest.update(closingLine(statement));
  yield `],"from":${from},"to":${to},"final":${final},"fills":[`;
  for await (const [fill, comma] of separated(fillsIn(history, statement))) {
    yield comma + JSON.stringify(fill);
  }
  yield '],"positions":[';
  for await (const [position, comma] of separated(positionsIn(ports, statement))) {
    yield comma + JSON.stringify(position);
  }
  yield `],"sha256":"${digest.digest("hex")}"}}`;
}

async function* separated<T>(items: AsyncIterable<T>): AsyncGenerator<readonly [T, string]> {
  let comma = "";
  for await (const item of items) {
    yield [item, comma];
    comma = ",";
  }
}
