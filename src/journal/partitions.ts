// The partitions of the journal, made before the head reaches them.
// Invariant: no append meets a place that has no partition: it waits for one first.
import type { Client, Pool } from "pg";
import { JournalRefusal } from "./journal.ts";

/** After a fault appends do not ask again at once. */
const RETRY_MILLIS = 1_000;

/** Of one term; partitions are made on connections that no append uses. */
export class PartitionsAhead {
  readonly #pool: Pool;
  /** The last sequence that has a place. */
  #reached: number;
  readonly #entries: number;
  #making: Promise<void> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  private constructor(pool: Pool, { reached, entries }: Extended) {
    this.#pool = pool;
    this.#reached = reached;
    this.#entries = entries;
  }

  static async make(pool: Pool): Promise<PartitionsAhead> {
    return new PartitionsAhead(pool, await extend(pool));
  }

  /** Resolves once there is a place for this entry. */
  async holds(last: number): Promise<void> {
    while (last > this.#reached) {
      const before = this.#reached;
      await (this.#making ?? this.#make());
      if (this.#reached > before) continue;
      throw new Error(`no partition for entry ${last}: they are made up to ${before}`);
    }
  }

  /** The journal has come as far as this: less than a whole partition ahead is too little. */
  grown(last: number): void {
    if (this.#reached - last >= this.#entries || this.#making !== undefined) return;
    if (performance.now() - this.#failedAt < RETRY_MILLIS) return;
    // An append that finds no place tries again, and fails where this did.
    void this.#make().catch(() => {
      this.#failedAt = performance.now();
    });
  }

  #make(): Promise<void> {
    this.#making = extend(this.#pool)
      .then(({ reached }) => {
        this.#reached = reached;
      })
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }
}

interface Extended {
  readonly reached: number;
  /** The entries of a partition. */
  readonly entries: number;
}

async function extend(pool: Pool): Promise<Extended> {
  const { rows } = await pool.query<{ reached: string; entries: string }>(
    "SELECT journal_extend() AS reached, entries FROM journal_layout",
  );
  const [{ reached = 0, entries = 0 } = {}] = rows;
  return { reached: Number(reached), entries: Number(entries) };
}

/**
 * Partitions that are there stay as they are.
 * @throws JournalRefusal where they are to be of another size, and this role may not say so
 */
export async function layOut(client: Client, entries: number, isOwner: boolean): Promise<void> {
  const { rows } = await client.query<{ entries: string }>("SELECT entries FROM journal_layout");
  const laidOut = Number(rows[0]?.entries ?? 0);
  if (laidOut === entries) return;
  if (isOwner) {
    await client.query("UPDATE journal_layout SET entries = $1", [entries]);
    return;
  }
  throw new JournalRefusal(
    `FIRSTPRINT_PARTITION_ENTRIES is ${entries}, and the partitions of this journal are of ` +
      `${laidOut} entries. Only its owner changes that: run FIRSTPRINT_PARTITION_ENTRIES=${entries} ` +
      "DATABASE_URL=<that of the owner> npm run schema -- <role that serves>, or leave it out.",
  );
}
