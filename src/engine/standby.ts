// The state of a node that does not lead: each entry another node has made durable, decided again.
// Invariant: it is the state that the entries up to `applied.head`, and nothing else, have led to.
import type { ClockKind } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import { checkWitnesses } from "#journal/checkpoint.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import { type Head, type Journal, LeadershipTaken, SLICE_ENTRIES } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { replay } from "#journal/seal.ts";
import { readOrigin, recover, refuseOtherClock, replayTo } from "./recover.ts";
import type { Applied } from "./term.ts";

interface StandbyOptions {
  readonly journal: Journal;
  readonly key: SigningKey;
  readonly file: CheckpointLog | undefined;
  readonly clock: ClockKind;
  readonly log: (message: string) => void;
}

/** An entry of another leader, as it became durable. */
interface FollowedEntry {
  readonly entry: Entry;
  readonly hash: string;
}

export class Standby {
  readonly #journal: Journal;
  #applied: Applied;

  private constructor(journal: Journal, applied: Applied) {
    this.#journal = journal;
    this.#applied = applied;
  }

  /**
   * At the journal's end, from a state this node has, or from a snapshot. Every entry that can be
   * read is durable: PostgreSQL shows a commit once the standbys it waits for have it.
   * @throws LeadershipTaken where the leader has not founded the exchange yet
   */
  static async open(options: StandbyOptions, kept: Applied | undefined): Promise<Standby> {
    const { journal, key, file, clock, log } = options;
    const origin = await readOrigin(journal).catch(noSchema);
    if (origin === undefined) throw new LeadershipTaken("Another node is founding the exchange.");
    const head = await endOf(journal);
    await checkWitnesses(journal, head, key, origin, [
      { place: "the database", note: await journal.newestCheckpoint() },
      { place: file?.path ?? "", note: file?.newest() },
    ]);
    const { state, snapshotSize } =
      (await caughtUp(journal, kept, head)) ?? (await recover(journal, head, key, origin, log));
    refuseOtherClock(state, clock);
    return new Standby(journal, { state, head, snapshotSize });
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

/** `kept`, led on to the head; undefined where the journal does not hold what led to it. */
export async function caughtUp(
  journal: Pick<Journal, "read">,
  kept: Applied | undefined,
  head: Head,
): Promise<Applied | undefined> {
  if (kept === undefined || kept.head.size === 0 || kept.head.size > head.size) return undefined;
  const [last] = await journal.read(kept.head.size, 1);
  if (last?.sequence !== kept.head.size || last.hash !== kept.head.hash) return undefined;
  await replayTo(journal, kept.state, kept.head, head);
  return { ...kept, head };
}

async function endOf(journal: Journal): Promise<Head> {
  const [last] = await journal.newest({}, Number.MAX_SAFE_INTEGER, 1, 0);
  if (last === undefined) throw new LeadershipTaken("Another node is founding the exchange.");
  return { size: last.sequence, hash: last.hash };
}

const UNDEFINED_TABLE = "42P01";

function noSchema(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== UNDEFINED_TABLE) throw error;
}
