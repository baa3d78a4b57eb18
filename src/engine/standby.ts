// The state of a node that does not lead: each entry another node has made durable, decided again.
// Invariant: it is the state that the entries up to `applied.head`, and nothing else, have led to.
import type { Entry } from "#core/outcome.ts";
import { type Head, type Journal, LeadershipTaken, SLICE_ENTRIES } from "#journal/journal.ts";
import { replay } from "#journal/seal.ts";
import { openState, type StateOptions } from "./recover.ts";
import type { Applied } from "./term.ts";

/** An entry of another leader, as it became durable. */
interface FollowedEntry {
  readonly entry: Entry;
  readonly hash: string;
}

export class Standby {
  /** The chain's name. */
  readonly origin: string;
  readonly #journal: Journal;
  #applied: Applied;

  private constructor(journal: Journal, origin: string, applied: Applied) {
    this.#journal = journal;
    this.origin = origin;
    this.#applied = applied;
  }

  /**
   * At the journal's end, from a state this node has, or from a snapshot. Every entry that can be
   * read is durable: PostgreSQL shows a commit once the standbys it waits for have it.
   * @throws LeadershipTaken where the leader has not founded the exchange yet
   */
  static async open(options: StateOptions, takeKept: () => Applied | undefined): Promise<Standby> {
    const { journal } = options;
    const head = await endOf(journal);
    const opened = head && (await openState(options, head, takeKept));
    if (opened === undefined) throw new LeadershipTaken("Another node is founding the exchange.");
    return new Standby(journal, opened.origin, opened);
  }

  get applied(): Applied {
    return this.#applied;
  }

  /** The entries that have come since, a slice of them; none at the journal's end. */
  async next(): Promise<readonly FollowedEntry[]> {
    let { state, head, snapshotSize } = this.#applied;
    const followed: FollowedEntry[] = [];
    for (const stored of await this.#journal.read(head.size + 1, SLICE_ENTRIES)) {
      const [next, entry] = replay(state, head, stored);
      head = next;
      followed.push({ entry, hash: stored.hash });
    }
    this.#applied = { state, head, snapshotSize };
    return followed;
  }
}

const UNDEFINED_TABLE = "42P01";

/** Undefined before the first entry, and before there is a table for it. */
async function endOf(journal: Journal): Promise<Head | undefined> {
  try {
    const [last] = await journal.newest({}, Number.MAX_SAFE_INTEGER, 1, 0);
    return last && { size: last.sequence, hash: last.hash };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === UNDEFINED_TABLE) {
      return undefined;
    }
    throw error;
  }
}
