// A piece of work on a connection of its own, or in a transaction on one of a pool.
// Invariant: the connection ends with the work, or goes back as it was; one that breaks is a fault
// of the work, and not of the process.
import { Client, type ClientConfig, type Pool, type PoolClient } from "pg";

export async function withClient<T>(
  config: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(config);
  client.on("error", () => undefined);
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
  // A connection that breaks says so to its owner too, which its pool is not while it is lent.
  const ignored = (): void => undefined;
  client.on("error", ignored);
  try {
    await client.query("BEGIN");
    const done = await work(client);
    await client.query("COMMIT");
    client.off("error", ignored);
    client.release();
    return done;
  } catch (error) {
    // Closing it undoes what was begun, also where the server no longer answers.
    client.release(true);
    throw error;
  }
}
