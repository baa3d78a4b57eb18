// A connection to an exchange's database from another process, whether or not a node serves it.
// Invariant: a server that runs is left as it is; one that was started for this ends with it.
import type { ClientConfig } from "pg";
import { runningConnection, startEmbedded } from "./embedded.ts";
import { SERVING_ROLE } from "./embedded-folder.ts";
import { connectionOf } from "./hosts.ts";

interface ReachedDatabase {
  readonly config: ClientConfig;
  close(): Promise<void>;
}

/** `name`: of the sessions, for whoever looks at them in the database. */
export async function openBeside(
  dataDir: string,
  databaseUrl: string | undefined,
  name: string,
): Promise<ReachedDatabase> {
  const close = () => Promise.resolve();
  if (databaseUrl) {
    return { config: { ...connectionOf(databaseUrl), application_name: name }, close };
  }
  const running = await runningConnection(dataDir, SERVING_ROLE).catch(() => undefined);
  if (running !== undefined) return { config: { ...running, application_name: name }, close };
  const embedded = await startEmbedded({ dataDir });
  return { config: { ...embedded.connection }, close: () => embedded.stop() };
}
