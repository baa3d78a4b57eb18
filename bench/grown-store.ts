// Grows the stored snapshot of an exchange that is stopped: its next start is one of that size.
// Invariant: a node opens it as its own, for it is signed with the key of its folder; its journal
// does not lead to it any more, so such a store is good for measuring and for nothing else.
import pg from "pg";
import { readOrigin } from "#engine/recover.ts";
import { loadSigningKey } from "#journal/checkpoint-key.ts";
import { PostgresJournal } from "#journal/postgres.ts";
import { openSnapshot, sealSnapshot } from "#journal/snapshot.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { answerWith, Companion } from "./companion.ts";
import type { Scope } from "./figure.ts";
import { BUSY_MARKETS, GrownExchange, type Size } from "./grown-exchange.ts";

interface Growing extends Size {
  readonly dataDir: string;
}

interface Grown {
  /** Ids of the busy markets. */
  readonly markets: readonly string[];
}

export async function growStore(scope: Scope, growing: Growing): Promise<Grown> {
  const flags = ["--max-old-space-size=12288"];
  const companion = new Companion(scope, new URL(import.meta.url), flags);
  const grown = await companion.ask(growing);
  companion.end();
  if (!isGrown(grown)) throw new Error(`not grown: ${JSON.stringify(grown)}`);
  return grown;
}

async function grow(growing: unknown): Promise<Grown> {
  if (!isGrowing(growing)) throw new Error("nothing to grow");
  const { dataDir } = growing;
  const database = await startEmbedded({ dataDir });
  const journal = new PostgresJournal(database.connection);
  const client = new pg.Client(database.connection);
  await client.connect();
  const key = await loadSigningKey(dataDir);
  const origin = await readOrigin(journal);
  const stored = await journal.newestSnapshot(Number.MAX_SAFE_INTEGER);
  if (origin === undefined || stored === undefined) throw new Error("a stop leaves a snapshot");
  const { size, note: promised } = stored;
  const whole = { size, note: promised, pages: await stored.pages() };
  const { head, state } = openSnapshot(key, origin, whole);
  const grown = new GrownExchange(state, head.size, state.lastTimeMillis);
  grown.growTo(growing);
  const { note, pages } = sealSnapshot(key, origin, head, state);
  await client.query("UPDATE snapshot SET note = $2 WHERE size = $1", [size, note]);
  await client.query("DELETE FROM snapshot_place WHERE size = $1", [size]);
  for (const [place, { digest, bytes }] of pages.entries()) {
    const named = Buffer.from(digest, "hex");
    const values = [named, bytes];
    await client.query("INSERT INTO snapshot_page VALUES ($1, $2) ON CONFLICT DO NOTHING", values);
    await client.query("INSERT INTO snapshot_place VALUES ($1, $2, $3)", [size, place, named]);
  }
  await client.end();
  await journal.close();
  await database.stop();
  return { markets: grown.markets.slice(0, BUSY_MARKETS) };
}

const isGrowing = (value: unknown): value is Growing =>
  typeof value === "object" && value !== null && "dataDir" in value;

const isGrown = (value: unknown): value is Grown =>
  typeof value === "object" && value !== null && "markets" in value;

if (import.meta.main) answerWith(grow);
