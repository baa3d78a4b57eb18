// The journal in PostgreSQL: reads on a pool of their own, the leader's writes apart from it.
// Invariant: reading never uses, blocks or waits for a connection that is written on.

import { randomBytes } from "node:crypto";
import type { ClientConfig, Pool } from "pg";
import { SEALED } from "#core/audit.ts";
import { actionSubject } from "#core/names.ts";
import type { StorageKind } from "#core/storage-kind.ts";
import { type BinaryRow, copyOut } from "#storage/copy-out.ts";
import { poolOf } from "#storage/with-client.ts";
import type { ArchivedPart } from "./archive.ts";
import { noEntries } from "./chain.ts";
import {
  type EntryFilter,
  type FiledEntry,
  type FiledRange,
  type Glimpse,
  type Journal,
  type KeptSnapshot,
  type LabelCount,
  type Lead,
  type LinkedEntry,
  type Note,
  SLICE_BYTES,
  type StoredEntry,
  type TouchRange,
} from "./journal.ts";
import type { TilePlace } from "./log-tree.ts";
import { IS_COSIGNED } from "./note-pages.ts";
import { PostgresLead } from "./postgres-lead.ts";
import { newestSnapshot } from "./postgres-snapshots.ts";
import type { Touch } from "./touches.ts";

const READING_CONNECTIONS = 4;
const CONNECT_PATIENCE_MILLIS = 10_000;
/** No answer for this long is no answer: of an append, the outcome is unknown. */
const ANSWER_PATIENCE_MILLIS = 30_000;

const columns = "sequence, bytes, hash, time_millis, action, severity, actor, concerns, resource";

/** An entry and the hash of the one before it, which a filter may have left out. */
const linked = `SELECT ${columns}, (
    SELECT before.hash FROM journal AS before WHERE before.sequence = entry.sequence - 1
  ) AS previous_hash FROM journal AS entry`;

interface EntryRow {
  readonly sequence: string;
  readonly bytes: Buffer;
  readonly hash: Buffer;
  readonly time_millis: string;
  readonly action: string;
  readonly severity: string;
  readonly actor: string;
  readonly concerns: string | null;
  readonly resource: string;
}

interface LinkedRow extends EntryRow {
  readonly previous_hash: Buffer | null;
}

interface NoteRow {
  readonly size: string;
  readonly note: string;
}

export class PostgresJournal implements Journal {
  readonly #config: ClientConfig;
  readonly #pool: Pool;
  /** The name of every session of this journal that writes, and of no other. */
  readonly #name: string;
  readonly #replicas: number;
  readonly #storage: StorageKind;
  readonly #schema: URL | undefined;
  readonly #partitionEntries: number | undefined;
  #hasLed = false;

  /**
   * `replicas`: synchronous standbys without which it is not led. `storage`: managed where a
   * service hides how it stores, and an operator answers for it. `schema`: the folder of its
   * files; undefined = this version's. `partitionEntries`: of the partitions that are made from now on.
   */
  constructor(
    config: ClientConfig,
    replicas = 0,
    storage: StorageKind = "checked",
    schema?: URL,
    partitionEntries?: number,
  ) {
    this.#partitionEntries = partitionEntries;
    this.#replicas = replicas;
    this.#storage = storage;
    this.#schema = schema;
    this.#name = `${config.application_name ?? "firstprint"} ${randomBytes(6).toString("hex")}`;
    // A server that stands still, or a network that swallows, must hold up nobody for ever.
    this.#config = {
      connectionTimeoutMillis: CONNECT_PATIENCE_MILLIS,
      query_timeout: ANSWER_PATIENCE_MILLIS,
      ...config,
      application_name: this.#name,
    };
    // A reading session holds no lock that a new term waits for, so it outlives the term.
    this.#pool = poolOf({
      ...this.#config,
      application_name: `${this.#name} reading`,
      max: READING_CONNECTIONS,
    });
  }

  lead(onLost: (reason: Error) => void, whileTaken?: () => Promise<void>): Promise<Lead> {
    // Sessions begun before are over.
    const ended = this.#hasLed ? this.#name : undefined;
    this.#hasLed = true;
    return PostgresLead.take(this.#config, onLost, {
      ended,
      whileTaken,
      replicas: this.#replicas,
      storage: this.#storage,
      schema: this.#schema,
      partitionEntries: this.#partitionEntries,
    });
  }

  async read(from: number, limit: number): Promise<readonly StoredEntry[]> {
    const asked = `sequence >= ${from} ORDER BY sequence LIMIT ${limit}`;
    return await copyOut(this.#pool, `SELECT ${columns} FROM journal WHERE ${asked}`, copiedEntry);
  }

  /** For a node that follows; the heartbeat is no newer than the entries. */
  async glimpse(sequence: number): Promise<Glimpse> {
    const { rows } = await this.#pool.query<{
      hash: Buffer | null;
      newest: string | null;
      silent: number | null;
    }>({
      name: "glimpse",
      text: `SELECT (SELECT hash FROM journal WHERE sequence = $1) AS hash,
        (SELECT max(sequence) FROM journal) AS newest,
        (SELECT extract(epoch FROM clock_timestamp() - noted_at)::float8 * 1000 FROM heartbeat)
          AS silent`,
      values: [sequence],
    });
    const [{ hash = null, newest = null, silent = null } = {}] = rows;
    return {
      hash: hash?.toString("hex"),
      newest: Number(newest ?? 0),
      silentMillis: silent ?? undefined,
    };
  }

  async newest(
    filter: EntryFilter,
    upTo: number,
    limit: number,
    offset: number,
  ): Promise<readonly LinkedEntry[]> {
    const { found, values } = sources(filter, filter.after ?? 0, upTo);
    const newestOf = (source: string): string =>
      `(${source} ORDER BY entry.sequence DESC LIMIT $${values.length + 1})`;
    const { rows } = await this.#pool.query<LinkedRow>(
      `${linked} JOIN (${found.map(newestOf).join(" UNION ")}) AS found USING (sequence)
       ORDER BY sequence DESC LIMIT $${values.length + 2} OFFSET $${values.length + 3}`,
      [...values, offset + limit, limit, offset],
    );
    return rows.map(toLinked);
  }

  async oldest(
    filter: EntryFilter,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<readonly LinkedEntry[]> {
    const { found, values } = sources(filter, after, upTo);
    const oldestOf = (source: string): string =>
      `(${source} ORDER BY entry.sequence LIMIT $${values.length + 1})`;
    // The window is summed along the index, so it costs no more than the rows of the slice.
    const { rows } = await this.#pool.query<LinkedRow>(
      `SELECT * FROM (
         SELECT linked.*, sum(length(bytes)) OVER (ORDER BY sequence) - length(bytes) AS before
         FROM (
           ${linked} JOIN (${found.map(oldestOf).join(" UNION ")}) AS found USING (sequence)
         ) AS linked ORDER BY sequence LIMIT $${values.length + 1}
       ) AS slice WHERE before < ${SLICE_BYTES} ORDER BY sequence`,
      [...values, limit],
    );
    return rows.map(toLinked);
  }

  async counts(filter: EntryFilter, upTo: number, after = 0): Promise<readonly LabelCount[]> {
    const { where, found, values } = sources(filter, after, upTo);
    const wanted = found.length === 1 ? where : `sequence IN (${found.join(" UNION ")})`;
    const { rows } = await this.#pool.query<{
      action: string;
      severity: string;
      count: string;
      first: string;
      last: string;
    }>(
      `SELECT action, severity, count(*) AS count,
         min(time_millis) AS first, max(time_millis) AS last
       FROM journal AS entry WHERE ${wanted}
       GROUP BY action, severity ORDER BY action, severity`,
      values,
    );
    return rows.map(({ action, severity, count, first, last }) => ({
      action,
      severity,
      count: Number(count),
      firstMillis: Number(first),
      lastMillis: Number(last),
    }));
  }

  async touching(range: TouchRange, limit: number): Promise<readonly StoredEntry[]> {
    const { subjects, after, before, order } = range;
    const [first, ...others] = subjects;
    const also = others.map(
      (_, at) => `AND EXISTS (SELECT FROM journal_touch AS other
        WHERE other.subject = $${5 + at} AND other.sequence = touch.sequence)`,
    );
    const direction = order === "oldest" ? "ASC" : "DESC";
    const { rows } = await this.#pool.query<EntryRow>(
      `SELECT ${columns} FROM journal JOIN (
         SELECT sequence FROM journal_touch AS touch
         WHERE subject = $1 AND sequence > $2 AND sequence < $3 ${also.join(" ")}
         ORDER BY sequence ${direction} LIMIT $4
       ) AS touch USING (sequence) ORDER BY sequence ${direction}`,
      [first, after, before, limit, ...others],
    );
    return rows.map(toEntry);
  }

  async filed({ from, below, upTo }: FiledRange, limit: number): Promise<readonly FiledEntry[]> {
    const { rows: found } = await this.#pool.query<{ subject: string; sequence: string }>(
      `SELECT subject, sequence FROM journal_touch
       WHERE subject >= $1 AND subject < $2 AND sequence <= $3
       ORDER BY subject DESC, sequence DESC LIMIT $4`,
      [from, below, upTo, limit],
    );
    // An entry that ended a thousand orders is read once.
    const { rows } = await this.#pool.query<EntryRow>(
      `SELECT ${columns} FROM journal WHERE sequence = ANY ($1::bigint[])`,
      [[...new Set(found.map(({ sequence }) => sequence))]],
    );
    const entries = new Map(rows.map(toEntry).map((entry) => [entry.sequence, entry]));
    return found.flatMap(({ subject, sequence }) => {
      const entry = entries.get(Number(sequence));
      return entry === undefined ? [] : { subject, entry };
    });
  }

  async touches(first: number, last: number): Promise<readonly Touch[]> {
    const { rows } = await this.#pool.query<{ sequence: string; subject: string }>({
      name: "touches",
      text: `SELECT sequence, subject FROM journal_touch WHERE sequence BETWEEN $1 AND $2
             ORDER BY sequence, subject`,
      values: [first, last],
    });
    return rows.map(({ sequence, subject }) => ({ sequence: Number(sequence), subject }));
  }

  async newestCheckpoint(): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ note: string }>(
      "SELECT note FROM checkpoint ORDER BY size DESC LIMIT 1",
    );
    return rows[0]?.note;
  }

  async checkpointsAfter(size: number, limit: number): Promise<readonly Note[]> {
    const { rows } = await this.#pool.query<NoteRow>(
      "SELECT size, note FROM checkpoint WHERE size > $1 ORDER BY size LIMIT $2",
      [size, limit],
    );
    return rows.map(toNote);
  }

  newestSnapshot(below: number): Promise<KeptSnapshot | undefined> {
    return newestSnapshot(this.#pool, below);
  }

  async entryHashes(from: number, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ hash: Buffer }>({
      name: "hashes",
      text: "SELECT hash FROM journal WHERE sequence >= $1 ORDER BY sequence LIMIT $2",
      values: [from, limit],
    });
    return rows.map(({ hash }) => hash.toString("hex"));
  }

  async leafTiles(): Promise<number> {
    const { rows } = await this.#pool.query<{ tiles: string }>(
      "SELECT coalesce(max(index) + 1, 0) AS tiles FROM log_tile WHERE level = 0",
    );
    return Number(rows[0]?.tiles ?? 0);
  }

  async tile({ level, index }: TilePlace): Promise<Uint8Array | undefined> {
    const { rows } = await this.#pool.query<{ hashes: Buffer }>({
      name: "tile",
      text: "SELECT hashes FROM log_tile WHERE level = $1 AND index = $2",
      values: [level, index],
    });
    return rows[0]?.hashes;
  }

  async newestLogHead(): Promise<Note | undefined> {
    const { rows } = await this.#pool.query<NoteRow>(
      "SELECT size, note FROM log_checkpoint ORDER BY size DESC LIMIT 1",
    );
    return rows.map(toNote)[0];
  }

  async newestCosignedHead(): Promise<Note | undefined> {
    const { rows } = await this.#pool.query<NoteRow>(
      `SELECT size, note FROM log_checkpoint WHERE ${IS_COSIGNED}
       ORDER BY size DESC LIMIT 1`,
    );
    return rows.map(toNote)[0];
  }

  async logHead(size: number): Promise<Note | undefined> {
    const { rows } = await this.#pool.query<NoteRow>(
      "SELECT size, note FROM log_checkpoint WHERE size = $1",
      [size],
    );
    return rows.map(toNote)[0];
  }

  async logHeadsAfter(size: number, limit: number): Promise<readonly Note[]> {
    const { rows } = await this.#pool.query<NoteRow>(
      "SELECT size, note FROM log_checkpoint WHERE size > $1 ORDER BY size LIMIT $2",
      [size, limit],
    );
    return rows.map(toNote);
  }

  async snapshotsAfter(size: number, limit: number): Promise<readonly Note[]> {
    const { rows } = await this.#pool.query<NoteRow>(
      "SELECT size, note FROM snapshot WHERE size > $1 ORDER BY size LIMIT $2",
      [size, limit],
    );
    return rows.map(toNote);
  }

  /** The last entry whose archive is noted; 0 where none is. */
  async archivedUpTo(): Promise<number> {
    const { rows } = await this.#pool.query<{ last: string | null }>({
      name: "archived",
      text: "SELECT max(last) AS last FROM journal_part WHERE manifest IS NOT NULL",
    });
    return Number(rows[0]?.last ?? 0);
  }

  /** Rising. */
  async archivedParts(): Promise<readonly ArchivedPart[]> {
    const { rows } = await this.#pool.query<{ first: string; last: string; manifest: string }>(
      "SELECT first, last, manifest FROM journal_part WHERE manifest IS NOT NULL ORDER BY first",
    );
    return rows.map(({ first, last, manifest }) => ({
      first: Number(first),
      last: Number(last),
      manifest,
    }));
  }

  /** Whether the schema is there: a journal that nothing ever led has none. */
  async exists(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ exists: boolean }>(
      "SELECT to_regclass('journal') IS NOT NULL AS exists",
    );
    return rows[0]?.exists === true;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** By the order of `columns`. */
const copiedEntry = (row: BinaryRow): StoredEntry => ({
  sequence: row.bigint(),
  bytes: row.bytes(),
  hash: row.hex(),
  timeMillis: row.bigint(),
  action: row.text() ?? "",
  severity: row.text() ?? "",
  actor: row.text() ?? "",
  concerns: row.text(),
  resource: row.text() ?? "",
});

const toEntry = (row: EntryRow): StoredEntry => ({
  sequence: Number(row.sequence),
  bytes: row.bytes,
  hash: row.hash.toString("hex"),
  timeMillis: Number(row.time_millis),
  action: row.action,
  severity: row.severity,
  actor: row.actor,
  concerns: row.concerns,
  resource: row.resource,
});

const toLinked = (row: LinkedRow): LinkedEntry => ({
  ...toEntry(row),
  previousHash: row.previous_hash?.toString("hex") ?? noEntries.hash,
});

const toNote = ({ size, note }: NoteRow): Note => ({ size: Number(size), note });

/**
 * The sequences that a filter finds, as one query or several: what an account is a party to is what
 * concerns it, and what touches it, each read along its own index.
 */
function sources(
  { party, ...filter }: EntryFilter,
  after: number,
  upTo: number,
): {
  readonly where: string;
  readonly found: readonly string[];
  readonly values: (string | number)[];
} {
  const { where, values } = conditions(filter, after, upTo);
  const all = `SELECT entry.sequence FROM journal AS entry WHERE ${where}`;
  if (party === undefined) return { where, found: [all], values };
  values.push(party);
  const touching = `SELECT entry.sequence FROM journal_touch AS own
    JOIN journal AS entry USING (sequence)
    WHERE own.subject = $${values.length} AND ${where}`;
  return { where, found: [`${all} AND entry.concerns = $${values.length}`, touching], values };
}

/** The filter as SQL; its values go as parameters, never as text. */
function conditions(
  filter: EntryFilter,
  after: number,
  upTo: number,
): { readonly where: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [after, upTo];
  const parts = ["entry.sequence > $1", "entry.sequence <= $2"];
  const add = (column: string, relation: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    parts.push(`entry.${column} ${relation} $${values.length}`);
  };
  add("concerns", "=", filter.concerns);
  add("actor", "=", filter.actor);
  if (filter.action !== undefined) {
    values.push(filter.action, actionSubject(filter.action));
    parts.push(
      `(entry.action = $${values.length - 1} OR EXISTS (SELECT FROM journal_touch AS further
        WHERE further.subject = $${values.length} AND further.sequence = entry.sequence))`,
    );
  }
  if (filter.withoutSealed !== undefined) add("actor", "<>", SEALED);
  add("resource", "=", filter.resource);
  add("severity", "=", filter.severity);
  add("time_millis", ">=", filter.fromMillis);
  add("time_millis", "<", filter.beforeMillis);
  return { where: parts.join(" AND "), values };
}
