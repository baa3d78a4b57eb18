// Snapshots of a term's state, sealed as it grows and kept when their own entry is durable.
// Invariant: a snapshot is an aid for the next start; one that cannot be made stops nothing.
import { messageOf } from "#base/message-of.ts";
import type { StoredSnapshot } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { sealSnapshot } from "#journal/snapshot.ts";
import type { Term } from "./term.ts";

interface SnapshotsOptions {
  readonly key: SigningKey;
  /** From one to the next, in entries. */
  readonly snapshotEntries: number;
  readonly log: (message: string) => void;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  #saving: Promise<void> | undefined;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /** The snapshots under way; another one may follow them. */
  get saving(): Promise<void> | undefined {
    return this.#saving;
  }

  /** The state runs ahead of the journal, so a snapshot waits until its own entry is durable. */
  grown(term: Term): void {
    if (
      term.snapshot === undefined &&
      term.applied.size - term.snapshotSize >= this.#options.snapshotEntries
    ) {
      term.snapshot = this.#sealed(term);
      term.snapshotSize = term.applied.size;
    }
    const { snapshot } = term;
    if (snapshot === undefined || snapshot.size > term.durable.size) return;
    term.snapshot = undefined;
    // One after another: an older one that takes its time is neither overtaken nor left by a stop.
    this.#saving = (this.#saving ?? Promise.resolve()).then(() => this.#keep(term, snapshot));
  }

  /** At the end of a term, where everything is durable. */
  async finish(term: Term): Promise<void> {
    if (term.snapshotSize < term.durable.size) await this.#keep(term, this.#sealed(term));
  }

  #sealed(term: Term): StoredSnapshot | undefined {
    try {
      return sealSnapshot(this.#options.key, term.origin, term.applied, term.state);
    } catch (error) {
      this.#options.log(`no snapshot at entry ${term.applied.size}: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #keep(term: Term, snapshot: StoredSnapshot | undefined): Promise<void> {
    try {
      if (snapshot !== undefined) await term.lead.keepSnapshot(snapshot);
    } catch (error) {
      this.#options.log(`no snapshot at entry ${snapshot?.size}: ${messageOf(error)}`);
    }
  }
}
