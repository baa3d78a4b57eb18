// The settings a database must have before an acknowledged order may rest on it.
// Invariant: a server that may lose or tear an acknowledged commit is refused, with the cure named.
import type { ClientBase } from "pg";

const OLDEST_MAJOR = 15;

/** The cure for each setting that must not be off. */
const cures: Readonly<Record<string, string>> = {
  fsync:
    "a power cut could lose acknowledged orders. " +
    "Run ALTER SYSTEM SET fsync = on, then SELECT pg_reload_conf()",
  full_page_writes:
    "a crash could leave half-written pages. " +
    "Run ALTER SYSTEM SET full_page_writes = on, then SELECT pg_reload_conf()",
  synchronous_commit:
    "a commit would be answered before it is on disk. " +
    "Run ALTER SYSTEM SET synchronous_commit = on, then SELECT pg_reload_conf(), " +
    "and look for ALTER ROLE or ALTER DATABASE that set it",
  data_checksums:
    "a damaged page would be read as good. " +
    "Stop the server and run pg_checksums --enable on its data directory",
};

/** A service that keeps no files of PostgreSQL's own says nothing with them, `off` or not. */
const hiddenByServices = ["fsync", "full_page_writes", "data_checksums"];

/**
 * Refuses (throws, naming every fault at once) a server older than PostgreSQL 15 or one with
 * fsync, full_page_writes, synchronous_commit or data_checksums off. synchronous_commit belongs to
 * the session, so call this on the very connection that will append. `isManaged`: the operator
 * answers for what the service hides; its version and synchronous_commit are checked as ever.
 */
export async function checkDurability(client: ClientBase, isManaged = false): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    "SELECT name, setting FROM pg_settings WHERE name = ANY($1)",
    [[...Object.keys(cures), "server_version_num", "server_version"]],
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));

  const faults: string[] = [];
  if (Number(settings.get("server_version_num")) < OLDEST_MAJOR * 10_000) {
    const version = settings.get("server_version");
    faults.push(`PostgreSQL is ${version}: ${OLDEST_MAJOR} or newer is needed. Upgrade the server`);
  }
  for (const [name, cure] of Object.entries(cures)) {
    if (isManaged && hiddenByServices.includes(name)) continue;
    const setting = settings.get(name) ?? "unknown";
    if (setting === "off" || setting === "unknown") faults.push(`${name} is ${setting}: ${cure}`);
  }
  if (faults.length > 0) throw new Error(`The database is refused: ${faults.join(". ")}.`);
}
