// Where the journal is, in words that can be handed to a thread: connections cannot.
// Invariant: the thread reaches the server that this process would reach.
import { connectionOf } from "#storage/hosts.ts";
import { PostgresJournal } from "./postgres.ts";

type Config = ConstructorParameters<typeof PostgresJournal>[0];

export interface JournalPlace {
  readonly config: Config;
  /** Where several hosts are named, the one that accepts writes is found by whoever connects. */
  readonly databaseUrl: string | undefined;
}

/** Without the function that finds the host. */
export function portable({ config, databaseUrl }: JournalPlace): JournalPlace {
  const { stream: _, ...words } = config;
  return { config: words, databaseUrl };
}

export const journalAt = ({ config, databaseUrl }: JournalPlace): PostgresJournal =>
  new PostgresJournal({
    ...config,
    ...(databaseUrl === undefined ? {} : connectionOf(databaseUrl)),
  });
