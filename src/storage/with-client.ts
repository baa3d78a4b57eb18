// A pool of connections, and a piece of work on a connection of its own or in a transaction of one.
// Invariant: the connection ends with the work, or goes back as it was; one that breaks is a fault
// of the work, and not of the process.
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from "pg";

const ignored = (): void => undefined;

/**
 * A connection that breaks is replaced at the next use, or is a fault of the use it is lent to. It
 * is listened to from its first moment: the server may end a session with the packet that begins
 * it, before whoever waits for the session can listen.
 */
export function poolOf(config: PoolConfig): Pool {
  const pool = new Pool(config);
  pool.on("error", ignored);
  pool.on("connect", (client) => client.on("error", ignored));
  return pool;
}

export async function withClient<T>(
  config: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(config);
  client.on("error", ignored);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Committed once `work` is done; if it throws, nothing is. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const done = await work(client);
    await client.query("COMMIT");
    client.release();
    return done;
  } catch (error) {
    // Closing it undoes what was begun, also where the server no longer answers.
    client.release(true);
    throw error;
  }
}
