// The public stream, with subscriptions that may change while it runs.
// Invariant: each entry is judged by the subscriptions that held when the exchange told it, however
// often the stream was cut in between.
import { answered, type Exchange } from "./client.ts";
import { errorOf, Refused } from "./errors.ts";
import type { Schemas } from "./openapi.ts";
import { Cut, chunksOf, type ResumeOptions, resumed, type StreamMessage } from "./stream.ts";

/** The messages to be sent; a list that is left out chooses everything. */
export interface StreamChoice {
  /** Only of these markets, at most 2,000. */
  readonly markets?: readonly string[];
  /** Only of markets of these places and of those that lie in them. */
  readonly places?: readonly string[];
  /** Only of markets of these indices. */
  readonly indexes?: readonly Schemas["StreamRelease"]["index"][];
  /** Only of markets that are measured in these months, YYYY-MM. */
  readonly expiries?: readonly string[];
  readonly types?: readonly EventType[];
}

export interface StreamOptions extends ResumeOptions, StreamChoice {}

export type EventType = NonNullable<Schemas["StreamSubscriptions"]["types"]>[number];

export interface Followed extends AsyncGenerator<StreamMessage, void> {
  /**
   * Follows these in place of what it followed, without a new connection. Resolves with the entry
   * after which they hold, while the messages are read. Where the exchange refuses them, it goes on
   * as before and the refusal is thrown.
   */
  change(choice: StreamChoice): Promise<number>;
}

/** The public stream. It ends only by `signal`, by leaving the loop, or with an error. */
export function follow(exchange: Exchange, options: StreamOptions = {}): Followed {
  const subscriptions = new Subscriptions(exchange, options);
  return Object.assign(subscriptions.messages(), {
    change: (choice: StreamChoice) => subscriptions.change(choice),
  });
}

/** As they hold after an entry, until the next ones do. */
interface Held {
  readonly choice: StreamChoice;
  readonly after: number;
}

interface Waiting {
  resolve(sequence: number): void;
  reject(reason: Error): void;
}

class Subscriptions {
  readonly #exchange: Exchange;
  readonly #options: StreamOptions;
  #wanted: StreamChoice;
  /** It holds where the reader is. */
  #choice: StreamChoice;
  /** These hold further on, in the order of their entries. */
  #later: Held[] = [];
  /** The open stream, where it tells what holds last. */
  #stream: string | undefined;
  #isOnHold = false;
  #isOver = false;
  #waiting: Waiting[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(exchange: Exchange, options: StreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#wanted = options;
    this.#choice = options;
  }

  async *messages(): AsyncGenerator<StreamMessage, void> {
    try {
      yield* resumed((after) => this.#open(after), {
        ...this.#options,
        opened: (stream, sequence) => this.#opened(stream, sequence),
        until: (position) => this.#until(position),
      });
    } finally {
      this.#isOver = true;
      for (const one of this.#waiting) one.reject(over());
    }
  }

  /** One after the other, in the order they were asked for. */
  change(choice: StreamChoice): Promise<number> {
    const turn = this.#turn.then(() => this.#change(choice));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #change(choice: StreamChoice): Promise<number> {
    if (this.#isOver) throw over();
    const before = this.#wanted;
    this.#wanted = choice;
    try {
      if (this.#stream !== undefined) return await this.#set(this.#stream, choice);
    } catch (fault) {
      if (!isGone(fault)) {
        if (fault instanceof Refused) this.#wanted = before;
        throw fault;
      }
    }
    // The stream is cut: it is opened anew with them.
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async #open(after: number | undefined): Promise<AsyncIterable<Uint8Array>> {
    this.#stream = undefined;
    if (after !== undefined) this.#reach(after);
    if (this.#later.length === 0) this.#choice = this.#wanted;
    const query = queryOf(this.#choice);
    this.#isOnHold = query === undefined;
    const { signal } = this.#options;
    const { data, error, response } = await this.#exchange.GET("/api/stream", {
      params: {
        query: {
          ...(query ?? { hold: "true" }),
          ...(after === undefined ? {} : { lastEventId: after }),
        },
      },
      headers: { accept: "text/event-stream" },
      parseAs: "stream",
      ...(signal === undefined ? {} : { signal }),
    });
    if (data === undefined || data === null) throw errorOf(response, error);
    return chunksOf(data);
  }

  async #opened(stream: string, sequence: number): Promise<void> {
    let holdsAfter = sequence;
    try {
      if (this.#isOnHold) await this.#post(stream, this.#choice);
      // The former choice is read to its end first.
      if (this.#later.length > 0) return;
      if (this.#choice !== this.#wanted) holdsAfter = await this.#set(stream, this.#wanted);
    } catch (fault) {
      throw isGone(fault) ? new Cut("the stream ended before it was set") : fault;
    }
    this.#stream = stream;
    for (const { resolve } of this.#waiting.splice(0)) resolve(holdsAfter);
  }

  /** Where a stream has to end that tells what no longer holds further on. */
  #until(position: number): number | undefined {
    this.#reach(position);
    return this.#stream === undefined ? this.#later[0]?.after : undefined;
  }

  #reach(position: number): void {
    for (let [next] = this.#later; next !== undefined && next.after <= position; ) {
      this.#choice = next.choice;
      this.#later.shift();
      [next] = this.#later;
    }
  }

  async #set(stream: string, choice: StreamChoice): Promise<number> {
    const after = await this.#post(stream, choice);
    this.#later.push({ choice, after });
    return after;
  }

  async #post(stream: string, choice: StreamChoice): Promise<number> {
    const { signal } = this.#options;
    const { markets, places, indexes, expiries, types } = choice;
    const { data } = await answered(
      this.#exchange.POST("/api/stream/{id}/subscriptions", {
        params: { path: { id: stream } },
        body: {
          ...(markets === undefined ? {} : { markets: [...markets] }),
          ...(places === undefined ? {} : { places: [...places] }),
          ...(indexes === undefined ? {} : { indexes: [...indexes] }),
          ...(expiries === undefined ? {} : { expiries: [...expiries] }),
          ...(types === undefined ? {} : { types: [...types] }),
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    return data.sequence;
  }
}

const over = (): Error => new Error("the stream is no longer followed");

/** The exchange has ended the stream, or another node answers. */
const isGone = (fault: unknown): boolean =>
  fault instanceof Refused && fault.code === "STREAM_NOT_FOUND";

const MOST_IN_ADDRESS = { markets: 200, characters: 8_000 };

/** Undefined where they do not fit into an address, or choose nothing. */
function queryOf({ markets, places, indexes, expiries, types }: StreamChoice) {
  const lists = { markets, places, indexes, expiries, types };
  const given = Object.entries(lists).flatMap(([name, list]) =>
    list === undefined ? [] : [[name, list.join(",")] as const],
  );
  const isShort =
    (markets?.length ?? 0) <= MOST_IN_ADDRESS.markets &&
    new URLSearchParams(Object.fromEntries(given)).toString().length <= MOST_IN_ADDRESS.characters;
  return isShort && given.every(([, text]) => text !== "") ? Object.fromEntries(given) : undefined;
}
