// What every accepted release said of every place, in PostgreSQL, a line a place.
// Invariant: a line is written once and counts only when the journal has accepted its release.
import { createHash } from "node:crypto";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { type NodeId, nodeId, type ReleaseId, releaseId } from "#base/ids.ts";
import { type IndexKind, isIndexKind } from "#base/index-kind.ts";
import { type Month, monthOf } from "#base/month.ts";
import {
  type ChainLevel,
  chainLevelOf,
  formatPrintValue,
  type PrintValue,
  parsePrintValue,
} from "#base/print-value.ts";
import {
  type KnownNode,
  knownAfter,
  type MonthRow,
  type NewPrint,
  type Revision,
} from "#prints/first-prints.ts";

/** A print that a line brought, as the chain took it. */
export interface LinePrint {
  readonly month: Month;
  readonly levelE12: ChainLevel | null;
  readonly backfill: boolean;
}

export interface PrintLine {
  readonly releaseId: ReleaseId;
  /** From 0, in the order of the file. */
  readonly place: number;
  readonly index: IndexKind;
  /** The provider's key. */
  readonly regionId: string;
  readonly nodeId: NodeId;
  readonly history: MonthRow;
  readonly newPrints: readonly LinePrint[];
}

interface LineRow {
  readonly release_id: string;
  readonly place: number;
  readonly index_kind: string;
  readonly region_id: string;
  readonly node_id: string;
  readonly first_month: number;
  readonly cells: string;
  readonly new_months: readonly number[];
  readonly new_levels: readonly (string | null)[];
  readonly new_backfills: readonly boolean[];
}

const LINES_A_STATEMENT = 500;

/** SHA-256 over the lines of a release in their order: what its journal entry promises of them. */
export class LinesDigest {
  readonly #hash = createHash("sha256");

  add(line: PrintLine): void {
    this.#hash.update(`${Object.values(toRow(line)).slice(1).join("|")}\n`);
  }

  hex(): string {
    return this.#hash.digest("hex");
  }
}

export class PrintStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** On connections of its own; an idle one that breaks is replaced at the next use. */
  static connect(config: PoolConfig): PrintStore {
    const pool = new Pool(config);
    pool.on("error", () => undefined);
    return new PrintStore(pool);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Lines whose release the journal never accepted are what a crash left behind. */
  async removeStrays(accepted: readonly ReleaseId[]): Promise<void> {
    await this.#pool.query("DELETE FROM print_line WHERE release_id <> ALL ($1::text[])", [
      accepted,
    ]);
  }

  /** Writes all lines or none; those of an earlier attempt at the same release give way. */
  async stage(release: ReleaseId, lines: readonly PrintLine[]): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("DELETE FROM print_line WHERE release_id = $1", [release]);
      for (let from = 0; from < lines.length; from += LINES_A_STATEMENT) {
        await insert(client, lines.slice(from, from + LINES_A_STATEMENT));
      }
      await client.query("COMMIT");
      // If we stop here, the lines are strays: no entry speaks for them, the next start drops them.
    } catch (fault) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw fault;
    } finally {
      client.release();
    }
  }

  /** Lines of one release, in the order of its file. */
  async lines(release: ReleaseId): Promise<readonly PrintLine[]> {
    const { rows } = await this.#pool.query<LineRow>(
      "SELECT * FROM print_line WHERE release_id = $1 ORDER BY place",
      [release],
    );
    return rows.map(fromRow);
  }

  /** What is known of every place that these releases, oldest first, carry. */
  async known(releases: readonly ReleaseId[]): Promise<Map<NodeId, KnownNode>> {
    const known = new Map<NodeId, KnownNode>();
    for (const release of releases) {
      for (const line of await this.lines(release)) {
        const after = knownWith(known.get(line.nodeId), line);
        if (after !== undefined) known.set(line.nodeId, after);
      }
    }
    return known;
  }

  /** Which place each of a provider's regions turned out to be, in these releases. */
  async regions(releases: readonly ReleaseId[]): Promise<Map<string, NodeId>> {
    const { rows } = await this.#pool.query<{ region_id: string; node_id: string }>(
      "SELECT DISTINCT region_id, node_id FROM print_line WHERE release_id = ANY ($1::text[])",
      [releases],
    );
    return new Map(rows.map((row) => [row.region_id, nodeId(row.node_id)]));
  }
}

async function insert(client: PoolClient, lines: readonly PrintLine[]): Promise<void> {
  await client.query(
    "INSERT INTO print_line SELECT * FROM json_populate_recordset(null::print_line, $1::json)",
    [JSON.stringify(lines.map(toRow))],
  );
}

function toRow({ history, newPrints, ...line }: PrintLine): LineRow {
  return {
    release_id: line.releaseId,
    place: line.place,
    index_kind: line.index,
    region_id: line.regionId,
    node_id: line.nodeId,
    first_month: history.firstMonth,
    cells: history.values.map((value) => (value === null ? "" : formatPrintValue(value))).join(","),
    new_months: newPrints.map(({ month }) => month),
    new_levels: newPrints.map(({ levelE12 }) => levelE12?.toString() ?? null),
    new_backfills: newPrints.map(({ backfill }) => backfill),
  };
}

function fromRow(row: LineRow): PrintLine {
  if (!isIndexKind(row.index_kind)) throw new Error(`${row.index_kind} is no index`);
  return {
    releaseId: releaseId(row.release_id),
    place: row.place,
    index: row.index_kind,
    regionId: row.region_id,
    nodeId: nodeId(row.node_id),
    history: { firstMonth: asMonth(row.first_month), values: row.cells.split(",").map(cellValue) },
    newPrints: row.new_months.map((month, at) => ({
      month: asMonth(month),
      levelE12: levelOf(row.new_levels[at] ?? null),
      backfill: row.new_backfills[at] ?? false,
    })),
  };
}

const asMonth = (month: number): Month => monthOf(0, month + 1);

const levelOf = (text: string | null): ChainLevel | null =>
  text === null ? null : chainLevelOf(BigInt(text));

function cellValue(text: string): PrintValue | null {
  if (text === "") return null;
  const value = parsePrintValue(text);
  if (value === undefined) throw new Error(`${text} is no stored print`);
  return value;
}

/** The value a line gives for a month. */
export const valueIn = ({ history }: PrintLine, month: Month): PrintValue | null =>
  history.values[month - history.firstMonth] ?? null;

/** First prints as they were taken then; every other month's newest value is the line's. */
function knownWith(known: KnownNode | undefined, line: PrintLine): KnownNode | undefined {
  const newPrints: NewPrint[] = [];
  for (const { month, levelE12, backfill } of line.newPrints) {
    const valueE15 = valueIn(line, month);
    if (valueE15 !== null) newPrints.push({ month, valueE15, levelE12, link: null, backfill });
  }
  const taken = new Set<number>(newPrints.map(({ month }) => month));
  const revisions: Revision[] = [];
  for (const [at, toE15] of line.history.values.entries()) {
    const month = asMonth(line.history.firstMonth + at);
    if (toE15 !== null && !taken.has(month)) revisions.push({ month, fromE15: toE15, toE15 });
  }
  return knownAfter(known, { newPrints, revisions, unchanged: 0, scaleE12: null });
}
