// The database a node serves from: that of the operator, or the one in its data folder.
// Invariant: the node has only the connection that serves; in a server of its own that role may
// append to the journal and read it, and owns nothing.

import type { PostgresJournal } from "#journal/postgres.ts";
import { prepareDatabase } from "#journal/prepare-database.ts";
import { startEmbedded } from "#storage/embedded.ts";
import { connectionOf } from "#storage/hosts.ts";
import { excessOf } from "#storage/serving-role.ts";

/** Of every connection: either end notices within half a minute that the other has vanished. */
const patience = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options: "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4",
} as const;

interface DatabasePlace {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly partitionEntries: number | undefined;
}

interface Log {
  info(message: string): void;
  error(message: string): void;
}

export interface Database {
  readonly config: ConstructorParameters<typeof PostgresJournal>[0];
  readonly isEmbedded: boolean;
  stop(): Promise<void>;
}

/** The server that was named, or the one of the data folder, its schema up to date. */
export async function openDatabase(settings: DatabasePlace, log: Log): Promise<Database> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl !== undefined) {
    const stop = () => Promise.resolve();
    return { config: { ...connectionOf(databaseUrl), ...patience }, isEmbedded: false, stop };
  }
  const embedded = await startEmbedded({
    dataDir,
    log: (message) => log.info(message),
    onExit: (message) => log.error(message),
  });
  const owner = { ...embedded.connection, ...patience };
  try {
    await prepareDatabase(owner, embedded.serving.user, undefined, settings.partitionEntries);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
  return {
    config: { ...embedded.serving, ...patience },
    isEmbedded: true,
    stop: () => embedded.stop(),
  };
}

/** The rights of the role beyond serving, as a sentence; undefined where it has none. */
export async function excessIn({ config }: Database): Promise<string | undefined> {
  const excess = await excessOf(config);
  if (excess.length === 0) return undefined;
  return (
    `The role that serves may do more than serve: it ${excess.join(", it ")}. ` +
    "docs/operating/database.md says how to make one that only appends and reads."
  );
}
