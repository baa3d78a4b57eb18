// The messages of one webhook that wait to be delivered, oldest first.
// Invariant: it has every message of its entries up to `position` that was not taken out, in order.
import type { AccountId } from "#base/ids.ts";
import type { Webhook, WebhookScope } from "#core/webhook/record.ts";

export interface Message {
  readonly sequence: number;
  readonly body: Uint8Array;
}

/** More than this is read from the journal again, once there is room. */
const MOST_MESSAGES = 32;
const MOST_BYTES = 262_144;

export class Inbox {
  readonly account: AccountId;
  readonly scope: WebhookScope;
  /** The types of events it takes; undefined = all. */
  readonly types: ReadonlySet<string> | undefined;
  #messages: Message[] = [];
  #bytes = 0;
  #position: number;
  #isLive = false;
  #wake: (() => void) | undefined;

  constructor(
    { accountId, scope, types }: Pick<Webhook, "accountId" | "scope" | "types">,
    position: number,
  ) {
    this.account = accountId;
    this.scope = scope ?? "own";
    this.types = types === null ? undefined : new Set(types);
    this.#position = position;
  }

  /** While it is live, of an entry that had something for it; `Tail.positionOf` says the rest. */
  get position(): number {
    return this.#position;
  }

  /** Entries come to it as they become durable; otherwise it reads the journal. */
  get isLive(): boolean {
    return this.#isLive;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** False where it has no room: it then stands before this entry, and is no longer live. */
  put(message: Message): boolean {
    const isFull = this.#messages.length >= MOST_MESSAGES || this.#bytes >= MOST_BYTES;
    if (isFull) {
      this.#position = message.sequence - 1;
      this.#isLive = false;
      return false;
    }
    this.#messages.push(message);
    this.#bytes += message.body.length;
    this.#position = message.sequence;
    this.#wake?.();
    return true;
  }

  /** Nothing up to here is left to be read for it. */
  passed(sequence: number): void {
    this.#position = Math.max(this.#position, sequence);
  }

  goLive(): void {
    this.#isLive = true;
  }

  /** Drops all that waits: it is read again after this entry. */
  rewind(sequence: number): void {
    this.#messages = [];
    this.#bytes = 0;
    this.#position = sequence;
    this.#isLive = false;
  }

  take(): Message | undefined {
    const message = this.#messages.shift();
    this.#bytes -= message?.body.length ?? 0;
    return message;
  }

  /** Resolves once there may be a message. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
  }
}
