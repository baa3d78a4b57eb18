// Snapshots in PostgreSQL: a note each, the list of its pages, and each page once.
// Invariant: a snapshot is stored whole, by the leader of the newest epoch, or not at all; a page
// is there as long as a snapshot that keeps its pages names it.
import type { ClientBase, Pool } from "pg";
import { copyOut } from "#storage/copy-out.ts";
import { inTransaction } from "#storage/with-client.ts";
import type { KeptSnapshot, SealedPage, SealedSnapshot, SnapshotPage } from "./journal.ts";

/** Older ones keep their note. */
const SNAPSHOTS_WITH_PAGES = 3;

/** A leader that stands still while it keeps a snapshot must not keep rows locked for ever. */
const SILENCE_MILLIS = 60_000;

/** Throws where it is not kept. */
export async function keepSnapshot(
  pool: Pool,
  epoch: number,
  snapshot: SealedSnapshot,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MILLIS}`);
    await writePages(client, snapshot.pages);
    await writeSnapshot(client, snapshot);
    const { rowCount } = await client.query("SELECT FROM leader WHERE epoch = $1 FOR SHARE", [
      epoch,
    ]);
    if (rowCount !== 1) throw new Error(`epoch ${epoch} is over`);
  });
}

/** One that comes with its bytes takes the place of what is there: that may have been damaged. */
async function writePages(client: ClientBase, pages: readonly SealedPage[]): Promise<void> {
  const known = pages.filter(({ bytes }) => bytes === undefined);
  const { rows } = await client.query<{ digest: Buffer }>(
    "SELECT digest FROM snapshot_page WHERE digest = ANY($1)",
    [digestsOf(known)],
  );
  const present = new Set(rows.map(({ digest }) => digest.toString("hex")));
  for (const { digest, bytes } of pages) {
    if (bytes === undefined) {
      if (!present.has(digest)) throw new Error(`its page ${digest} is no longer stored`);
      continue;
    }
    await client.query(
      `INSERT INTO snapshot_page (digest, bytes) VALUES ($1, $2)
       ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes
       WHERE snapshot_page.bytes <> excluded.bytes`,
      [Buffer.from(digest, "hex"), bytes],
    );
  }
}

/** In place of another of its size. */
async function writeSnapshot(client: ClientBase, snapshot: SealedSnapshot): Promise<void> {
  const { size, note, pages } = snapshot;
  await client.query(
    `INSERT INTO snapshot (size, note) VALUES ($1, $2)
     ON CONFLICT (size) DO UPDATE SET note = excluded.note`,
    [size, note],
  );
  await client.query("DELETE FROM snapshot_place WHERE size = $1", [size]);
  await client.query(
    `INSERT INTO snapshot_place (size, place, digest)
     SELECT $1, place - 1, digest FROM unnest($2::bytea[]) WITH ORDINALITY AS of (digest, place)`,
    [size, digestsOf(pages)],
  );
  await client.query(
    `DELETE FROM snapshot_place WHERE size < (
       SELECT min(size) FROM (
         SELECT DISTINCT size FROM snapshot_place WHERE size <= $1
         ORDER BY size DESC LIMIT ${SNAPSHOTS_WITH_PAGES}
       ) AS newest)`,
    [size],
  );
  await client.query(
    `DELETE FROM snapshot_page AS page WHERE NOT EXISTS (
       SELECT FROM snapshot_place AS place WHERE place.digest = page.digest)`,
  );
}

const digestsOf = (pages: readonly SealedPage[]): readonly Buffer[] =>
  pages.map(({ digest }) => Buffer.from(digest, "hex"));

/** The newest of fewer than `below` entries that still has its pages. */
export async function newestSnapshot(pool: Pool, below: number): Promise<KeptSnapshot | undefined> {
  const { rows } = await pool.query<{ size: string; note: string }>(
    `SELECT size, note FROM snapshot
     WHERE size < $1
       AND EXISTS (SELECT FROM snapshot_place AS place WHERE place.size = snapshot.size)
     ORDER BY size DESC LIMIT 1`,
    [below],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { size: Number(row.size), note: row.note, pages: () => pagesOf(pool, row.size) };
}

/** So many in one query, which has to be answered in time over a slow connection too. */
const PAGES_AT_ONCE = 16;

async function pagesOf(pool: Pool, size: string): Promise<readonly SnapshotPage[]> {
  const pages: SnapshotPage[] = [];
  for (;;) {
    const next = pages.length;
    const rows = await copyOut(
      pool,
      `SELECT place::bigint, digest, bytes FROM snapshot_place JOIN snapshot_page USING (digest)
       WHERE size = ${size} AND place >= ${next} AND place < ${next + PAGES_AT_ONCE}
       ORDER BY place`,
      (row) => ({ place: row.bigint(), digest: row.hex(), bytes: row.bytes() }),
    );
    for (const { place, ...page } of rows) if (place === pages.length) pages.push(page);
    // One is missing, or this was the last.
    if (pages.length < next + PAGES_AT_ONCE) return pages;
  }
}
