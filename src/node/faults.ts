// How a node that cannot start, or cannot go on, ends: by a sentence to a person, or by name.
// Invariant: a fault that is not understood stops the node at once.
import { pino } from "pino";
import { DownloadPlanFault } from "#ingest/downloads/plan.ts";
import { ArchiveFault, ArchiveOutOfReach } from "#journal/archive.ts";
import { ChainBreak } from "#journal/chain.ts";
import { JournalRefusal, LeadershipTaken } from "#journal/journal.ts";
import { StorageRefusal } from "#storage/refusal.ts";
import { SettingsFault } from "./settings-fault.ts";

/** Without it a fault would be told without its message. */
const serializers = { error: pino.stdSerializers.err };

/** The log of the node: a line a fact, to standard error. */
export const log = pino({ level: "info", serializers }, pino.destination(2));

/** Logs what is waited for when that begins, with the fault, and when it is over. */
export const waiting =
  (what: string) =>
  (fault: unknown): void => {
    if (fault === undefined) log.info(`${what}: no longer`);
    else log.warn({ error: fault }, what);
  };

/** A start that cannot go on; the message is a sentence for whoever started it. */
export class StartFault extends Error {
  override readonly name = "StartFault";
}

export function notStarted(error: unknown): never {
  throw error instanceof Error ? new StartFault(error.message, { cause: error }) : error;
}

/** An error with a code comes from the database or the way to it; without one it is our own. */
export function notReached(error: unknown): never {
  if (error instanceof ArchiveFault || error instanceof ArchiveOutOfReach) {
    throw new StartFault(error.message, { cause: error });
  }
  if (!(error instanceof Error && "code" in error)) throw error;
  const said = error.message || String(error.code);
  throw new StartFault(`The database cannot be used: ${said}`, { cause: error });
}

/** Our own mistake, or a store that must not be served from: stop at once, by name. */
export function fail(error: unknown): void {
  tell(error);
  process.exit(exitCodeOf(error));
}

/** EX_CONFIG of sysexits.h: the same start ends the same way, until a person has done something. */
export const NEEDS_PERSON = 78;

/** A supervisor that starts the node again helps where this is 1. */
export function exitCodeOf(error: unknown): number {
  const cause = error instanceof StartFault ? (error.cause ?? error) : error;
  if (cause instanceof LeadershipTaken) return 1;
  const lasting = [SettingsFault, DownloadPlanFault, JournalRefusal, StorageRefusal, ChainBreak];
  return lasting.some((kind) => cause instanceof kind) ? NEEDS_PERSON : 1;
}

export function tell(error: unknown): void {
  const isSentence = [
    SettingsFault,
    DownloadPlanFault,
    StartFault,
    JournalRefusal,
    StorageRefusal,
  ].some((kind) => error instanceof kind);
  if (isSentence && error instanceof Error) process.stderr.write(`${error.message}\n`);
  else log.fatal(error, "the node stops");
}
