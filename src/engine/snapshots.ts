// Snapshots of a term: their pages are made beside the leader's state, and kept as it grows.
// Invariant: a snapshot is an aid for the next start; one that cannot be made stops nothing.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { messageOf } from "#base/message-of.ts";
import type { SealedPage, SealedSnapshot } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { pagesOf, sealPages } from "#journal/snapshot.ts";
import type { SnapshotMaker } from "./page-maker.ts";
import type { Term } from "./term.ts";

interface SnapshotsOptions {
  readonly key: SigningKey;
  /** From one to the next, in entries. */
  readonly snapshotEntries: number;
  readonly log: (message: string) => void;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #maker: SnapshotMaker;
  #busy: Promise<void> | undefined;
  /** The term in which the pages that were given are kept. */
  #keptIn: Term | undefined;
  #hasBegun = false;

  constructor(options: SnapshotsOptions, maker: SnapshotMaker) {
    this.#options = options;
    this.#maker = maker;
  }

  /** One at a time: what grows meanwhile is in the next. */
  grown(term: Term): void {
    const { size } = term.durable;
    if (this.#busy !== undefined) return;
    if (size - term.snapshotSize < this.#options.snapshotEntries) return;
    void this.#then(() => this.#make(term, size));
  }

  /** At the end of a term, where everything is durable and nothing changes any more. */
  finish(term: Term): Promise<void> {
    return this.#then(async () => {
      const { size } = term.durable;
      if (term.snapshotSize === size) return;
      if (this.#hasBegun) await this.#make(term, size);
      else await this.#keep(term, size, () => this.#sealed(term));
    });
  }

  /** Ends what makes the pages, and frees its memory; the next snapshot begins it again. */
  close(): Promise<void> {
    return this.#then(async () => {
      this.#hasBegun = false;
      await this.#maker.close();
    });
  }

  /** One after another; neither fails. */
  #then(work: () => Promise<void>): Promise<void> {
    const done = (this.#busy ?? Promise.resolve()).then(work).finally(() => {
      if (this.#busy === done) this.#busy = undefined;
    });
    this.#busy = done;
    return done;
  }

  #make(term: Term, size: number): Promise<void> {
    this.#hasBegun = true;
    return this.#keep(term, size, async () => {
      const { head, pages } = await this.#maker.pages(size, this.#keptIn !== term);
      return sealPages(this.#options.key, term.origin, head, pages);
    });
  }

  /** From the term's own state: a maker that has none would have to read all of it first. */
  async #sealed(term: Term): Promise<SealedSnapshot> {
    const pages: SealedPage[] = [];
    for (const page of pagesOf(term.state)) {
      pages.push(page);
      await yieldToLoop();
    }
    return sealPages(this.#options.key, term.origin, term.durable, pages);
  }

  async #keep(term: Term, size: number, make: () => Promise<SealedSnapshot>): Promise<void> {
    term.snapshotSize = size;
    try {
      await term.lead.keepSnapshot(await make());
      this.#keptIn = term;
    } catch (error) {
      this.#keptIn = undefined;
      this.#options.log(`no snapshot at entry ${size}: ${messageOf(error)}`);
    }
  }
}
