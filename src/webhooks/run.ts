// One run of a webhook: its messages one after the other, each until it has arrived.
// Invariant: a message is sent only once every earlier one was answered with success; its id is the
// same however often it is sent.
import type { CommandOf } from "#core/command.ts";
import type { Webhook } from "#core/webhook/record.ts";
import type { Result } from "#engine/engine.ts";
import { isAccepted } from "#engine/engine.ts";
import { Inbox, type Message } from "./inbox.ts";
import type { Lanes } from "./lanes.ts";
import { pauseMillis, type WebhookPace } from "./pace.ts";
import type { Posted } from "./post.ts";
import { secretOf, signedHeaders } from "./signature.ts";
import type { Cursor, LoggedAttempt } from "./store.ts";
import type { Tail } from "./tail.ts";

export interface DeliveryRunPorts {
  readonly tail: Tail;
  readonly lanes: Lanes;
  readonly pace: WebhookPace;
  /** The key that secrets are drawn with. */
  readonly key: string;
  /** Unix milliseconds of the world outside, whatever the exchange's clock says. */
  nowMillis(): number;
  /** The exchange's own clock. */
  engineSeconds(): number;
  /** Whether the key a webhook stands by is live. */
  isKeyLive(webhook: Webhook): boolean;
  /** Whether this node leads: the one that does delivers, and no other. */
  leads(): boolean;
  post(
    posting: { readonly url: string; readonly headers: Headers; readonly body: Uint8Array },
    signal: AbortSignal,
  ): Promise<Posted>;
  suspend(command: CommandOf<"SuspendWebhook">): Promise<Result>;
  /** The cursor has changed; an attempt is there to be logged. */
  changed(run: DeliveryRun, attempt: LoggedAttempt | undefined): void;
}

type Headers = Readonly<Record<string, string>>;

/** An answer within this makes the next delivery one of the prompt lane. */
const PROMPT_MILLIS = 1_000;
/** While this node does not lead, or could not give a command. */
const IDLE_MILLIS = 5_000;
/** The receiver wants no more, by the specification. */
const GONE = 410;

export class DeliveryRun {
  readonly inbox: Inbox;
  readonly #ports: DeliveryRunPorts;
  readonly #ending = new AbortController();
  #webhook: Webhook;
  #cursor: Cursor;
  #isPrompt = false;
  /** A message is out of the inbox, and nobody knows yet whether it arrives. */
  #isBusy = false;
  /** The command that ends this run is durable. */
  #isGivenUp = false;
  /** The cursor as the run ended. */
  #last: Cursor | undefined;

  constructor(ports: DeliveryRunPorts, webhook: Webhook, before: Cursor | undefined) {
    const { id, run, afterSequence: delivered } = webhook;
    const calm = { attempts: 0, failingSinceMillis: null, nextAttemptMillis: null };
    this.#ports = ports;
    this.#webhook = webhook;
    this.#cursor =
      before?.run === run ? before : { id, run, delivered, ...calm, logged: before?.logged ?? 0 };
    this.inbox = new Inbox(webhook, this.#cursor.delivered);
    ports.tail.add(this.inbox);
  }

  get webhook(): Webhook {
    return this.#webhook;
  }

  /** How far it is; where nothing waits, all that was read for it counts as delivered. */
  get cursor(): Cursor {
    if (this.#last !== undefined) return this.#last;
    if (this.#isBusy || !this.inbox.isEmpty || this.#cursor.attempts > 0) return this.#cursor;
    return { ...this.#cursor, delivered: this.#ports.tail.positionOf(this.inbox) };
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /** The same run under another secret. */
  update(webhook: Webhook): void {
    this.#webhook = webhook;
  }

  /** Breaks off a delivery under way: nobody knows whether it arrived, so it counts as not sent. */
  end(): void {
    this.#last = this.cursor;
    this.#ports.tail.remove(this.inbox);
    this.#ending.abort();
    this.inbox.wake();
  }

  async deliver(): Promise<void> {
    const { tail, lanes } = this.#ports;
    for (;;) {
      await this.#rest();
      if (this.#isGivenUp) return;
      while (this.inbox.isEmpty && !this.isOver) {
        const arrival = this.inbox.arrival();
        tail.read(this.inbox);
        await arrival;
      }
      const leave = await lanes.enter(this.#isPrompt);
      try {
        const message = this.isOver ? undefined : this.inbox.take();
        if (message === undefined) return;
        this.#isBusy = true;
        await this.#attempt(message);
        this.#isBusy = false;
      } finally {
        leave();
      }
    }
  }

  /** Until the next attempt is due, or the run is over. */
  #rest(): Promise<void> {
    const { nextAttemptMillis } = this.#cursor;
    const waitMillis = (nextAttemptMillis ?? 0) - this.#ports.nowMillis();
    const { signal } = this.#ending;
    if (waitMillis <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, waitMillis).unref();
      signal.addEventListener("abort", end);
    });
  }

  async #attempt(message: Message): Promise<void> {
    const { leads, isKeyLive, nowMillis, post } = this.#ports;
    if (!leads()) {
      this.#postpone(message, nowMillis() + IDLE_MILLIS);
      return;
    }
    if (!isKeyLive(this.#webhook)) {
      await this.#giveUp(message, "key_ended", "KEY_ENDED");
      return;
    }
    const atMillis = nowMillis();
    const began = performance.now();
    const { body } = message;
    const headers = this.#headers(message, Math.floor(atMillis / 1000));
    const posted = await post({ url: this.#webhook.url, headers, body }, this.#ending.signal);
    if (this.isOver) return;
    const tookMillis = Math.round(performance.now() - began);
    const isDone = "status" in posted && posted.status >= 200 && posted.status < 300;
    this.#isPrompt = isDone && tookMillis <= PROMPT_MILLIS;
    this.#log(message, posted, { atMillis, tookMillis });
    if (isDone) this.#arrived(message);
    else await this.#failed(message, posted);
  }

  #headers(message: Message, atSeconds: number): Headers {
    const { id, salt, before } = this.#webhook;
    const { key, engineSeconds } = this.#ports;
    const salts = [salt];
    if (before !== null && engineSeconds() < before.untilSeconds) salts.push(before.salt);
    const secrets = salts.map((one) => secretOf(key, one));
    return {
      "content-type": "application/json",
      "user-agent": "firstprint-webhook",
      ...signedHeaders(secrets, {
        id: messageId(id, message.sequence),
        atSeconds,
        body: message.body,
      }),
    };
  }

  #log(message: Message, posted: Posted, times: { atMillis: number; tookMillis: number }): void {
    const { id, logged, attempts } = this.#cursor;
    const number = logged + 1;
    this.#cursor = { ...this.#cursor, logged: number };
    const answer =
      "status" in posted
        ? { status: posted.status, fault: null }
        : { status: null, fault: posted.fault };
    const { sequence } = message;
    this.#ports.changed(this, { id, number, sequence, attempt: attempts + 1, ...times, ...answer });
  }

  #arrived({ sequence }: Message): void {
    const calm = { attempts: 0, failingSinceMillis: null, nextAttemptMillis: null };
    this.#cursor = { ...this.#cursor, delivered: sequence, ...calm };
    this.#ports.changed(this, undefined);
  }

  async #failed(message: Message, posted: Posted): Promise<void> {
    const { pace, nowMillis } = this.#ports;
    const now = nowMillis();
    const attempts = this.#cursor.attempts + 1;
    const failingSinceMillis = this.#cursor.failingSinceMillis ?? now;
    const asked = "status" in posted ? posted.retryAfterMillis : 0;
    const nextAttemptMillis = now + pauseMillis(pace, attempts, asked);
    this.#cursor = { ...this.#cursor, attempts, failingSinceMillis };
    this.#postpone(message, nextAttemptMillis);
    this.#ports.changed(this, undefined);
    const fault = "status" in posted ? `HTTP ${posted.status}` : posted.fault;
    const isGone = "status" in posted && posted.status === GONE;
    if (isGone) await this.#giveUp(message, "gone", fault);
    else if (now - failingSinceMillis >= pace.patienceMillis) {
      await this.#giveUp(message, "failing", fault);
    }
  }

  /** Nothing of it is held meanwhile: it is read from the journal again. */
  #postpone({ sequence }: Message, nextAttemptMillis: number): void {
    this.inbox.rewind(sequence - 1);
    this.#cursor = { ...this.#cursor, delivered: sequence - 1, nextAttemptMillis };
  }

  /** The entry that says so ends this run; where it is not taken, the run goes on. */
  async #giveUp(
    message: Message,
    cause: CommandOf<"SuspendWebhook">["cause"],
    fault: string,
  ): Promise<void> {
    const { id: webhookId, accountId, run } = this.#webhook;
    this.#postpone(message, this.#ports.nowMillis() + IDLE_MILLIS);
    const command = { webhookId, accountId, run, cause, fault };
    const result = await this.#ports.suspend({ type: "SuspendWebhook", ...command });
    this.#isGivenUp = isAccepted(result);
  }
}

/** Ids of webhooks are drawn at random, so it is the only one of its kind anywhere. */
export const messageId = (webhook: string, sequence: number): string =>
  `msg_${webhook.replace(/^whk-/, "")}_${sequence}`;
