// A connection to an exchange's database from another process, whether or not a node serves it.
// Invariant: a server that runs is left as it is; one that was started for this ends with it; no
// database is made.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { runningConnection, startEmbedded } from "./embedded.ts";
import { type ROLE, SERVING_ROLE } from "./embedded-folder.ts";
import { connectionOf } from "./hosts.ts";
import { StorageRefusal } from "./refusal.ts";

interface ReachedDatabase {
  readonly config: ClientConfig;
  close(): Promise<void>;
}

/**
 * `name`: of the sessions, for whoever looks at them in the database. `role`: of a server that runs.
 * @throws StorageRefusal where the folder has no database: a node may serve it on another one
 */
export async function openBeside(
  dataDir: string,
  databaseUrl: string | undefined,
  name: string,
  role: typeof ROLE | typeof SERVING_ROLE = SERVING_ROLE,
): Promise<ReachedDatabase> {
  const close = () => Promise.resolve();
  if (databaseUrl) {
    return { config: { ...connectionOf(databaseUrl), application_name: name }, close };
  }
  if (!existsSync(join(dataDir, "postgresql"))) {
    throw new StorageRefusal(
      `There is no database in ${dataDir}. Name the exchange's data folder in ` +
        "FIRSTPRINT_DATA_DIR, and in DATABASE_URL its PostgreSQL where it has one of its own.",
    );
  }
  const running = await runningConnection(dataDir, role).catch(() => undefined);
  if (running !== undefined) return { config: { ...running, application_name: name }, close };
  const embedded = await startEmbedded({ dataDir });
  return { config: { ...embedded.connection }, close: () => embedded.stop() };
}
