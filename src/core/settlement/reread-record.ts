// A later reading of an accepted release, as its record keeps it.
// Invariant: it promises the prints it brought by their digest, as the release does.
import type { NodeId } from "#base/ids.ts";

/**
 * The file read once more, for places that were not known when it was accepted, or for one that was
 * held. The prints it brought are stored and digested apart; the counts of the release include
 * them.
 */
export interface Reread {
  /** Of the journal entry that brought it. */
  readonly sequence: number;
  /** How many releases, of every index, had been accepted before it. */
  readonly afterReleases: number;
  readonly printsDigest: string;
  /** As `ReleaseFacts` has it. */
  readonly latestDigest: string;
  /** Present where it was read for a place that had been held: nobody knew its print before. */
  readonly place?: { readonly nodeId: NodeId; readonly atMillis: number };
}
