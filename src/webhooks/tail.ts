// Brings durable entries to the inboxes: as they come, or from the journal to those behind.
// Invariant: an inbox is given the entries after its position in order, none left out or twice.
import type { AccountId } from "#base/ids.ts";
import type { Entry } from "#core/outcome.ts";
import type { History } from "#engine/engine.ts";
import type { Inbox } from "./inbox.ts";
import { messageBody } from "./signature.ts";

export interface TailSource {
  readonly history: Pick<History, "after">;
  durableSequence(): number;
  /** The accounts that an entry may mean something to. */
  accountsIn(entry: Entry): readonly AccountId[];
  /** An entry as the private stream sends it to the account, JSON; undefined = nothing. */
  told(
    entry: Entry,
    account: AccountId,
    types: ReadonlySet<string> | undefined,
  ): Uint8Array | undefined;
  /** An entry as the audit trail shows it to the account, JSON. */
  toldOfTrail(entry: Entry, account: AccountId): Uint8Array;
}

/** Read from the journal at a time: decoding more would hold up the exchange. */
const SLICE_ENTRIES = 100;
/** After the journal could not be read. */
const PAUSE_MILLIS = 1_000;

export class Tail {
  readonly #source: TailSource;
  readonly #onFault: (error: unknown) => void;
  /** Those of an account's own events. */
  readonly #inboxes = new Map<AccountId, Set<Inbox>>();
  readonly #ofTrail = new Set<Inbox>();
  /** Those that read the journal, the one that has waited longest first. */
  readonly #hungry = new Set<Inbox>();
  #isWalking = false;
  /** Every entry up to here has been given to the inboxes that are live. */
  #reached: number;

  constructor(source: TailSource, onFault: (error: unknown) => void) {
    this.#source = source;
    this.#onFault = onFault;
    this.#reached = source.durableSequence();
  }

  add(inbox: Inbox): void {
    if (inbox.scope === "trail") {
      this.#ofTrail.add(inbox);
      return;
    }
    const mine = this.#inboxes.get(inbox.account) ?? new Set<Inbox>();
    this.#inboxes.set(inbox.account, mine.add(inbox));
  }

  remove(inbox: Inbox): void {
    const mine = this.#inboxes.get(inbox.account);
    mine?.delete(inbox);
    if (mine?.size === 0) this.#inboxes.delete(inbox.account);
    this.#ofTrail.delete(inbox);
    this.#hungry.delete(inbox);
  }

  /** The last entry that has been read for it. */
  positionOf(inbox: Inbox): number {
    return inbox.isLive ? Math.max(inbox.position, this.#reached) : inbox.position;
  }

  /** Durable entries, in order. */
  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#reached = entry.sequence;
      if (this.#inboxes.size + this.#ofTrail.size > 0) this.#give(entry, (inbox) => inbox.isLive);
    }
  }

  /** Has the journal read for an inbox that is behind and has room, until it has a message. */
  read(inbox: Inbox): void {
    if (inbox.isLive) return;
    this.#hungry.add(inbox);
    if (!this.#isWalking) void this.#walk();
  }

  /** Slice by slice; each is of the inbox that waited longest, and serves all that stand in it. */
  async #walk(): Promise<void> {
    this.#isWalking = true;
    for (let [first] = this.#hungry; first !== undefined; [first] = this.#hungry) {
      const from = first.position;
      try {
        this.#serve(from, await this.#source.history.after(from, SLICE_ENTRIES));
      } catch (error) {
        this.#onFault(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS).unref());
      }
      if (this.#hungry.delete(first) && isWanting(first)) this.#hungry.add(first);
    }
    this.#isWalking = false;
  }

  #serve(from: number, entries: readonly Entry[]): void {
    const upTo = entries.at(-1)?.sequence ?? from;
    const served = new Set<Inbox>();
    for (const inbox of this.#hungry) {
      if (inbox.position >= from && inbox.position <= upTo) served.add(inbox);
    }
    for (const entry of entries) {
      this.#give(
        entry,
        (inbox) => served.has(inbox),
        (inbox) => served.delete(inbox),
      );
    }
    for (const inbox of served) {
      inbox.passed(upTo);
      // Later entries come by `take`, which leaves out those that were read here.
      if (inbox.position >= this.#reached) inbox.goLive();
      if (!isWanting(inbox)) this.#hungry.delete(inbox);
    }
  }

  /** To each inbox the entry is for, if it takes it and has not read it; `full` had no room. */
  #give(
    entry: Entry,
    takes: (inbox: Inbox) => boolean,
    full: (inbox: Inbox) => void = () => undefined,
  ): void {
    const { sequence, envelope } = entry;
    for (const inbox of this.#concerned(entry)) {
      if (!takes(inbox) || sequence <= inbox.position) continue;
      const { account, scope, types } = inbox;
      const told =
        scope === "trail"
          ? this.#source.toldOfTrail(entry, account)
          : this.#source.told(entry, account, types);
      if (told === undefined) continue;
      const body = messageBody(scope, envelope.timeMillis, told);
      if (inbox.put({ sequence, body })) continue;
      full(inbox);
      this.#hungry.delete(inbox);
    }
  }

  *#concerned(entry: Entry): Generator<Inbox> {
    if (this.#inboxes.size > 0) {
      for (const account of this.#source.accountsIn(entry)) {
        yield* this.#inboxes.get(account) ?? [];
      }
    }
    yield* this.#ofTrail;
  }
}

const isWanting = (inbox: Inbox): boolean => !inbox.isLive && inbox.isEmpty;
