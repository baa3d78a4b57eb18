// The answers callers got to their requests, held against the entries that are there.
// Invariant: what was answered is there for ever, what was refused never, nothing happens twice.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Actor, Command } from "#core/command.ts";
import type { Entry } from "#core/outcome.ts";
import type { Result } from "#engine/engine.ts";
import type { Request } from "#test/engine/requests.ts";

const DAY_MILLIS = 86_400_000;

export class Callers {
  readonly #refused = new Set<string>();
  /** When a key of somebody's last had its effect. */
  readonly #effects = new Map<string, number>();
  readonly #entries = new Map<string, Entry>();
  #made = 0;

  request(actor: Actor, command: Command, key: string | null): Request {
    this.#made += 1;
    const idempotency = key === null ? null : { key, digest: `digest of ${key}` };
    return { actor, command, requestId: `req-${this.#made}`, idempotency };
  }

  /** The same asked once more: a request of its own, under the key of the first. */
  again(first: Request): Request {
    return { ...this.request(first.actor, first.command, null), idempotency: first.idempotency };
  }

  /** The entry a request has become. */
  entryOf({ requestId }: Request): Entry | undefined {
    return this.#entries.get(requestId);
  }

  /** A durable entry, in its order. */
  follow(entry: Entry): void {
    const { requestId, idempotency, actor, timeMillis } = entry.envelope;
    if (requestId === null) return;
    assert.ok(!this.#refused.has(requestId), `${requestId} was refused, and is there`);
    assert.ok(!this.#entries.has(requestId), `${requestId} is there once`);
    this.#entries.set(requestId, entry);
    if (idempotency === null) return;
    const scope = actor.type === "key" ? actor.accountId : actor.type;
    const name = `${scope} ${idempotency.key}`;
    const before = this.#effects.get(name) ?? Number.NEGATIVE_INFINITY;
    assert.ok(timeMillis - before >= DAY_MILLIS, `${name} has one effect in a day`);
    this.#effects.set(name, timeMillis);
  }

  told(request: Request, result: Result): void {
    if ("refused" in result) this.#refused.add(request.requestId);
    if (!("outcome" in result)) return;
    const { sequence, requestId, outcome, replayed } = result;
    if (sequence === null) return;
    const entry = this.#entries.get(requestId ?? "");
    assert.ok(entry?.sequence === sequence, `the answer to ${requestId} is durable`);
    const isSame = isDeepStrictEqual(outcome, entry.outcome);
    assert.ok(isSame, `${requestId} is answered as decided`);
    assert.equal(replayed, requestId !== request.requestId, `${requestId} says whose answer it is`);
    // Of a replay the request itself must never have its own effect.
    if (replayed) this.#refused.add(request.requestId);
  }
}
