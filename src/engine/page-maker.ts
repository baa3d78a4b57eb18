// Makes the pages of snapshots from a state of its own, led on by what the journal stores.
// Invariant: each durable entry is decided again, byte for byte as it is stored, for the fields of
// a record have the order that deciding gave them, and later entries are written in that order; a
// page that no entry has touched since it was last kept is neither written out nor sent again.
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { orderNumber } from "#base/ids.ts";
import { isRejected, type Outcome } from "#core/outcome.ts";
import { orderPage, orderPageOf, orderPages, restPages } from "#core/snapshot.ts";
import { State } from "#core/state.ts";
import { noEntries } from "#journal/chain.ts";
import { type Head, type JournalReader, type SealedPage, SLICE_ENTRIES } from "#journal/journal.ts";
import type { SigningKey } from "#journal/note.ts";
import { replay } from "#journal/seal.ts";
import { packed } from "#journal/snapshot.ts";
import { readOrigin, soundSnapshot } from "./recover.ts";

/** The content of a snapshot, before it is signed. */
export interface Pages {
  readonly head: Head;
  readonly pages: readonly SealedPage[];
}

/** Makes pages here, or in a thread. */
export interface SnapshotMaker {
  /** `afresh`: nothing of what it gave before counts as kept. */
  pages(upTo: number, afresh: boolean): Promise<Pages>;
  close(): Promise<void>;
}

export interface PageMakerOptions {
  readonly journal: Pick<JournalReader, "read" | "newestSnapshot">;
  readonly key: SigningKey;
  readonly log: (message: string) => void;
}

export class PageMaker implements SnapshotMaker {
  readonly #options: PageMakerOptions;
  #state: State | undefined;
  #head = noEntries;
  /** By page of orders: the digests of what was given of it. */
  readonly #given = new Map<number, readonly string[]>();
  #givenRest = new Set<string>();

  constructor(options: PageMakerOptions) {
    this.#options = options;
  }

  async pages(upTo: number, afresh: boolean): Promise<Pages> {
    try {
      if (afresh) this.#forget();
      this.#state ??= await this.#open(upTo);
      await this.#replayTo(this.#state, upTo);
      return { head: this.#head, pages: await this.#pagesOf(this.#state) };
    } catch (error) {
      // Nobody knows how far it came: the next one begins from what is stored.
      this.#state = undefined;
      this.#forget();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#state = undefined;
    this.#forget();
  }

  #forget(): void {
    this.#given.clear();
    this.#givenRest.clear();
  }

  async #open(upTo: number): Promise<State> {
    const { journal, key, log } = this.#options;
    const origin = (await readOrigin(journal)) ?? "";
    const found = await soundSnapshot({ journal, key, origin, log }, upTo);
    this.#head = found?.head ?? noEntries;
    return found?.state ?? new State();
  }

  async #replayTo(state: State, upTo: number): Promise<void> {
    while (this.#head.size < upTo) {
      const limit = Math.min(SLICE_ENTRIES, upTo - this.#head.size);
      const entries = await this.#options.journal.read(this.#head.size + 1, limit);
      for (const stored of entries) {
        const [head, { outcome }] = replay(state, this.#head, stored);
        this.#head = head;
        this.#note(outcome);
      }
      if (entries.length < limit) throw new Error(`entry ${this.#head.size + 1} is not there`);
      await yieldToLoop();
    }
  }

  /** Pages of orders that an entry changed are written out anew. */
  #note(outcome: Outcome): void {
    for (const event of isRejected(outcome) ? [] : outcome.events) {
      if (event.type === "OrderChanged") this.#given.delete(pageOf(event.order.id));
      if (event.type !== "OrdersForgotten") continue;
      for (const id of event.orderIds) this.#given.delete(pageOf(id));
    }
  }

  /** The state does not change meanwhile: one snapshot is made after another. */
  async #pagesOf(state: State): Promise<readonly SealedPage[]> {
    const pages: SealedPage[] = [];
    const rest = new Set<string>();
    for (const pieces of restPages(state)) {
      for (const { digest, bytes } of packed(pieces)) {
        rest.add(digest);
        pages.push({ digest, bytes: this.#givenRest.has(digest) ? undefined : bytes });
      }
      await yieldToLoop();
    }
    this.#givenRest = rest;
    for (const page of orderPages(state)) {
      const given = this.#given.get(page);
      if (given !== undefined) {
        for (const digest of given) pages.push({ digest, bytes: undefined });
        continue;
      }
      const fresh = [...packed(orderPage(state, page))];
      this.#given.set(
        page,
        fresh.map(({ digest }) => digest),
      );
      pages.push(...fresh);
      await yieldToLoop();
    }
    return pages;
  }
}

const pageOf = (id: Parameters<typeof orderNumber>[0]): number => orderPageOf(orderNumber(id));
