// Moves partitions of the journal that are old enough from the database into the archive.
// Invariant: the tables of a partition go only after its archive was read back and noted; if we
// stop anywhere, the next pass goes on from there.
import type { Client, ClientConfig } from "pg";
import { mayMigrate } from "#storage/migrate.ts";
import type { ObjectStore } from "#storage/object-folder.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { withClient } from "#storage/with-client.ts";
import { type ArchivedPart, JournalArchive } from "./archive.ts";
import type { Manifest } from "./archive-manifest.ts";
import { takePlace } from "./archive-owner.ts";
import { type PartitionSource, readBack, writePart } from "./archive-writer.ts";
import { PostgresJournal } from "./postgres.ts";
import { WholeJournal } from "./whole-journal.ts";

const LOCK = "hashtextextended('firstprint/archive', 0)";
const TABLES = ["journal", "journal_touch"] as const;

interface ArchiveOptions {
  readonly store: ObjectStore;
  /** So much older than the newest entry the last one of a partition must be. */
  readonly olderThanMillis: number;
  readonly log: (message: string) => void;
}

/** As the owner of the journal; while an exchange serves it or not. Gives the partitions moved. */
export async function archiveOld(
  owner: ClientConfig,
  options: ArchiveOptions,
): Promise<readonly ArchivedPart[]> {
  return withClient(owner, async (client) => {
    const journal = new PostgresJournal(owner);
    try {
      await refuseOthers(client);
      return await new Pass(client, journal, options).run();
    } finally {
      await journal.close();
    }
  });
}

async function refuseOthers(client: Client): Promise<void> {
  if (!(await mayMigrate(client))) {
    throw new StorageRefusal(
      "Only the owner of the journal moves partitions into the archive, and this role is not it. " +
        "Run DATABASE_URL=<that of the owner> npm run archive.",
    );
  }
  const { rows } = await client.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(${LOCK}) AS taken`,
  );
  if (rows[0]?.taken === true) return;
  throw new StorageRefusal("Another process is archiving this journal; it goes on.");
}

interface PartRow {
  readonly first: string;
  readonly last: string;
  readonly manifest: string | null;
  /** Whether a table of it is still there. */
  readonly stored: boolean;
}

class Pass {
  readonly #client: Client;
  readonly #journal: PostgresJournal;
  readonly #whole: WholeJournal;
  readonly #options: ArchiveOptions;

  constructor(client: Client, journal: PostgresJournal, options: ArchiveOptions) {
    this.#client = client;
    this.#journal = journal;
    this.#whole = new WholeJournal(journal, new JournalArchive(options.store));
    this.#options = options;
  }

  async run(): Promise<readonly ArchivedPart[]> {
    const { rows } = await this.#client.query<PartRow>(
      `SELECT first, last, manifest, to_regclass('journal_' || first) IS NOT NULL
         OR to_regclass('journal_touch_' || first) IS NOT NULL AS stored
       FROM journal_part WHERE first > 1 ORDER BY first`,
    );
    const moved: ArchivedPart[] = [];
    for (const { first, last, manifest, stored } of rows) {
      if (!stored) continue;
      const place = { first: Number(first), last: Number(last) };
      const part = manifest === null ? await this.#written(place) : { ...place, manifest };
      // They go in their order, so what is archived has no gap.
      if (part === undefined) break;
      if (manifest !== null) await this.#checkAgain(part);
      for (const table of TABLES) await this.#drop(table, part.first);
      this.#options.log(`entries ${first} to ${last} are in the archive, and no longer stored`);
      moved.push(part);
    }
    return moved;
  }

  /** Undefined where the partition is not old enough. */
  async #written(place: Pick<ArchivedPart, "first" | "last">): Promise<ArchivedPart | undefined> {
    const notes = await this.#notes(place.last);
    if (notes === undefined || !(await this.#isOld(place.last))) return undefined;
    const { store } = this.#options;
    const source = await this.#source(place);
    const hash = await this.#hashOf(place.last);
    await takePlace(store, await this.#hashOf(1), { ...source, hash });
    const part = { ...place, manifest: await writePart(store, source, notes) };
    await readBack(store, part, source);
    // If we stop before this, the tables are the record; after it, the archive is one, too.
    await this.#client.query("UPDATE journal_part SET manifest = $2 WHERE first = $1", [
      part.first,
      part.manifest,
    ]);
    return part;
  }

  /** A pass before this one noted it and stopped: whether all of it came off is seen here. */
  async #checkAgain(part: ArchivedPart): Promise<void> {
    if (await this.#isAttached(part.first)) {
      await readBack(this.#options.store, part, await this.#source(part));
    }
  }

  async #isAttached(first: number): Promise<boolean> {
    const states = await Promise.all(TABLES.map((table) => this.#state(table, first)));
    return states.every((state) => state === "attached");
  }

  async #state(table: string, first: number): Promise<"attached" | "pending" | "apart" | "gone"> {
    const { rows } = await this.#client.query<{ exists: boolean; pending: boolean | null }>(
      `SELECT to_regclass($1) IS NOT NULL AS exists, (
         SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = to_regclass($1)) AS pending`,
      [`${table}_${first}`],
    );
    const [{ exists = false, pending = null } = {}] = rows;
    if (!exists) return "gone";
    if (pending === null) return "apart";
    return pending ? "pending" : "attached";
  }

  /** Neither appends nor reads wait for it: it waits for those that are under way. */
  async #drop(table: string, first: number): Promise<void> {
    const part = `${table}_${first}`;
    const state = await this.#state(table, first);
    if (state === "gone") return;
    if (state !== "apart") {
      const how = state === "pending" ? "FINALIZE" : "CONCURRENTLY";
      await this.#client.query(`ALTER TABLE ${table} DETACH PARTITION ${part} ${how}`);
    }
    await this.#client.query(`DROP TABLE ${part}`);
  }

  /** The first signed heads that vouch for it; undefined until there are some. */
  async #notes(last: number): Promise<Pick<Manifest, "checkpoint" | "logCheckpoint"> | undefined> {
    const [checkpoint] = await this.#journal.checkpointsAfter(last - 1, 1);
    const [logCheckpoint] = await this.#journal.logHeadsAfter(last - 1, 1);
    if (checkpoint === undefined || logCheckpoint === undefined) return undefined;
    return { checkpoint: checkpoint.note, logCheckpoint: logCheckpoint.note };
  }

  async #isOld(last: number): Promise<boolean> {
    const { rows } = await this.#client.query<{ age: string }>(
      `SELECT newest.time_millis - ended.time_millis AS age
       FROM journal AS ended,
         (SELECT sequence, time_millis FROM journal ORDER BY sequence DESC LIMIT 1) AS newest
       WHERE ended.sequence = $1 AND newest.sequence > $1`,
      [last],
    );
    const [row] = rows;
    return row !== undefined && Number(row.age) >= this.#options.olderThanMillis;
  }

  async #source(place: Pick<ArchivedPart, "first" | "last">): Promise<PartitionSource> {
    return {
      ...place,
      previousHash: await this.#hashOf(place.first - 1),
      journal: this.#journal,
      client: this.#client,
    };
  }

  async #hashOf(sequence: number): Promise<string> {
    const [entry] = await this.#whole.read(sequence, 1);
    return entry?.hash ?? "";
  }
}
