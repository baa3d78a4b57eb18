// A client of a stream of the simulation: it begins at any entry, loses its node, and comes back to
// another with the last id it has read.
// Invariant: it has heard each message after the entry it began with once, as the entries tell it.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { AccountId } from "#base/ids.ts";
import type { Entry } from "#core/outcome.ts";
import { addMessage, type FeedMessage } from "#http/stream/feed-message.ts";
import { FeedReader } from "#http/stream/feed-reader.ts";
import type { Question, Surface } from "./surface.ts";

/** More than any stretch takes that a client comes back for. */
const PATIENCE_TURNS = 5_000;

export class StreamClient {
  readonly #question: Question;
  readonly #account: AccountId | undefined;
  #reader: FeedReader | undefined;
  /** The node that tells it. */
  #surface: Surface | undefined;
  /** All up to this entry was heard, and compared. */
  #after: number;
  #heard = "";

  /** To be told of what follows an entry. */
  constructor(question: Question, after: number) {
    this.#question = question;
    this.#account = question.key?.accountId;
    this.#after = after;
  }

  /** Heard at this node up to its newest entry; false where it is told nothing. */
  async hear(surface: Surface, entries: readonly Entry[]): Promise<boolean> {
    if (this.#surface !== surface && !(await this.#open(surface))) return false;
    const reader = this.#reader ?? assert.fail("the stream is open");
    for (let turns = 0; reader.position < entries.length; turns += 1) {
      if (reader.destroyed || turns > PATIENCE_TURNS) return false;
      await turn();
    }
    // The last messages are on their way to the listener.
    await turn();
    this.#compare(surface, entries);
    return true;
  }

  leave(): void {
    this.#reader?.destroy();
    this.#reader = undefined;
    this.#surface = undefined;
    this.#heard = "";
  }

  async #open(surface: Surface): Promise<boolean> {
    this.leave();
    const query = `lastEventId=${this.#after}`;
    const answer = await surface.respond({ ...this.#question, query });
    if (!("events" in answer)) return false;
    const { events } = answer;
    assert.ok(events instanceof FeedReader, "a stream is read from its feed");
    events.on("data", (chunk: Buffer) => {
      this.#heard += chunk.toString("utf8");
    });
    this.#reader = events;
    this.#surface = surface;
    return true;
  }

  #compare(surface: Surface, entries: readonly Entry[]): void {
    const account = this.#account;
    const filter = { markets: undefined, types: undefined };
    const buffers: Buffer[] = [];
    for (const entry of entries.slice(this.#after)) {
      const told: FeedMessage | undefined =
        account === undefined ? surface.toldOf(entry) : surface.ownToldOf(entry);
      if (told === undefined) continue;
      addMessage(buffers, told, account === undefined ? filter : { ...filter, account });
    }
    const heard = messagesIn(this.#heard);
    const expected = messagesIn(Buffer.concat(buffers).toString("utf8"));
    const { place } = this.#question;
    assert.deepEqual(heard, expected, `${place} of ${account ?? "all"} after ${this.#after}`);
    this.#after = entries.length;
    this.#heard = "";
  }
}

const messagesIn = (text: string): readonly string[] =>
  text.split("\n\n").filter((one) => one.includes("\nevent: entry\n"));
