// The role that serves: what it may do with each table, and what it must not be able to do.
// Invariant: it owns nothing, and of the journal it adds and reads entries and changes none.
import type { Client, ClientBase, ClientConfig } from "pg";
import { withClient } from "./with-client.ts";

/**
 * Every table of the schema. Appended rows can be neither changed nor removed. A row
 * lock needs the right to change a column, so `leader` gives the one that a new term raises. Tiles
 * are drawn anew where they differ from the entries, and notes get cosignatures.
 */
export const RIGHTS: Readonly<Record<string, string>> = {
  journal: "SELECT, INSERT",
  journal_touch: "SELECT, INSERT",
  journal_part: "SELECT",
  journal_layout: "SELECT",
  leader: "SELECT, UPDATE (epoch)",
  heartbeat: "SELECT, UPDATE (noted_at)",
  shared_secret: "SELECT, INSERT, UPDATE (fingerprint)",
  schema_step: "SELECT",
  drawn: "SELECT",
  checkpoint: "SELECT, INSERT, UPDATE (note), DELETE",
  log_checkpoint: "SELECT, INSERT, UPDATE (note), DELETE",
  log_tile: "SELECT, INSERT, UPDATE (hashes)",
  snapshot: "SELECT, INSERT, UPDATE (note)",
  snapshot_page: "SELECT, INSERT, UPDATE (bytes), DELETE",
  snapshot_place: "SELECT, INSERT, DELETE",
  print_block: "SELECT, INSERT, DELETE",
  print_latest: "SELECT, INSERT, DELETE",
  raw_chunk: "SELECT, INSERT, DELETE",
  raw_file: "SELECT, INSERT, UPDATE, DELETE",
  kyc_subject: "SELECT, INSERT, DELETE",
  kyc_key: "SELECT, INSERT, DELETE",
  market_day: "SELECT, INSERT, UPDATE",
  market_day_reached: "SELECT, UPDATE (sequence)",
  webhook_cursor: "SELECT, INSERT, UPDATE, DELETE",
  webhook_delivery: "SELECT, INSERT, DELETE",
};

/** They run with the rights of the owner. */
const FUNCTIONS = ["journal_extend()"];

/** As the owner: gives `role`, which must exist, exactly these rights. */
export const grantServing = (owner: ClientConfig, role: string): Promise<void> =>
  withClient(owner, (client) => grant(client, role));

async function grant(client: Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const { rows } = await client.query<{ database: string; schema: string }>(
    "SELECT current_database() AS database, current_schema() AS schema",
  );
  const [{ database = "", schema = "" } = {}] = rows;
  const inDatabase = client.escapeIdentifier(database);
  const inSchema = client.escapeIdentifier(schema);
  await client.query("BEGIN");
  // A table of the same name in a schema that is looked at first would be read in its place.
  await client.query(`REVOKE CREATE, TEMPORARY ON DATABASE ${inDatabase} FROM PUBLIC, ${name}`);
  await client.query(`GRANT CONNECT ON DATABASE ${inDatabase} TO ${name}`);
  await client.query(`REVOKE CREATE ON SCHEMA ${inSchema} FROM PUBLIC, ${name}`);
  await client.query(`GRANT USAGE ON SCHEMA ${inSchema} TO ${name}`);
  for (const [table, rights] of Object.entries(RIGHTS)) {
    await client.query(`REVOKE ALL ON ${table} FROM PUBLIC, ${name}`);
    await client.query(`GRANT ${rights} ON ${table} TO ${name}`);
  }
  for (const made of FUNCTIONS) {
    await client.query(`REVOKE ALL ON FUNCTION ${made} FROM PUBLIC, ${name}`);
    await client.query(`GRANT EXECUTE ON FUNCTION ${made} TO ${name}`);
  }
  await client.query("COMMIT");
}

/** The rights of a role, or of this connection's, beyond serving, each a part of a sentence. */
export const excessOf = (config: ClientConfig, role?: string): Promise<readonly string[]> =>
  withClient(config, async (client) => {
    const { rows } = await client.query<Powers>(powersSql, [role ?? null]);
    const [powers] = rows;
    if (powers === undefined || powers.superuser) return ["is a superuser"];
    return excesses.flatMap(([power, says]) => (powers[power] ? [says] : []));
  });

interface Powers {
  readonly superuser: boolean;
  readonly roles: boolean;
  readonly server: boolean;
  readonly owner: boolean;
  readonly entries: boolean;
  readonly tables: boolean;
}

const excesses: readonly (readonly [keyof Powers, string])[] = [
  ["roles", "makes roles or reads the write-ahead log"],
  ["server", "reads, writes or runs files of the database's machine"],
  ["owner", "owns the journal or can become its owner"],
  ["entries", "changes or removes entries of the journal"],
  ["tables", "makes tables, which are read in place of the journal"],
];

const powersSql = `
  SELECT rolsuper AS superuser, rolcreaterole OR rolreplication AS roles,
    pg_has_role(rolname, 'pg_read_server_files', 'MEMBER')
      OR pg_has_role(rolname, 'pg_write_server_files', 'MEMBER')
      OR pg_has_role(rolname, 'pg_execute_server_program', 'MEMBER') AS server,
    pg_has_role(rolname, relowner, 'MEMBER') AS owner,
    has_table_privilege(rolname, journal.oid, 'DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(rolname, journal.oid, 'UPDATE') AS entries,
    has_schema_privilege(rolname, relnamespace, 'CREATE')
      OR has_database_privilege(rolname, current_database(), 'TEMP') AS tables
  FROM pg_roles, pg_class AS journal
  WHERE rolname = coalesce($1, current_user) AND journal.oid = to_regclass('journal')`;

/**
 * In the server that comes with the exchange: the role with this password and without any power of
 * the server's. As a superuser.
 */
export async function keepServingRole(
  client: ClientBase,
  role: string,
  password: string,
): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
  // The statement holds the password: whatever the server logs, not this.
  await client.query(
    `SET log_statement = 'none'; SET log_min_error_statement = 'panic';
     SET log_min_duration_statement = -1`,
  );
  await client.query(
    `${rowCount === 0 ? "CREATE" : "ALTER"} ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB
     NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${password}'`,
  );
}
