// Makes a database ready to be served from by a role that may serve it and nothing more.
// Invariant: it is done while nobody leads.
import type { ClientConfig } from "pg";
import { grantServing } from "#storage/serving-role.ts";
import { PostgresJournal } from "./postgres.ts";

/**
 * As the owner: brings the schema up to date and gives `role`, which must exist, exactly the rights
 * that serving takes.
 * @throws LeadershipTaken while an exchange serves this database
 */
export async function prepareDatabase(owner: ClientConfig, role: string): Promise<void> {
  const journal = new PostgresJournal(owner);
  try {
    const lead = await journal.lead(() => undefined);
    try {
      await grantServing(owner, role);
    } finally {
      await lead.release();
    }
  } finally {
    await journal.close();
  }
}
