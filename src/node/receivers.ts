// The parts of a node that each durable entry goes to, once the view has folded it.
// Invariant: a follower shows a release together with its prints, and tells nobody of it before;
// a part that fails keeps no other from the entry, and ends no node.
import type { Entry } from "#core/outcome.ts";
import type { Feed } from "#http/stream/feed.ts";
import type { ReleaseIntake } from "#ingest/releases/intake.ts";
import { log, waiting } from "./faults.ts";
import { changesMarks } from "./mark-publisher.ts";
import { untilReached } from "./until-reached.ts";

export class Receivers {
  readonly #faulted: () => void;

  /** The streams, and what delivers to webhooks. */
  feeds: readonly Pick<Feed, "take">[] = [];
  /** The parts that follow up what was entered; of a follower there are none. */
  refresh: (entry: Entry) => void = () => undefined;
  /** At a follower: who has the prints that a release brings. */
  releases: Pick<ReleaseIntake, "catchUp"> | undefined;

  /** `faulted`: a part failed; the log says which entry it failed at. */
  constructor(faulted: () => void) {
    this.#faulted = faulted;
  }

  take(entry: Entry): Promise<void> | undefined {
    const { releases } = this;
    if (releases !== undefined && changesMarks(entry)) {
      return untilCaughtUp(releases).then(() => this.#tell(entry));
    }
    this.#tell(entry);
    return undefined;
  }

  #tell(entry: Entry): void {
    for (const feed of this.feeds) this.#guarded(entry, () => feed.take(entry));
    this.#guarded(entry, () => this.refresh(entry));
  }

  #guarded({ sequence, envelope: { requestId } }: Entry, take: () => void): void {
    try {
      take();
    } catch (error) {
      this.#faulted();
      log.error({ error, sequence, requestId }, "a part of this node failed to take an entry in");
    }
  }
}

const untilCaughtUp = (releases: Pick<ReleaseIntake, "catchUp">): Promise<void> =>
  untilReached(() => releases.catchUp(), {
    isWanted: () => true,
    tell: waiting("the prints of a release wait for the database"),
  });
