// Makes a database ready to be served from by a role that may serve it and nothing more.
// Invariant: what a leader writes beside its entries is drawn anew only while nobody leads.
import type { ClientConfig } from "pg";
import { requireSchema } from "#storage/migrate.ts";
import { grantServing } from "#storage/serving-role.ts";
import { withClient } from "#storage/with-client.ts";
import { LeadershipTaken } from "./journal.ts";
import { PostgresJournal } from "./postgres.ts";
import { RULES } from "./redraw.ts";

/**
 * As the owner: brings the schema up to date and gives `role`, which must exist, exactly the rights
 * that serving takes. An exchange of an older version may go on serving meanwhile.
 * @throws LeadershipTaken where that must wait until no exchange serves this database
 */
export async function prepareDatabase(
  owner: ClientConfig,
  role: string,
  schema?: URL,
  partitionEntries?: number,
): Promise<void> {
  const journal = new PostgresJournal(owner, 0, "checked", schema, partitionEntries);
  try {
    const lead = await journal
      .lead(() => undefined)
      .catch(async (error) => {
        if (!(error instanceof LeadershipTaken && (await isUpToDate(owner, schema)))) throw error;
        return undefined;
      });
    try {
      await grantServing(owner, role);
    } finally {
      await lead?.release();
    }
  } finally {
    await journal.close();
  }
}

const isUpToDate = (owner: ClientConfig, schema?: URL): Promise<boolean> =>
  withClient(owner, (client) =>
    requireSchema(client, RULES, schema).then(
      () => true,
      () => false,
    ),
  );
