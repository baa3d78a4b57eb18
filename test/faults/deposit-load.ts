// Deposits asked for over HTTP by several clients, each under a key, and all that was said of them.
// Invariant: a deposit that was not answered is asked for again under its key, never a new one.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isRejected } from "#core/outcome.ts";
import { until } from "#test/e2e/until.ts";
import { entryShown } from "#test/support/disclosed.ts";
import { at, type Exchange, listAt, type Reply, textAt } from "#test/support/exchange.ts";

/** The codes a client may get while the database is not what it should be. */
const faultCodes = new Set(["OUTCOME_UNKNOWN", "NOT_LEADER", "STORAGE_UNAVAILABLE"]);

/** Of the deposits that are asked for again: all at once would be a load of its own. */
const ASKED_AT_ONCE = 8;

/** Of the journal that is read at once: hours of it are more than a string can hold. */
const SLICE_SECONDS = 60;

/** For an exchange that is not to refuse a load for being one. */
export const anyRate = { FIRSTPRINT_MAX_KEY_RATE: "1000000" } as const;

export class DepositLoad {
  readonly #exchange: Pick<Exchange, "get" | "post">;
  readonly #account: string;
  readonly #auditor: string;
  readonly #name: string;
  readonly #answered = new Map<string, string>();
  readonly #open = new Map<string, "certain" | "unknown">();
  /** How often each code was said instead of an answer. */
  readonly codes = new Map<string, number>();
  /** Nothing of it is older. */
  readonly #sinceSeconds = Math.floor(Date.now() / 1_000) - 5;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    exchange: Pick<Exchange, "get" | "post">,
    account: string,
    auditor: string,
    name: string,
  ) {
    this.#exchange = exchange;
    this.#account = account;
    this.#auditor = auditor;
    this.#name = name;
  }

  get answers(): number {
    return this.#answered.size;
  }

  get refusals(): number {
    return [...this.codes.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Of each client: the pause from an answer to its next deposit, and from a refusal. */
  start(clients: number, pauseMillis = 0, refusedMillis = 100): void {
    const client = async (number: number): Promise<void> => {
      for (let count = 0; !this.#isOver; count += 1) {
        const said = await this.#ask(`${this.#name}-${number}-${count}`);
        await sleep(said ? pauseMillis : refusedMillis);
      }
    };
    this.#running = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    // Told where its end is awaited.
    this.#running.catch(() => undefined);
  }

  /** No more are asked for; waits for what is under way. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Every deposit has its one answer, and the journal holds each once and no other. */
  async settle(): Promise<{ readonly stored: number; readonly absent: number }> {
    const before = await this.#stored();
    for (const [key, said] of this.#open) {
      const there = before.get(key) ?? 0;
      assert.ok(said === "unknown" || there === 0, `${key} was refused, so it is not there`);
    }
    for (const key of this.#answered.keys()) assert.equal(before.get(key), 1, `${key} is there`);
    const open = [...this.#open];
    for (let at = 0; at < open.length; at += ASKED_AT_ONCE) {
      const some = open.slice(at, at + ASKED_AT_ONCE);
      await Promise.all(some.map(([key]) => until(`${key} is answered`, () => this.#ask(key))));
    }
    const whole = await this.#stored();
    const expected = new Map([...this.#answered.keys()].sort().map((key) => [key, 1]));
    assert.deepEqual(new Map([...whole].sort()), expected);
    const unknown = open.filter(([, said]) => said === "unknown");
    const stored = unknown.filter(([key]) => before.has(key)).length;
    return { stored, absent: unknown.length - stored };
  }

  async #ask(key: string): Promise<boolean> {
    const reply = await this.#exchange.post(
      `/api/admin/accounts/${this.#account}/funding`,
      { amount: "1", memo: key },
      { admin: true, headers: { "idempotency-key": key } },
    );
    if (reply.status < 300) {
      this.#open.delete(key);
      this.#answered.set(key, reply.text);
      return true;
    }
    // A client that gave up asks again while the first request is under way: nothing is known.
    if (textAt(reply.body, "code") === "IDEMPOTENCY_IN_FLIGHT") return false;
    const code = refusalOf(reply);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    const said = at(reply.body, "error", "outcome") === "unknown" ? "unknown" : "certain";
    // An unknown outcome is not made certain by a later refusal to look.
    if (this.#open.get(key) !== "unknown") this.#open.set(key, said);
    return false;
  }

  /** How often the journal holds the deposit of each key. */
  async #stored(): Promise<ReadonlyMap<string, number>> {
    const keys = new Map<number, string>();
    const untilSeconds = Math.floor(Date.now() / 1_000);
    for (let from = this.#sinceSeconds; from <= untilSeconds; from += SLICE_SECONDS) {
      for (const item of await this.#exported(from, from + SLICE_SECONDS)) {
        const { envelope, outcome, sequence } = entryShown(item);
        const { command, idempotency } = envelope;
        if (command.type !== "FundAccount" || isRejected(outcome)) continue;
        const key = idempotency?.key;
        if (key?.startsWith(`${this.#name}-`)) keys.set(sequence, key);
      }
    }
    const stored = new Map<string, number>();
    for (const key of keys.values()) stored.set(key, (stored.get(key) ?? 0) + 1);
    return stored;
  }

  async #exported(startTime: number, endTime: number): Promise<readonly unknown[]> {
    const path = `/api/audit/export?startTime=${startTime}&endTime=${endTime}`;
    let exported: Reply | undefined;
    const read = until("the journal can be read", async () => {
      exported = await this.#exchange.get(path, { key: this.#auditor });
      // Exports have a rate of their own.
      if (exported.status === 429) await sleep(1_000 * Number(exported.headers.get("retry-after")));
      return exported.status === 200;
    });
    await read.catch((cause: unknown) => {
      throw new Error(`${path}: ${exported?.status} ${exported?.text.slice(0, 500)}`, { cause });
    });
    return listAt(exported?.body, "data");
  }
}

function refusalOf(reply: Reply): string {
  const code = textAt(reply.body, "code");
  assert.equal(reply.status, 503, reply.text);
  assert.ok(faultCodes.has(code), reply.text);
  assert.ok(Number(reply.headers.get("retry-after")) > 0, "it says when to come back");
  return code;
}
