// One term of leadership in PostgreSQL: the appending connection, its lock and its epoch.
// Invariant: only the newest epoch can append, however long an older leader believes it leads.
import { Client, type ClientConfig, type Pool } from "pg";
import { messageOf } from "#base/message-of.ts";
import type { StorageKind } from "#core/storage-kind.ts";
import { checkDurability } from "#storage/durability.ts";
import { lookWhileSilent } from "#storage/hosts.ts";
import { mayMigrate, migrate, requireSchema } from "#storage/migrate.ts";
import { requireReplicas } from "#storage/replicas.ts";
import { poolOf } from "#storage/with-client.ts";
import { noEntries } from "./chain.ts";
import {
  type Head,
  JournalRefusal,
  type Lead,
  LeadershipTaken,
  type Note,
  type SealedEntry,
  type SealedSnapshot,
} from "./journal.ts";
import { noteHeartbeat, takeLock } from "./leader-lock.ts";
import type { Tile } from "./log-tree.ts";
import { IS_COSIGNED, NOTES_APART, thinnedBelow } from "./note-pages.ts";
import { layOut, PartitionsAhead } from "./partitions.ts";
import { keepSnapshot } from "./postgres-snapshots.ts";
import { RULES, redraw } from "./redraw.ts";

/** Four in the second for which a follower answers a key without one. */
const HEARTBEAT_MILLIS = 250;
/** A checkpoint and a snapshot may be on their way at once. */
const KEEPING_CONNECTIONS = 2;
const HASH_BYTES = 32;
const NOTES_AT_ONCE = 5_000;

/**
 * One statement cuts the rows out of one bytea, and appends none of them unless the epoch is still
 * ours: `FOR SHARE` makes the next leader's raise of the epoch wait until this statement is
 * committed or gone. Nor does it append to a server that would not keep them: `fsync` and
 * `full_page_writes` can be lifted while it runs. The same statement stores the labels of the
 * entries: no entry is ever without them. Of five ways to send rows this was the fastest, by a
 * quarter (2026-11).
 */
const appendSql = `
  WITH permit AS MATERIALIZED (
    SELECT FROM leader WHERE epoch = $1
      AND ($14 = 0 OR current_setting('synchronous_standby_names') <> '')
      AND ($15 OR
        current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on')
    FOR SHARE
  ),
  piece AS (
    SELECT *, sum(length) OVER (ORDER BY at) - length AS start
    FROM unnest($4::int[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[],
        $13::text[])
      WITH ORDINALITY
      AS piece (length, time_millis, action, severity, actor, concerns, resource, at)
  ),
  touched AS (
    INSERT INTO journal_touch (subject, sequence)
    SELECT subject, $2::bigint + at FROM permit, unnest($11::text[], $12::int[])
      AS touch (subject, at)
  )
  INSERT INTO journal
    (sequence, bytes, hash, time_millis, action, severity, actor, concerns, resource)
  SELECT $2::bigint + at - 1, substring($3::bytea FROM start::int + 1 FOR length),
    substring($5::bytea FROM (at::int - 1) * ${HASH_BYTES} + 1 FOR ${HASH_BYTES}),
    time_millis, action, severity, actor, concerns, resource
  FROM permit, piece`;

interface Taking {
  /** Sessions of this name are ended first. */
  readonly ended: string | undefined;
  /** As `Journal.lead` has it. */
  readonly whileTaken: (() => Promise<void>) | undefined;
  /** Synchronous standbys that the server must have. */
  readonly replicas: number;
  readonly storage: StorageKind;
  /** As `migrate` has it. */
  readonly schema: URL | undefined;
  /** Of partitions that are made from now on; undefined = as they are. */
  readonly partitionEntries: number | undefined;
}

interface TermParts {
  readonly epoch: number;
  readonly head: Head;
  readonly replicas: number;
  readonly storage: StorageKind;
  readonly partitions: PartitionsAhead;
}

/** A note of the same text takes the signatures it lacks: of a witness, or of a key that is new. */
const ADD_SIGNATURES = `ON CONFLICT (size) DO UPDATE SET note = kept.note || coalesce((
         SELECT string_agg(line || E'\\n', '' ORDER BY place)
         FROM unnest(string_to_array(split_part($3, E'\\n\\n', 2), E'\\n'))
           WITH ORDINALITY AS signature (line, place)
         WHERE line <> '' AND position(line IN kept.note) = 0), '')
       WHERE split_part(kept.note, E'\\n\\n', 1) = split_part($3, E'\\n\\n', 1)`;

export class PostgresLead implements Lead {
  readonly head: Head;
  readonly epoch: number;
  readonly storage: StorageKind;
  readonly #client: Client;
  /** For the other writes of the term: they must not wait for readers. */
  readonly #pool: Pool;
  #keepingEnds: Promise<void> | undefined;
  readonly #onLost: (reason: Error) => void;
  readonly #replicas: number;
  readonly #partitions: PartitionsAhead;
  /** By table: notes below this size are thinned out. */
  readonly #thinned = new Map<string, number>();
  readonly #beating: NodeJS.Timeout;
  readonly #endLooking: () => void;
  /** When the last heartbeat that the database has noted was sent; on this process's own clock. */
  #heardOfAt = performance.now();
  #isBeating = false;
  #over = false;
  #notice: string | undefined;

  private constructor(
    config: ClientConfig,
    client: Client,
    pool: Pool,
    term: TermParts,
    onLost: (reason: Error) => void,
  ) {
    this.#client = client;
    this.#pool = pool;
    this.epoch = term.epoch;
    this.head = term.head;
    this.storage = term.storage;
    this.#replicas = term.replicas;
    this.#partitions = term.partitions;
    this.#onLost = onLost;
    client.on("notice", ({ message }) => {
      this.#notice = message ?? "a warning without text";
      this.#lose(new DoubtfulCommit(this.#notice));
    });
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => this.#lose(new Error("the appending connection has ended")));
    this.#beating = setInterval(() => void this.#beat(), HEARTBEAT_MILLIS).unref();
    this.#endLooking = lookWhileSilent(config, () => this.#heardOfAt);
    void this.#beat();
  }

  /** Connects, takes the lock, checks durability and schema, and raises the epoch. */
  static async take(
    config: ClientConfig,
    onLost: (reason: Error) => void,
    { ended, whileTaken, replicas, storage, schema, partitionEntries }: Taking,
  ): Promise<PostgresLead> {
    const client = new Client(config);
    // Of this term alone: a session of the one before may be ended in the moment it is lent.
    const pool = poolOf({ ...config, max: KEEPING_CONNECTIONS });
    const ignore = (): void => undefined;
    client.on("error", ignore);
    let heardAt = performance.now();
    const endLooking = lookWhileSilent(config, () => heardAt);
    const warnings: string[] = [];
    const note = ({ message }: { readonly message?: string | undefined }): void => {
      warnings.push(message ?? "a warning without text");
    };
    try {
      await client.connect();
      await pinWaiting(client);
      if (ended !== undefined) await endSessions(client, ended);
      const onRound = (): void => {
        heardAt = performance.now();
      };
      await takeLock(client, whileTaken, onRound).catch((error) => orFollow(client, error, schema));
      client.on("notice", note);
      await refuseWeakStore(client, storage);
      if (replicas > 0) await requireReplicas(client, replicas);
      const isOwner = await mayMigrate(client);
      await (isOwner ? migrate(client, schema) : requireSchema(client, RULES, schema));
      // From here an older leader can no longer append; so the head read next is the last there is.
      const raised = await client.query<{ epoch: string }>(
        "UPDATE leader SET epoch = epoch + 1 RETURNING epoch",
      );
      const epoch = raised.rows[0]?.epoch;
      if (epoch === undefined) throw new JournalRefusal(emptyLeader);
      if (isOwner) await redraw(client);
      const head = await readHead(client);
      if (partitionEntries !== undefined) await layOut(client, partitionEntries, isOwner);
      const partitions = await PartitionsAhead.make(pool);
      const term = { epoch: Number(epoch), head, replicas, storage, partitions };
      // The raise waits for every standby that older entries were to wait for. A wait that was
      // cancelled leaves them, for all we know, on this server alone.
      const [warning] = warnings;
      if (warning !== undefined) throw new DoubtfulCommit(warning);
      const lead = new PostgresLead(config, client, pool, term, onLost);
      client.off("error", ignore);
      client.off("notice", note);
      return lead;
    } catch (error) {
      client.connection.stream.destroy();
      void pool.end();
      throw error;
    } finally {
      endLooking();
    }
  }

  async append(entries: readonly SealedEntry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const last = first.sequence + entries.length - 1;
    await this.#partitions.holds(last);
    this.#notice = undefined;
    const result = await this.#client.query({
      name: "append",
      text: appendSql,
      values: [
        this.epoch,
        first.sequence,
        Buffer.concat(entries.map(({ bytes }) => bytes)),
        intArray(entries.map(({ bytes }) => bytes.length)),
        Buffer.from(entries.map(({ hash }) => hash).join(""), "hex"),
        intArray(entries.map(({ timeMillis }) => timeMillis)),
        entries.map(({ action }) => action),
        entries.map(({ severity }) => severity),
        entries.map(({ actor }) => actor),
        entries.map(({ concerns }) => concerns),
        entries.flatMap(({ touches }) => touches),
        intArray(entries.flatMap(({ touches }, at) => touches.map(() => at))),
        entries.map(({ resource }) => resource),
        this.#replicas,
        this.storage === "managed",
      ],
    });
    // The statement commits after it is complete: pg resolves only once the server is ready again,
    // so an error or a warning of the commit itself has been seen by now.
    if (this.#notice !== undefined) {
      throw new DoubtfulCommit(this.#notice);
    }
    if (result.rowCount !== entries.length) {
      throw new Error(
        `${result.rowCount} of ${entries.length} entries were stored: ` +
          `epoch ${this.epoch} is over, or fsync, full_page_writes or synchronous_standby_names ` +
          "was switched off",
      );
    }
    this.#partitions.grown(last);
  }

  async keepCheckpoint({ size, note }: Note): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `INSERT INTO checkpoint AS kept (size, note)
       SELECT $2, $3 FROM leader WHERE epoch = $1
       ${ADD_SIGNATURES}`,
      [this.epoch, size, note],
    );
    if (rowCount !== 1) {
      throw new Error(
        `the checkpoint at entry ${size} was not stored: epoch ${this.epoch} is over, ` +
          "or another checkpoint stands there",
      );
    }
    await this.#thin("checkpoint", size);
  }

  async keepTiles(tiles: readonly Tile[]): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `WITH permit AS MATERIALIZED (SELECT FROM leader WHERE epoch = $1 FOR SHARE)
       INSERT INTO log_tile (level, index, hashes)
       SELECT level, index, hashes
       FROM permit, unnest($2::int[], $3::bigint[], $4::bytea[]) AS tile (level, index, hashes)
       ON CONFLICT (level, index) DO UPDATE SET hashes = excluded.hashes`,
      [
        this.epoch,
        tiles.map(({ level }) => level),
        tiles.map(({ index }) => index),
        tiles.map(({ hashes }) => Buffer.from(hashes)),
      ],
    );
    if (rowCount === tiles.length) return;
    throw new Error(`tiles of the log were not stored: epoch ${this.epoch} is over`);
  }

  async keepLogHead({ size, note }: Note): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `INSERT INTO log_checkpoint AS kept (size, note)
       SELECT $2, $3 FROM leader WHERE epoch = $1
       ${ADD_SIGNATURES}`,
      [this.epoch, size, note],
    );
    if (rowCount !== 1) {
      throw new Error(
        `the log's checkpoint of ${size} entries was not stored: epoch ${this.epoch} is over, ` +
          "or another checkpoint stands there",
      );
    }
    await this.#thin("log_checkpoint", size);
  }

  /**
   * One a second would be 31 million a year. Of notes far behind the head one of each thousand
   * entries stays, the last; and the newest of all that a witness cosigned.
   */
  async #thin(table: "checkpoint" | "log_checkpoint", size: number): Promise<void> {
    const from = this.#thinned.get(table) ?? 0;
    const to = thinnedBelow(size);
    if (to <= from) return;
    const { rows } = await this.#pool.query<{ last: string; looked: number }>(
      `WITH slice AS (
         SELECT size, lead(size) OVER (ORDER BY size) AS next FROM (
           SELECT size FROM ${table} WHERE size >= $1 AND size < $2
           ORDER BY size LIMIT ${NOTES_AT_ONCE}
         ) AS oldest
       ),
       gone AS (
         DELETE FROM ${table} AS kept USING slice
         WHERE kept.size = slice.size AND slice.next / ${NOTES_APART} = slice.size / ${NOTES_APART}
           AND kept.size IS DISTINCT FROM (
             SELECT max(size) FROM ${table} WHERE ${IS_COSIGNED})
       )
       SELECT coalesce(max(size), 0) AS last, count(*)::int AS looked FROM slice`,
      [from, to],
    );
    const [{ last = 0, looked = 0 } = {}] = rows;
    // An older store has too many of them: they go a slice at a time.
    this.#thinned.set(table, looked < NOTES_AT_ONCE ? to : Number(last));
  }

  keepSnapshot(snapshot: SealedSnapshot): Promise<void> {
    return keepSnapshot(this.#pool, this.epoch, snapshot);
  }

  heardOfAt(): number {
    return this.#heardOfAt;
  }

  /** Behind whatever the session does: it shows that the node and its database both go on. */
  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    const sentAt = performance.now();
    try {
      const isOurs = await noteHeartbeat(this.#client, 0, this.epoch);
      if (isOurs) this.#heardOfAt = sentAt;
      else this.#lose(new Error(`epoch ${this.epoch} is over`));
    } catch (error) {
      this.#lose(new Error(`no heartbeat: ${messageOf(error)}`, { cause: error }));
    }
    this.#isBeating = false;
  }

  async release(): Promise<void> {
    await Promise.all([this.#end(), this.#client.end()]);
  }

  abandon(): void {
    void this.#end();
    this.#client.connection.stream.destroy();
  }

  /** Done when the sessions for other writes are gone; what they are at is done first. */
  #end(): Promise<void> {
    this.#over = true;
    clearInterval(this.#beating);
    this.#endLooking();
    this.#keepingEnds ??= this.#pool.end();
    return this.#keepingEnds;
  }

  #lose(reason: Error): void {
    if (this.#over) return;
    void this.#end();
    this.#onLost(reason);
  }
}

/** A commit that may be on this server alone: PostgreSQL says so by a warning only. */
class DoubtfulCommit extends Error {
  /** Told to whoever starts the exchange as what it is: the database's, not our mistake. */
  readonly code = "DOUBTFUL_COMMIT";

  constructor(warning: string) {
    super(`the database remarked on what it committed: ${warning}`);
  }
}

/**
 * A value set for the session holds for the term: neither a file nor `ALTER SYSTEM` reaches it any
 * more. Off stays off, and is refused. Warnings are asked for: a role or a database that hides them
 * (`client_min_messages`) would hide a wait for a standby that was cancelled.
 */
async function pinWaiting(client: Client): Promise<void> {
  await client.query(
    `SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false),
       set_config('client_min_messages', 'warning', false)`,
  );
}

/**
 * Our own sessions of before. Where the network broke in silence the server has not heard that
 * they are over, and one of them keeps the lock, or a row of ours that nobody will commit. Any
 * transaction they still work on is committed by the time the lock is free, or never will be.
 */
async function endSessions(client: Client, name: string): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND pid <> pg_backend_pid()`,
    [name],
  );
}

async function refuseWeakStore(client: Client, storage: StorageKind): Promise<void> {
  try {
    await checkDurability(client, storage === "managed");
  } catch (error) {
    // Only its refusal is final: a connection that broke under the question says nothing.
    const refused = error instanceof Error && error.message.startsWith("The database is refused");
    throw refused ? new JournalRefusal(error.message) : error;
  }
}

const emptyLeader =
  "The table leader has lost its row, so no epoch can be taken. Restore a backup of the database.";

async function readHead(client: Client): Promise<Head> {
  const { rows } = await client.query<{ sequence: string; hash: Buffer }>(
    "SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1",
  );
  const [last] = rows;
  if (last === undefined) return noEntries;
  return { size: Number(last.sequence), hash: last.hash.toString("hex") };
}

const intArray = (values: readonly number[]): string => `{${values.join(",")}}`;

/** A lock on a table of the journal that is waited for keeps the appends behind it waiting. */
const LOCK_PATIENCE = "1s";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Another node leads, and this one is to follow it: where that is of an older version, the tables
 * that this version reads are made beneath it. Each step leaves it those that it writes.
 */
async function orFollow(client: Client, error: unknown, schema?: URL): Promise<never> {
  if (error instanceof LeadershipTaken && (await mayMigrate(client))) {
    await client.query(`SET lock_timeout = '${LOCK_PATIENCE}'`);
    await migrate(client, schema).catch((fault) => {
      const isBusy = fault instanceof Error && "code" in fault && fault.code === LOCK_NOT_AVAILABLE;
      // A backup reads them: the next try makes them.
      if (!isBusy) throw fault;
    });
  }
  throw error;
}
