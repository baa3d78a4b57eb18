// The engine's interface to the surfaces: submit a command, wait for durability, read history.
// Invariant: an answer is given only when its journal entry, and every one before it, is durable.
import type { Actor, Command, Envelope } from "#core/command.ts";
import { type Entry, isRejected, type Outcome } from "#core/outcome.ts";
import type { State } from "#core/state.ts";
import type { Disclosure } from "#journal/commitment.ts";
import type { FiledRange, TouchRange } from "#journal/journal.ts";
import type { EntrySubject } from "#journal/touches.ts";
import type { TransparencyLog } from "#journal/transparency-log.ts";
import type { JournalVerification } from "#journal/verify.ts";

/** The request was not put in order: nothing has happened. */
export type Refusal =
  | "IDEMPOTENCY_MISMATCH"
  | "IDEMPOTENCY_IN_FLIGHT"
  | "OVERLOADED"
  | "EXCHANGE_FULL"
  | "NOT_LEADER"
  | "STOPPING";

/** Why a request was answered NOT_LEADER. */
export const notLeaderReasons = [
  "starting",
  "elsewhere",
  "handing_over",
  "ended",
  "unheard",
] as const;
export type NotLeaderReason = (typeof notLeaderReasons)[number];

export type Result =
  /** An outcome that is durable, with the place and time it was decided at. */
  | {
      /** Null when the refusal was not worth an entry. */
      readonly sequence: number | null;
      readonly timeMillis: number;
      /** The first request's id when this is a replay. */
      readonly requestId: string | null;
      readonly outcome: Outcome;
      /** True when the same key had been answered before: this is that answer. */
      readonly replayed: boolean;
    }
  | { readonly refused: Refusal }
  /** The journal did not say whether it took the entry: the idempotency key finds out. */
  | { readonly unknown: true };

/** The command was decided and not rejected, and what it changed is durable. */
export const isAccepted = (result: Result): boolean =>
  "outcome" in result && !isRejected(result.outcome);

export type Mode = "starting" | "standby" | "follower" | "open" | "cancel_only" | "halted";

/** The part a node plays now: it takes orders, waits to, or only reads. */
export type NodeRole = "leader" | "standby" | "follower";

/** An answer is for anybody, or for the holder of a key. */
export type Privacy = "public" | "private";

export interface Status {
  readonly mode: Mode;
  readonly role: NodeRole;
  /** So old what this node shows may be; null at the node that leads, and where nobody knows. */
  readonly lagMillis: number | null;
  readonly sequence: number;
  readonly durableSequence: number;
  readonly engineTimeMillis: number;
  /** Of the room for records and of the memory orders may use, in hundredths from 0 to 1. */
  readonly usedShare: number;
}

/** An entry as the chain keeps it. */
export interface ChainedEntry {
  readonly entry: Entry;
  readonly hash: string;
  readonly previousHash: string;
  /** The content its hash covers, with every part of it. */
  disclose(): Disclosure;
}

export interface AuditFilter {
  /** Only entries that concern this account (a trader's own view). */
  readonly concerns?: string;
  /** Only entries that concern this account, or moved its cash or a position of it. */
  readonly party?: string;
  /** No entries whose account nobody else is told. */
  readonly withoutSealed?: true;
  readonly resource?: string;
  /** Only entries whose actor has this address, or `root`, `system`. */
  readonly userId?: string;
  readonly action?: string;
  readonly severity?: string;
  readonly fromSeconds?: number;
  readonly toSeconds?: number;
}

/** A page of a search; `before` is exclusive, and left out at its newest page. */
export interface SearchRange {
  readonly before?: number;
  readonly limit: number;
}

/** All matching entries from `from` up to where the search began, or the newest of them. */
export interface Searched {
  readonly entries: readonly ChainedEntry[];
  readonly from: number;
  /** `before` of the next page; undefined where nothing is left to look at. */
  readonly next: number | undefined;
}

/** The part of a journal's verification that a serving node shows. */
export type Verification = Omit<
  JournalVerification,
  "checkpoints" | "logHeads" | "snapshots" | "folded" | "releases" | "heldReleases"
>;

/** Thrown when too many history reads are in flight; the caller should retry later. */
export class HistoryBusy extends Error {
  override readonly name = "HistoryBusy";
}

/** Subjects of entries (`touches.ts`), from one, inclusive, to another, exclusive. */
export type SubjectRange = Pick<FiledRange, "from" | "below">;

export interface Filed {
  readonly subject: EntrySubject;
  readonly entry: Entry;
}

/** Reads of what is already durable; any of them may throw `HistoryBusy` but `after`, `verify`. */
export interface History {
  entry(sequence: number): Promise<ChainedEntry | undefined>;
  /** Newest first, in one snapshot; `offset` of them passed over, at most `limit`. */
  newest(filter: AuditFilter, limit: number, offset: number): AsyncIterable<ChainedEntry>;
  /** Newest first, of a stretch that costs no more however long the journal is. */
  search(filter: AuditFilter, range: SearchRange): Promise<Searched>;
  counts(filter: AuditFilter): Promise<readonly AuditCount[]>;
  /** Entries that touch every one of the accounts and markets named; at most `limit`. */
  touching(range: TouchRange, limit: number): Promise<readonly Entry[]>;
  /** Durable entries by their subjects, the last subject first; at most `limit`. */
  filed(range: SubjectRange, limit: number): Promise<readonly Filed[]>;
  /** The newest durable entry before this moment of the engine's time; 0 where there is none. */
  sequenceBefore(timeMillis: number): Promise<number>;
  /** Oldest first, in one snapshot. */
  export(filter: AuditFilter): AsyncIterable<ChainedEntry>;
  /** Ascending, those that follow `sequence`; short of `limit` only at the durable end. */
  after(sequence: number, limit: number): Promise<readonly Entry[]>;
  verify(): Promise<Verification>;
  /** The newest that was signed. */
  checkpoint(): Checkpoint | undefined;
  /** The transparency log over the entries; undefined until this node has led. */
  log(): PublicLog | undefined;
}

/** The functions of the transparency log that are open to anybody. */
export type PublicLog = Pick<
  TransparencyLog,
  | "origin"
  | "verifierKey"
  | "newest"
  | "witnessed"
  | "headAt"
  | "inclusion"
  | "consistency"
  | "tile"
  | "entries"
>;

export interface Checkpoint {
  /** The signed note, as it was signed. */
  readonly note: string;
  /** The key to check it with: `name+id+base64`, as C2SP signed-note writes it. */
  readonly verifierKey: string;
}

export interface AuditCount {
  readonly action: string;
  readonly severity: string;
  readonly count: number;
  readonly firstSeconds: number;
  readonly lastSeconds: number;
}

/** Gives the exchange a command of its own occasion, and answers once it is durable. */
export type Submit = (command: Command) => Promise<Result>;

/** `nothing`: for as long as all is drawn again. */
export type Showing = "everything" | "no_accounts" | "nothing";

/** A node's readers: the durable entries as it shows them. */
export interface Shown {
  /** An entry could not be taken in: nothing is answered before all is drawn again. */
  readonly isBehind: boolean;
  /** It could not be drawn again either: what is shown of accounts cannot be trusted. */
  readonly isLost: boolean;
  /** From a state in which everything is durable. */
  redraw(state: State): Promise<void> | undefined;
}

export const showingOf = (shown: Shown | undefined): Showing => {
  if (shown?.isBehind === true) return "nothing";
  return shown?.isLost === true ? "no_accounts" : "everything";
};

export interface Engine {
  /** The sequencer adds the time, when it gives the envelope its place. */
  submit(envelope: Omit<Envelope, "timeMillis">): Promise<Result>;
  status(): Status;
  /** Whether what this node shows is as the journal has it, or was a moment ago. */
  isCurrent(privacy: Privacy): boolean;
  /** Whether it is within a moment: a node that was busy reads the sign of it in its next turns. */
  becomesCurrent(privacy: Privacy): Promise<boolean>;
  /** A fault of ours may leave a node that shows less than all. */
  shows(): Showing;
  /** Whether the entry is durable and shown here, now or within a second. */
  reaches(sequence: number): boolean | Promise<boolean>;
  /** Units that this command costs whoever gives it, by what it carries. */
  chargeOf(actor: Actor, command: Command): number;
  /** How long an answer under a key is kept for this actor now; undefined = for a day. */
  answersKeptSeconds(actor: Actor): number | undefined;
  readonly history: History;
}
