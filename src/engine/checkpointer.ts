// Signs the chain's head while it grows: each second or thousand entries, and when asked.
// Invariant: one checkpoint at a time, rising, each in the file before it is in the database.

import { signCheckpoint } from "#journal/checkpoint.ts";
import type { CheckpointLog } from "#journal/checkpoint-file.ts";
import type { Head, Lead } from "#journal/journal.ts";
import { type SigningKey, signedByFormer } from "#journal/note.ts";
import type { TransparencyLog } from "#journal/transparency-log.ts";

export interface Cadence {
  readonly entries: number;
  readonly millis: number;
}

/** The appends wait when the checkpoints fall this many times their cadence behind. */
const BEHIND = 4;

interface CheckpointerOptions {
  readonly lead: Lead;
  readonly key: SigningKey;
  readonly origin: string;
  readonly file: CheckpointLog | undefined;
  /** Signed with each head of the chain. */
  readonly log: TransparencyLog;
  readonly cadence: Cadence;
  /** Nothing is acknowledged for long that nobody signed: a fault here ends the term. */
  onFault(error: unknown): void;
  onSigned(note: string): void;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #durable: Head | undefined;
  #signed = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
  }

  /** The head has become durable: it is signed now or within the cadence. */
  grown(head: Head): void {
    this.#durable = head;
    if (this.#ended || this.#running !== undefined) return;
    const { entries, millis } = this.#options.cadence;
    if (head.size - this.#signed >= entries) this.#start(head);
    else this.#timer ??= setTimeout(() => this.#start(this.#durable ?? head), millis).unref();
  }

  /** Resolves at once, unless checkpoints have fallen far behind. */
  async keepUp(): Promise<void> {
    const behind = (this.#durable?.size ?? 0) - this.#signed;
    if (behind >= BEHIND * this.#options.cadence.entries) await this.#running;
  }

  /** Signs this head, whatever the cadence says; throws where it cannot be kept. */
  async sign(head: Head): Promise<void> {
    const { lead, key, origin, file, log, onSigned } = this.#options;
    const checkpoint = signCheckpoint(key, origin, head);
    // If we stop between the two, the file knows more than the database: the start checks both.
    await file?.append(checkpoint.note);
    const note = signedByFormer(key, origin, checkpoint.note);
    await lead.keepCheckpoint({ size: head.size, note });
    await log.sign(lead, head.size);
    this.#signed = head.size;
    onSigned(note);
  }

  /** Signs the last head before leadership is given back. */
  async finish(head: Head): Promise<void> {
    this.end();
    await this.#running;
    if (this.#signed < head.size) await this.sign(head);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #start(head: Head): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#ended || this.#running !== undefined || head.size <= this.#signed) return;
    this.#running = this.#run(head);
  }

  async #run(head: Head): Promise<void> {
    try {
      await this.sign(head);
    } catch (error) {
      if (!this.#ended) this.#options.onFault(error);
      this.end();
    }
    this.#running = undefined;
    if (this.#durable !== undefined && this.#durable.size > head.size) this.grown(this.#durable);
  }
}
